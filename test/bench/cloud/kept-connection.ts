/** A connection that stays open, over mutual TLS, and costs the benchmark's own process little. */
import { once } from 'node:events';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

const HEADERS_END = Buffer.from('\r\n\r\n');

export class KeptConnection {
  readonly #socket: TLSSocket;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  static async to(url: string, secureContext: SecureContext): Promise<KeptConnection> {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), servername: 'localhost', secureContext });
    await once(socket, 'secureConnect');
    return new KeptConnection(socket);
  }

  /** @returns the bytes of the body; throws when the status is not 200, or when the connection ends */
  get(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      let got: Buffer = Buffer.alloc(0);
      const end = (): void => {
        this.#socket.off('data', take).off('close', broken);
      };
      const broken = (): void => {
        end();
        reject(new Error(`${path}: the connection ended`));
      };
      const take = (bytes: Buffer): void => {
        got = got.length === 0 ? bytes : Buffer.concat([got, bytes]);
        const head = got.indexOf(HEADERS_END);
        if (head === -1) return;
        const headers = got.toString('latin1', 0, head);
        const length = Number(/content-length: (\d+)/i.exec(headers)?.[1]);
        if (got.length < head + HEADERS_END.length + length) return;
        end();
        if (headers.startsWith('HTTP/1.1 200')) resolve(length);
        else reject(new Error(`${path} was answered ${headers.slice(0, 30)}`));
      };
      this.#socket.on('data', take).on('close', broken);
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
