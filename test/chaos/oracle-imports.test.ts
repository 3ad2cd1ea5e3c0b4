/** The oracle knows none of the product's code: what judges an answer must not have made it. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { importsOf } from '../checks/imports.ts';
import { readSource } from '../checks/sources.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ORACLE = ['promises.ts', 'history.ts', 'recorder.ts', 'oracle.ts'].map((name) => `test/chaos/${name}`);

const isOurs = (file: string): boolean => file.startsWith('test/');

/** All files that are loaded with some, each with the one that loads it. Types are gone when a file runs. */
function loadedWith(files: readonly string[], read: (file: string) => string): Map<string, string | null> {
  const loaders = new Map<string, string | null>(files.map((file) => [file, null]));
  for (const [file] of loaders) {
    if (!isOurs(file)) continue;
    for (const { specifier, typeOnly } of importsOf(file, read(file))) {
      if (typeOnly) continue;
      if (specifier === null) throw new Error(`${file} imports something computed`);
      const to = path.posix.join(path.posix.dirname(file), specifier);
      if (specifier.startsWith('.') && !loaders.has(to)) loaders.set(to, file);
    }
  }
  return loaders;
}

/** The ways from the oracle to code of the product. */
function waysOut(read: (file: string) => string): string[] {
  return [...loadedWith(ORACLE, read)]
    .filter(([file]) => !isOurs(file))
    .map(([file, loader]) => `${loader} imports ${file}`);
}

test('the oracle loads no code of the product', () => {
  const read = (file: string): string => readSource(ROOT, file);
  expect(waysOut(read)).toEqual([]);
  expect([...loadedWith(ORACLE, read).keys()]).toContain('test/chaos/people.ts');
});

test('an import of the product is seen over other files, and its types are no import', () => {
  const people = (what: string) => (file: string) => (file === 'test/chaos/people.ts' ? what : readSource(ROOT, file));
  expect(waysOut(people(`import { ApiError } from '../../shared/wire/envelope.ts';`))).toContain(
    'test/chaos/people.ts imports shared/wire/envelope.ts',
  );
  expect(waysOut(people(`import './vendor.ts';`)).join('\n')).toContain('cloud-fixture.ts imports cloud/');
  expect(waysOut(people(`import type { ApiError } from '../../shared/wire/envelope.ts';`))).toEqual([]);
});
