/**
 * Compares the version of a running part with that of this program: an update replaces files under a part that keeps
 * running.
 */
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ListenAddress } from '../../../shared/service/variables.ts';
import { parseJson } from '../../../shared/wire/json.ts';
import { PRODUCT_VERSION, readVersions, VERSION_HEADER } from '../../../shared/wire/version.ts';
import { warn, ok, type Finding } from '../../../shared/service/findings.ts';
import type { Shown } from './check-network.ts';

const PATIENCE_MS = 3_000;

/**
 * The version that the part at an address on this machine reports; no finding without an answer.
 *
 * @param service its name in `causeway-agent service`
 */
export async function checkOwnVersion(service: string, { host, port }: ListenAddress): Promise<Finding[]> {
  if (port === 0) return [];
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const version = await toldVersion(new URL(`http://${own}:${port}`), {});
  if (version === null) return [];
  if (version === PRODUCT_VERSION) return [ok('version', `the one that runs is Causeway ${version}`)];
  const said = `the one that runs is Causeway ${version}, and installed is ${PRODUCT_VERSION}`;
  return [warn('version', said, `causeway-agent service install ${service} --start`)];
}

/** The same of an upstream, where it is a relay: the cloud does not report its version to tenants. */
export async function checkRelayVersion(address: URL, shown: Shown): Promise<Finding[]> {
  const version = await toldVersion(address, shown);
  return version === null ? [] : [ok('version', `the relay is Causeway ${version}, this is ${PRODUCT_VERSION}`)];
}

/** By the header of the console API, or by the health answer of relay and provision API. */
async function toldVersion(address: URL, shown: Shown): Promise<string | null> {
  try {
    const response = await ask(new URL('/health', address), shown);
    const header = response.headers[VERSION_HEADER];
    const body = await text(response);
    if (typeof header === 'string') return readVersions(header)?.product ?? null;
    const { result } = parseJson(body) as { result?: { version?: unknown } };
    return typeof result?.version === 'string' ? result.version : null;
  } catch {
    // The check of the connection reports a missing or foreign server.
    return null;
  }
}

function ask(address: URL, shown: Shown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, timeout: PATIENCE_MS };
    const request =
      address.protocol === 'https:'
        ? requestSecure(address, { ...options, ...shown, minVersion: 'TLSv1.2' }, resolve)
        : requestPlain(address, options, resolve);
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', reject);
    request.end();
  });
}
