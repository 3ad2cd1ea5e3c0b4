/**
 * TLS for a console API that desktops on other hosts connect to. The names that a request may call the server
 * by (D9) are the ones in its certificate, so that they need not be said twice.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface ServerTls {
  cert: string;
  key: string;
  /** The host names and addresses of the certificate, without wildcards. Never empty. */
  names: string[];
}

/** The pair cannot be used; one sentence that says what to do. */
export class ServerTlsError extends Error {
  override name = 'ServerTlsError';
}

/** @throws ServerTlsError */
export function readServerTls(files: { cert: string; key: string }): ServerTls {
  const cert = textOf('CAUSEWAY_CONSOLE_CERT', files.cert);
  const key = textOf('CAUSEWAY_CONSOLE_KEY', files.key);
  const certificate = parsed(`CAUSEWAY_CONSOLE_CERT (${files.cert}) holds no certificate in PEM form.`, () => {
    return new X509Certificate(cert);
  });
  const privateKey = parsed(
    `CAUSEWAY_CONSOLE_KEY (${files.key}) holds no private key in PEM form without a passphrase.`,
    () => createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ServerTlsError(
      'The key in CAUSEWAY_CONSOLE_KEY is not the one that the certificate in CAUSEWAY_CONSOLE_CERT was issued for: give the pair.',
    );
  }
  const names = namesOf(certificate);
  if (names.length === 0) {
    throw new ServerTlsError(
      `CAUSEWAY_CONSOLE_CERT (${files.cert}) names no host: the console is reached by the exact names or addresses in its ` +
        'certificate (subject alternative names), and a wildcard is none.',
    );
  }
  return { cert, key, names };
}

function namesOf(certificate: X509Certificate): string[] {
  return (certificate.subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):([\w.:-]+)$/.exec(entry)?.[1] ?? [])
    .map(asInUrls);
}

/** An address of version 6 as a URL has it: OpenSSL writes all eight groups out. */
function asInUrls(name: string): string {
  return name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();
}

function textOf(variable: string, file: string): string {
  return parsed(`${variable} names ${file}, which cannot be read: check the path and its permissions.`, () =>
    readFileSync(file, 'utf8'),
  );
}

function parsed<T>(sentence: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ServerTlsError(sentence, { cause: error });
  }
}
