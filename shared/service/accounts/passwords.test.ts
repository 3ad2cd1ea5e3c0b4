import { expect, test } from 'vitest';
import { hashPassword, hashPasswordSync, UNMATCHED_HASH, verifyPassword } from './passwords.ts';

test('among many parallel guesses some wait, the rest are refused, and a right password is still accepted', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => verifyPassword('guess', UNMATCHED_HASH)));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(6);
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'COMMON429' } });
  expect(await verifyPassword('right', hashPasswordSync('right'))).toBe(true);
});

test('a stored hash, and that of an unknown user, cost 19 MiB and two passes', async () => {
  const cost = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
  for (const hash of [await hashPassword('x'), hashPasswordSync('x'), UNMATCHED_HASH]) expect(hash).toMatch(cost);
});
