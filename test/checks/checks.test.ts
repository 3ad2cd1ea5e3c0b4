import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECT, TestFixture } from '../support/process.ts';
import { CHECKS, runCheck, type CheckOutcome } from './checks.ts';
import { lockFile } from './lock-file.ts';
import type { Check } from './sources.ts';
import { statements, statementsOf } from './statements.ts';
import { fileLength, wording } from './text.ts';
import { deadCode, format, lint, types } from './tools.ts';

/** Each check on a small project with the real settings: sound it passes, with one thing planted it does not. */
const fixture = new TestFixture();
afterAll(() => fixture.clear());

/** Words that the checks look for, put together here so that they do not find this file. */
const word = (...pieces: string[]): string => pieces.join('');

const SOUND = {
  'agent/intake/main.ts': `import { double } from '../../shared/double.ts';\n\nconsole.log(double(1));\n`,
  'shared/double.ts': `/** Twice as much. */\nexport function double(value: number): number {\n  return value * 2;\n}\n`,
  'package.json': `${JSON.stringify({ name: 'small', private: true, type: 'module' }, null, 2)}\n`,
};

function project(planted: Record<string, string> = {}): string {
  const root = fixture.folder('checks');
  mkdirSync(path.join(root, 'test/checks'), { recursive: true });
  for (const name of ['tsconfig.json', 'test/checks/oxfmt.json', 'test/checks/oxlint.json', 'test/checks/knip.json']) {
    cpSync(path.join(PROJECT, name), path.join(root, name));
  }
  for (const [file, text] of Object.entries({ ...SOUND, ...planted })) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  // Package by package: tools take a link in place of the whole folder for a folder of ours.
  mkdirSync(path.join(root, 'node_modules'));
  for (const name of readdirSync(path.join(PROJECT, 'node_modules')).filter((one) => !one.startsWith('.cache'))) {
    symlinkSync(path.join(PROJECT, 'node_modules', name), path.join(root, 'node_modules', name), 'junction');
  }
  return root;
}

async function failsOn(check: Check, planted: Record<string, string>, saying: RegExp): Promise<void> {
  const outcome = await runCheck(check, project(planted));
  expect(outcome.problems.join('\n')).toMatch(saying);
  expect(outcome.passed).toBe(false);
}

function expectSound(outcome: CheckOutcome): void {
  expect(outcome.problems).toEqual([]);
  expect(outcome.passed).toBe(true);
  expect(outcome.read).toBeGreaterThanOrEqual(2);
}

const main = (text: string): Record<string, string> => ({ 'agent/intake/main.ts': `${text}\n` });

test.each([format, lint, types, deadCode, fileLength, wording].map((check) => [check.name, check] as const))(
  '%s: a sound project passes',
  async (_name, check) => expectSound(await runCheck(check, project())),
);

test.each(CHECKS.map((check) => [check.name, check] as const))('%s: an empty folder fails', async (_name, check) => {
  const outcome = await runCheck(check, fixture.folder('empty'));
  expect(outcome.passed).toBe(false);
  expect(outcome.problems.join()).not.toBe('');
});

test('format reports an unformatted file, and one that cannot be formatted', async () => {
  await failsOn(format, main(`console.log( "a" )`), /agent\/intake\/main\.ts is not formatted/);
  await failsOn(format, main(`console.log(`), /oxfmt|main\.ts/);
});

describe('written statements', () => {
  const query = (quoted: string): string => `export const text = ${quoted};`;

  test('a statement as mere text is refused, and a query of the template passes', async () => {
    const plain = { 'agent/ledger/a.ts': query("'SELECT id FROM member'") };
    await failsOn(statements, plain, /agent\/ledger\/a\.ts:1 has a statement as mere text \(SELECT id FROM member\)/);
    const built = query('sql<{ id: string }>`SELECT id FROM member WHERE name = ${name}`');
    expect((await runCheck(statements, project({ 'agent/ledger/a.ts': built }))).problems).toEqual([]);
  });

  test('a text inside of a query of the template is one', async () => {
    const inside = query("sql`SELECT ${raw('SELECT 1')}`");
    await failsOn(statements, { 'cloud/a.ts': inside }, /cloud\/a\.ts:1/);
  });

  test.each([
    'SELECT\\n a FROM b',
    'INSERT OR IGNORE INTO a VALUES (1)',
    'update a set b = 1',
    'delete from a',
    'WITH RECURSIVE a (b) AS (SELECT 1)',
  ])('%s is a statement', (text) => {
    expect(statementsOf('a.ts', query(`\`${text}\``))).toHaveLength(1);
  });

  test.each(['Select All', 'update refused', 'with its own window', 'DELETE /api/v1/views'])(
    '%s is no reference',
    (text) => {
      expect(statementsOf('a.ts', query(`'${text}'`))).toEqual([]);
    },
  );
});

describe('lint', () => {
  const planted: [name: string, rule: string, files: Record<string, string>][] = [
    [
      'a promise nobody waits for',
      'no-floating-promises',
      { 'cloud/a.ts': `async function f(): Promise<void> {}\nf();` },
    ],
    [
      'a promise where a value is meant',
      'no-misused-promises',
      { 'cloud/b.ts': `async function f(): Promise<boolean> {\n  return true;\n}\nif (f()) console.log(1);` },
    ],
    ['any', 'no-explicit-any', { 'cloud/c.ts': `export const x: ${word('an', 'y')} = 1;` }],
    ['an unused variable', 'no-unused-vars', { 'cloud/d.ts': `const x = 1;\nexport {};` }],
    ['loose equality', 'eqeqeq', { 'cloud/e.ts': `console.log(process.argv[2] == '1');\nexport {};` }],
    [
      'a switch that forgets a case',
      'switch-exhaustiveness-check',
      { 'cloud/f.ts': `const x = process.argv[2] as 'a' | 'b';\nswitch (x) {\n  case 'a':\n    console.log(1);\n}` },
    ],
    [
      'a type imported as a value',
      'consistent-type-imports',
      { 'cloud/g.ts': `import { Stats } from 'node:fs';\nexport type T = Stats;` },
    ],
    ['something unsafe', 'no-unsafe-assignment', { 'cloud/h.ts': `export const x: string = JSON.parse('1');` }],
    [
      'a hook in a condition',
      'rules-of-hooks',
      {
        'renderer/i.tsx': `import { useState } from 'react';\nexport function A({ on }: { on: boolean }): null {\n  if (on) useState(1);\n  return null;\n}`,
      },
    ],
    [
      'a cycle of imports',
      'no-cycle',
      {
        'shared/j.ts': `import { b } from './k.ts';\nexport const a = (): number => b();`,
        'shared/k.ts': `import { a } from './j.ts';\nexport const b = (): number => a();`,
      },
    ],
    [
      'a focused test',
      'no-focused-tests',
      {
        'shared/l.test.ts': `import { expect, test } from 'vitest';\ntest${word('.on', 'ly')}('a', () => expect(1).toBe(1));`,
      },
    ],
  ];
  let outcome: CheckOutcome;

  beforeAll(async () => {
    outcome = await runCheck(
      lint,
      project(Object.assign({}, ...planted.map(([, , files]) => files)) as Record<string, string>),
    );
  });

  test.each(planted)('sees %s', (_name, rule, files) => {
    const [file] = Object.keys(files);
    expect(outcome.problems.filter((problem) => problem.startsWith(`${file}:`)).join()).toContain(`(${rule})]`);
  });
});

test('types sees a wrong type, and a file that tsconfig.json leaves out', async () => {
  await failsOn(types, main(`export const x: number = 'a';`), /main\.ts\(1,14\): error TS2322/);
  const narrow = JSON.stringify({
    ...(JSON.parse(readFileSync(path.join(PROJECT, 'tsconfig.json'), 'utf8')) as object),
    include: ['agent'],
  });
  await failsOn(
    types,
    { 'tsconfig.json': narrow, 'cloud/alone.ts': 'export {};\n' },
    /cloud\/alone\.ts is not part of tsconfig/,
  );
});

test('dead code sees an unused file, export and package, and a package that is not named', async () => {
  const { passed, problems } = await runCheck(
    deadCode,
    project({
      'cloud/alone.ts': 'export const x = 1;\n',
      'shared/double.ts': `${SOUND['shared/double.ts']}export const more = 1;\n`,
      'package.json': `${JSON.stringify({ name: 'small', dependencies: { pino: '*' } })}\n`,
      'agent/intake/main.ts': `import { z } from 'zod';\n${SOUND['agent/intake/main.ts']}console.log(z);\n`,
    }),
  );
  expect(passed).toBe(false);
  for (const said of [
    'cloud/alone.ts: no program or test reaches this file',
    'shared/double.ts: nothing uses this export: more',
    'nothing uses this package: pino',
    'package.json does not name this package: zod',
  ])
    expect(problems.join('\n')).toContain(said);
});

test('file length sees a file that is too long, but not data', async () => {
  const long = 'export {};\n'.repeat(451);
  await failsOn(fileLength, { 'cloud/long.ts': long }, /cloud\/long\.ts has 451 lines/);
  expectSound(
    await runCheck(fileLength, project({ 'cloud/data/long.ts': long, 'cloud/just.ts': 'export {};\n'.repeat(450) })),
  );
});

test.each([
  word('// TO', 'DO later'),
  word('// FIX', 'ME later'),
  word('// @ts-', 'ignore'),
  word('// @ts-', 'expect-error'),
  word('// es', 'lint-disable-next-line'),
  word('// ox', 'lint-disable no-console'),
  word('x as a', 'ny;'),
  word('test.on', 'ly('),
  word('describe.sk', 'ip('),
  word(String.raw`/\p{Default_I`, 'gnorable_Code_Point}/u'),
])('unwanted words: %s', (text) => failsOn(wording, main(`console.log(1);\n${text}`), /agent\/intake\/main\.ts:2 /));

test('unwanted words: prose may say "as any other"', async () => {
  expectSound(await runCheck(wording, project(main(`// read as any other file`))));
});

describe('lock file', () => {
  const manifest = { dependencies: { one: '^1.0.0' } };
  const complete = {
    packages: {
      '': manifest,
      'node_modules/one': { version: '1.0.0', dependencies: { two: '1' }, optionalDependencies: { 'one-win': '1' } },
      'node_modules/one/node_modules/two': { version: '1.0.0', dependencies: { three: '1' } },
      'node_modules/three': { version: '1.0.0' },
      'node_modules/one-win': { version: '1.0.0', optional: true },
    },
  };
  const files = (lock: object, own: object = manifest): Record<string, string> => ({
    'package.json': JSON.stringify(own),
    'package-lock.json': JSON.stringify(lock),
  });

  test('a whole one passes', async () => expectSound(await runCheck(lockFile, project(files(complete)))));

  test('sees a platform that is left out, a source address, and a manifest that has moved on', async () => {
    const without = (place: string): object => ({
      packages: Object.fromEntries(Object.entries(complete.packages).filter(([one]) => one !== place)),
    });
    await failsOn(lockFile, files(without('node_modules/one-win')), /lacks one-win, which node_modules\/one names/);
    await failsOn(
      lockFile,
      files(without('node_modules/three')),
      /lacks three, which node_modules\/one\/node_modules\/two names/,
    );
    const addressed = {
      packages: {
        ...complete.packages,
        'node_modules/three': { version: '1.0.0', resolved: 'https://registry.example/three' },
      },
    };
    await failsOn(lockFile, files(addressed), /where node_modules\/three was fetched from/);
    await failsOn(
      lockFile,
      files(complete, { dependencies: { one: '^2.0.0' } }),
      /dependencies of package\.json and package-lock\.json differ/,
    );
  });
});
