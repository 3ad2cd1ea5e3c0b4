/** What each pull tells of the applying (D230), and when one that waits is replaced. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  commitEntries,
  invalidationAt,
  newAt,
  partsOn,
  readableLog,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { applyNext } from '../apply/apply.ts';
import { rejectionCode } from '../apply/rejection-code.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import type { Pull, PullRequest } from './pull.ts';
import { pullOnce } from './reception.ts';
import { Telling } from './telling.ts';
import { Waits, type Next } from './waits.ts';

const AT = '2026-11-20T08:00:00.000Z';

/** An upstream that never answers by itself, and a clock that the test moves. */
class Bench {
  readonly asked: PullRequest[] = [];
  readonly telling: Telling;
  now = 0;
  due: { ms: number; over: () => void }[] = [];
  readonly #parts: WholeParts;
  readonly #ending = new AbortController();

  constructor(parts: WholeParts) {
    this.#parts = parts;
    this.telling = new Telling({
      ledger: parts.ledger,
      codeOf: rejectionCode,
      elapsedMs: () => this.now,
      wait: (ms) => new Promise((resolve) => this.due.push({ ms, over: resolve })),
    });
  }

  pull(): Promise<Next> {
    const pull: Pull = (request, signal) => {
      this.asked.push(request);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    const waits = new Waits({ seconds: 25, periodMs: 60_000, elapsedMs: () => this.now, random: () => 0.5 });
    const { log } = readableLog();
    const { ledger, clock } = this.#parts;
    const own = { ledger, clock, log, pull, limit: 100, periodMs: 60_000, verification: null, waits };
    return pullOnce({ ...own, telling: this.telling }, this.#ending.signal);
  }

  apply(cursor: number): void {
    commitEntries(this.#parts.ledger, [newAt(cursor, `e${cursor}`)], AT);
    while (applyNext(this.#parts));
    this.telling.risen();
  }

  end(): void {
    this.#ending.abort(new Error('over'));
  }
}

let parts: WholeParts;
beforeEach(() => {
  parts = partsOn(openLedger(':memory:'), AT);
});
afterEach(() => parts.ledger.close());

test('the applied cursor, and what is rejected or held: numbers and codes, never text', () => {
  const { telling } = new Bench(parts);
  expect(telling.begin(true).applied).toBe('applied=0;rejected=0;held=0');
  takeIn(
    parts,
    newAt(1, 'a'),
    { cursor: 2, delivery_type: '매수 추천' },
    { ...newAt(3, 'b'), explanation_result: '매수 추천' },
    { ...newAt(4, 'c'), more: Array.from({ length: 100_001 }, () => 0) },
    invalidationAt(5, 'none'),
  );
  const told = telling.begin(true).applied;
  expect(told).toBe('applied=5;rejected=3;held=1;entries=4:TOO_LARGE,3:FORM,2:UNKNOWN_TYPE');
});

test('a pull that waits is replaced when more is applied, at most once a second, and less often in a row', async () => {
  const bench = new Bench(parts);
  let pull = bench.pull();
  bench.apply(1);
  expect(await pull).toEqual({ when: 'WAITING' });
  pull = bench.pull();
  bench.now = 500;
  bench.apply(2);
  bench.apply(3);
  expect(bench.due.map(({ ms }) => ms)).toEqual([1_500]);
  bench.due[0]?.over();
  expect(await pull).toEqual({ when: 'WAITING' });
  expect(bench.asked.map(({ after, applied }) => [after, applied])).toEqual([
    [0, 'applied=0;rejected=0;held=0'],
    [1, 'applied=1;rejected=0;held=0'],
  ]);
  // It was no failure of the upstream's.
  expect(syncStatus(parts.ledger, new Date(AT)).lastError).toBeNull();
});

test('one whose answer has begun is not replaced, and neither is one that records wait for', async () => {
  const bench = new Bench(parts);
  const answered = bench.pull();
  bench.asked[0]?.answered?.();
  bench.apply(1);
  const { replaced } = bench.telling.begin(false);
  bench.apply(2);
  expect([replaced.aborted, bench.due]).toEqual([false, []]);
  bench.end();
  await expect(answered).rejects.toThrow('over');
});
