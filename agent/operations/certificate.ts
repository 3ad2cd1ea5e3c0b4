/**
 * A certificate for the cloud, of the relay or of an Intake that connects to the cloud itself, while no running part
 * can be asked for one: a key that is made here and stays here, its certificate request, and the installation of the
 * certificate once the cloud has accepted it. A running part loads the installed pair by itself, so this also renews.
 * Runs as the part's user, who owns its files and their folders.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import type { Clock } from '../../shared/time/clock.ts';
import type { CloudProbe } from '../../shared/wire/relay.ts';
import { makeKey, makeRequest } from '../relay/certificate-request.ts';
import { factsOf } from '../relay/credentials.ts';
import {
  type CredentialFiles,
  decide,
  dropRequestedKey,
  finish,
  installing,
  keepRequestedKey,
  readRequestedKey,
  type Pair,
} from '../relay/pair-files.ts';
import { UnfitCertificateError } from '../relay/errors.ts';
import { checkNewPair } from '../relay/new-certificate.ts';
import { probeCloud } from '../relay/probe.ts';
import { Upstream } from '../relay/upstream.ts';
import { isListening } from '../../shared/service/listening.ts';
import type { Holder } from './holders.ts';
import { codeOf } from '../../shared/service/error-code.ts';
import { ServiceError } from '../../shared/service/install/errors.ts';

/**
 * Makes a key, or reuses the waiting one, and writes its certificate request beside it.
 *
 * @returns the file of the request
 * @throws ServiceError
 */
export async function requestCertificate({ name, files }: Holder): Promise<string> {
  const file = `${files.key.path}.csr`;
  try {
    mkdirSync(path.dirname(files.key.path), { recursive: true, mode: 0o700 });
    let key = await readRequestedKey(files);
    if (key === null) {
      key = makeKey();
      await keepRequestedKey(files, key);
    }
    writeFileSync(file, makeRequest(key, name), { mode: 0o644 });
  } catch (error) {
    throw new ServiceError(
      `The request ${file} cannot be written (${codeOf(error)}): check its folder and who may write there.`,
    );
  }
  return file;
}

export interface Installed {
  /** Until when the certificate is valid, ISO. */
  validTo: string;
  probe: CloudProbe;
}

/** The certificate that the vendor has issued, PEM. @throws ServiceError */
export const readIssued = (file: string): string => read(file, 'certificate');

/**
 * Installs a certificate for the key of the last request, after a successful request to the cloud.
 *
 * @throws ServiceError; nothing has changed then
 */
export async function installCertificate(holder: Holder, cert: string, clock: Clock): Promise<Installed> {
  const { files } = holder;
  const ca = read(files.ca.path, `authority of the cloud (${files.ca.variable})`);
  let key: string | null;
  try {
    key = await readRequestedKey(files);
  } catch (error) {
    throw new ServiceError(`The key that waits cannot be read (${codeOf(error)}): check ${files.key.path}.requested.`);
  }
  if (key === null)
    throw new ServiceError(
      `No key waits for a certificate: run "causeway-agent certificate request ${holder.name}" first.`,
    );
  const pair: Pair = { cert, key };
  try {
    checkNewPair(pair, clock.now());
  } catch (error) {
    if (error instanceof UnfitCertificateError) throw new ServiceError(`${error.message} Nothing was changed.`);
    throw error;
  }
  const probe = await probed(holder, { ...pair, ca }, clock);
  if (probe.outcome !== 'ACCEPTED') throw new ServiceError(`${probe.message} Nothing was changed.`);
  try {
    await decide(files, pair, presentPair(files));
    await settle(holder);
    await dropRequestedKey(files);
  } catch (error) {
    throw new ServiceError(
      `The certificate cannot be written (${codeOf(error)}): check ${files.cert.path} and its folder.`,
    );
  }
  return { validTo: factsOf(cert).validTo, probe };
}

/** A relay checks its files every five seconds. */
const FINISHED_MS = 15_000;
const POLL_MS = 50;

/**
 * A decision reaches its files through the part itself, which would be disturbed by another at the same work, or
 * through us.
 */
async function settle({ files, finishes }: Holder): Promise<void> {
  if (finishes !== null && (await isListening(finishes))) {
    const until = performance.now() + FINISHED_MS;
    while (existsSync(installing(files)) && performance.now() < until) await sleep(POLL_MS);
  }
  await finish(files);
}

async function probed(holder: Holder, identity: Pair & { ca: string }, clock: Clock): Promise<CloudProbe> {
  const upstream = new Upstream(holder.upstream, identity, holder.bounds, holder.proxy);
  try {
    return await probeCloud(upstream, clock);
  } finally {
    upstream.destroy();
  }
}

/** The pair for a return; null at the first time. */
function presentPair({ cert, key }: CredentialFiles): Pair | null {
  if (!existsSync(cert.path) || !existsSync(key.path)) return null;
  return { cert: readFileSync(cert.path, 'utf8'), key: readFileSync(key.path, 'utf8') };
}

function read(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ServiceError(`The ${what} cannot be read from ${file} (${codeOf(error)}): check the path.`);
  }
}
