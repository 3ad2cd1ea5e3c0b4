/** The end of a server: running requests finish, and no connection holds it up, half-open ones included. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Closes a server without cutting off an answer. Node's own `close` takes a connection for idle as soon as its answer
 * has been handed in, and destroys it while a slow reader still reads; and it waits for silent connections, the
 * handshake included. Here a connection is idle when the last byte of its answer has left, and nothing of a request has come
 * since; it is then ended, and `closeAllConnections` ends every connection.
 */
export function drainOnClose(server: HttpServer): void {
  const all = new Set<Socket>();
  /** Connections with requests, and those before their handshake. */
  const open = new Set<Socket>();
  const unshaken = new Map<string, Socket>();
  const answers = new Map<Socket, number>();
  /** How many bytes had come before the next request. */
  const before = new WeakMap<Socket, number>();
  let closing = false;

  const keepIn = (set: Set<Socket>, socket: Socket): void => {
    set.add(socket);
    socket.once('close', () => set.delete(socket));
  };
  const take = (socket: Socket): void => {
    keepIn(open, socket);
    before.set(socket, socket.bytesRead);
  };
  const isIdle = (socket: Socket): boolean => !answers.has(socket) && before.get(socket) === socket.bytesRead;
  const isTls = server instanceof TlsServer;
  server.on('connection', (socket: Socket) => {
    keepIn(all, socket);
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
      before.set(socket, socket.bytesRead);
      if (closing && left === 0) socket.end();
    });
  });
  server.closeIdleConnections = () => {
    closing = true;
    for (const socket of [...[...open].filter(isIdle), ...unshaken.values()]) socket.destroy();
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
