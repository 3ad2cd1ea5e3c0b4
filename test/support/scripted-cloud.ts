/**
 * A cloud for fault tests: a real server, over mutual TLS or on plain loopback, that answers pulls
 * truthfully from a list of entries and misbehaves on demand, down to single bytes on the wire.
 *
 *   const cloud = await startScriptedCloud({ entries });
 *   cloud.misbehave = ({ honest }) => onWire(honest().body, { cutAt: 17 });
 *   …
 *   cloud.misbehave = null;                             // healthy again
 */
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { bodyOf, bundleOf, sha256, TENANT, type Entry } from '../faults/truth.ts';
import { statementOf, type VendorKey } from './vendor-key.ts';

/** The bytes on the wire for one request. */
export interface OnWire {
  /** Status line, headers and body. */
  bytes: Uint8Array;
  /**
   * `END` closes in good order, `RESET` resets the connection, `HANG` sends nothing more and `KEEP` waits for the next
   * request.
   */
  ending: 'END' | 'RESET' | 'HANG' | 'KEEP';
  /** Sends this many bytes at a time, with a pause in ms; absent: all at once. */
  drip?: { bytes: number; everyMs: number };
  /** Continues with this after the bytes, until the other side closes. */
  endless?: Uint8Array;
}

export interface HonestAnswer {
  body: Buffer;
  headers: Record<string, string>;
}

export interface Situation {
  after: number;
  limit: number;
  /** The answer that a healthy cloud would give now. */
  honest(): HonestAnswer;
}

/** The cloud's answer instead of the honest one; null: the honest one, this time. */
export type Misbehaviour = (situation: Situation) => OnWire | null;

export interface ScriptedCloud {
  url: string;
  port: number;
  /** In cursor order; may grow. */
  entries: Entry[];
  misbehave: Misbehaviour | null;
  /** Whether honest answers carry `X-Causeway-Head` (D31). */
  tellsHead: boolean;
  /** Signs honest answers (D59), at the time of `now`. */
  vendorKey: VendorKey | null;
  now: () => Date;
  /** `after` of every pull so far. */
  asked: number[];
  /** SHA-256 of every honest body. */
  sent: Set<string>;
  close(): Promise<void>;
}

export interface ScriptedCloudOptions {
  entries?: Entry[];
  /** Certificate, key and the authority of the callers; without it plain HTTP on loopback. */
  tls?: TlsOptions;
  port?: number;
}

export async function startScriptedCloud({
  entries = [],
  tls,
  port = 0,
}: ScriptedCloudOptions = {}): Promise<ScriptedCloud> {
  const sockets = new Set<Socket>();
  // Every answer bypasses the server's own response, which could not follow a broken one.
  const answer: RequestListener = (request) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://cloud');
    const after = Number(searchParams.get('after'));
    const limit = Number(searchParams.get('limit') ?? 100);
    cloud.asked.push(after);
    const honest = (): HonestAnswer => honestly(cloud, after, limit);
    const wire = cloud.misbehave?.({ after, limit, honest }) ?? null;
    void say(request.socket, wire ?? wireOf(honest()));
  };
  const server =
    tls === undefined
      ? createHttp(answer)
      : createHttps({ requestCert: true, rejectUnauthorized: true, ...tls }, answer);
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    });
  const listening = await listen(server, port);
  const cloud: ScriptedCloud = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${listening}`,
    port: listening,
    entries: [...entries],
    misbehave: null,
    tellsHead: true,
    vendorKey: null,
    now: () => new Date(),
    asked: [],
    sent: new Set(),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return cloud;
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function honestly(cloud: ScriptedCloud, after: number, limit: number): HonestAnswer {
  const some = cloud.entries.slice(firstAfter(cloud.entries, after)).slice(0, limit);
  const body = some.length === 0 ? bodyOf() : bodyOf(bundleOf(after, some));
  cloud.sent.add(sha256(body));
  const head = cloud.entries.at(-1)?.cursor ?? 0;
  const { vendorKey: key } = cloud;
  const told = { tenantId: TENANT, after, head, at: cloud.now(), body };
  return {
    body,
    headers: {
      'content-type': 'application/json',
      ...(cloud.tellsHead ? { 'x-causeway-head': String(head) } : {}),
      ...(key === null ? {} : { 'x-causeway-statement': statementOf(key, told) }),
    },
  };
}

/** The index of the first entry after a cursor, by binary search, because crash tests have thousands. */
function firstAfter(entries: readonly Entry[], after: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.cursor ?? Infinity) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The framing of an answer on the wire. */
export interface Framing {
  status?: number;
  headers?: Record<string, string>;
  /**
   * `LENGTH` sends Content-Length, `CHUNKED` sends chunks of 100 bytes, `CLOSE` ends the body by closing the
   * connection.
   */
  framing?: 'LENGTH' | 'CHUNKED' | 'CLOSE';
  /** A false value of Content-Length. */
  declared?: number;
  /** Sends only this many bytes of the whole answer, head included; then the connection ends. */
  cutAt?: number;
  ending?: OnWire['ending'];
}

const wireOf = ({ body, headers }: HonestAnswer): OnWire => onWire(body, { headers });

export function onWire(body: Uint8Array, options: Framing = {}): OnWire {
  const { status = 200, headers = {}, framing = 'LENGTH', declared = body.length, cutAt } = options;
  const length: Record<string, string> =
    framing === 'LENGTH'
      ? { 'content-length': String(declared) }
      : framing === 'CHUNKED'
        ? { 'transfer-encoding': 'chunked' }
        : { connection: 'close' };
  const head = Object.entries({ 'content-type': 'application/json', ...length, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const whole = Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} Said\r\n${head}\r\n`),
    framing === 'CHUNKED' ? chunked(body) : body,
  ]);
  return {
    bytes: cutAt === undefined ? whole : whole.subarray(0, cutAt),
    ending: options.ending ?? (cutAt === undefined && framing !== 'CLOSE' ? 'KEEP' : 'END'),
  };
}

function chunked(body: Uint8Array): Buffer {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += 100) {
    const piece = body.subarray(at, at + 100);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

async function say(socket: IncomingMessage['socket'], { bytes, ending, drip, endless }: OnWire): Promise<void> {
  const step = drip?.bytes ?? bytes.length;
  for (let at = 0; at < bytes.length && !socket.destroyed; at += step) {
    socket.write(bytes.subarray(at, at + step));
    if (drip !== undefined) await new Promise((resolve) => setTimeout(resolve, drip.everyMs));
  }
  while (endless !== undefined && !socket.destroyed) {
    // Waits until the other side reads more, or is gone.
    if (!socket.write(endless)) await drainedOrClosed(socket);
    if (drip !== undefined) await new Promise((resolve) => setTimeout(resolve, drip.everyMs));
  }
  if (socket.destroyed) return;
  if (ending === 'END') socket.end();
  if (ending === 'RESET') socket.destroy();
}

function drainedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.on('drain', go).on('close', go);
  });
}
