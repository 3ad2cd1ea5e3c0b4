import { expect, test } from 'vitest';
import { languageOf, UPDATES } from './texts.ts';

test.each([
  [['ko-KR', 'en-US'], 'ko'],
  [['ko_KR.UTF-8', 'C'], 'ko'],
  [['en-US', 'ko-KR'], 'en'],
  [['ja-JP'], 'en'],
  // No entry names a language.
  [[], 'ko'],
  [['C'], 'ko'],
  [['C.UTF-8', 'C', 'POSIX', ''], 'ko'],
] as const)('a system that names %j speaks %s', (named, language) => {
  expect(languageOf(named)).toBe(language);
});

test.each(['ko', 'en'] as const)('each refusal of a release is one sentence (%s)', (language) => {
  const refusal = { code: 'OLDER_THAN_SEEN', named: '1.2.0', known: '1.3.0' } as const;
  expect(UPDATES[language].refusal(refusal)).toMatch(/^[^.]*1\.[23]\.0[^\n]*1\.[23]\.0\.$/);
});
