/** Ends the connections of a closing server. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Closes a server without cutting off an answer. Node's own `close` takes a connection for idle as soon as its answer
 * has been handed in, and destroys it while a slow reader still reads; and it waits for silent connections, the
 * handshake included. Here a connection is idle when the last byte of its answer has left; it is then ended, and
 * `closeAllConnections` ends every connection.
 */
export function drainOnClose(server: HttpServer): void {
  const all = new Set<Socket>();
  /** Connections with requests, and those before their handshake. */
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
