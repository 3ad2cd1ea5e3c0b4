/**
 * The calls that change something (console API 4, D17): another certificate for the cloud, and new connections to it. A
 * new certificate is checked, tested against the cloud and written before the earlier one is given up.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import type {
  CertificateFacts,
  CertificateInstalled,
  CertificateReplacement,
  CertificateRequestMade,
  CertificateRequestOrder,
  CloudProbe,
  Reconnected,
} from '../../shared/wire/relay.ts';
import { makeKey, makeRequest } from './certificate-request.ts';
import { factsOf, type WatchedCredentials } from './credentials.ts';
import {
  type CredentialFiles,
  dropRequestedKey,
  keepRequestedKey,
  readPrevious,
  readRequestedKey,
  type Pair,
} from './pair-files.ts';
import type { ControlAction } from './request-route.ts';
import { CredentialError, UnfitCertificateError } from './errors.ts';
import { checkNewPair } from './new-certificate.ts';
import type { Settings } from './settings.ts';
import { probeCloud } from './probe.ts';
import { Upstream } from './upstream.ts';

export interface ControlParts {
  settings: Settings;
  outward: WatchedCredentials;
  upstream: Upstream;
  clock: Clock;
}

const MOST_BYTES = 64 * 1024;
/** The length limit of a common name (X.520). */
const LONGEST_NAME = 64;

export class Control {
  readonly #parts: ControlParts;
  #busy = false;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Runs an authorised call; one at a time. @throws ApiError */
  async run(
    action: ControlAction,
    request: IncomingMessage,
  ): Promise<CertificateInstalled | CertificateRequestMade | Reconnected> {
    const body = await readBody(request);
    if (this.#busy) throw new ApiError('COMMON409', 'Another such call is under way: try again when it has ended.');
    this.#busy = true;
    try {
      switch (action) {
        case 'certificate':
          return await this.#replace(readReplacement(body));
        case 'previous':
          fieldsOf(body, []);
          return await this.#goBack();
        case 'request':
          return await this.#request(readOrder(body));
        case 'reconnect':
          fieldsOf(body, []);
          return await this.#reconnect();
        default:
          return action satisfies never;
      }
    } finally {
      this.#busy = false;
    }
  }

  async #replace({ certificate: cert, key, tenantId }: CertificateReplacement): Promise<CertificateInstalled> {
    const { outward } = this.#parts;
    const files = this.#parts.settings.outward;
    const requested = key === undefined ? await readRequestedKey(files) : null;
    // The same certificate again: the answer was lost, and the key is in use already.
    const isSame = fingerprintOf(cert) === outward.current.facts.fingerprint;
    const used = key ?? requested ?? (isSame ? outward.current.key : null);
    if (used === null) throw wrong('key', 'is missing, and no key waits for its certificate');
    const installed = await this.#install({ cert, key: used }, tenantId ?? null);
    // A connection that survives serves the next request.
    if (requested !== null) await dropRequestedKey(files).catch(() => undefined);
    return installed;
  }

  async #goBack(): Promise<CertificateInstalled> {
    const previous = await readPrevious(this.#parts.settings.outward);
    if (previous === null) throw new ApiError('COMMON409', 'No certificate has been replaced yet.');
    return this.#install(previous, null);
  }

  async #install(pair: Pair, tenantId: number | null): Promise<CertificateInstalled> {
    const { settings, outward, clock } = this.#parts;
    try {
      checkNewPair(pair, clock.now());
    } catch (error) {
      if (error instanceof UnfitCertificateError) throw wrong(error.part, 'cannot be used', error.message);
      throw error;
    }
    const facts = factsOf(pair.cert);
    const probe = await this.#tryWith(pair);
    accept(probe, tenantId);
    const isInUse = facts.fingerprint === outward.current.facts.fingerprint && outward.problem === null;
    if (!isInUse) {
      try {
        await outward.install(pair);
      } catch (error) {
        if (error instanceof CredentialError)
          throw new ApiError('COMMON503', `${error.message} The earlier certificate stays in use.`);
        throw error;
      }
    }
    return { certificate: outward.current.facts, previous: await previousFacts(settings.outward), probe };
  }

  async #tryWith({ cert, key }: Pair): Promise<CloudProbe> {
    const { settings, outward, clock } = this.#parts;
    const { ca } = outward.current;
    const upstream = new Upstream(settings.upstream, { cert, key, ca }, settings.bounds, settings.proxy);
    try {
      return await probeCloud(upstream, clock);
    } finally {
      upstream.destroy();
    }
  }

  async #request({ name = 'relay' }: CertificateRequestOrder): Promise<CertificateRequestMade> {
    const { outward } = this.#parts.settings;
    let key = await readRequestedKey(outward);
    if (key === null) {
      key = makeKey();
      try {
        await keepRequestedKey(outward, key);
      } catch {
        throw new ApiError('COMMON503', 'The new key cannot be written: see that the folder of the key is writable.');
      }
    }
    return { request: makeRequest(key, name) };
  }

  async #reconnect(): Promise<Reconnected> {
    const { outward, upstream, clock } = this.#parts;
    await outward.check();
    upstream.use(outward.current);
    return { certificate: outward.current.facts, probe: await probeCloud(upstream, clock) };
  }
}

/** Null for a text that is no certificate: the check of the certificate reports that. */
function fingerprintOf(pem: string): string | null {
  try {
    return factsOf(pem).fingerprint;
  } catch {
    return null;
  }
}

/** Null where it is unreadable: the installed certificate stays valid. */
async function previousFacts(files: CredentialFiles): Promise<CertificateFacts | null> {
  try {
    const previous = await readPrevious(files);
    return previous === null ? null : factsOf(previous.cert);
  } catch {
    return null;
  }
}

/** @throws ApiError where the cloud refuses the certificate, or it belongs to another tenant */
function accept(probe: CloudProbe, tenantId: number | null): void {
  const stays = 'The earlier certificate stays in use.';
  if (probe.outcome === 'UNREACHABLE' || probe.outcome === 'NOT_READY')
    throw new ApiError('COMMON503', `The certificate could not be tried. ${probe.message} ${stays}`);
  if (probe.outcome !== 'ACCEPTED') throw new ApiError('COMMON409', `${probe.message} ${stays}`);
  if (tenantId !== null && probe.tenantId !== null && probe.tenantId !== tenantId)
    throw new ApiError(
      'COMMON409',
      `The certificate belongs to tenant ${probe.tenantId}, not to tenant ${tenantId}. ${stays}`,
    );
}

/** @throws ApiError COMMON413, COMMON415; the errors of the connection */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new ApiError('COMMON413');
    pieces.push(piece);
  }
  if (bytes > 0 && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new ApiError('COMMON415', 'The body must be JSON.');
  return Buffer.concat(pieces);
}

/** @throws ApiError COMMON400 */
function readReplacement(body: Buffer): CertificateReplacement {
  const { certificate, key, tenantId } = fieldsOf(body, ['certificate', 'key', 'tenantId']);
  if (typeof certificate !== 'string') throw wrong('certificate', 'must be a certificate in PEM form');
  if (key !== undefined && typeof key !== 'string') throw wrong('key', 'must be a private key in PEM form');
  if (tenantId !== undefined && !(typeof tenantId === 'number' && Number.isSafeInteger(tenantId)))
    throw wrong('tenantId', 'must be a whole number');
  return { certificate, ...(key === undefined ? {} : { key }), ...(tenantId === undefined ? {} : { tenantId }) };
}

/** @throws ApiError COMMON400 */
function readOrder(body: Buffer): CertificateRequestOrder {
  const { name } = fieldsOf(body, ['name']);
  if (name === undefined) return {};
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME || !name.isWellFormed())
    throw wrong('name', `must be a name of at most ${LONGEST_NAME} characters`);
  return { name };
}

/** The fields of a JSON object, or none where there is no body. @throws ApiError COMMON400 */
function fieldsOf(body: Buffer, known: string[]): Record<string, unknown> {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiError('COMMON400', 'The body is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('COMMON400', 'The body must be a JSON object.');
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined) throw wrong(other.slice(0, 100), 'is not known here');
  return { ...value };
}

function wrong(field: string, fault: string, message?: string): ApiError {
  return new ApiError('COMMON400', message ?? `body.${field} ${fault}.`, [{ path: `body.${field}`, message: fault }]);
}
