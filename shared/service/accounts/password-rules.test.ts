/** Rules for a new password, with the word list as it ships. */
import { expect, test } from 'vitest';
import { brokenRule } from './password-rules.ts';

const OWNER = { username: 'kim.01', firmNames: ['한국증권', 'Hankook Securities'] };

test.for([
  ['password', 'PASSWORD_COMMON'],
  ['PassWord1', 'PASSWORD_COMMON'],
  ['ｐａｓｓｗｏｒｄ', 'PASSWORD_COMMON'],
  ['12345678', 'PASSWORD_COMMON'],
  ['qwertyuiop', 'PASSWORD_COMMON'],
  ['Causeway', 'PASSWORD_IS_NAME'],
  ['causeway2026!', 'PASSWORD_IS_NAME'],
  ['한국증권2026', 'PASSWORD_IS_NAME'],
  ['hankook-securities', 'PASSWORD_IS_NAME'],
  ['KIM.01', 'PASSWORD_IS_USERNAME'],
  ['kim20261122', 'PASSWORD_IS_USERNAME'],
  ['eight or more', null],
  ['새 비밀번호 2026', null],
  ['kimono-20261122', null],
  // In the list, but already refused for its length.
  ['qwerty', null],
] as const)('%s', async ([password, rule]) => {
  expect(await brokenRule(password, OWNER)).toBe(rule);
});

test('a user name made of digits refuses itself, not every password made of digits', async () => {
  const owner = { username: '20261122', firmNames: [''] };
  expect([await brokenRule('20261122', owner), await brokenRule('8301947265', owner)]).toEqual([
    'PASSWORD_IS_USERNAME',
    null,
  ]);
});
