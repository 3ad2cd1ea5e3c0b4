/**
 * The files beside the program that it starts or serves (Node, the services, the screens) must be the packed ones. The
 * manifest with the hashes lies inside the program's own archive.
 */
import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Path below the folder of resources, with `/`, to the SHA-256 of the file in hex. */
export type ResourceManifest = Readonly<Record<string, string>>;

/** The folders that the manifest covers. All other files are Electron's own. */
export const CHECKED_FOLDERS = ['node', 'renderer', 'services'] as const;

export interface ResourceFault {
  path: string;
  what: 'missing' | 'changed' | 'added' | 'unreadable';
}

/** The input of the checking thread (`check-worker.ts`). */
export interface CheckOrder {
  resources: string;
  manifest: ResourceManifest;
}

/**
 * Runs `checkResources` in parallel with the program.
 *
 * @param code the bundle of `check-worker.ts`, passed as text because a thread does not read the archive
 * @throws when the check itself fails: then nothing is known, and nothing may be started
 */
export function checkInWorker(code: string, order: CheckOrder): Promise<ResourceFault[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData: order });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (exitCode) => reject(new Error(`The check of what was packed ended with ${exitCode}.`)));
  });
}

/** Compares the files with the manifest; empty when all match. Paths are sorted. */
export async function checkResources(resources: string, manifest: ResourceManifest): Promise<ResourceFault[]> {
  const found = new Set<string>();
  for (const folder of CHECKED_FOLDERS) {
    for (const path of await filesBelow(resources, folder)) found.add(path);
  }
  const faults: ResourceFault[] = [...found]
    .filter((path) => !Object.hasOwn(manifest, path))
    .map((path) => ({ path, what: 'added' }));
  const judge = async ([path, hash]: [string, string]): Promise<void> => {
    if (!found.has(path)) faults.push({ path, what: 'missing' });
    else {
      const actual = await sha256Of(join(resources, path)).catch(() => null);
      if (actual !== hash) faults.push({ path, what: actual === null ? 'unreadable' : 'changed' });
    }
  };
  await Promise.all(Object.entries(manifest).map(judge));
  return faults.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Paths of everything but folders: a link or a pipe is never a packed file, so it is reported. */
async function filesBelow(root: string, folder: string): Promise<string[]> {
  let entries;
  try {
    entries = await readdir(join(root, folder), { withFileTypes: true });
  } catch {
    // A missing file is reported as missing.
    return [];
  }
  const below = entries.map(async (entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
  return (await Promise.all(below)).flat();
}

/** Bytes read at a time: the start continues meanwhile, and no large file is held whole. */
const PIECE = 1024 * 1024;

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, Math.max(1, (await file.stat()).size)));
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
