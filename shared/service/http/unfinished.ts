/**
 * Keeps one address from taking all connections of a listener: where they become few, the address with the most
 * unfinished ones loses its oldest (D195). Unfinished is a connection that is neither recognised nor has a whole request
 * under way: a handshake, half a head, a body that drips, or idle after an answer to nobody known. So is any whose answer
 * waits for its reader.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { peerOf } from './handshake-gate.ts';

/** Connections are few when so great a part of them is taken. */
const FEW = 3 / 4;
/** What one address may always hold unfinished: a part of all, and some. */
const SHARE = 1 / 16;
const SOME = 8;

const recognised = new WeakSet<Socket>();

/** Takes a connection out of the count for good: its key, session or certificate was accepted. */
export const recognise = (socket: Socket): void => void recognised.add(socket);

/** @param most all connections that the listener has */
export function shareConnections(server: HttpServer | HttpsServer, most: number): void {
  /** By address, the oldest first. */
  const unfinished = new Map<string, Set<Socket>>();
  /** The bare connections beneath TLS, and others, by their peer. */
  const open = new Map<string, Socket>();
  /** Those with an answer under way, by their peer: the HTTP sockets. */
  const answering = new Map<string, { socket: Socket; request: IncomingMessage }>();

  const putIn = (peer: string): void => {
    const socket = open.get(peer);
    if (socket === undefined) return;
    const address = networkOf(socket.remoteAddress ?? '');
    const of = unfinished.get(address) ?? new Set();
    unfinished.set(address, of.add(socket));
  };
  const takeOut = (peer: string): void => {
    const socket = open.get(peer);
    if (socket === undefined) return;
    const address = networkOf(socket.remoteAddress ?? '');
    const of = unfinished.get(address);
    of?.delete(socket);
    if (of?.size === 0) unfinished.delete(address);
  };
  /** Those whose answer waited for them at the last look. */
  const slow = new Set<string>();
  /** An accepted key does not entitle to hold a place by not reading. It looks at thousands that wait for an answer. */
  const countReaders = (): void => {
    for (const [peer, { socket, request }] of answering)
      if (socket.writableLength > 0) {
        slow.add(peer);
        putIn(peer);
      } else if (slow.delete(peer) && request.complete) takeOut(peer);
  };
  const makeRoom = (): void => {
    countReaders();
    let largest = new Set<Socket>();
    for (const of of unfinished.values()) if (of.size > largest.size) largest = of;
    const [oldest] = largest;
    if (largest.size > Math.max(most * SHARE, SOME)) oldest?.destroy();
  };
  server.prependListener('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    putIn(peer);
    socket.once('close', () => {
      if (open.get(peer) !== socket) return;
      takeOut(peer);
      open.delete(peer);
      answering.delete(peer);
      slow.delete(peer);
    });
    if (open.size > most * FEW) makeRoom();
  });
  // All places were taken before anybody was slow.
  server.on('drop', makeRoom);
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!socket.authorized) return;
    recognise(socket);
    takeOut(peerOf(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const peer = peerOf(socket);
    if (hasBody(request)) request.once('end', () => takeOut(peer));
    else takeOut(peer);
    answering.set(peer, { socket, request });
    response.once('close', () => {
      slow.delete(peer);
      if (answering.get(peer)?.request === request) answering.delete(peer);
      if (recognised.has(socket)) takeOut(peer);
      else putIn(peer);
    });
  });
}

/** The address, or of IPv6 the network of 64 bits, which one customer of a provider has whole. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [front = [], back = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
