/**
 * TLS of a listener that other hosts reach: certificate and key come from files that may be replaced while it runs. The
 * names that a request may use for the server (D9) are those in the certificate, so they are not configured twice.
 * Plain HTTP is only for this machine, or behind a proxy that a variable names.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { certificatesOf, PemError } from './pem.ts';
import { FileWatch } from './file-watch.ts';
import { isLoopbackHost } from '../http/origins.ts';
import { ConfigurationError, variable, type ListenAddress } from '../variables.ts';

export interface ServerTls {
  cert: string;
  key: string;
  /** The host names and addresses of the certificate, without wildcards. */
  names: readonly string[];
}

export interface PairFiles {
  /** The prefix of their variables: `CAUSEWAY_PROVISION` has `…_CERT` and `…_KEY`. */
  prefix: string;
  cert: string;
  key: string;
}

/** The three variables of a listener with TLS of its own or with a TLS proxy before it. */
export const TLS_VARIABLES = {
  cert: variable.optional('certificate for callers on other hosts, PEM file', variable.text),
  key: variable.optional('its key, PEM file', variable.text),
  behindProxy: variable.defaulted(
    '1: a proxy with TLS stands before it, so that plain HTTP may leave this machine',
    '0',
    variable.oneOf('0', '1'),
  ),
};

/** The pair cannot be used; the message is one sentence that says what to do. */
export class ServerTlsError extends ConfigurationError {
  constructor(message: string, options?: ErrorOptions) {
    super([message]);
    this.name = 'ServerTlsError';
    this.cause = options?.cause;
  }
}

/**
 * The files of a listener's certificate and key; null for plain HTTP.
 *
 * @throws ConfigurationError for half a pair, or for plain HTTP that others could read on its way
 */
export function pairFiles(
  prefix: string,
  given: { listen: ListenAddress; cert: string | undefined; key: string | undefined; behindProxy?: '0' | '1' },
): PairFiles | null {
  const { listen, cert, key, behindProxy } = given;
  if (cert !== undefined && key !== undefined) return { prefix, cert, key };
  if (cert !== undefined || key !== undefined) {
    throw new ConfigurationError([
      `${prefix}_${cert === undefined ? 'CERT' : 'KEY'} is missing: a certificate and its key are given together or not at all.`,
    ]);
  }
  if (isLoopbackHost(listen.host) || behindProxy === '1') return null;
  const proxy = behindProxy === undefined ? '' : `, set ${prefix}_BEHIND_PROXY=1 if a proxy with TLS stands before it,`;
  throw new ConfigurationError([
    `${prefix}_LISTEN names ${listen.host}, which other hosts reach: give ${prefix}_CERT and ${prefix}_KEY${proxy} or listen on 127.0.0.1.`,
  ]);
}

/** @throws ServerTlsError */
export function readServerTls({ prefix, ...files }: PairFiles): ServerTls {
  const cert = textOf(`${prefix}_CERT`, files.cert);
  const key = textOf(`${prefix}_KEY`, files.key);
  const certificate = firstOf(`${prefix}_CERT (${files.cert})`, cert);
  const privateKey = parsed(`${prefix}_KEY (${files.key}) holds no private key in PEM form without a passphrase.`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ServerTlsError(
      `The key in ${prefix}_KEY is not the one that the certificate in ${prefix}_CERT was issued for: give the pair.`,
    );
  }
  return { cert, key, names: namesOf(certificate) };
}

/** As `readServerTls`, for a server that must know its own names. @throws ServerTlsError */
export function readNamedTls(files: PairFiles): ServerTls {
  const tls = readServerTls(files);
  if (tls.names.length > 0) return tls;
  throw new ServerTlsError(
    `${files.prefix}_CERT (${files.cert}) names no host: the server is reached by the exact names or addresses in its ` +
      'certificate (subject alternative names), and a wildcard is none.',
  );
}

interface Log {
  info(about: object, message: string): void;
  error(about: object, message: string): void;
}

/** A certificate with its key that follows its files; invalid files leave the earlier pair in use. */
export class FollowedTls {
  readonly #files: PairFiles;
  readonly #read: (files: PairFiles) => ServerTls;
  readonly #first: ServerTls;
  #watch: FileWatch<ServerTls> | null = null;

  /** @throws ServerTlsError */
  constructor(files: PairFiles, read: (files: PairFiles) => ServerTls = readServerTls) {
    this.#files = files;
    this.#read = read;
    this.#first = read(files);
  }

  get current(): ServerTls {
    return this.#watch?.current ?? this.#first;
  }

  /** Makes a server use the files' present content, from the next handshake on. @param everyMs for tests */
  follow(server: Server, log: Log, everyMs?: number): void {
    this.#watch = new FileWatch({
      paths: [this.#files.cert, this.#files.key],
      first: this.#first,
      read: () => this.#read(this.#files),
      told: (change) => {
        if (change.kind === 'REFUSED') {
          log.error({ err: change.error }, 'the new certificate files are not in use; the earlier ones stay in use');
          return;
        }
        const { cert, key } = change.files;
        if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
        const { subject, validTo, fingerprint256 } = new X509Certificate(cert);
        log.info({ subject, validTo, fingerprint256 }, 'new certificate files are in use');
      },
    }).every(everyMs);
  }

  stop(): void {
    this.#watch?.stop();
  }
}

/** The names of a certificate as a URL has them. */
export function namesOf(certificate: X509Certificate): string[] {
  return (certificate.subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):([\w.:-]+)$/.exec(entry)?.[1] ?? [])
    .map(asInUrls);
}

/** An IPv6 address as a URL writes it: OpenSSL writes all eight groups out. */
function asInUrls(name: string): string {
  return name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}

function textOf(name: string, file: string): string {
  return parsed(`${name} names ${file}, which cannot be read: check the path and its permissions.`, () =>
    readFileSync(file, 'utf8'),
  );
}

/** The certificate of the server, before those that lead to its authority. */
function firstOf(name: string, pem: string): X509Certificate {
  let found: X509Certificate[];
  try {
    found = certificatesOf(pem);
  } catch (error) {
    throw new ServerTlsError(`${name} ${error instanceof PemError ? error.message : 'cannot be read'}.`, {
      cause: error,
    });
  }
  const [first] = found;
  if (first === undefined) throw new ServerTlsError(`${name} holds no certificate in PEM form.`);
  return first;
}

function parsed<T>(sentence: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ServerTlsError(sentence, { cause: error });
  }
}
