/** Builds the pages of the two web consoles with Vite, each when its inputs have changed. */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { withLock } from '../../setup/lock.js';
import { BUILT, hashInputs, PackagingError, PROJECT } from './inputs.ts';
import { runTool } from './tool.ts';

interface PagesSource {
  /** The name of the pages in the log. */
  name: string;
  /** The folder of their source, with its `vite.config.ts`. */
  folder: string;
}

const PAGES = {
  tenant: { name: 'Console pages', folder: 'renderer' },
  operator: { name: 'Operator console pages', folder: 'cloud/console' },
} as const satisfies Record<string, PagesSource>;

export type Pages = keyof typeof PAGES;

/** The folder of the built pages; the server serves them from here in development. */
export function pagesOf(pages: Pages): string {
  return join(PROJECT, PAGES[pages].folder, 'dist');
}

export interface PagesOptions {
  pages: Pages;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** Ensures that the pages are built. A second call returns at once. */
export async function ensurePages({ pages, log, signal }: PagesOptions): Promise<void> {
  const { name, folder } = PAGES[pages];
  const hash = hashInputs([folder, 'shared', 'package-lock.json', 'tsconfig.json'], []);
  const stamp = join(BUILT, `${pages}-pages.stamp`);
  const isBuilt = (): boolean =>
    existsSync(join(pagesOf(pages), 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
  if (isBuilt()) return;
  await withLock(
    join(BUILT, `${pages}-pages.lock`),
    () => log(`${name}: another process is building them, waiting.`),
    async () => {
      if (isBuilt()) return;
      log(`${name}: building.`);
      await build(pages, signal);
      writeFileSync(stamp, hash);
    },
  );
}

/** Builds in a temporary folder and renames it into place, so that a running server never serves half a build. */
async function build(pages: Pages, signal: AbortSignal | undefined): Promise<void> {
  const { name, folder } = PAGES[pages];
  const configuration = join(folder, 'vite.config.ts');
  if (!existsSync(join(PROJECT, configuration)))
    throw new PackagingError(`${configuration} is missing: the ${name.toLowerCase()} cannot be built.`);
  const place = pagesOf(pages);
  const fresh = join(BUILT, `making-${pages}-pages`);
  const old = join(BUILT, `old-${pages}-pages`);
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
  mkdirSync(BUILT, { recursive: true });
  const args = ['build', folder, '--config', configuration, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  await runTool('vite build', 'vite/bin/vite.js', args, { NODE_ENV: 'production' }, signal);
  compressFiles(fresh);
  if (existsSync(place)) renameSync(place, old);
  renameSync(fresh, place);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Puts beside each text of the build its compressed forms, which the servers send to whoever takes them
 * (`shared/service/http/pages.ts`): a browser asks for brotli over TLS and on its own host, for gzip elsewhere. Fonts and pictures
 * are compressed already, and the page itself is written for each request.
 */
function compressFiles(folder: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: folder })) {
    const file = join(folder, name);
    const text = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
  }
}
