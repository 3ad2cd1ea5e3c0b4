/** Answers that the relay makes itself; the cloud's go through `pass-on.ts`. */
import type { ServerResponse } from 'node:http';

export function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
