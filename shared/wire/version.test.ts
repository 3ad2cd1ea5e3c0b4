import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { differenceOf, OWN_VERSIONS, PRODUCT_VERSION, readVersions, versionsText, type Versions } from './version.ts';

const of = (product: string, api = 1, program = 1): Versions => ({ product, levels: { api, program } });

test('the version is that of the package', () => {
  const file = path.join(import.meta.dirname, '../../package.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: PRODUCT_VERSION });
});

test.each([OWN_VERSIONS, of('12.0.3', 7, 2), of('2.0.0-rc.1', 1, 9)])('versions are read back (%#)', (versions) => {
  expect(readVersions(versionsText(versions))).toEqual(versions);
});

test('a later version may add information', () => {
  expect(readVersions('1.2.3; api=4; program=5; ledger=30')).toEqual(of('1.2.3', 4, 5));
});

test.each([
  null,
  undefined,
  '',
  '1.2.3',
  '1.2; api=1; program=1',
  '1.2.3; api=x; program=1',
  'v1.2.3; api=1; program=1',
])('%j says no version', (text) => expect(readVersions(text)).toBeNull());

test.each<
  [string, Versions, Versions, ReturnType<typeof differenceOf> extends infer D ? Partial<D & object> | null : 0]
>([
  ['the same', of('1.2.3'), of('1.2.3'), null],
  ['a later patch', of('1.2.3'), of('1.2.10'), { older: 'OWN', isIncompatible: false }],
  ['an earlier minor', of('1.10.0'), of('1.9.9'), { older: 'THEIRS', isIncompatible: false }],
  ['a candidate of the same release', of('1.2.3-rc.1'), of('1.2.3'), { older: 'OWN', isIncompatible: false }],
  ['another major', of('2.0.0'), of('1.9.0'), { older: 'THEIRS', isIncompatible: true }],
  ['another level of an earlier version', of('1.2.3', 1), of('1.2.0', 2), { older: 'OWN', isIncompatible: true }],
  ['another level of what does not concern the two', of('1.2.3'), of('1.2.3', 1, 2), null],
])('%s', (_name, own, theirs, expected) => {
  const found = differenceOf(own, theirs, 'api');
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject(expected);
});
