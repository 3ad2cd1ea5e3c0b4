import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { Waits, waitMs, type Next, type WaitsParts } from './waits.ts';

const PERIOD_MS = 60_000;

/** Waits over a clock that a test moves. */
class Bench {
  now = 0;
  readonly learned: unknown[] = [];
  readonly waits: Waits;

  constructor(parts: Partial<WaitsParts> = {}) {
    this.waits = new Waits({
      seconds: 25,
      periodMs: PERIOD_MS,
      elapsedMs: () => this.now,
      random: () => 0,
      learned: (what) => this.learned.push(what),
      ...parts,
    });
  }

  pull(seconds: number, end: 'EMPTY' | 'NEWS' | 'BREAK', isApplied = true): Next {
    this.waits.begin();
    this.now += seconds * 1_000;
    return end === 'BREAK' ? this.waits.broke(0) : this.waits.answered({ hasEntries: end === 'NEWS', isApplied });
  }
}

const PERIOD: Next = { when: 'PERIOD', notBeforeMs: 0 };
const WAITING: Next = { when: 'WAITING' };

describe('asks again', () => {
  test.each<[string, number, 'EMPTY' | 'NEWS', boolean, Next]>([
    ['at once after a wait', 25, 'EMPTY', true, WAITING],
    ['at once after half of it, by its own clock', 12.5, 'EMPTY', false, WAITING],
    ['by the period after less, whatever a header says', 12.4, 'EMPTY', true, PERIOD],
    ['at once after entries', 0, 'NEWS', true, WAITING],
    ['by the period after entries of a cloud that does not know waits', 0, 'NEWS', false, PERIOD],
  ])('%s', (_what, seconds, end, isApplied, next) => {
    expect(new Bench().pull(seconds, end, isApplied)).toEqual(next);
  });

  test('by the period without waits, as a cloud asks that does not know them', () => {
    const bench = new Bench({ seconds: 0 });
    expect(bench.waits.begin()).toBeNull();
    for (const end of ['EMPTY', 'NEWS', 'BREAK'] as const) expect(bench.pull(60, end)).toEqual(PERIOD);
  });

  test('after 1 to 5 s and twice as long each time, once a wait has worked; a wait that works begins anew', () => {
    const bench = new Bench({ random: () => 0.5 });
    expect(bench.pull(0, 'BREAK')).toEqual(PERIOD);
    bench.pull(25, 'EMPTY');
    const pauses = Array.from({ length: 6 }, () => bench.pull(0, 'BREAK'));
    expect(pauses.map((next) => (next.when === 'SOON' ? next.ms : next.when))).toEqual([
      ...[3_000, 6_000, 12_000, 24_000, 48_000],
      'PERIOD',
    ]);
    bench.pull(25, 'EMPTY');
    expect(bench.pull(0, 'BREAK')).toEqual({ when: 'SOON', ms: 3_000 });
  });

  test('never before the upstream asked for it', () => {
    const bench = new Bench();
    bench.pull(25, 'EMPTY');
    expect(bench.waits.broke(90_000)).toEqual({ when: 'SOON', ms: 90_000 });
  });
});

describe('a device that cuts', () => {
  test('halves the wait down to 5 s, then the period serves; an hour later the configured wait is tried again', () => {
    const bench = new Bench();
    bench.pull(25, 'EMPTY');
    const asked: (number | null)[] = [];
    for (let cut = 0; cut < 8; cut += 1) {
      asked.push(bench.waits.begin());
      bench.pull(3, 'BREAK');
    }
    expect(asked).toEqual([25, 25, 12, 12, 6, 6, 5, 5]);
    expect(bench.waits.begin()).toBeNull();
    expect(bench.waits.cutSeconds).toBe(3);
    bench.now += 3_600_000;
    expect(bench.waits.begin()).toBe(25);
    expect(bench.waits.cutSeconds).toBeNull();
    expect(bench.learned).toEqual([
      ...[12, 6, 5, 0].map((waitSeconds) => ({ waitSeconds, cutSeconds: 3 })),
      { waitSeconds: 25, cutSeconds: null },
    ]);
  });

  test('of 20 s is learned from two cuts, and the shorter wait works', () => {
    const bench = new Bench();
    bench.pull(25, 'EMPTY');
    bench.pull(20, 'BREAK');
    bench.pull(20.4, 'BREAK');
    expect(bench.waits.begin()).toBe(12);
    expect(bench.pull(12, 'EMPTY')).toEqual(WAITING);
  });

  test('is not learned from breaks at any time, at once, or after the whole wait', () => {
    const bench = new Bench();
    bench.pull(25, 'EMPTY');
    for (const seconds of [4, 19, 8, 0, 0, 0, 25, 25, 30]) bench.pull(seconds, 'BREAK');
    expect(bench.waits.begin()).toBe(25);
  });
});

// Half of the shortest wait and the shortest pause after it make two pulls.
test('whatever the upstream does, without records there is no loop: two pulls in 3.5 s at most', () => {
  // It knows the rule, and answers right at its edges.
  const took = fc.constantFrom<(asked: number) => number>(
    () => 0,
    () => 2,
    (asked) => asked / 2,
    (asked) => asked * 0.7,
    (asked) => asked,
  );
  const answers = fc.array(fc.tuple(took, fc.constantFrom('EMPTY' as const, 'BREAK' as const), fc.boolean()), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 45 }), answers, (seconds, script) => {
      const bench = new Bench({ seconds });
      const until = 3_600_000;
      let pulls = 0;
      while (bench.now < until) {
        const [after, end, isApplied] = script[pulls % script.length] as (typeof script)[number];
        pulls += 1;
        const next = bench.pull(after(bench.waits.seconds), end, isApplied);
        if (next.when === 'SOON') bench.now += next.ms;
        if (next.when === 'PERIOD') bench.now += waitMs(PERIOD_MS, next.notBeforeMs, 0);
      }
      expect(pulls).toBeLessThan(until / 1_750 + 2);
    }),
    { numRuns: runs(200, 5_000) },
  );
});

test('two pullers of one tenant, each of which ends the wait of the other, make no loop', () => {
  const two = [new Bench(), new Bench()] as const;
  /** When each asks next; null: it waits. */
  const due: [number | null, number | null] = [0, 7_000];
  const ends: [number, number] = [Infinity, Infinity];
  let pulls = 0;
  for (let now = 0; now < 3_600_000;) {
    const next = (who: 0 | 1): void => {
      two[who].now = now;
      const then = two[who].waits.answered({ hasEntries: false, isApplied: true });
      ends[who] = Infinity;
      due[who] = then.when === 'WAITING' ? now : now + PERIOD_MS;
    };
    const [who] = ([0, 1] as const).toSorted(
      (a, b) => Math.min(due[a] ?? Infinity, ends[a]) - Math.min(due[b] ?? Infinity, ends[b]),
    );
    now = Math.min(due[who as 0] ?? Infinity, ends[who as 0]);
    if (due[who as 0] === null) next(who as 0);
    else {
      pulls += 1;
      const other = who === 0 ? 1 : 0;
      due[who as 0] = null;
      two[who as 0].now = now;
      two[who as 0].waits.begin();
      ends[who as 0] = now + 25_000;
      if (due[other] === null) next(other);
    }
  }
  expect(pulls).toBeLessThan(3_600 / 12);
});
