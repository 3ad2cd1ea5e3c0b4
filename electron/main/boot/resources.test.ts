/** The packed resources compared with their manifest: every kind of difference is reported, by path. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestOf } from '../../packaging/manifest.ts';
import { checkInWorker, checkResources, type ResourceManifest } from './resources.ts';

let folder: string;
let manifest: ResourceManifest;

const FILES = {
  'node/node': 'x'.repeat(9_000_000),
  'services/console-api.js': 'serve()',
  'services/node_modules/better-sqlite3/package.json': '{}',
  'renderer/index.html': '<!doctype html>',
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-resources-'));
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  manifest = await manifestOf({
    node: join(folder, 'node/node'),
    renderer: join(folder, 'renderer'),
    services: join(folder, 'services'),
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const check = () => checkResources(folder, manifest);

test('the packed files match, whatever files Electron has beside them', async () => {
  write('app.asar', 'not ours to check');
  expect(Object.keys(manifest).toSorted()).toEqual(Object.keys(FILES).toSorted());
  expect(await check()).toEqual([]);
});

test.each(Object.keys(FILES))('one changed byte in %s', async (path) => {
  const bytes = readFileSync(join(folder, path));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(join(folder, path), bytes);
  expect(await check()).toEqual([{ path, what: 'changed' }]);
});

test('an extra file, a missing one, a folder or a link in place of a file', async () => {
  write('services/node_modules/evil/index.js', 'run()');
  rmSync(join(folder, 'renderer/index.html'));
  expect(await check()).toEqual([
    { path: 'renderer/index.html', what: 'missing' },
    { path: 'services/node_modules/evil/index.js', what: 'added' },
  ]);
  rmSync(join(folder, 'services'), { recursive: true });
  mkdirSync(join(folder, 'services/console-api.js'), { recursive: true });
  symlinkSync('/nowhere/at/all', join(folder, 'services/link.js'));
  expect(await check()).toEqual([
    { path: 'renderer/index.html', what: 'missing' },
    { path: 'services/console-api.js', what: 'missing' },
    { path: 'services/link.js', what: 'added' },
    { path: 'services/node_modules/better-sqlite3/package.json', what: 'missing' },
  ]);
});

test('names inherited by every object are not files of the manifest', async () => {
  write('services/constructor', 'x');
  expect(await check()).toEqual([{ path: 'services/constructor', what: 'added' }]);
});

test('a separate thread reports the same', async () => {
  const code = `import(${JSON.stringify(import.meta.resolve('./check-worker.ts'))})`;
  write('services/more.js', 'x');
  const faults = await checkInWorker(code, { resources: folder, manifest });
  expect(faults).toEqual([{ path: 'services/more.js', what: 'added' }]);
});

test.each(['process.exit(0)', "throw new Error('broken')", ''])(
  'a thread that does not check (%s) is no check',
  async (code) => {
    await expect(checkInWorker(code, { resources: folder, manifest })).rejects.toThrow(/broken|ended with 0/);
  },
);
