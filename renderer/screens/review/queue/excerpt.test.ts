import { expect, test } from 'vitest';
import type { WordHit } from '../../../../shared/wire/console/console.ts';
import { excerptOf } from './excerpt.ts';

const TEXT = '반도체 수출이 늘어 1.23% 상승했고 SK하이닉스가 0.90%p를 보탰다.\n매수 의견이 이어졌다.';
const hit = (text: string, severity: WordHit['severity'] = 'REVIEW'): WordHit => {
  const start = TEXT.indexOf(text);
  const found = { wordId: 'w', word: text, matched: text, severity, start, end: start + text.length };
  return { ...found, pass: 'strict', exception: null, isExact: true, why: '' };
};

test('the words around the first hit, from a whole word on, in one line', () => {
  const reasons = [{ hits: [hit('이어졌다')] }, { hits: [hit('매수', 'BLOCK')] }];
  expect(excerptOf(TEXT, reasons)).toEqual({
    before: '…보탰다. ',
    hit: { severity: 'BLOCK', text: '매수' },
    after: ' 의견이 이어졌다.',
  });
  expect(excerptOf(TEXT, [{ hits: [hit('반도체')] }]).before).toBe('');
  expect(excerptOf(TEXT, [{ hits: [hit('수출')] }]).before).toBe('반도체 ');
});

test('the beginning of the text without a hit, or with one that lies outside of it', () => {
  const outside = { ...hit('매수'), start: 900, end: 902 };
  for (const reasons of [[], [{ hits: [] }], [{ hits: [outside] }]])
    expect(excerptOf(TEXT, reasons)).toMatchObject({ before: '', hit: null, after: TEXT.replace('\n', ' ') });
});

test('a text without a space is not cut inside a sign', () => {
  const long = `${'👨‍👩‍👧'.repeat(20)}매수`;
  const start = long.indexOf('매수');
  const found = { ...hit('매수'), start, end: start + 2 };
  expect(excerptOf(long, [{ hits: [found] }])).toMatchObject({ before: '…', after: '' });
});
