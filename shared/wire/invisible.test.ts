/** One class of invisible characters for names, blanks, screening and cells. */
import { expect, test } from 'vitest';
import { holdsInvisible, isBlank, isStorableText, oneLine, printable, seenOf } from './invisible.ts';

test.for([
  ['zero width space', '\u200b'],
  ['soft hyphen', '\u00ad'],
  ['Hangul filler', '\u3164'],
  ['variation selector', '\ufe0f'],
  ['right-to-left override', '\u202e'],
  ['interlinear annotation', '\ufff9'],
  ['escape', '\u001b'],
  ['line separator', '\u2028'],
  ['tag letter', '\u{e0041}'],
] as const)('%s is seen nowhere', ([, sign]) => {
  expect([holdsInvisible(`가${sign}나`), isBlank(` ${sign}\n`), seenOf(` 가${sign} 나`)]).toEqual([true, true, '가나']);
});

test('visible signs pass, and storable texts are distinguished from others', () => {
  expect(['가', 'A', '·', '—', '😀'].filter((sign) => holdsInvisible(sign) || isBlank(sign))).toEqual([]);
  expect(['', '\t', '가\r\n나', '\u200b'].every(isStorableText)).toBe(true);
  expect(['\0', '\u001b[2J', '\ud800', '\u007f'].some(isStorableText)).toBe(false);
});

test('text from outside controls no terminal and adds no second line', () => {
  const hostile = '\u001b[2J\u009b31m가\r\n{"level":60}\u2028\u202e';
  expect(oneLine(hostile)).toBe('[2J 31m가 {"level":60}');
  expect(printable(hostile)).toBe('\\u001b[2J\\u009b31m가\\u000d\n{"level":60}\u2028\\u202e');
  expect(printable('한\tA\nB')).toBe('한\tA\nB');
});
