import { expect, test } from 'vitest';
import { wordSearch } from './word-search.ts';

test.for([
  ['원금보장', '원금 보장', true],
  ['원금 보장', '원금보장형', true],
  ['ｇｕａｒａｎｔｅｅ', 'Guaranteed', true],
  ['保障', '원금 보장', true],
  ['보장'.normalize('NFD'), '원금 보장', true],
  ['보\u200b장', '원금 보장', true],
  [' ', '원금 보장', true],
  ['매수', '매순간', false],
  ['손실', '원금 보장', false],
] as const)('“%s” in “%s”: %s', ([term, word, holds]) => {
  expect(wordSearch(term)(word)).toBe(holds);
});
