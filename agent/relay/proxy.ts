/**
 * The way to the cloud through the firm's proxy: a tunnel by CONNECT. Node's own agent
 * reads a proxy's answer without a bound, in time that grows with the square of its pieces; its HTTP parser does not.
 */
import { request as sendPlain, type ClientRequest } from 'node:http';
import { request as sendSecure } from 'node:https';
import type { Socket } from 'node:net';

export interface Proxy {
  address: URL;
  /** In the form of NO_PROXY. */
  except: string;
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Longest head of the proxy's answer, in bytes. */
const HEAD_BYTES = 16 * 1024;

/**
 * Asks the proxy for a tunnel to `target` (host and port). The caller bounds the time, by destroying what is returned.
 *
 * @param ready gets the connection inside the tunnel, or the reason why there is none
 */
export function openTunnel(
  { address }: Proxy,
  target: string,
  ready: (error: Error | null, inside?: Socket) => void,
): ClientRequest {
  const { hostname, port, protocol, username, password } = address;
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const asked = (protocol === 'https:' ? sendSecure : sendPlain)({
    method: 'CONNECT',
    host: bare(hostname),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
    path: target,
    headers: {
      host: target,
      ...(username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` }),
    },
    agent: false,
    maxHeaderSize: HEAD_BYTES,
  });
  asked.once('connect', ({ statusCode }, inside: Socket, early) => {
    // The cloud does not speak first: bytes before its turn are the proxy's own.
    if (statusCode === 200 && early.length === 0) return ready(null, inside);
    inside.destroy();
    ready(new Error(statusCode === 200 ? 'the proxy sent more than its answer' : refusal(statusCode)));
  });
  asked.on('error', (error) => ready(new Error(`the proxy ${faultOf(error)}`, { cause: error })));
  asked.end();
  return asked;
}

const refusal = (status: number | undefined): string =>
  status === 407
    ? 'the proxy asks for a user and a password, which belong into HTTPS_PROXY (HTTP 407)'
    : `the proxy refused the tunnel (HTTP ${status})`;

function faultOf(error: Error & { code?: string }): string {
  if (error.code === 'HPE_HEADER_OVERFLOW') return `answered with a head of more than ${HEAD_BYTES} bytes`;
  if (error.code?.startsWith('HPE_')) return 'did not answer in HTTP';
  return `took no connection (${error.code ?? error.message})`;
}
