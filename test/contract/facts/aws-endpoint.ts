/** A scripted Step Functions and SQS endpoint on loopback, which also times out, throttles and gives false answers. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer: a body of JSON, a raw text, or none at all. */
export type Told = { status?: number; json?: object; text?: string } | 'hangs';

/** @param asked the request's fields; @param count how often this has been asked, from 1 */
export type Script = (action: string, asked: Record<string, unknown>, count: number) => Told;

export class AwsEndpoint {
  readonly url: string;
  /** Each request as `Action first-value`. */
  readonly asked: string[] = [];
  script: Script = () => ({ status: 500 });
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<AwsEndpoint> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = new AwsEndpoint(server);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.once('end', () => {
        const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
        endpoint.#answer(action, JSON.parse(body) as Record<string, unknown>, response);
      });
    });
    return endpoint;
  }

  #answer(action: string, asked: Record<string, unknown>, response: ServerResponse): void {
    const line = `${action} ${String(Object.values(asked)[0])}`;
    this.asked.push(line);
    const told = this.script(action, asked, this.asked.filter((one) => one === line).length);
    if (told === 'hangs') {
      this.#open.add(response);
      return;
    }
    response.writeHead(told.status ?? 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(told.text ?? JSON.stringify(told.json ?? {}));
  }

  /** Forgets the recorded requests. */
  clear(script: Script): void {
    this.asked.length = 0;
    this.script = script;
  }

  async close(): Promise<void> {
    for (const response of this.#open) response.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
