import { afterEach, expect, test, vi } from 'vitest';
import { bundleParts } from './bundles.ts';
import { BUNDLES, entryOf, PROJECT, startPart } from './process.ts';

afterEach(() => vi.unstubAllEnvs());

async function helpOf(script: string): Promise<string> {
  const part = startPart(script, { args: ['--help'] });
  expect(await part.ended(), part.stderr).toEqual({ code: 0, signal: null });
  return part.stdout;
}

test.each(['cloud/main.ts', 'electron/console-api/main.ts'])(
  'the bundle of %s starts in its place, and has the defaults of the sources',
  async (script) => {
    vi.stubEnv(BUNDLES, undefined);
    const ofSources = await helpOf(script);
    expect(entryOf(script)).toBe(`${PROJECT}/${script}`);
    const folder = await bundleParts();
    vi.stubEnv(BUNDLES, folder);
    expect(entryOf(script)).toBe(`${folder}/${script.replace('.ts', '.js')}`);
    expect(await helpOf(script)).toBe(ofSources);
    expect(ofSources).toContain(`${PROJECT}/`);
  },
);

test('a script without a bundle starts from its source', async () => {
  vi.stubEnv(BUNDLES, await bundleParts());
  expect(entryOf('electron/start/main.ts')).toBe(`${PROJECT}/electron/start/main.ts`);
});
