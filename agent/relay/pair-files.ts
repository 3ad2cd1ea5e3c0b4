/**
 * Writes a new certificate with its key so that, whatever ends the process in between, a pair that fits
 * is there afterwards.
 *
 * Two files cannot be replaced in one step, so the pair goes into one file first, `….installing` beside
 * the certificate's. Once that is there under its name, it is what counts; then the two files follow it,
 * and it is removed. A reader finishes what another run has left.
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** A file and the variable that names it. */
export interface NamedFile {
  variable: string;
  path: string;
}

export interface CredentialFiles {
  cert: NamedFile;
  key: NamedFile;
  ca: NamedFile;
  /** Whether callers are to name the holder by the exact names in the certificate. */
  named?: true;
}

/** PEM texts. */
export interface Pair {
  cert: string;
  key: string;
}

/** The file that counts while it is there. */
export const installing = (files: CredentialFiles): string => `${files.cert.path}.installing`;
const previous = (files: CredentialFiles): string => `${files.cert.path}.previous`;
const requested = (files: CredentialFiles): string => `${files.key.path}.requested`;

/**
 * Decides for `next`. When this settles well, it is what will be read, here and after a restart. `earlier` is kept to
 * go back to; null the first time.
 * @throws what the file system says; then nothing has changed
 */
export async function decide(files: CredentialFiles, next: Pair, earlier: Pair | null): Promise<void> {
  if (earlier !== null) await writeDurably(previous(files), joined(earlier), 0o600);
  await writeDurably(installing(files), joined(next), 0o600);
}

/** Brings the two files to what was decided. @throws what the file system says; it can be called again */
export async function finish(files: CredentialFiles): Promise<void> {
  const text = await readIfThere(installing(files));
  if (text === null) return;
  const { cert, key } = parted(text);
  if (files.cert.path === files.key.path) await writeDurably(files.cert.path, text, 0o600);
  else {
    await writeDurably(files.key.path, key, 0o600);
    await writeDurably(files.cert.path, cert, 0o644);
  }
  await rm(installing(files), { force: true });
  await flushFolder(path.dirname(installing(files)));
}

/** The pair that was decided for and is not in its files yet. */
export const readUnfinished = (files: CredentialFiles): Promise<Pair | null> => readPair(installing(files));
/** The pair before the present one. */
export const readPrevious = (files: CredentialFiles): Promise<Pair | null> => readPair(previous(files));

/** The key that waits for its certificate, PEM. */
export const readRequestedKey = (files: CredentialFiles): Promise<string | null> => readIfThere(requested(files));
export const keepRequestedKey = (files: CredentialFiles, key: string): Promise<void> =>
  writeDurably(requested(files), key, 0o600);
export const dropRequestedKey = (files: CredentialFiles): Promise<void> => rm(requested(files), { force: true });

async function readPair(file: string): Promise<Pair | null> {
  const text = await readIfThere(file);
  return text === null ? null : parted(text);
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const KEY = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----(?:[^-]|-(?!----))*-----END \1PRIVATE KEY-----\r?\n?/;

const joined = ({ cert, key }: Pair): string => `${key.trimEnd()}\n${cert.trimEnd()}\n`;
function parted(text: string): Pair {
  return { key: KEY.exec(text)?.[0] ?? '', cert: text.replace(KEY, '') };
}

/** All of it or nothing, also when the power goes. */
async function writeDurably(file: string, text: string, mode: number): Promise<void> {
  const beside = `${file}.new`;
  await rm(beside, { force: true });
  const handle = await open(beside, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(beside, file);
  await flushFolder(path.dirname(file));
}

/** The new name itself must last. Windows writes it through with the file. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
