import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { answerable } from './failures.ts';

test('a file that finds no room is 503 with the reason, and its path stays here (D7)', () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write '/srv/ledger'"), { code: 'ENOSPC' });
  const answer = answerable(full);
  expect(answer).toBeInstanceOf(ApiError);
  expect(answer).toMatchObject({
    code: 'COMMON503',
    message: expect.stringContaining('Ask the administrator') as string,
  });
  expect((answer as ApiError).message).not.toContain('/srv');
});
