/**
 * Writes a new certificate with its key so that a crash at any point leaves a matching pair.
 *
 * Two files cannot be replaced in one step, so the pair first goes into one file, `….installing` beside the
 * certificate's. From then on that file is valid; the two files follow it, and it is removed. A reader completes an
 * unfinished installation.
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
  /** Whether callers must use the exact names in the certificate. */
  named?: true;
}

/** PEM texts. */
export interface Pair {
  cert: string;
  key: string;
}

/** The file that is valid while it exists. */
export const installing = (files: CredentialFiles): string => `${files.cert.path}.installing`;
const previous = (files: CredentialFiles): string => `${files.cert.path}.previous`;
const requested = (files: CredentialFiles): string => `${files.key.path}.requested`;

/**
 * Makes `next` the valid pair. Once this resolves, readers get it, also after a restart. `earlier` is kept for a
 * return; null the first time.
 *
 * @throws the file system's error; nothing has changed then
 */
export async function decide(files: CredentialFiles, next: Pair, earlier: Pair | null): Promise<void> {
  if (earlier !== null) await writeDurably(previous(files), joined(earlier), 0o600);
  await writeDurably(installing(files), joined(next), 0o600);
}

/** Writes the valid pair to the two files. @throws the file system's error; it can be called again */
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

/** The valid pair that is not in its files yet. */
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

/** Writes all of it or nothing, even through a power cut. */
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

/** Makes the new name durable. Windows writes it through with the file. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
