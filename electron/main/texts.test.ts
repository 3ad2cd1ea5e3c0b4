import { expect, test } from 'vitest';
import { languageOf } from './texts.ts';

test.each([
  [['ko-KR', 'en-US'], 'ko'],
  [['ko_KR.UTF-8', 'C'], 'ko'],
  [['en-US', 'ko-KR'], 'en'],
  [['ja-JP'], 'en'],
  // Nothing that names a language.
  [[], 'ko'],
  [['C'], 'ko'],
  [['C.UTF-8', 'C', 'POSIX', ''], 'ko'],
] as const)('a system that names %j speaks %s', (named, language) => {
  expect(languageOf(named)).toBe(language);
});
