import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEEP_FILES } from '../deep.ts';
import { PROJECT } from '../support/process.ts';
import { hasTest } from './named-places.ts';
import { codeFiles, readSource } from './sources.ts';

/** Calls that keep a test from `npm test`. */
const KEEPS_OUT = /\b(?:deepTest|isDeep)\b/u;

test.each(Object.entries(DEEP_FILES))('%s: what is deep has a stand-in that npm test runs', (file, deep) => {
  expect(existsSync(path.join(PROJECT, file))).toBe(true);
  expect(deep.standIns).not.toEqual([]);
  if (!deep.whole) expect(readSource(PROJECT, file)).toMatch(KEEPS_OUT);
  for (const [standIn, name] of deep.standIns) {
    expect(DEEP_FILES[standIn]?.whole ?? false, `${standIn} is deep itself`).toBe(false);
    const source = readSource(PROJECT, standIn);
    expect(hasTest(source, name), `${standIn} has no test “${name}”`).toBe(true);
    const deepTests = source.matchAll(/\bdeepTest(?:\.each\([^)]*\))?\(\s*(['"`])(.*?)\1/gsu);
    expect(
      Array.from(deepTests, ([, , title]) => title),
      `“${name}” is deep itself`,
    ).not.toContain(name);
  }
});

/** The mechanism itself. */
const MECHANISM = [
  'test/deep.ts',
  'test/run.ts',
  'test/vitest.config.ts',
  'test/support/depth.ts',
  'test/support/pictures.ts',
  'test/support/runs.ts',
  'test/checks/deep-files.test.ts',
];

test('no file keeps a test from npm test unless it is listed', () => {
  const keeping = codeFiles(PROJECT).filter(
    (file) => !MECHANISM.includes(file) && KEEPS_OUT.test(readSource(PROJECT, file)),
  );
  expect(keeping.filter((file) => DEEP_FILES[file]?.whole !== false)).toEqual([]);
});
