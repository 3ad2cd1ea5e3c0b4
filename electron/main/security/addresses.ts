/** Addresses that a user or a variable names: a server of the firm, by https, or by http on this machine. Pure. */
import { isLoopbackHost } from '../../../shared/service/http/origins.ts';

/** @throws an Error whose message finishes the sentence "NAME …" */
export function serverAddress(text: string): URL {
  if (!URL.canParse(text)) throw new Error(`must be a web address, for example https://host:4300, not "${text}"`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`must begin with http:// or https://, not "${text}"`);
  if (url.username !== '' || url.password !== '') throw new Error('must not contain a user name or password');
  if (url.search !== '' || url.hash !== '') throw new Error(`must be an address without ? and #, not "${text}"`);
  // Over plain http the network could read sessions and change answers, so it stays on this machine.
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new Error(`must begin with https:// for another machine than this one, not "${text}"`);
  return url;
}

/** The console's own address: only an origin. @throws as `serverAddress` */
export function consoleAddress(text: string): URL {
  const url = serverAddress(text);
  if (url.pathname !== '/')
    throw new Error(`must be an address without a path, for example ${url.origin}, not "${text}"`);
  return url;
}
