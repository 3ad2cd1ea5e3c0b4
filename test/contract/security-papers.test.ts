/**
 * The security papers against the code: each file that they name is there, each test that they name stands in its file
 * by that name, and the totals of the ASVS list are those of its rows.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';

const PAPERS = readdirSync(path.join(PROJECT, '.github'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `.github/${file.replaceAll('\\', '/')}`)
  .toSorted();
const MODEL = PAPERS.filter((paper) => /\/threat-model\/(?!README)/.test(paper));
const ASVS = '.github/security/asvs.md';

/** A place of the repository between backticks. */
const PLACE = /`((?:agent|cloud|electron|renderer|shared|test|\.github|\.ci)\/[\w./@-]+|package(?:-lock)?\.json)`/g;
const LINK = /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g;
/** A file of tests, or the name of a test in the file that was named last. */
const TEST = /`([\w./-]+\.test\.tsx?)`|“([^”]+)”/g;

const textOf = (file: string): string => readFileSync(path.join(PROJECT, file), 'utf8');
const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** What a paper names and the repository does not have. */
function unknownIn(paper: string, text: string): string[] {
  const places = [
    ...Array.from(text.matchAll(PLACE), ([, place]) => place ?? ''),
    ...Array.from(text.matchAll(LINK), ([, link]) => path.posix.join(path.posix.dirname(paper), link ?? '')),
  ];
  const missing = places.filter((place) => !existsSync(path.join(PROJECT, place)));
  const tests = text.split('\n').flatMap((line) => {
    let file: string | undefined;
    return Array.from(line.matchAll(TEST), ([, place, name]) => {
      if (place !== undefined) file = place;
      if (name === undefined) return null;
      return file !== undefined && existsSync(path.join(PROJECT, file)) && hasTest(textOf(file), name)
        ? null
        : `${file ?? 'no file'}: ${name}`;
    });
  });
  return [...missing, ...tests.filter((one) => one !== null)];
}

/** Whether a name is the first argument of a call: of `test`, `describe`, or what their `each` gives. */
function hasTest(source: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const quoted = `${quote}${name}${quote}`;
    for (let at = source.indexOf(quoted); at >= 0; at = source.indexOf(quoted, at + 1))
      if (
        source.slice(0, at).trimEnd().endsWith('(') &&
        source
          .slice(at + quoted.length)
          .trimStart()
          .startsWith(',')
      )
        return true;
    return false;
  });
}

test.each(PAPERS)('%s names what is there', (paper) => {
  expect(unknownIn(paper, textOf(paper))).toEqual([]);
});

test('what is not there is found', () => {
  const own = '`test/contract/security-papers.test.ts` “what is not there is found”';
  expect(unknownIn('.github/KEYS.md', `${own} [keys](KEYS.md#at-the-tenant)`)).toEqual([]);
  expect(unknownIn('.github/KEYS.md', '`test/contract/nothing.ts` [none](NONE.md) “no file before it”')).toEqual([
    'test/contract/nothing.ts',
    '.github/NONE.md',
    'no file: no file before it',
  ]);
  expect(unknownIn('.github/KEYS.md', own.replace(' is found', ''))).toHaveLength(1);
});

test('each threat has a test, or says that it has none', () => {
  expect(MODEL).toHaveLength(9);
  const rows = MODEL.flatMap((paper) => textOf(paper).split('\n').map(cellsOf)).filter((cells) => cells.length === 4);
  const threats = rows.filter(([first]) => first !== 'Threat' && !/^-+$/.test(first ?? ''));
  expect(threats.length).toBeGreaterThan(80);
  expect(threats.filter(([, , held]) => !/“|^None/.test(held ?? ''))).toEqual([]);
  expect(threats.filter((cells) => cells.includes(''))).toEqual([]);
});

test('the totals of the ASVS list are those of its rows', () => {
  const lines = textOf(ASVS).split('\n').map(cellsOf);
  const rows = lines.filter(([id]) => /^\d+\.\d+\.\d+$/.test(id ?? ''));
  expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length);
  const states = ['met', 'partly', 'not met', 'does not apply'];
  expect(rows.filter(([, , state, evidence]) => !states.includes(state ?? '') || evidence === '')).toEqual([]);
  const counted = (of: readonly string[][]): string[] =>
    [of.length, ...states.map((state) => of.filter(([, , given]) => given === state).length)].map(String);
  const totals = lines.filter(([chapter]) => /^(?:V\d+ |All$)/.test(chapter ?? ''));
  expect(totals).toHaveLength(17);
  for (const [chapter = '', ...numbers] of totals) {
    const number = /^V(\d+) /.exec(chapter)?.[1];
    const own = number === undefined ? rows : rows.filter(([id]) => id?.startsWith(`${number}.`));
    expect([chapter, ...numbers]).toEqual([chapter, ...counted(own)]);
  }
});
