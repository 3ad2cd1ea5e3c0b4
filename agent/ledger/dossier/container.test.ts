/** A file from outside is read within bounds, and only in the one form that the product writes. */
import { generateKeyPairSync } from 'node:crypto';
import { unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { seal, unseal } from './container.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const ABOUT = {
  program: '1',
  madeAt: '2026-11-20T00:00:00.000Z',
  madeBy: '관리자',
  subject: { kind: 'EXPLANATION', id: 'a', ticker: '069500' },
} as const;
const text = (value: string): Uint8Array => Buffer.from(value);
const sealed = () => seal(new Map([['record.json', text('{"가":1}')]]), ABOUT, privateKey);

test('the same files give the same bytes in every time zone, and are read again', () => {
  const zone = process.env['TZ'];
  const files = (['UTC', 'Asia/Seoul', 'America/New_York'] as const).map((name) => {
    process.env['TZ'] = name;
    return Buffer.from(sealed()).toString('base64');
  });
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
  expect(new Set(files).size).toBe(1);
  expect(Buffer.from(unseal(sealed()).files.get('record.json') ?? []).toString()).toBe('{"가":1}');
});

test.each([
  ['a compressed file', () => zipSync({ 'record.json': text('x'.repeat(1_000_000)) }), 'is compressed'],
  ['a name that leads out', () => zipSync({ '../record.json': text('x') }, { level: 0 }), 'which no dossier has'],
  ['an absolute name', () => zipSync({ '/etc/passwd': text('x') }, { level: 0 }), 'which no dossier has'],
  [
    'more files than a dossier has',
    () =>
      zipSync(Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`bundles/${n}.json`, text('x')])), {
        level: 0,
      }),
    'more files',
  ],
  ['other times', () => zipSync(unzipSync(sealed()), { level: 0, mtime: new Date(2026, 1, 1) }), 'another program'],
  [
    'no manifest',
    () => zipSync({ 'record.json': text('{}') }, { level: 0, mtime: new Date(1980, 0, 1) }),
    'manifest.json',
  ],
  ['no ZIP', () => text('hello'), 'no ZIP'],
])('%s is refused', (_, make, words) => {
  expect(() => unseal(make())).toThrow(words);
});

test('a length that the file does not have is refused, and no memory is taken for it', () => {
  const bytes = Buffer.from(sealed());
  const entry = bytes.indexOf(Buffer.from('PK\u0001\u0002'));
  bytes.writeUInt32LE(0x7fffffff, entry + 20);
  bytes.writeUInt32LE(0x7fffffff, entry + 24);
  expect(() => unseal(bytes)).toThrow('longer than the whole file');
});
