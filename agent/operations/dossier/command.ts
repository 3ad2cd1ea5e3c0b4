/** `causeway-agent verify-dossier`: exit code 0 when everything fits, 1 when something does not, 2 for wrong arguments. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { readVerifyKeys } from '../../intake/receive/statement.ts';
import { MOST_FILE_BYTES, UnfitDossierError } from '../../ledger/dossier/container.ts';
import { isArchive } from '../../ledger/inspection/archive.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import { ConfigurationError } from '../../../shared/service/variables.ts';
import { verifyArchive } from './verify-archive.ts';
import { verifyDossier, type Pinned } from './verify.ts';

/** A file of checkpoints of some decades, or of keys. */
const MOST_BESIDE_BYTES = 128 * 1024 ** 2;

export const VERIFY_DOSSIER = {
  usage: 'verify-dossier FILE [--vendor-key FILE] [--tenant-key FILE] [--checkpoint FILE]',
  about:
    'Checks a dossier, or an archive of dossiers, without ledger and network, and names the first thing that does not fit. The keys are public keys ' +
    '(PEM, several in one file during a rotation), the checkpoints a file that was kept elsewhere.',
  run: (args: readonly string[], context: ServiceContext): Promise<number> => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'vendor-key': { type: 'string' }, 'tenant-key': { type: 'string' }, checkpoint: { type: 'string' } },
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new ConfigurationError([`"verify-dossier" takes one file: it is called as "${VERIFY_DOSSIER.usage}".`]);
    const pinned = {
      vendor: keysOf(values['vendor-key']),
      tenant: keysOf(values['tenant-key']),
      checkpoints:
        values.checkpoint === undefined ? null : { text: contentOf(values.checkpoint, MOST_BESIDE_BYTES).toString() },
    };
    try {
      for (const line of checked(file, pinned))
        context.print(`${line.startsWith('Not checked') ? '--' : 'ok'}  ${line}`);
    } catch (error) {
      if (!(error instanceof UnfitDossierError)) throw error;
      context.complain(`NO  ${error.message}`);
      context.complain(`Do not rely on ${basename(file)}.`);
      return Promise.resolve(1);
    }
    context.print(`${basename(file)} fits.`);
    return Promise.resolve(0);
  },
};

/** A dossier, or an archive of them, which is read piece by piece. */
function* checked(file: string, pinned: Pinned): Generator<string> {
  const handle = opened(file);
  try {
    const { size } = fstatSync(handle);
    const read = (position: number, length: number): Uint8Array => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
      return bytes.subarray(
        0,
        readable(file, () => readSync(handle, bytes, 0, bytes.length, position)),
      );
    };
    if (isArchive({ size, read })) yield* verifyArchive({ size, read }, pinned);
    else yield* verifyDossier(wholeOf(file, MOST_FILE_BYTES, handle), pinned);
  } finally {
    closeSync(handle);
  }
}

function keysOf(file: string | undefined) {
  if (file === undefined) return null;
  try {
    return readVerifyKeys(contentOf(file, MOST_BESIDE_BYTES).toString());
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([`${file} ${error instanceof Error ? error.message : String(error)}.`]);
  }
}

function contentOf(file: string, most: number): Buffer {
  const handle = opened(file);
  try {
    return wholeOf(file, most, handle);
  } finally {
    closeSync(handle);
  }
}

/** @throws ConfigurationError */
function wholeOf(file: string, most: number, handle: number): Buffer {
  const { size } = fstatSync(handle);
  if (size > most) throw unreadable(file, `it has ${size} bytes, and more than ${most} are not read`);
  return readable(file, () => readFileSync(handle));
}

/** A folder can be opened and not read; a pipe would be waited for, or never end. @throws ConfigurationError */
function opened(file: string): number {
  return readable(file, () => {
    if (!statSync(file).isFile()) throw new Error('it is no file; name a file');
    return openSync(file, 'r');
  });
}

/** @throws ConfigurationError */
function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

const unreadable = (file: string, why: string): ConfigurationError =>
  new ConfigurationError([`${file} cannot be read: ${why}.`]);
