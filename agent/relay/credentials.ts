/**
 * A certificate with its key and the trusted authority, read from files that may be replaced at any time. A pair that
 * does not match is never used: at the start the relay refuses it, later it keeps the present pair and reports the
 * fault.
 */
import { certificatesOf, PemError } from '../../shared/service/tls/pem.ts';
import { codeOf } from '../../shared/service/error-code.ts';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { FileWatch } from '../../shared/service/tls/file-watch.ts';
import { namesOf } from '../../shared/service/tls/server-tls.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { CertificateFacts, CertificateProblem } from '../../shared/wire/relay.ts';
import { CredentialError } from './errors.ts';
import {
  decide,
  finish,
  installing,
  readUnfinished,
  type CredentialFiles,
  type NamedFile,
  type Pair,
} from './pair-files.ts';

/** PEM texts that fit each other. */
export interface Credentials {
  cert: string;
  key: string;
  ca: string;
  /** The host names and addresses of the certificate, without wildcards. */
  names: readonly string[];
  facts: CertificateFacts;
}

/** @throws CredentialError */
export async function readCredentials(files: CredentialFiles): Promise<Credentials> {
  const unfinished = await readUnfinished(files).catch((error: unknown) => {
    throw new CredentialError(
      `${installing(files)} cannot be read (${codeOf(error)}): only the relay's user writes there.`,
    );
  });
  const [cert, key, ca] = await Promise.all([
    unfinished?.cert ?? read(files.cert),
    unfinished?.key ?? read(files.key),
    read(files.ca),
  ]);
  const [certificate] = certificates(files.cert, cert);
  const privateKey = parse(files.key, key, 'private key in PEM form without a passphrase', (text): KeyObject =>
    createPrivateKey(text),
  );
  certificates(files.ca, ca);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CredentialError(
      `The certificate in ${show(files.cert)} and the key in ${show(files.key)} do not fit each other: give the key that the certificate was issued for.`,
    );
  }
  try {
    createSecureContext({ cert, key, ca });
  } catch (error) {
    throw new CredentialError(
      `The certificate in ${show(files.cert)}, the key in ${show(files.key)} and the authority in ${show(files.ca)} cannot be used for TLS: ${text(error)}.`,
    );
  }
  const names = namesOf(certificate);
  if (files.named === true && names.length === 0) {
    throw new CredentialError(
      `The certificate in ${show(files.cert)} names no host: callers name the relay by the exact names or addresses in it (subject alternative names), and a wildcard is none.`,
    );
  }
  return { cert, key, ca, names, facts: factsOf(cert) };
}

/** Credentials that follow their files. */
export class WatchedCredentials {
  readonly #files: CredentialFiles;
  readonly #clock: Clock;
  readonly #watch: FileWatch<Credentials>;
  #problem: CertificateProblem | null = null;
  /** A check or an installation; one at a time. */
  #busy: Promise<void> | null = null;
  #told: (change: CredentialChange) => void = () => undefined;

  private constructor(files: CredentialFiles, clock: Clock, first: Credentials) {
    this.#files = files;
    this.#clock = clock;
    this.#watch = new FileWatch({
      paths: [files.cert.path, files.key.path, files.ca.path, installing(files)],
      first,
      read: () => readCredentials(files),
      told: (change) => {
        if (change.kind === 'TAKEN') this.#told({ kind: 'replaced', credentials: change.files });
        else this.#refuse(`${text(change.error)} The earlier certificate stays in use.`);
      },
    });
  }

  /**
   * Reads them for the first time.
   * @throws CredentialError
   */
  static async open(files: CredentialFiles, clock: Clock): Promise<WatchedCredentials> {
    // A pair that cannot be finished is read from its present place; the first check reports it.
    await finish(files).catch(() => undefined);
    return new WatchedCredentials(files, clock, await readCredentials(files));
  }

  /** Watches the files, so that `checkIfDue` spares file calls. To be ended by `stop`. */
  listen(): void {
    this.#watch.listen();
  }

  stop(): void {
    this.#watch.stop();
  }

  /** Sets the listener for every change from now on. */
  follow(told: (change: CredentialChange) => void): void {
    this.#told = told;
  }

  get current(): Credentials {
    return this.#watch.current;
  }

  /** Why the present files are not in use, or null. */
  get problem(): CertificateProblem | null {
    return this.#problem;
  }

  /** Uses changed files, if they match. Concurrent callers share one check. Never throws. */
  check(): Promise<void> {
    this.#busy ??= this.#check().finally(() => {
      this.#busy = null;
    });
    return this.#busy;
  }

  /** The same for frequent callers: makes no file call where the system would have reported a change. Never throws. */
  async checkIfDue(): Promise<void> {
    // A change just before the call may be reported in the same round of the event loop, after it.
    await setImmediate();
    // A check under way may have looked before that change.
    if (this.#busy !== null) await this.#busy;
    if (this.#watch.isDue) await this.check();
  }

  /**
   * Writes a pair and takes it into use; the present one stays to go back to.
   * @throws CredentialError where it cannot be written, and nothing has changed
   */
  async install(pair: Pair): Promise<void> {
    while (this.#busy !== null) await this.#busy;
    const work = this.#install(pair);
    this.#busy = work
      .catch(() => undefined)
      .finally(() => {
        this.#busy = null;
      });
    return work;
  }

  async #install(pair: Pair): Promise<void> {
    try {
      await decide(this.#files, pair, this.current);
    } catch (error) {
      throw new CredentialError(`The new certificate cannot be written (${codeOf(error)}).`);
    }
    await this.#check();
  }

  async #check(): Promise<void> {
    let isFinished = true;
    try {
      await finish(this.#files);
    } catch (error) {
      isFinished = false;
      this.#refuse(
        `The certificate in use cannot be written to its files (${codeOf(error)}): see that their folder is writable.`,
      );
    }
    await this.#watch.check();
    if (isFinished && this.#watch.refusal === null) this.#problem = null;
  }

  #refuse(message: string): void {
    if (this.#problem?.message === message) return;
    this.#problem = { message, at: this.#clock.now().toISOString() };
    this.#told({ kind: 'unfit', message });
  }
}

/** The files have changed: to something that is in use now, or to something that cannot be. */
export type CredentialChange = { kind: 'replaced'; credentials: Credentials } | { kind: 'unfit'; message: string };

async function read(file: NamedFile): Promise<string> {
  try {
    return await readFile(file.path, 'utf8');
  } catch (error) {
    throw new CredentialError(
      `The file in ${show(file)} cannot be read (${codeOf(error)}): check the path and its permissions.`,
    );
  }
}

function certificates(file: NamedFile, pem: string): [X509Certificate, ...X509Certificate[]] {
  let found: X509Certificate[];
  try {
    found = certificatesOf(pem);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new CredentialError(`The file in ${show(file)} ${error.message}.`);
  }
  const [first, ...more] = found;
  if (first === undefined) throw new CredentialError(`The file in ${show(file)} holds no certificate in PEM form.`);
  return [first, ...more];
}

function parse<T>(file: NamedFile, pem: string, what: string, reader: (pem: string) => T): T {
  try {
    return reader(pem);
  } catch {
    throw new CredentialError(`The file in ${show(file)} holds no ${what}.`);
  }
}

/** @param pem a certificate that parses; others may follow it */
export function factsOf(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    validFrom: certificate.validFromDate.toISOString(),
    validTo: certificate.validToDate.toISOString(),
  };
}

const show = ({ variable, path }: NamedFile): string => `${variable} (${path})`;
const oneLine = (name: string): string => name.trim().replaceAll('\n', ', ');
const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
