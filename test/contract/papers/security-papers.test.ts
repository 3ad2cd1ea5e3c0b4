/**
 * The security papers as a whole: each threat has a test, and the totals of the ASVS list match its rows.
 * `test/checks/named-places.ts` checks that the files and tests named there exist.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/process.ts';

const PAPERS = readdirSync(path.join(PROJECT, '.github'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `.github/${file.replaceAll('\\', '/')}`)
  .toSorted();
const MODEL = PAPERS.filter((paper) => /\/threat-model\/(?!README)/.test(paper));
const ASVS = '.github/security/asvs.md';

const textOf = (file: string): string => readFileSync(path.join(PROJECT, file), 'utf8');
const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('each threat has a test, or states that it has none', () => {
  expect(MODEL).toHaveLength(9);
  const rows = MODEL.flatMap((paper) => textOf(paper).split('\n').map(cellsOf)).filter((cells) => cells.length === 4);
  const threats = rows.filter(([first]) => first !== 'Threat' && !/^-+$/.test(first ?? ''));
  expect(threats.length).toBeGreaterThan(80);
  expect(threats.filter(([, , held]) => !/“|^None/.test(held ?? ''))).toEqual([]);
  expect(threats.filter((cells) => cells.includes(''))).toEqual([]);
});

test('the totals of the ASVS list match its rows', () => {
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
