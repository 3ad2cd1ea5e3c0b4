/**
 * The parts as bundles, built like those of the release. A run starts parts a thousand times, and a bundle starts in
 * some 40 % of the processor time of its sources. The folder's name is a hash of everything that a bundle is made of.
 */
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { nodeBuild } from '../../electron/packaging/build/bundle.ts';
import { hashInputs } from '../../electron/packaging/build/inputs.ts';
import { PROJECT } from './process.ts';

const CACHE = path.join(PROJECT, 'node_modules/.cache/causeway');
/** Bundles of earlier sources, which a run that has not ended may still start. */
const KEPT_MS = 24 * 3_600_000;
const INPUTS = ['agent', 'cloud', 'electron', 'shared', 'package-lock.json', 'tsconfig.json'];
const SCRIPTS = [
  'agent/intake/main',
  'agent/provision/main',
  'agent/relay/main',
  'cloud/main',
  'electron/console-api/main',
];

/** A bundle finds files beside its sources (pages, the demo's ETFs) where the sources find them. */
const besideSources: Plugin = {
  name: 'beside-sources',
  transform(code, id) {
    if (!/import\.meta\.dirname|new URL\('[^']+\.jsonl', import\.meta\.url\)/.test(code)) return null;
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
      .replaceAll(
        /new URL\('([^']+\.jsonl)', import\.meta\.url\)/g,
        (_, file: string) => `new URL(${JSON.stringify(pathToFileURL(path.resolve(path.dirname(id), file)))})`,
      );
  },
};

/** Builds the bundles unless they are there. @returns their folder, in which each has the path of its script */
export async function bundleParts(): Promise<string> {
  const folder = path.join(CACHE, `parts-${hashInputs(INPUTS, [PROJECT])}`);
  if (existsSync(folder)) return folder;
  for (const name of globSync('parts-*', { cwd: CACHE })) {
    const old = path.join(CACHE, name);
    if (statSync(old).mtimeMs < Date.now() - KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
  const own = path.join(CACHE, `making-parts.${process.pid}`);
  mkdirSync(own, { recursive: true });
  await build({
    ...nodeBuild(null),
    input: Object.fromEntries(SCRIPTS.map((script) => [script, `${script}.ts`])),
    plugins: [besideSources],
    output: { dir: own, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
  });
  writeFileSync(path.join(own, 'package.json'), JSON.stringify({ type: 'module' }));
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another process has built them meanwhile.
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
