/** The end of a server: running requests finish, and no connection holds it up, half-open ones included. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Emitted by a server that has begun to close: answers that are held back may leave now. */
export const DRAINING = 'causeway:draining';

/**
 * Closes a server without cutting off an answer. Node's own `close` takes a connection for idle as soon as its answer
 * has been handed in, and destroys it while a slow reader still reads; and it waits for silent connections, the
 * handshake included. Here a connection is idle when the last byte of its answer has left, and nothing of a request has come
 * since; it is then ended, and `closeAllConnections` ends every connection.
 */
export function drainOnClose(server: HttpServer): void {
  const all = new Set<Socket>();
  /** Connections past their handshake, each with the number of bytes that had come before its next request. */
  const open = new Map<Socket, number>();
  const unshaken = new Map<string, Socket>();
  const answers = new Map<Socket, number>();
  let closing = false;

  const take = (socket: Socket): void => {
    open.set(socket, socket.bytesRead);
    socket.once('close', () => open.delete(socket));
  };
  const isTls = server instanceof TlsServer;
  server.on('connection', (socket: Socket) => {
    all.add(socket);
    socket.once('close', () => all.delete(socket));
    if (!isTls) return take(socket);
    const peer = peerOf(socket);
    unshaken.set(peer, socket);
    socket.once('close', () => unshaken.delete(peer));
  });
  server.on('secureConnection', (socket: Socket) => {
    unshaken.delete(peerOf(socket));
    take(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, (answers.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (answers.get(socket) ?? 1) - 1;
      if (left > 0) answers.set(socket, left);
      else answers.delete(socket);
      // Of a connection that has ended nothing is kept.
      if (open.has(socket)) open.set(socket, socket.bytesRead);
      if (closing && left === 0) socket.end();
    });
  });
  server.closeIdleConnections = () => {
    closing = true;
    for (const [socket, before] of open) if (!answers.has(socket) && socket.bytesRead === before) socket.destroy();
    for (const socket of unshaken.values()) socket.destroy();
    server.emit(DRAINING);
  };
  server.closeAllConnections = () => {
    for (const socket of all) socket.destroy();
  };
}

interface Closing {
  server: HttpServer;
  close(): Promise<unknown>;
}

/**
 * Stops listening, lets running requests finish, and cuts off late ones.
 *
 * @param servers of `createListener`
 */
export async function closeServers(servers: readonly Closing[], graceMs: number): Promise<void> {
  const late = setTimeout(() => {
    for (const { server } of servers) server.closeAllConnections();
  }, graceMs);
  await Promise.all(servers.map((each) => each.close()));
  clearTimeout(late);
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
