/**
 * Stands between two parts on one machine and writes down every byte that the cloud sends, without
 * touching one: it ends TLS on both sides, with the certificates of the two parts, and passes the
 * inner stream on as it comes. The HTTP in it is parsed only afterwards.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';

export interface SentAnswer {
  status: number;
  /** Header names in lower case. */
  headers: Map<string, string>;
  body: Buffer;
}

export interface Tap {
  /** The address to use instead of the upstream's, `https://…`. */
  url: string;
  /** Every whole answer that has passed so far, connection by connection. */
  answers(): SentAnswer[];
  close(): Promise<void>;
}

/** @param upstream address of the real server @param outer shown to callers @param inner shown to the upstream */
export async function startTap(
  upstream: string,
  outer: SecureContextOptions,
  inner: SecureContextOptions,
): Promise<Tap> {
  const streams: Buffer[][] = [];
  const sockets = new Set<TLSSocket>();
  const { hostname: host, port } = new URL(upstream);
  const server = createServer({ ...outer, requestCert: true, rejectUnauthorized: true }, (near) => {
    const far = connect({ host, port: Number(port), ...inner });
    const sent: Buffer[] = [];
    streams.push(sent);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (piece: Buffer) => sent.push(piece));
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: () => streams.flatMap((pieces) => readAnswers(Buffer.concat(pieces))),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The whole answers in a stream of HTTP/1.1. The cloud always announces the length. */
function readAnswers(stream: Buffer): SentAnswer[] {
  const answers: SentAnswer[] = [];
  let at = 0;
  for (;;) {
    const end = stream.indexOf('\r\n\r\n', at);
    if (end < 0) return answers;
    const [first = '', ...lines] = stream.subarray(at, end).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers.get('content-length'));
    if (!Number.isSafeInteger(length)) throw new Error(`an answer without a length: ${first}`);
    const start = end + 4;
    if (stream.length < start + length) return answers;
    answers.push({ status: Number(first.split(' ')[1]), headers, body: stream.subarray(start, start + length) });
    at = start + length;
  }
}
