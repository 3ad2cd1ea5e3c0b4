/**
 * The relay's certificate for the cloud, before there is a relay that could be asked for one: a key that is made
 * here and stays here, the request for its certificate, and the certificate put in place after the cloud has
 * taken it. While the relay runs it takes what is put in place by itself, so this also renews.
 */
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/time/clock.ts';
import type { CloudTrial } from '../../shared/wire/relay.ts';
import { makeKey, makeRequest } from '../relay/certificate-request.ts';
import { factsOf, type CredentialFiles } from '../relay/credentials.ts';
import { UnfitCertificateError } from '../relay/errors.ts';
import { checkNewPair } from '../relay/new-certificate.ts';
import {
  decide,
  dropRequestedKey,
  finish,
  keepRequestedKey,
  readRequestedKey,
  type Pair,
} from '../relay/pair-files.ts';
import type { Settings } from '../relay/settings.ts';
import { tryCloud } from '../relay/trial.ts';
import { Upstream } from '../relay/upstream.ts';
import { ServiceError } from './install.ts';
import { codeOf, type Account } from './look-files.ts';

/**
 * Makes a key, or takes the one that waits already, and writes the request for its certificate beside it.
 *
 * @param account whom the files are to belong to; null: whoever asks
 * @returns the file of the request
 * @throws ServiceError
 */
export async function requestCertificate({ outward }: Settings, account: Account | null): Promise<string> {
  const file = `${outward.key.path}.csr`;
  try {
    makeFolder(path.dirname(outward.key.path), account);
    let key = await readRequestedKey(outward);
    if (key === null) {
      key = makeKey();
      await keepRequestedKey(outward, key);
      own(`${outward.key.path}.requested`, account);
    }
    writeFileSync(file, makeRequest(key, 'relay'), { mode: 0o644 });
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
  trial: CloudTrial;
}

/**
 * Puts a certificate in place for the key of the last request, after the cloud has answered to it.
 *
 * @throws ServiceError; then nothing has changed
 */
export async function installCertificate(
  settings: Settings,
  file: string,
  account: Account | null,
  clock: Clock,
): Promise<Installed> {
  const { outward } = settings;
  const cert = read(file, 'certificate');
  const ca = read(outward.ca.path, `authority of the cloud (${outward.ca.variable})`);
  const key = await readRequestedKey(outward);
  if (key === null)
    throw new ServiceError(`No key waits for a certificate: run "causeway-agent certificate request relay" first.`);
  const pair: Pair = { cert, key };
  try {
    checkNewPair(pair, clock.now());
  } catch (error) {
    if (error instanceof UnfitCertificateError) throw new ServiceError(`${error.message} Nothing was changed.`);
    throw error;
  }
  const trial = await tried(settings, { ...pair, ca }, clock);
  if (trial.outcome !== 'ACCEPTED') throw new ServiceError(`${trial.message} Nothing was changed.`);
  try {
    await decide(outward, pair, presentPair(outward));
    await finish(outward);
    for (const place of [outward.cert.path, outward.key.path]) own(place, account);
    await dropRequestedKey(outward);
  } catch (error) {
    throw new ServiceError(
      `The certificate cannot be written (${codeOf(error)}): check ${outward.cert.path} and its folder.`,
    );
  }
  return { validTo: factsOf(cert).validTo, trial };
}

async function tried(settings: Settings, identity: Pair & { ca: string }, clock: Clock): Promise<CloudTrial> {
  const upstream = new Upstream(settings.upstream, identity, settings.bounds, settings.proxy);
  try {
    return await tryCloud(upstream, clock);
  } finally {
    upstream.destroy();
  }
}

/** What is there to go back to; null at the first time. */
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

/** As a service's own state folder is made. */
function makeFolder(folder: string, account: Account | null): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let made = folder; first !== undefined && made.length >= first.length; made = path.dirname(made))
    own(made, account);
}

function own(file: string, account: Account | null): void {
  if (account !== null) chownSync(file, account.uid, account.gid);
}
