/** Requests as bytes on a socket, for what no HTTP client would send. */
import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

export interface RawAnswer {
  status: number;
  /** The envelope's code in the body; empty without an envelope. */
  code: string;
  body: string;
  requestId: string | null;
}

/** @param tls with it, over TLS; @param text the whole request; the server is asked to close behind its answer */
export function sendRaw(port: number, text: string, tls?: ConnectionOptions): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port };
    const socket = tls === undefined ? connect(options) : connectTls({ ...options, ...tls });
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(readAnswer(said)));
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => socket.write(text));
  });
}

function readAnswer(said: string): RawAnswer {
  const [head = '', ...rest] = said.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  const code = /"code":"(\w+)"/.exec(body)?.[1] ?? '';
  const requestId = /^x-request-id: (\S+)\r?$/im.exec(head)?.[1] ?? null;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), code, body, requestId };
}
