/**
 * Path components that another user could change. Only root can give files to others; a caller without root has nothing
 * to refuse.
 */
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  readTrusted,
  refuseRootInFolderOfAnother,
  ROOT_ALONE,
  trustedByRoot,
  trustedPlace,
  UntrustedPlaceError,
} from './trusted-place.ts';

const ANOTHER = 65_534;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-trusted-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);

describe.runIf(process.getuid?.() === 0)('as root', () => {
  const refused = (place: string): void => expect(() => trustedPlace(place, ROOT_ALONE)).toThrow(UntrustedPlaceError);

  test('root reads a file of its own, also through links of its own, and may create a missing one', () => {
    mkdirSync(at('a/b'), { recursive: true });
    writeFileSync(at('a/b/c'), 'whole');
    symlinkSync('../a/./b', at('a/relative'));
    symlinkSync(at('a'), at('absolute'));
    expect(readTrusted(at('absolute/relative/c'), ROOT_ALONE)).toBe('whole');
    expect(trustedPlace(at('absolute/relative/d/e'), ROOT_ALONE)).toBe(at('a/b/d/e'));
    expect(() => readTrusted(at('a/none'), ROOT_ALONE)).toThrow('ENOENT');
  });

  test.each<[string, () => void]>([
    ['a folder of another', () => chownSync(at('a'), ANOTHER, ANOTHER)],
    ['a folder that a group may write in', () => chmodSync(at('a'), 0o775)],
    ['a folder that all may write in', () => chmodSync(at('a'), 0o757)],
    ['a file of another', () => chownSync(at('a/c'), ANOTHER, ANOTHER)],
    ['a file that others may write', () => chmodSync(at('a/c'), 0o646)],
    ['a sticky bit on a file', () => chmodSync(at('a/c'), 0o1666)],
    ['a link of another', () => lchownSync(at('link'), ANOTHER, ANOTHER)],
    ['links in a circle', () => symlinkSync('circle', at('circle'))],
  ])('%s is refused', (_, change) => {
    mkdirSync(at('a'));
    writeFileSync(at('a/c'), '');
    symlinkSync(at('a'), at('link'));
    expect(trustedPlace(at('link/c'), ROOT_ALONE)).toBe(at('a/c'));
    change();
    refused(at(_.includes('circle') ? 'circle' : 'link/c'));
  });

  test('root by sudo trusts the folder of the user before it', () => {
    chownSync(folder, ANOTHER, ANOTHER);
    refused(at('new'));
    expect(trustedPlace(at('new'), trustedByRoot({ SUDO_UID: String(ANOTHER) }) ?? ROOT_ALONE)).toBe(at('new'));
    expect(trustedByRoot({ SUDO_UID: 'x' })).toEqual(ROOT_ALONE);
  });

  test('root refuses to work in a folder of another user', () => {
    expect(() => refuseRootInFolderOfAnother(folder)).not.toThrow();
    expect(() => refuseRootInFolderOfAnother(at('none'))).not.toThrow();
    chownSync(folder, ANOTHER, ANOTHER);
    expect(() => refuseRootInFolderOfAnother(folder)).toThrow(`${folder} belongs to the user ${ANOTHER}`);
  });
});

test('a caller without root reads every file that it may read', () => {
  writeFileSync(at('a'), 'whole');
  chmodSync(at('a'), 0o666);
  expect(readTrusted(at('a'), null)).toBe('whole');
});
