/**
 * Compares the version of a running part with that of this program: an update replaces files under a part that keeps
 * running.
 */
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { isListening, ownHostOf } from '../../../shared/service/listening.ts';
import type { ListenAddress } from '../../../shared/service/variables.ts';
import { parseJson } from '../../../shared/wire/json.ts';
import { PRODUCT_VERSION, readVersions, VERSION_HEADER } from '../../../shared/wire/version.ts';
import { warn, ok, wrong, type Finding } from '../../../shared/service/findings.ts';
import type { Shown } from './check-network.ts';

const PATIENCE_MS = 3_000;

/**
 * Whether it is the part itself that answers at its address on this machine, and in which version; nothing where no HTTP
 * is answered.
 * @param service as `causeway-agent service` names it
 */
export async function checkOwnVersion(
  service: Exclude<Answering, null>,
  { host, port }: ListenAddress,
): Promise<Finding[]> {
  if (port === 0) return [];
  const own = ownHostOf({ host, port });
  const told = await healthOf(new URL(`http://${own.includes(':') ? `[${own}]` : own}:${port}`), {});
  if (told === null) {
    if (!(await isListening({ host, port }))) return [];
    const said = `${host}:${port} takes connections and gives no HTTP answer within ${PATIENCE_MS / 1_000} s`;
    return [wrong('listener', said, `end the other program that has the port, or start ${service} again if it hangs`)];
  }
  const { answering, version } = told;
  if (answering !== service) {
    const said = `${answering === null ? 'another program' : `the part ${answering}`} answers at ${host}:${port}, and not ${service}`;
    return [wrong('listener', said, 'give one of the two another port, and start both again')];
  }
  if (version === null) return [];
  if (version === PRODUCT_VERSION) return [ok('version', `the one that runs is Causeway ${version}`)];
  const said = `the one that runs is Causeway ${version}, and installed is ${PRODUCT_VERSION}`;
  return [warn('version', said, `causeway-agent service install ${service} --start`)];
}

/**
 * Under TLS a part answers only to the names in its certificate, so that certificate tells whether it is the part.
 * @param cert the PEM text of the file that the part shows
 */
export async function checkOwnCertificate(service: string, cert: string, address: ListenAddress): Promise<Finding[]> {
  const { host, port } = address;
  if (port === 0 || !(await isListening(address))) return [];
  const shown = await shownAt(address);
  if (shown === new X509Certificate(cert).fingerprint256) return [];
  const said =
    shown === null
      ? `what listens at ${host}:${port} speaks no TLS: another program has the port of ${service}`
      : `another certificate is shown at ${host}:${port} than the file of ${service} holds`;
  return [wrong('listener', said, `give one of the two another port, and start ${service} again`)];
}

/** The fingerprint of the certificate that a listener of this machine shows; null: it speaks no TLS. */
function shownAt(address: ListenAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { host: ownHostOf(address), port: address.port, timeout: PATIENCE_MS };
    // Only compared: whom the certificate names does not matter here.
    const socket = connect({ ...options, rejectUnauthorized: false, minVersion: 'TLSv1.2' }, () =>
      end(socket.getPeerX509Certificate()?.fingerprint256 ?? null),
    );
    const end = (fingerprint: string | null): void => {
      socket.destroy();
      resolve(fingerprint);
    };
    socket.once('timeout', () => end(null)).once('error', () => end(null));
  });
}

/** The same of an upstream, where it is a relay: the cloud does not report its version to tenants. */
export async function checkRelayVersion(address: URL, shown: Shown): Promise<Finding[]> {
  const told = await healthOf(address, shown);
  if (told !== null && told.answering !== null && told.answering !== 'relay') {
    const said = `the part ${told.answering} answers at ${address.origin}, and no relay`;
    return [wrong('connection', said, 'correct CAUSEWAY_INTAKE_UPSTREAM, or give that part another port')];
  }
  const version = told?.version ?? null;
  return version === null ? [] : [ok('version', `the relay is Causeway ${version}, this is ${PRODUCT_VERSION}`)];
}

/** The part that answers; null: another program. */
type Answering = 'relay' | 'intake' | 'provision' | 'console-api' | null;

/** The version by its health, or by the console API's header; null: no answer. */
async function healthOf(address: URL, shown: Shown): Promise<{ answering: Answering; version: string | null } | null> {
  try {
    const response = await ask(new URL('/health', address), shown);
    const header = response.headers[VERSION_HEADER];
    const body = await text(response);
    const health = HEALTH.safeParse(jsonOf(body));
    const { status = null, version = null } = health.data?.result ?? {};
    if (status === 'UP') return { answering: 'provision', version };
    if (status === 'receiving') return { answering: 'intake', version };
    if (typeof header === 'string') return { answering: 'console-api', version: readVersions(header)?.product ?? null };
    return status === 'alive' ? { answering: 'relay', version } : { answering: null, version: null };
  } catch {
    // The check of the connection reports a missing or foreign server.
    return null;
  }
}

const HEALTH = z.object({ result: z.object({ status: z.enum(['UP', 'alive', 'receiving']), version: z.string() }) });

function jsonOf(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
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
