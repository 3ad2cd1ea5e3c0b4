/**
 * Whether a request was meant for this server (D9): a page of another site must not reach it under a
 * name that was pointed at our address (DNS rebinding), nor through a visitor's browser.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ListenAddress } from '../variables.ts';

/** Names that reach this machine from itself. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** Whether a host is this very machine: a loopback address, in brackets too, or `localhost`. */
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

/** Where a server is reached: its address, and with TLS the names in its certificate. */
export interface ReachedAt extends ListenAddress {
  /** Null without TLS. */
  names: readonly string[] | null;
}

/** How the server's own pages call themselves. */
export interface OwnOrigins {
  scheme: 'http' | 'https';
  /** The allowed values of `Host`. The scheme's usual port may be left out, as browsers do. */
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
  // Under TLS a name that the certificate does not have is reached by nobody who looks at it.
  const loopback = names === null && isLoopbackHost(host) ? LOOPBACK_NAMES : [];
  return new Set([...own, ...loopback]);
}

const USUAL_PORT = { http: 80, https: 443 } as const;

const inUrl = (host: string): string => (host.includes(':') ? `[${host.toLowerCase()}]` : host.toLowerCase());

/**
 * Whether `Host` names a server for programs. Its port may be another one: a tunnel or a balancer that stands before it
 * has its own, and a name that was pointed at us is found by the name.
 */
export function isOwnName(header: string | undefined, { host, names }: Omit<ReachedAt, 'port'>): boolean {
  const given = /^(\[[^\]]+\]|[^:[\]]+)(?::\d{1,5})?$/.exec(header?.toLowerCase() ?? '')?.[1];
  return given !== undefined && ownNames(host, names).has(given);
}

/** Why a request is none of ours, or null when it is. */
export function foreignReason(headers: IncomingHttpHeaders, own: OwnOrigins): string | null {
  const host = headers.host?.toLowerCase();
  if (host === undefined || !own.hosts.has(host)) return 'The Host header does not name this server.';
  // Programs other than browsers send no Origin; a browser sends it with everything that can change something.
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, own)) return 'The request comes from a page of another origin.';
  return null;
}

function isOwnOrigin(origin: string, { scheme, hosts }: OwnOrigins): boolean {
  const match = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase());
  return match?.[1] === scheme && match[2] !== undefined && hosts.has(match[2]);
}

/** Whether a browser says that a page of another site makes it ask. Absent in other programs. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
