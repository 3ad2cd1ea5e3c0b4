/**
 * Whether a request was meant for this very server (D9): its Host is one of ours, and its Origin,
 * where a browser sends one, is the page that we serve. Stops DNS rebinding and cross-site requests.
 */
import { hostname } from 'node:os';
import { isIP } from 'node:net';

/** @param port the port that is listened on; @param listenHost the host of the listen address */
export function isOurHost(host: string | undefined, listenHost: string, port: number): boolean {
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d+))?$/.exec(host ?? '');
  const name = match?.[1]?.replace(/^\[|\]$/g, '').toLowerCase();
  if (name === undefined || Number(match?.[2] ?? 80) !== port) return false;
  if (name === listenHost.toLowerCase()) return true;
  if (isLoopback(listenHost)) return isLoopback(name);
  // Listening everywhere: an address cannot be rebound by a name server, our own name is ours.
  return isEverywhere(listenHost) && (isIP(name) !== 0 || name === 'localhost' || name === hostname().toLowerCase());
}

/**
 * A request without Origin comes from no other page; `null` is an opaque one and never ours.
 *
 * @param scheme of the page that we serve under that host
 */
export function isOurOrigin(
  origin: string | undefined,
  host: string | undefined,
  scheme: 'http' | 'https' = 'http',
): boolean {
  return origin === undefined || origin.toLowerCase() === `${scheme}://${host ?? ''}`.toLowerCase();
}

/** Whether a browser has come by the address at which a proxy with TLS stands before this server. */
export function isByOrigin(host: string | undefined, origin: URL | undefined): boolean {
  return origin !== undefined && host?.toLowerCase() === origin.host;
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

function isEverywhere(listenHost: string): boolean {
  return listenHost === '0.0.0.0' || listenHost === '::';
}
