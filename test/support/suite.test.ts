import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hasDisplay, NoDisplayError, startDisplay } from './display.ts';
import { endLeftovers, processesMarked } from './leftovers.ts';
import { BUNDLES, isAlive, PROJECT, RUN_MARK, TestFixture, waitFor } from './process.ts';
import { runSuite, type SuiteOptions, type SuiteOutcome } from './suite.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The runner's main duty is to detect failures: each way in which a suite can fail is tried for real. */
const fixture = new TestFixture();
afterAll(() => fixture.clear());

const TOLD = JSON.stringify(path.join(PROJECT, 'test/support/file-times.ts'));
const CONFIG = `
import { defineConfig } from 'vitest/config';
const small = { name: 'small', include: ['**/*.test.ts'], setupFiles: [${TOLD}] };
export default defineConfig({ test: { pool: 'forks', projects: [{ test: small }] } });
`;
const HEAD = `import { beforeAll, expect, test } from 'vitest';\n`;
const GOOD = `${HEAD}test('one', () => expect(1).toBe(1));\ntest('two', () => expect(2).toBe(2));\n`;

async function outcomeOf(
  files: Record<string, string>,
  filters: string[] = [],
  options: SuiteOptions = {},
): Promise<SuiteOutcome> {
  return runSuite(project(files), 'small', filters, { output: 'ignore', graceMs: 1_000, ...options });
}

/** A folder with these test files. */
function project(files: Record<string, string>): string {
  const root = fixture.folder('suite');
  mkdirSync(path.join(root, 'test'));
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'), 'junction');
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(root, 'test/vitest.config.ts'), CONFIG);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, 'test', name), text);
  return root;
}

/** A test that burns 400 ms of processor time in a process of its own. */
const BURNING = `${HEAD}import { spawnSync } from 'node:child_process';
  test('burns', () => {
    const burn = 'const end = process.cpuUsage().user + 4e5; while (process.cpuUsage().user < end) for (let n = 0; n < 1e6; n += 1);';
    expect(spawnSync(process.execPath, ['-e', burn]).status).toBe(0);
  });\n`;

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
    expect(outcome.notes.join()).toMatch(
      /no test awaited this .*during .*a\.test\.ts: one.*\n.*Error: stray\n.*a\.test\.ts:3/u,
    );
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
    const [folder, bundles] = JSON.parse(readFileSync(said, 'utf8')) as [string, string];
    expect(bundles).toBe('/bundles');
    const other = temporaryFolder();
    rmSync(other, { recursive: true });
    expect(path.dirname(folder)).toBe(path.dirname(other));
    expect(existsSync(folder)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('tells the processor time of each file with its processes', async () => {
    const outcome = await outcomeOf({ 'a.test.ts': BURNING, 'b.test.ts': GOOD });
    const times = new Map(outcome.files.map(({ name, processorMs }) => [name, processorMs ?? 0]));
    expect(times.get('test/a.test.ts')).toBeGreaterThan(400);
    expect(times.get('test/b.test.ts')).toBeGreaterThan(0);
    expect(outcome.processorMs).toBe([...times.values()].reduce((sum, ms) => sum + ms));
  });

  test.runIf(process.platform === 'linux')('a run that is stopped tells what it has spent until then', async () => {
    const waiting = `${BURNING}test('waits', () => new Promise(() => console.log('now it waits')), 600_000);\n`;
    const script = path.join(fixture.folder('stopped'), 'stopped.ts');
    const suite = JSON.stringify(path.join(PROJECT, 'test/support/suite.ts'));
    writeFileSync(
      script,
      `import { interruption, runSuite, stopwatch } from ${suite};
      const watch = stopwatch();
      await runSuite(${JSON.stringify(project({ 'a.test.ts': waiting }))}, 'small', ['--disable-console-intercept']);
      console.log(JSON.stringify({ msg: 'ended', by: interruption(), spentMs: watch().processorMs }));\n`,
    );
    const part = fixture.start(script, { program: process.execPath });
    await part.output('now it waits');
    part.child.kill('SIGINT');
    const { by, spentMs } = await part.logLine('its end', (line) => line.msg === 'ended');
    expect(by).toBe('SIGINT');
    // The burning process, whose parent is ended before it can be asked.
    expect(spentMs).toBeGreaterThan(400);
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
