import { chmodSync, chownSync, lchownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inForce, managedFile, readManaged } from './managed-settings.ts';
import { rightsIn } from '../../../shared/service/windows-rights.ts';
import { NOTHING_CHOSEN } from './settings.ts';

let folder: string;
const OWNER = process.getuid?.() ?? null;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-managed-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function laidDown(text: string, mode = 0o644): string {
  const file = join(folder, 'console.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

test('lies where only an administrator can write', () => {
  expect(managedFile(null)).toBe('/etc/causeway/console.json');
  expect(managedFile(String.raw`D:\Windows`)).toBe(String.raw`D:\ProgramData\Causeway\console.json`);
});

test('no file sets nothing; a file sets only the settings that it names', () => {
  expect(readManaged(join(folder, 'none', 'console.json'), OWNER)).toEqual({});
  const chosen = { ...NOTHING_CHOSEN, updates: { feed: 'http://localhost:8/', authority: '' } };
  expect(inForce(chosen, readManaged(laidDown('{}'), OWNER))).toEqual(chosen);
  const managed = readManaged(laidDown('{"updates":null,"contentProtection":true,"lockMinutes":5}'), OWNER);
  expect(inForce(chosen, managed)).toEqual({ ...NOTHING_CHOSEN, contentProtection: true, lockMinutes: 5 });
  const console = { mode: 'connected', address: 'http://127.0.0.1:4300', authority: '' } as const;
  expect(inForce(chosen, readManaged(laidDown(JSON.stringify({ console })), OWNER))).toEqual({ ...chosen, console });
});

test('on Windows the rights of the file and its folder decide who owns it', () => {
  const file = laidDown('{"updates":null}');
  const asked: string[] = [];
  const read = (...sddl: string[]) =>
    readManaged(file, null, (places) => {
      asked.push(...places);
      return sddl.map(rightsIn);
    });
  const own = 'O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;0x1200a9;;;BU)';
  expect(read(own, own)).toEqual({ updates: null });
  expect(asked).toEqual([folder, file]);
  const planted = 'O:S-1-5-21-1-2-3-1001G:SYD:AI(A;ID;FA;;;SY)(A;ID;FA;;;S-1-5-21-1-2-3-1001)';
  expect(() => read(own, planted)).toThrow(`${file}: it belongs to S-1-5-21-1-2-3-1001`);
  expect(() => read(`${own}(A;CIID;DCLCRPCR;;;BU)`, own)).toThrow(`${folder}: S-1-5-32-545 may write there`);
  const none = readManaged(join(folder, 'none.json'), null, () => {
    throw new Error('asked for nothing');
  });
  expect(none).toEqual({});
});

describe('keeps the program from starting', () => {
  test.each([
    ['{"console":null}', 'does not fit at console'],
    ['{"update":null}', 'does not fit'],
    ['{"contentProtection":"yes"}', 'does not fit at contentProtection'],
    ['', 'does not fit'],
    ['{"console":{"mode":"connected","address":"http://other.example","authority":""}}', 'wrong are address'],
    ['{"updates":{"feed":"ftp://x","authority":""}}', 'wrong are feed'],
  ])('%s', (text, sentence) => {
    expect(() => readManaged(laidDown(text), OWNER)).toThrow(sentence);
  });

  test.runIf(OWNER !== null)('a file of another user, or one that others may write', () => {
    expect(() => readManaged(laidDown('{}', 0o664), OWNER)).toThrow("is not the administrator's alone");
    expect(() => readManaged(laidDown('{}', 0o646), OWNER)).toThrow('mode 646');
    const file = laidDown('{}');
    chmodSync(folder, 0o777);
    expect(() => readManaged(file, OWNER), 'by its folder').toThrow(`${folder} is not root's alone`);
    chmodSync(folder, 0o700);
    expect(() => readManaged(folder, OWNER)).toThrow('cannot be read (EISDIR)');
  });

  test.runIf(OWNER === 0)('a file of another, also where a link of his stands for one of the administrator', () => {
    const file = laidDown('{}');
    chownSync(file, 65_534, 65_534);
    expect(() => readManaged(file, OWNER)).toThrow('user 65534');
    chownSync(file, 0, 0);
    const link = join(folder, 'link.json');
    symlinkSync(file, link);
    expect(readManaged(link, OWNER)).toEqual({});
    lchownSync(link, 65_534, 65_534);
    expect(() => readManaged(link, OWNER)).toThrow(`${link} is not root's alone`);
  });
});
