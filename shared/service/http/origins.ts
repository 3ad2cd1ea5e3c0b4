/**
 * Checks that a request was meant for this server (D9). A page of another site must not reach it by a name that
 * resolves to our address (DNS rebinding), nor through a visitor's browser.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ListenAddress } from '../variables.ts';

/** Names by which this machine reaches itself. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Whether a host is this machine: a loopback address, also in brackets, or `localhost`. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Host with port, as the `Host` header and an origin have it. */
export function hostAndPort(address: ListenAddress): string {
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}

/** The address of a server, and under TLS the names in its certificate. */
export interface ReachedAt extends ListenAddress {
  /** Null without TLS. */
  names: readonly string[] | null;
}

/** The server's own hosts and origins. */
export interface OwnOrigins {
  scheme: 'http' | 'https';
  /** Accepted values of `Host`. Browsers leave the scheme's default port out, so it is optional. */
  hosts: ReadonlySet<string>;
}

export function ownOrigins({ host, port, names }: ReachedAt): OwnOrigins {
  const scheme = names === null ? 'http' : 'https';
  const all = ownNames(host, names);
  const hosts = [...all].map((name) => `${name}:${port}`);
  return { scheme, hosts: new Set(port === USUAL_PORT[scheme] ? [...hosts, ...all] : hosts) };
}

function ownNames(host: string, names: readonly string[] | null): ReadonlySet<string> {
  const own = [host, ...(names ?? [])].filter((name) => !isAnyAddress(name)).map(inUrl);
  // Under TLS, a client that verifies certificates never uses a name that the certificate lacks.
  const loopback = names === null && isLoopbackHost(host) ? LOOPBACK_NAMES : [];
  return new Set([...own, ...loopback]);
}

const USUAL_PORT = { http: 80, https: 443 } as const;

const inUrl = (host: string): string => (host.includes(':') ? `[${host.toLowerCase()}]` : host.toLowerCase());

/**
 * Whether `Host` names a server for programs. The port may differ, because a tunnel or load balancer has its own; DNS
 * rebinding shows in the name.
 */
export function isOwnName(header: string | undefined, { host, names }: Omit<ReachedAt, 'port'>): boolean {
  const given = /^(\[[^\]]+\]|[^:[\]]+)(?::\d{1,5})?$/.exec(header?.toLowerCase() ?? '')?.[1];
  return given !== undefined && ownNames(host, names).has(given);
}

/** The reason why a request was not meant for this server, or null. */
export function foreignReason(headers: IncomingHttpHeaders, own: OwnOrigins): string | null {
  const host = headers.host?.toLowerCase();
  if (host === undefined || !own.hosts.has(host)) return 'The Host header does not name this server.';
  // Other programs send no Origin; a browser sends it with every request that can change data.
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, own)) return 'The request comes from a page of another origin.';
  return null;
}

function isOwnOrigin(origin: string, { scheme, hosts }: OwnOrigins): boolean {
  const match = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase());
  return match?.[1] === scheme && match[2] !== undefined && hosts.has(match[2]);
}

/** Whether the browser says that a page of another site caused the request. Other programs send no such header. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
