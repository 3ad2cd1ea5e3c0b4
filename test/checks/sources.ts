/** The files that the checks read: everything of ours, found by looking, never by a list that can go stale. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The result of one check. `read` counts the files that it really read: a check that read none has failed. */
export interface CheckReport {
  read: number;
  problems: string[];
}

export interface Check {
  name: string;
  /** Looks at the project in a folder and reports; throws only when it could not look. */
  run(root: string): Promise<CheckReport>;
}

/** The folders of the project (architecture). Anything else at the top level is no source of ours. */
export const FOLDERS = ['shared', 'cloud', 'agent', 'electron', 'renderer', 'test'] as const;

const NOT_OURS = new Set(['node_modules', 'dist', 'artifacts', '.causeway']);
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Every code file of the project, as paths from `root` with forward slashes, sorted. */
export function codeFiles(root: string): string[] {
  return FOLDERS.flatMap((folder) => walk(root, folder))
    .filter((file) => CODE.test(file))
    .toSorted();
}

function walk(root: string, folder: string): string[] {
  let entries;
  try {
    entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (NOT_OURS.has(entry.name)) return [];
    return entry.isDirectory() ? walk(root, file) : [file];
  });
}

const PROSE = /\.(?:md|txt|css|html|json|ya?ml|c|nsh|service|timer)$/;

/** Every file of ours that people write words in, code among it, as `codeFiles` gives them. */
export function writtenFiles(root: string): string[] {
  const nested = [...FOLDERS, '.github', '.ci'].flatMap((folder) => walk(root, folder));
  const top = existsSync(path.join(root, 'README.md')) ? ['README.md'] : [];
  return [...top, ...nested.filter((file) => CODE.test(file) || PROSE.test(file))].toSorted();
}

export function readSource(root: string, file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Tests, and what only tests use: `name.test.ts`, and all of `test`. */
export function isTestCode(file: string): boolean {
  return file.startsWith('test/') || /\.test\.tsx?$/.test(file);
}
