/** What the file system tells of packed files: every way to change one shows, its modification time put back included. */
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropSeal, isSealed, keepSeal, sealOf } from './seal.ts';

const MANIFEST = { 'node/node': 'a', 'renderer/index.html': 'b', 'services/deep/console-api.js': 'c' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-seal-'));
  for (const path of Object.keys(MANIFEST)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), 'packed');
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

const seal = () => sealOf(folder, MANIFEST);

test('the same files have the same seal, in whatever order they are told', () => {
  const turned = Object.fromEntries(Object.entries(MANIFEST).toReversed());
  expect(seal()).toMatch(/^[\da-f]{64}$/);
  expect(sealOf(folder, turned)).toBe(seal());
});

test.each(Object.keys(MANIFEST))('%s with another byte and its old times has another seal', (path) => {
  const file = join(folder, path);
  const before = seal();
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'PACKED');
  utimesSync(file, atime, mtime);
  expect(seal()).not.toBe(before);
});

test('so has a file too many, one too few, and another manifest', () => {
  const before = seal();
  writeFileSync(join(folder, 'services', 'more.js'), 'run()');
  expect(seal()).not.toBe(before);
  rmSync(join(folder, 'services', 'more.js'));
  expect(sealOf(folder, { ...MANIFEST, 'node/node': 'z' })).not.toBe(seal());
  rmSync(join(folder, 'renderer', 'index.html'));
  expect(seal()).not.toBe(before);
});

test('a folder that is not there has none', () => {
  rmSync(join(folder, 'node'), { recursive: true });
  expect(seal()).toBeNull();
});

test('only the kept seal is known, until it is dropped', () => {
  const file = join(folder, 'checked-files');
  expect(isSealed(file, seal())).toBe(false);
  keepSeal(file, seal() ?? '');
  expect(isSealed(file, seal())).toBe(true);
  expect(isSealed(file, null)).toBe(false);
  dropSeal(file);
  expect(isSealed(file, seal())).toBe(false);
});
