/**
 * Rotates a key without cutting off a party that trusts it: the authority of the certificates, and the key that signs
 * bundles (D32). Other parties trust the public file, so during the overlap it holds both keys, the one in use first;
 * the private file is the key in use.
 *
 *   next     the successor is made, and trusted beside the one in use
 *   switch   the successor is in use, and the one before is still trusted
 *   retire   the one before is no longer trusted
 *
 * Each file is replaced in one step, and each step may be repeated after any interruption.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { pemBlocks, PemError } from '../../shared/service/tls/pem.ts';
import { CertificateFileError } from './key-lock.ts';
import { writePublic, writeSecret, type KeyFiles } from './files.ts';

/** A step that cannot be taken now, in one sentence. */
export class SuccessionError extends Error {
  override name = 'SuccessionError';
}

export interface Succession {
  /** The subject of the sentences. */
  what: string;
  present: KeyFiles;
  next: KeyFiles;
}

/** The PEM blocks of the public file, the one in use first. @throws CertificateFileError */
export function trusted({ what, present }: Succession): string[] {
  let text: string;
  try {
    text = readFileSync(present.public, 'utf8');
  } catch (error) {
    throw new CertificateFileError(
      `The ${what} ${present.public} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  try {
    return pemBlocks(text).map((block) => block.text);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new CertificateFileError(`The ${what} ${present.public} ${error.message}.`);
  }
}

/** Makes the successor, trusted beside the key in use. @throws SuccessionError, CertificateFileError */
export async function prepareNext(
  succession: Succession,
  make: () => Promise<{ public: string; key: string }>,
): Promise<void> {
  const { what, present, next } = succession;
  const [inUse = '', previous] = trusted(succession);
  if (!existsSync(next.public)) {
    if (previous !== undefined)
      throw new SuccessionError(`Two are trusted already by ${present.public}: retire the earlier ${what} first.`);
    const made = await make();
    // The key first: the public file announces the successor, and without a key file beside it a switch has moved the key.
    writeSecret(next.key, made.key);
    writePublic(next.public, made.public);
  } else if (!existsSync(next.key)) throw new SuccessionError(`A switch was interrupted: run "switch" again.`);
  writePublic(present.public, joined([inUse, readFileSync(next.public, 'utf8')]));
}

/** The successor takes over. @throws SuccessionError, CertificateFileError */
export function switchToNext(succession: Succession): void {
  const { what, present, next } = succession;
  if (!existsSync(next.public)) throw new SuccessionError(`There is no next ${what}: "next" makes it.`);
  const successor = readFileSync(next.public, 'utf8').trim();
  const others = trusted(succession).filter((block) => block.trim() !== successor);
  // An interrupted switch has moved the key already; the rest is repeated.
  if (existsSync(next.key)) {
    if (trusted(succession).length < 2)
      throw new SuccessionError(
        `No tenant trusts the next ${what} yet: call "next" again, and hand ${present.public} on.`,
      );
    renameSync(next.key, present.key);
  }
  writePublic(present.public, joined([successor, ...others]));
  rmSync(next.public);
}

/** Ends the trust in the previous key. @throws SuccessionError, CertificateFileError */
export function retirePrevious(succession: Succession): void {
  const { what, present, next } = succession;
  if (existsSync(next.public))
    throw new SuccessionError(`The next ${what} is not in use yet: "switch" comes before "retire".`);
  const [inUse = '', previous] = trusted(succession);
  if (previous === undefined)
    throw new SuccessionError(`Only one is trusted by ${present.public}: there is none to retire.`);
  writePublic(present.public, joined([inUse]));
}

const joined = (blocks: readonly string[]): string => `${blocks.map((block) => block.trim()).join('\n')}\n`;
