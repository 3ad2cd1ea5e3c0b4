/** The firm's pattern of approval numbers: what is one, and the numbers that it makes. */
import { expect, test } from 'vitest';
import { approvalNumber, LONGEST_PATTERN, patternFault, seriesOf, type PatternFault } from './approval-pattern.ts';

test.each<[pattern: string, fault: PatternFault | null]>([
  ['준법감시인 심사필 제{YYYY}-{SEQ:5}호', null],
  ['{SEQ}', null],
  ['제{YY}{MM}-{SEQ:9}호 (당사)', null],
  ['', 'CHARACTERS'],
  [' {SEQ}', 'CHARACTERS'],
  ['제\n{SEQ}호', 'CHARACTERS'],
  ['제\u200b{SEQ}호', 'CHARACTERS'],
  ['{MM}-{SEQ}', 'MONTH_ALONE'],
  ['제{YYYY}호', 'NO_NUMBER'],
  ['{SEQ}-{SEQ:5}', 'MORE_NUMBERS'],
  ['{SEQ:0}', 'PART'],
  ['{SEQ:12}', 'PART'],
  ['{seq}', 'PART'],
  ['{DD}-{SEQ}', 'PART'],
  ['{constructor}{SEQ}', 'PART'],
  ['{SEQ', 'PART'],
  ['{{SEQ}}', 'PART'],
  [`${'가'.repeat(LONGEST_PATTERN)}{SEQ}`, 'TOO_LONG'],
])('%s', (pattern, fault) => expect(patternFault(pattern)).toBe(fault));

test('a number has the parts of the day and at least the digits of the pattern', () => {
  const pattern = '제{YYYY}-{YY}{MM}-{SEQ:3}호';
  expect([7, 999, 1000].map((running) => approvalNumber(pattern, '2026-03-09', running))).toEqual([
    '제2026-2603-007호',
    '제2026-2603-999호',
    '제2026-2603-1000호',
  ]);
});

test('each year has a series of its own, and other digits go on in the same', () => {
  expect(seriesOf('제{YYYY}-{SEQ:5}호', '2026-12-31')).toBe(seriesOf('제{YYYY}-{SEQ}호', '2026-01-01'));
  expect(seriesOf('제{YYYY}-{SEQ:5}호', '2026-12-31')).not.toBe(seriesOf('제{YYYY}-{SEQ:5}호', '2027-01-01'));
});
