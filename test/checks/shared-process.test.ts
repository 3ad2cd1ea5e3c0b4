import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { codeFiles } from './sources.ts';

const HOOK = /^(?:before|after)(?:All|Each)\(/m;

test('a helper registers its hooks in a function: files that share a process load it once, and only the first got them', () => {
  // A set-up file is loaded anew for each test file.
  const configuration = readFileSync(path.join(PROJECT, 'test/vitest.config.ts'), 'utf8');
  const helpers = codeFiles(PROJECT).filter((file) => !file.includes('.test.') && !configuration.includes(`'${file}'`));
  expect(helpers.length).toBeGreaterThan(800);
  expect(helpers.filter((file) => HOOK.test(readFileSync(path.join(PROJECT, file), 'utf8')))).toEqual([]);
  expect('beforeAll(() => {').toMatch(HOOK);
});
