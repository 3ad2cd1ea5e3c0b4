import { beforeEach, expect, test } from 'vitest';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { catchUp } from './catch-up.ts';
import type { Answer } from '../receive/pull.ts';
import { createEntryScreening } from '../apply/screening.ts';
import { bodyOf, bundleOf, newAt, readableLog } from '../../../test/support/agent/intake.ts';

const clock = { now: () => new Date('2026-11-20T08:00:00.000Z') };
let ledger: Ledger;
beforeEach(() => ({ ledger } = testLedger()));

const answer = (head: string | null, body = bodyOf()): Answer => ({
  status: 200,
  body,
  head,
  signature: null,
  statement: null,
  retryAfter: null,
});
const bundle = (from: number, to: number, head: string): Answer =>
  answer(head, bodyOf(bundleOf(from, [newAt(to, `e${to}`)])));

/** Catches up with a cloud that gives these answers in order and fails after the last. */
async function against(...answers: Answer[]): Promise<string | null> {
  const { log } = readableLog();
  const pull = () => {
    const next = answers.shift();
    return next === undefined ? Promise.reject(new Error('asked once too often')) : Promise.resolve(next);
  };
  return catchUp(
    { ledger, pull, clock, log, limit: 2, periodMs: 60_000, verification: null },
    { ledger, clock, log, screenEntry: createEntryScreening(log) },
  );
}

test('continues while bundles come, even short of the limit', async () => {
  expect(await against(bundle(0, 1, '2'), bundle(1, 2, '2'))).toBeNull();
  expect(readCursors(ledger)).toMatchObject({ committed: 2, applied: 2 });
});

test('without a head, the cloud’s “nothing new” ends it', async () => {
  expect(await against(answer(null))).toBeNull();
});

test('18: “nothing new” beside a higher head ends it and is reported', async () => {
  expect(await against(bundle(0, 1, '9'), answer('9'))).toBe(
    'The cloud reports records up to cursor 9 and sends none after 1.',
  );
});
