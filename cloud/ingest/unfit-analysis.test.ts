import { expect, test } from 'vitest';
import { live, v2 } from '../../test/support/cloud/loads.ts';
import { LoadRefusedError } from '../publication/refusal.ts';
import { readLoad } from './read-load.ts';

const refusal = (load: unknown): [string, string] | 'taken' => {
  try {
    readLoad(Buffer.from(JSON.stringify(load)));
    return 'taken';
  } catch (error) {
    if (!(error instanceof LoadRefusedError)) throw error;
    return [error.code, error.message];
  }
};

test.each([
  ['가\u0007나', 'the character U+0007 (1-2), which no reader sees or reads'],
  ['올랐\u202e습니다', 'the character U+202E (2-3), which no reader sees or reads'],
  ['지수가 \ufffd 올랐습니다', 'the character U+FFFD (4-5), which no reader sees or reads'],
  ['<b>지수</b>가 올랐습니다.', 'markup “<b>” (0-3)'],
  ['{{name}}이 올랐습니다.', 'a placeholder “{{name}}” (0-8)'],
  ['지수가 ???? 올랐습니다.', 'broken letters “???” (4-7)'],
  ['Principal is guaranteed.', 'another language “Principal is guaranteed.” (0-24)'],
  ['죄송하지만 답할 수 없습니다.', 'the phrase of an assistant “죄송하지만” (0-5)'],
  ['%s <i>지수</i>', 'markup “<i>” (3-6); a placeholder “%s” (0-2)'],
])('a v2 text is refused, and one of v1 goes to a reviewer: %s', (summary, said) => {
  expect(refusal(v2({ key: 'a', summary }))).toEqual(['TEXT_UNFIT', `analysis.summary: must not contain ${said}.`]);
  expect(refusal(live({ key: 'a', summary }))).toBe('taken');
});

test('a v2 text for readers is taken, with names, signs and emoji', () => {
  for (const summary of ['S&P 500과 KODEX 200이 1.2% 올랐다 👍🏽.', '<표 1>의 PER < 10배', '中 경기 부양에 올랐다.'])
    expect(refusal(v2({ key: 'a', summary }))).toBe('taken');
});
