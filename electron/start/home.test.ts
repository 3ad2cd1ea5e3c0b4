import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TestFixture } from '../../test/support/process.ts';
import { AlreadyRunningError, HomeUnusableError, lockHome, prepareHome } from './home.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

describe('the data folder of a run', () => {
  test('is created with its parents, for its owner only', () => {
    const root = path.join(fixture.folder('home'), 'a', 'b');
    const home = prepareHome(root);
    for (const folder of [root, path.dirname(home.ledger), home.logs]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(prepareHome(root)).toEqual(home);
  });

  test('a place where nothing can be created is reported at once', () => {
    const file = path.join(fixture.folder('home'), 'file');
    writeFileSync(file, '');
    expect(() => prepareHome(path.join(file, 'home'))).toThrow(HomeUnusableError);
  });

  test.skipIf(process.platform !== 'linux')('so is a file system that takes no folder', () => {
    expect(() => prepareHome('/proc/causeway/home')).toThrow(HomeUnusableError);
  });

  test('only one run has it; the lock of a dead process is taken over', () => {
    const root = fixture.folder('home');
    mkdirSync(root, { recursive: true });
    const home = prepareHome(root);
    const release = lockHome(home);
    expect(() => lockHome(home)).toThrow(AlreadyRunningError);
    release();
    // No process has this id: it exceeds Linux's maximum.
    writeFileSync(home.lockFile, '4194305');
    lockHome(home)();
  });
});
