/**
 * Whether a request was meant for this server (D9): a page of another site must not reach it under a
 * name that was pointed at our address (DNS rebinding), nor through a visitor's browser.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ListenAddress } from '../../shared/service/variables.ts';

/** Names that reach this machine from itself. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const;

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Host with port, as the `Host` header and an origin have it. */
export function hostAndPort(address: ListenAddress): string {
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}

/** What `Host` may say for a server that listens there. Port 80 may be left out, as browsers do. */
export function ownHosts(address: ListenAddress): ReadonlySet<string> {
  const { host, port } = address;
  const own = host.includes(':') ? `[${host.toLowerCase()}]` : host.toLowerCase();
  const names = new Set<string>([own, ...(isLoopbackHost(host) || isAnyAddress(host) ? LOOPBACK_NAMES : [])]);
  const hosts = [...names].map((name) => `${name}:${port}`);
  return new Set(port === 80 ? [...hosts, ...names] : hosts);
}

/** Why a request is none of ours, or null when it is. */
export function foreignReason(headers: IncomingHttpHeaders, own: ReadonlySet<string>): string | null {
  const host = headers.host?.toLowerCase();
  if (host === undefined || !own.has(host)) return 'The Host header does not name this server.';
  // Programs other than browsers send no Origin; a browser sends it with everything that can change something.
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, own)) return 'The request comes from a page of another origin.';
  return null;
}

function isOwnOrigin(origin: string, own: ReadonlySet<string>): boolean {
  const match = /^http:\/\/([^/]+)$/.exec(origin.toLowerCase());
  return match?.[1] !== undefined && own.has(match[1]);
}

/** Whether a browser says that a page of another site makes it ask. Absent in other programs. */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
