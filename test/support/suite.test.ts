import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hasDisplay, NoDisplayError, startDisplay } from './display.ts';
import { endLeftovers, processesMarked } from './leftovers.ts';
import { memoryFolder } from './memory-folder.ts';
import { BUNDLES, isAlive, PROJECT, RUN_MARK, TestFixture, waitFor } from './process.ts';
import { runSuite, type SuiteOptions, type SuiteOutcome } from './suite.ts';

/** The runner's main duty is to detect failures: each way in which a suite can fail is tried for real. */
const fixture = new TestFixture();
afterAll(() => fixture.clear());

const CONFIG = `
import { defineConfig } from 'vitest/config';
export default defineConfig({ test: { pool: 'forks', projects: [{ test: { name: 'small', include: ['**/*.test.ts'] } }] } });
`;
const HEAD = `import { beforeAll, expect, test } from 'vitest';\n`;
const GOOD = `${HEAD}test('one', () => expect(1).toBe(1));\ntest('two', () => expect(2).toBe(2));\n`;

async function outcomeOf(
  files: Record<string, string>,
  filters: string[] = [],
  options: SuiteOptions = {},
): Promise<SuiteOutcome> {
  const root = fixture.folder('suite');
  mkdirSync(path.join(root, 'test'));
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'), 'junction');
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(root, 'test/vitest.config.ts'), CONFIG);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, 'test', name), text);
  return runSuite(root, 'small', filters, { output: 'ignore', graceMs: 1_000, ...options });
}

describe('a suite', () => {
  test('counts passed and failed tests over all files', async () => {
    const bad = `${HEAD}test('three', () => expect(1).toBe(2));\n`;
    expect(await outcomeOf({ 'a.test.ts': GOOD, 'b.test.ts': bad })).toMatchObject({
      passed: 2,
      failed: 1,
      skipped: 0,
      notes: [expect.stringMatching(/^test\/b\.test\.ts: three\n +AssertionError: expected 1 to be 2/u)],
    });
    expect(await outcomeOf({ 'a.test.ts': GOOD, 'b.test.ts': bad }, ['a.test'])).toMatchObject({
      passed: 2,
      failed: 0,
    });
  });

  test('tells the first and the last lines of a long message', async () => {
    const long = `${HEAD}test('one', () => { throw new Error(Array.from({ length: 40 }, (_, n) => 'line ' + n).join('\\n\\n')); });\n`;
    const [note = ''] = (await outcomeOf({ 'a.test.ts': long })).notes;
    expect([...note.matchAll(/line (\d+)$/gmu)].map(([, n]) => Number(n))).toEqual([
      0, 1, 32, 33, 34, 35, 36, 37, 38, 39,
    ]);
  });

  test('has failed if it ran no test', async () => {
    expect(await outcomeOf({})).toMatchObject({ passed: 0, failed: 1 });
    expect(await outcomeOf({ 'a.test.ts': GOOD }, ['nothing-has-this-name'])).toMatchObject({ passed: 0, failed: 1 });
  });

  test('has failed if a file breaks before its tests', async () => {
    const broken = await outcomeOf({ 'a.test.ts': GOOD, 'b.test.ts': `${HEAD}throw new Error('broken');\n` });
    expect(broken).toMatchObject({ passed: 2, failed: 1 });
    expect(broken.notes.join()).toContain('b.test.ts broke outside its tests');
  });

  test('has failed if a hook throws', async () => {
    const hook = await outcomeOf({
      'a.test.ts': `${HEAD}beforeAll(() => { throw new Error('hook'); });\ntest('one', () => expect(1).toBe(1));\n`,
    });
    expect(hook.failed).toBeGreaterThan(0);
  });

  test('has failed if an error is thrown outside the tests', async () => {
    const stray = `${HEAD}test('one', async () => {\n  setTimeout(() => { throw new Error('stray'); }, 0);\n  await new Promise((resolve) => setTimeout(resolve, 50));\n  expect(1).toBe(1);\n});\n`;
    const outcome = await outcomeOf({ 'a.test.ts': stray });
    expect(outcome.failed).toBe(1);
  });

  test('has failed if its process is killed', async () => {
    const outcome = await outcomeOf({
      'a.test.ts': `${HEAD}test('one', () => { process.kill(process.ppid, 'SIGKILL'); expect(1).toBe(1); });\n`,
    });
    expect(outcome.passed).toBe(0);
    expect(outcome.notes.join()).toMatch(/wrote no report .*SIGKILL/);
  });

  test('has failed if the bundles of the parts cannot be made', async () => {
    const bundles = (): Promise<string> => Promise.reject(new Error('no bundle'));
    expect(await outcomeOf({ 'a.test.ts': GOOD }, [], { bundles })).toMatchObject({
      passed: 0,
      failed: 1,
      notes: ['no bundle'],
    });
  });

  test('gets the bundles, and a temporary folder that is removed after it', async () => {
    const said = path.join(fixture.folder('said'), 'said.json');
    const telling = `${HEAD}import { writeFileSync } from 'node:fs';
      import { tmpdir } from 'node:os';
      test('one', () => {
        writeFileSync(${JSON.stringify(said)}, JSON.stringify([tmpdir(), process.env['${BUNDLES}']]));
        expect(1).toBe(1);
      });\n`;
    const outcome = await outcomeOf({ 'a.test.ts': telling }, [], { bundles: () => Promise.resolve('/bundles') });
    expect(outcome).toMatchObject({ passed: 1, failed: 0 });
    if (process.platform === 'linux') expect(outcome.processorMs).toBeGreaterThan(0);
    const [folder, bundles] = JSON.parse(readFileSync(said, 'utf8')) as [string, string];
    expect(bundles).toBe('/bundles');
    const other = memoryFolder();
    if (other === null) return;
    rmSync(other, { recursive: true });
    expect(path.dirname(folder)).toBe(path.dirname(other));
    expect(existsSync(folder)).toBe(false);
  });

  test.runIf(process.platform === 'linux')(
    'has failed when it leaves a process behind, which is then ended',
    async () => {
      const leaving = `${HEAD}import { spawn } from 'node:child_process';
      test('one', () => {
        spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref();
        expect(1).toBe(1);
      });\n`;
      const outcome = await outcomeOf({ 'a.test.ts': leaving });
      expect(outcome).toMatchObject({ passed: 1, failed: 1 });
      const pid = Number(/left a process behind, which was ended: (\d+)/.exec(outcome.notes.join())?.[1]);
      expect(pid).toBeGreaterThan(0);
      await waitFor('its end', () => !isAlive(pid));
    },
  );
});

test.runIf(process.platform === 'linux')('processes are found by their mark, and only by theirs', async () => {
  const mark = `mark-${process.pid}-${performance.now()}`;
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
    env: { [RUN_MARK]: mark },
  });
  await waitFor('the process', () => processesMarked(mark).length === 1);
  expect(processesMarked(`${mark}x`)).toEqual([]);
  expect(await endLeftovers(mark, 50)).toMatchObject([{ pid: child.pid }]);
  expect(await endLeftovers(mark)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a display is started on a free number and ended, two side by side',
  async () => {
    const displays = [await startDisplay(), await startDisplay()];
    expect(displays[0]?.name).toMatch(/^:\d+$/);
    expect(displays[0]?.name).not.toBe(displays[1]?.name);
    await Promise.all(displays.map((display) => display.end()));
  },
);

test.runIf(process.platform === 'linux')('without Xvfb the sentence says what to install', async () => {
  const before = process.env['PATH'];
  process.env['PATH'] = fixture.folder('empty');
  try {
    await expect(startDisplay()).rejects.toThrow(NoDisplayError);
    await expect(startDisplay()).rejects.toThrow(/apt-get install xvfb/);
  } finally {
    process.env['PATH'] = before;
  }
  expect(typeof hasDisplay()).toBe('boolean');
});
