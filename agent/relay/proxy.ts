/**
 * The way to the cloud through the firm's proxy: which hosts go through it, and a tunnel by CONNECT. Node's own agent
 * reads a proxy's answer without a bound, in time that grows with the square of its pieces; its HTTP parser does not.
 */
import { request as sendPlain, type ClientRequest } from 'node:http';
import { request as sendSecure } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';

export interface Proxy {
  address: URL;
  /** In the form of NO_PROXY. */
  except: string;
}

/** Longest head of the proxy's answer, in bytes. */
const HEAD_BYTES = 16 * 1024;

const bare = (host: string): string => host.replace(/^\[|\]$/g, '').toLowerCase();

/**
 * Whether `NO_PROXY` names a host, as curl reads it: a list with commas or spaces of hosts, domains with all their hosts
 * (with or without a dot in front), addresses, networks (`10.0.0.0/8`), or `*` for all. A port after a name counts too.
 */
export function isExcepted(except: string, hostname: string, port: string): boolean {
  const host = bare(hostname).replace(/\.$/, '');
  return except
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .some((one) => {
      if (one === '*') return true;
      if (isIP(host) !== 0) return isInNetwork(one, host);
      const [, name = one, only] = /^(.*?):(\d+)$/.exec(one) ?? [];
      const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
      return (only === undefined || only === port) && (host === domain || host.endsWith(`.${domain}`));
    });
}

function isInNetwork(one: string, address: string): boolean {
  const [network = '', bits] = bare(one).split('/');
  const kind = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || isIP(network) !== isIP(address)) return false;
  const list = new BlockList();
  if (bits === undefined) list.addAddress(network, kind);
  else if (/^\d+$/.test(bits) && Number(bits) <= (kind === 'ipv6' ? 128 : 32))
    list.addSubnet(network, Number(bits), kind);
  return list.check(address, kind);
}

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
