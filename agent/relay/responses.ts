/** Answers that the relay makes itself; the cloud's go through `forward.ts`. */
import type { ServerResponse } from 'node:http';

export function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  end(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Numbers for Prometheus, in its own form. */
export function sendText(response: ServerResponse, text: string): void {
  end(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text);
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}
