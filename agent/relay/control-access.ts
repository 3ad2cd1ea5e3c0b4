/** Decides who may make the calls that change something, before any of the call's content is read. */
import { codeOf } from '../../shared/service/error-code.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError } from '../../shared/wire/envelope.ts';
import type { NamedFile } from './pair-files.ts';
import { StartError } from './errors.ts';

export type ControlAccess =
  | { kind: 'none' }
  /** Without inward TLS: callers with the token in the file. */
  | { kind: 'token'; file: NamedFile }
  /** With inward TLS: SHA-256 fingerprints of client certificates, lower-case hex. */
  | { kind: 'certificates'; fingerprints: ReadonlySet<string> };

const SHORTEST_TOKEN = 32;

/** Checks the settings at the start. @throws StartError where other users can read the token's file */
export async function checkAccess(access: ControlAccess): Promise<void> {
  if (access.kind !== 'token') return;
  const { variable, path } = access.file;
  try {
    await readToken(path);
  } catch (error) {
    throw new StartError(
      `The file in ${variable} (${path}) ${error instanceof TokenFault ? error.message : `cannot be read (${codeOf(error)})`}.`,
    );
  }
}

/** @throws ApiError COMMON401, COMMON403 */
export async function mayControl(access: ControlAccess, request: IncomingMessage): Promise<void> {
  switch (access.kind) {
    case 'none':
      throw new ApiError(
        'COMMON403',
        'This relay takes no control calls: it was started without a token file and without control clients.',
      );
    case 'certificates': {
      const { socket } = request;
      const shown = socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
      if (shown !== undefined && access.fingerprints.has(shown.fingerprint256.replaceAll(':', '').toLowerCase()))
        return;
      throw new ApiError('COMMON403', 'The caller’s certificate may pull, but not control the relay.');
    }
    case 'token': {
      const shown = /^Bearer ([\x21-\x7e]+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (shown !== undefined && isSame(shown, await presentToken(access.file.path))) return;
      throw new ApiError('COMMON401', 'Send the relay’s control token as "Authorization: Bearer …".');
    }
    default:
      return access satisfies never;
  }
}

/** The fault of the file, to finish the sentence that names it. */
class TokenFault extends Error {
  override name = 'TokenFault';
}

async function presentToken(path: string): Promise<string> {
  try {
    return await readToken(path);
  } catch {
    throw new ApiError('COMMON403', 'The file of the control token cannot be used any more: check its permissions.');
  }
}

async function readToken(path: string): Promise<string> {
  const { mode } = await stat(path);
  // On Windows the mode says nothing about readers.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new TokenFault('is open to other users; take their rights away (chmod 600)');
  const token = (await readFile(path, 'utf8')).trim();
  if (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token))
    throw new TokenFault(`must hold one word of at least ${SHORTEST_TOKEN} letters and digits`);
  return token;
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
