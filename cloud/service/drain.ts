/** How the connections of a server end when it closes. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Makes the closing of a server cut off no answer. Node's own `close` takes a connection for idle as
 * soon as its answer has been handed in, and destroys it while a slow reader is still at it; and it
 * waits for those that never said anything, the handshake included. Here a connection is idle when the
 * last byte of its answer has left, it ends by itself after that, and `closeAllConnections` ends
 * whatever there is.
 */
export function drainOnClose(server: HttpServer): void {
  const all = new Set<Socket>();
  /** Those on which requests come, and those that have not shaken hands yet. */
  const open = new Set<Socket>();
  const unshaken = new Map<string, Socket>();
  const answers = new Map<Socket, number>();
  let closing = false;

  const keepIn = (set: Set<Socket>, socket: Socket): void => {
    set.add(socket);
    socket.once('close', () => set.delete(socket));
  };
  const isTls = server instanceof TlsServer;
  server.on('connection', (socket: Socket) => {
    keepIn(all, socket);
    if (!isTls) return keepIn(open, socket);
    const peer = peerOf(socket);
    unshaken.set(peer, socket);
    socket.once('close', () => unshaken.delete(peer));
  });
  server.on('secureConnection', (socket: Socket) => {
    unshaken.delete(peerOf(socket));
    keepIn(open, socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, (answers.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (answers.get(socket) ?? 1) - 1;
      if (left > 0) answers.set(socket, left);
      else answers.delete(socket);
      if (closing && left === 0) socket.end();
    });
  });
  server.closeIdleConnections = () => {
    closing = true;
    for (const socket of [...open, ...unshaken.values()]) if (!answers.has(socket)) socket.destroy();
  };
  server.closeAllConnections = () => {
    for (const socket of all) socket.destroy();
  };
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
