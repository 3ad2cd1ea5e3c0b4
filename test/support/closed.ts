import type { Socket } from 'node:net';

/**
 * Resolves when the connection is closed, in whatever way: a peer that goes with bytes unread resets it,
 * and `once(socket, 'close')` would reject with that reset.
 */
export function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
