import { expect, test } from 'vitest';
import { lookOf, namesakesIn } from './alike-names.ts';

const alike = (a: string, b: string): boolean => lookOf(a) === lookOf(b);

test.each([
  ['KOREA INVEST', 'Korea Invest'],
  ['Alpha', 'AIpha'],
  ['Alpha', 'A1pha'],
  ['BANK', 'ВАNК'],
  ['paypal', 'раураl'],
  ['Modern', 'Modem'],
  ['Zero 0', 'Zero O'],
  ['㈜한국증권', '(주)한국증권'],
  ['한국증권', '한국증권'.normalize('NFD')],
  ['한국 증권', '한국\u3000  증권 '],
  ['한국-증권', '한국–증권'],
  ['한국·증권', '한국・증권'],
  ['口한국', 'ロ한국'],
  ['ＡＢＣ증권', 'ABC증권'],
  ['Straße', 'STRASSE'],
])('%s and %s look alike', (a, b) => expect(alike(a, b)).toBe(true));

test.each([
  ['한국증권', '한국투자증권'],
  ['한국 증권', '한국증권'],
  ['서울증권', '서올증권'],
  ['Alpha', 'Alfa'],
  ['Resumé', 'Resume'],
  ['tenant-1', 'tenant-2'],
  ['tenant-10', 'tenant-1'],
])('%s and %s do not', (a, b) => expect(alike(a, b)).toBe(false));

test('namesakes are those that share their look', () => {
  const named = ['한국증권', 'Alpha', 'AIpha', '서울증권'].map((name, id) => ({ id, name }));
  expect(namesakesIn(named)).toEqual(new Set([1, 2]));
  expect(namesakesIn([])).toEqual(new Set());
});
