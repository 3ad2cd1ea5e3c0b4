/** Answers that the relay makes itself; the cloud's go through `pass-on.ts`. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { failure, type ApiError } from '../../shared/wire/envelope.ts';

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

/** Refuses what never becomes a request with an answer of its own: the envelope by hand, and the end. */
export function refuseOnSocket(socket: Duplex, error: ApiError, requestId: string): void {
  if (!socket.writable) return;
  const body = JSON.stringify(failure(error));
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
