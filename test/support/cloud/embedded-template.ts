/**
 * Copies of one embedded store that is migrated and empty. Making the first one takes PGlite four seconds of processor
 * time (initdb and all migrations), a copy a tenth of that. Its name is a hash of its sources.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MIGRATIONS } from '../../../cloud/store/migrations/index.ts';
import { migrate } from '../../../cloud/store/migrations/migrate.ts';
import { openEmbedded } from '../../../cloud/store/open.ts';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const CACHE = path.join(PROJECT, 'node_modules/.cache/causeway');

/** Fills `folder`, which must not be there, with a migrated store without rows. */
export async function copyTemplate(folder: string): Promise<void> {
  const template = path.join(CACHE, `store-${fingerprint()}`);
  if (!existsSync(template)) await make(template);
  cpSync(template, folder, { recursive: true });
}

/** Two test files may make it at once: the second finds it made and drops its own. */
async function make(template: string): Promise<void> {
  const own = `${template}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const store = await openEmbedded(own);
  await migrate(store, MIGRATIONS, new Date(0));
  await store.close();
  try {
    renameSync(own, template);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

/** A hash of every file that decides the content of a new store: PGlite's version and the code of store and entries. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const resolve = createRequire(import.meta.url).resolve;
  const pglite = path.join(path.dirname(resolve('@electric-sql/pglite')), '../package.json');
  const sources = globSync('cloud/{store,entries}/**/*.ts', { cwd: PROJECT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  for (const file of [pglite, ...sources.toSorted().map((one) => path.join(PROJECT, one))])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
