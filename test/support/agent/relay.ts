/** For the relay's tests: a cloud with scripted answers, a caller that sees every byte, a proxy. All real sockets. */
import {
  createServer as createHttpServer,
  get as getPlain,
  request as requestPlain,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, get as getSecure, request as requestSecure } from 'node:https';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SecureContextOptions, TLSSocket, TlsOptions } from 'node:tls';
import { waitFor } from '../process.ts';

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedCloud {
  url: string;
  port: number;
  /** The double's behaviour for the next requests. */
  script: Script;
  /** Every request that reached it. */
  seen: { method: string; target: string; headers: IncomingHttpHeaders; fingerprint: string; connection: Socket }[];
  close(): Promise<void>;
}

/** A cloud over mutual TLS. */
export async function startCloud(tls: TlsOptions): Promise<ScriptedCloud> {
  const server = createHttpsServer({ requestCert: true, rejectUnauthorized: true, ...tls }, (request, response) => {
    cloud.seen.push({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      connection: request.socket,
      fingerprint: (request.socket as TLSSocket).getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase(),
    });
    cloud.script(request, response);
  });
  const { port, close } = await listen(server);
  const cloud: ScriptedCloud = {
    url: `https://127.0.0.1:${port}`,
    port,
    script: (_, response) => response.end(),
    seen: [],
    close,
  };
  return cloud;
}

/** Answers with exactly these bytes on the wire and then ends the connection, regularly or by a reset. */
export function rawly(bytes: Uint8Array | string, end: 'end' | 'reset' | 'open' = 'end'): Script {
  return (request) => {
    const { socket } = request;
    socket.write(bytes, () => {
      if (end === 'end') socket.end();
      // Under TLS a reset of the transport looks like a broken line.
      if (end === 'reset') socket.destroy();
    });
  };
}

/** Answers 200 with a body of known length. */
export function wholly(body: Uint8Array | string, headers: Record<string, string> = {}): Script {
  return (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers })
      .end(body);
  };
}

/** The part of an answer that a caller has seen. */
export interface Seen {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the answer was complete, as HTTP defines it. */
  whole: boolean;
}

/** Requests by plain HTTP or TLS. @throws the socket's error, where no head of an answer came */
export async function ask(
  url: string,
  target: string,
  options: RequestOptions & SecureContextOptions = {},
): Promise<Seen> {
  const response = await open(url, target, options);
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise<void>((resolve) => {
    response.on('error', () => undefined);
    response.once('close', resolve);
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(pieces),
    whole: response.complete,
  };
}

/** As `ask`, up to the head of the answer; the body stays in the sockets until it is read. */
export function open(
  url: string,
  target: string,
  options: RequestOptions & SecureContextOptions = {},
): Promise<IncomingMessage> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve, reject) => {
    const get = protocol === 'https:' ? getSecure : getPlain;
    get({ hostname: hostname.replace(/^\[|\]$/g, ''), port, path: target, agent: false, ...options }, resolve).once(
      'error',
      reject,
    );
  });
}

/** An answer in the envelope (D4). */
export interface Posted {
  status: number;
  body: { isSuccess: boolean; code: string; message: string; errors?: { path: string }[]; result?: unknown };
}

/** Posts JSON, or nothing, and reads the envelope. */
export function post(
  url: string,
  target: string,
  body?: object,
  headers: Record<string, string> = {},
  tls: SecureContextOptions = {},
): Promise<Posted> {
  const { hostname, port, protocol } = new URL(url);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path: target, method: 'POST', agent: false, headers: { ...type, ...headers } };
    const request = (protocol === 'https:' ? requestSecure : requestPlain)({ ...options, ...tls }, (response) => {
      text(response).then(
        (said) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(said) as Posted['body'] }),
        reject,
      );
    });
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export interface Proxy {
  url: string;
  /** The addresses of the connections that were requested. */
  asked: string[];
  close(): Promise<void>;
}

/** An HTTP proxy that connects everything to one port of this machine. */
export async function startProxy(port: number): Promise<Proxy> {
  const asked: string[] = [];
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, inner: Socket) => {
    asked.push(request.url ?? '');
    const outer = connect(port, '127.0.0.1', () => {
      inner.write('HTTP/1.1 200 Connection established\r\n\r\n');
      inner.pipe(outer).pipe(inner);
    });
    for (const socket of [inner, outer]) socket.on('error', () => socket.destroy());
    outer.once('close', () => inner.destroy());
    inner.once('close', () => outer.destroy());
  });
  const { port: own, close } = await listen(server);
  return { url: `http://127.0.0.1:${own}`, asked, close };
}

async function listen(server: Server): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', keep);
  server.on('secureConnection', keep);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Waits until a growing number has stood still for a while, and returns it. */
export async function standstill(what: string, value: () => number): Promise<number> {
  let last = -1;
  let still = 0;
  await waitFor(what, () => {
    const now = value();
    still = now === last ? still + 1 : 0;
    last = now;
    return now > 0 && still >= 8;
  });
  return last;
}
