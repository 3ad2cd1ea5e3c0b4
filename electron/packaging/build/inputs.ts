/** The inputs of a build as one hash, so that a second call detects at once that nothing has changed. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder. */
export const PROJECT = dirname(dirname(dirname(import.meta.dirname)));
/** The folder of everything built, except the renderer's pages. */
export const BUILT = join(PROJECT, 'electron', 'dist');

/** Thrown when something cannot be built; the message says what and why. */
export class PackagingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PackagingError';
  }
}

/**
 * Hash of files and folders (paths from the project's folder, folders with all content) and of further words. Tests and
 * guides do not count: no build contains them.
 */
export function hashInputs(paths: string[], words: string[]): string {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const path of paths) {
    for (const file of filesOf(path))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(PROJECT, file)))
        .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): string[] {
  const stat = statSync(join(PROJECT, path), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(PROJECT, path), { withFileTypes: true })
    .filter((entry) =>
      entry.isDirectory()
        ? entry.name !== 'dist' && entry.name !== 'node_modules'
        : !/\.test\.tsx?$|\.md$/.test(entry.name),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesOf(`${path}/${entry.name}`));
}
