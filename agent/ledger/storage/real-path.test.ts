/** The real path of a ledger is the one beside which SQLite keeps its log. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPath } from './real-path.ts';

describe.skipIf(process.platform === 'win32')('the real path', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'causeway-real-path-')));
    mkdirSync(path.join(folder, 'disk', 'deep'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const link = (name: string, target: string): void => symlinkSync(target, path.join(folder, name));

  test.each<[string, () => void, string, string]>([
    ['of a file', () => undefined, 'ledger', 'ledger'],
    ['of a link', () => link('ledger', path.join(folder, 'disk/real')), 'ledger', 'disk/real'],
    [
      'of a chain of links',
      () => {
        link('ledger', './disk/next');
        link('disk/next', '../other');
        link('other', 'disk/real');
      },
      'ledger',
      'disk/real',
    ],
    ['behind a link to a folder', () => link('mounted', 'disk/deep'), 'mounted/ledger', 'disk/deep/ledger'],
    ['with ".." behind a link', () => link('mounted', 'disk/deep'), 'mounted/../ledger', 'disk/ledger'],
  ])('%s is that of SQLite, before the file is there and afterwards', (_, make, name, real) => {
    make();
    const file = `${folder}/${name}`;
    expect(realPath(file)).toBe(path.join(folder, real));
    const db = new Database(file);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)');
    expect(existsSync(path.join(folder, `${real}-wal`))).toBe(true);
    expect(realPath(file)).toBe(path.join(folder, real));
    db.close();
  });

  test('a link to itself, and a place that cannot be, are left to SQLite', () => {
    link('round', 'round');
    for (const name of ['round', 'none/ledger'])
      expect(realPath(path.join(folder, name))).toBe(path.join(folder, name));
  });

  test('a relative name counts from the working folder', () => {
    expect(realPath('ledger.sqlite')).toBe(path.join(realpathSync('.'), 'ledger.sqlite'));
    expect(realPath(':memory:')).toBe(':memory:');
  });
});
