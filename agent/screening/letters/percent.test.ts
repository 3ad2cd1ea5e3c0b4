import { expect, test } from 'vitest';
import { percentInWords } from './percent.ts';

test.each([
  ['100% 환급', ['100퍼센트 환급', '백퍼센트 환급', '100프로 환급', '백프로 환급']],
  ['0%', ['0퍼센트', '영퍼센트', '0프로', '영프로']],
  ['연 15 % 이자', ['연 15퍼센트 이자', '연 십오퍼센트 이자', '연 15프로 이자', '연 십오프로 이자']],
  ['2034%', ['2034퍼센트', '이천삼십사퍼센트', '2034프로', '이천삼십사프로']],
  // No words for what is longer, or begins with a naught.
  ['12345%', ['12345퍼센트', '12345퍼센트', '12345프로', '12345프로']],
  ['05%', ['05퍼센트', '05퍼센트', '05프로', '05프로']],
  ['원금 보장', []],
])('%s in words', (expression, expected) => {
  expect(percentInWords(expression)).toEqual(expected);
});
