/**
 * Lets the TLS handshakes of a listener begin some at a time, in the order of arrival (D171). A handshake takes more than
 * a millisecond of the one thread: ten thousand at once would all be half done when the first clients give up.
 */
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** Handshakes under way at one time. */
const AT_ONCE = 256;
/** A handshake keeps its place for so long; a client that lets it hang then holds up nobody. */
const PLACE_MS = 250;
/** A client that has waited for longer is gone. */
const WAIT_MS = 60_000;

/** @param places for tests */
export function gateHandshakes(server: Server, { atOnce = AT_ONCE, placeMs = PLACE_MS } = {}): void {
  const begin = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const waiting: { socket: Socket; since: number }[] = [];
  const places = new Map<string, () => void>();
  let underWay = 0;

  const admit = (socket: Socket): void => {
    underWay += 1;
    const peer = peerOf(socket);
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      // Sockets that were reset before they were accepted have no address, and one name.
      if (places.get(peer) === leave) places.delete(peer);
      clearTimeout(late);
      underWay -= 1;
      next();
    };
    const late = setTimeout(leave, placeMs).unref();
    places.set(peer, leave);
    for (const each of begin) each.call(server, socket);
    socket.once('close', leave);
  };
  const next = (): void => {
    while (underWay < atOnce) {
      const first = waiting.shift();
      if (first === undefined) return;
      if (performance.now() - first.since > WAIT_MS) first.socket.destroy();
      if (!first.socket.destroyed) admit(first.socket);
    }
  };
  server.on('connection', (socket: Socket) => {
    if (underWay < atOnce) return admit(socket);
    // Its reset while it waits concerns no one.
    socket.on('error', () => undefined);
    waiting.push({ socket, since: performance.now() });
  });
  server.on('secureConnection', (socket) => places.get(peerOf(socket))?.());
}

/** Names a connection, the same bare and within TLS. */
export const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
