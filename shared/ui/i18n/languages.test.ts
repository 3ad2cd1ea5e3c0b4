import { expect, test } from 'vitest';
import { languageOfSystem } from './languages.ts';

test.each([
  [['ko-KR', 'en-US'], 'ko'],
  [['en-US', 'ko'], 'en'],
  [['KO'], 'ko'],
  [['ja-JP', 'ko-KR'], 'ko'],
  [['fr-FR'], 'en'],
  [[], 'ko'],
])('a system that asks for %j gets %s', (preferred, language) => {
  expect(languageOfSystem(preferred)).toBe(language);
});
