import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { codeFiles } from './sources.ts';

const HOOK = /^(?:before|after)(?:All|Each)\(/m;

test('a helper registers its hooks in a function: files that share a process load it once, and only the first got them', () => {
  // Each file of the fault suite has a process of its own.
  const helpers = codeFiles(PROJECT).filter((file) => !file.includes('.test.') && !file.startsWith('test/faults/'));
  expect(helpers.length).toBeGreaterThan(800);
  expect(helpers.filter((file) => HOOK.test(readFileSync(path.join(PROJECT, file), 'utf8')))).toEqual([]);
  expect('beforeAll(() => {').toMatch(HOOK);
});
