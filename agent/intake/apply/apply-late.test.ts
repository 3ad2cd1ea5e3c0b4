/** What was received in time has the same effect whenever it is applied (D202, D203). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { darkTickers } from '../../ledger/serving/dark.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import {
  commitEntries,
  invalidationAt,
  newAt,
  reviewer,
  takeIn,
  withParts,
} from '../../../test/support/agent/intake.ts';
import { applyNext, withdrawAhead } from './apply.ts';
import type { RawEntry } from './entry.ts';
import { WaitingWithdrawals } from './withdrawals.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** 17:00 in Korea. */
const START = Date.parse('2026-11-20T08:00:00.000Z');
const iso = (ms: number): string => new Date(ms).toISOString();

/** A text, or the withdrawal of one, in one of several histories side by side. */
type Step = { wait: number; ticker: string; id: string } & ({ asOf: number; day: string } | { withdraws: true });

const TICKERS = Array.from({ length: 10 }, (_, index) => `06950${index}`);
const place = {
  wait: fc.constantFrom(0, 0, 0, 1, 2, 5),
  ticker: fc.constantFrom(...TICKERS),
  id: fc.constantFrom('a', 'b'),
};
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      ...place,
      /** In minutes from its reception. */
      asOf: fc.oneof(fc.integer({ min: -60, max: 0 }), fc.integer({ min: 1, max: 30 })),
      day: fc.constantFrom('2026-11-20', '2026-11-20', '2026-11-20', '2026-11-21'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...place, withdraws: fc.constant(true as const) }) },
);

interface Received {
  at: number;
  entry: RawEntry;
}

/** An id that comes again has another text, or other dates, with which it is rejected. */
function received(steps: readonly Step[]): Received[] {
  let at = START;
  const ids = new Map<string, string>();
  const datesOf = new Map<string, { trade_date: string; explanation_as_of: string }>();
  return steps.map((one, index) => {
    at += one.wait * MINUTE;
    const cursor = index + 1;
    const name = `${one.ticker}-${one.id}`;
    if ('withdraws' in one) return { at, entry: invalidationAt(cursor, ids.get(name) ?? name) };
    const id = ids.get(name) ?? `${name}-${cursor}`;
    ids.set(name, id);
    const told = { trade_date: one.day, explanation_as_of: iso(at + one.asOf * MINUTE) };
    const dates = one.wait < 2 ? (datesOf.get(id) ?? told) : told;
    if (!datesOf.has(id)) datesOf.set(id, dates);
    const summary = `지수가 올랐습니다. ${id} ${cursor}`;
    return { at, entry: newAt(cursor, id, { ...dates, etf_ticker: one.ticker, summary }) };
  });
}

const exposedText = (ledger: Ledger, at: number): (string | undefined)[] =>
  TICKERS.map((ticker) => exposedExplanation(ledger, ticker, 'MTS', new Date(at))?.text);

interface Plan {
  /** Indexes of the entries at whose reception what has come is applied. */
  applied: readonly number[];
  end: number;
  goAhead: boolean;
}

/** What is exposed afterwards, where entries are applied at some of their receptions, and all at the end. */
function exposedAfter(entries: readonly Received[], { applied, end, goAhead }: Plan): ReturnType<typeof exposedText>[] {
  return withParts((alone) => {
    const { ledger } = alone;
    let now = START;
    const parts = { ...alone, clock: { now: () => new Date(now) }, withdrawals: new WaitingWithdrawals() };
    ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: iso(START) }));
    const apply = (): void => {
      if (goAhead) withdrawAhead(parts);
      while (applyNext(parts));
    };
    for (const [index, { at, entry }] of entries.entries()) {
      now = at;
      commitEntries(ledger, [entry], iso(at));
      if (applied.includes(index)) apply();
    }
    now = end;
    apply();
    const looks = () => [end, end + HOUR, end + 30 * HOUR].map((at) => exposedText(ledger, at));
    const told = looks();
    expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
    rebuildLedger(parts);
    expect(looks()).toEqual(told);
    return told;
  }, iso(START));
}

test('whether what came is applied at once, late or with its withdrawals first, the same is exposed', () => {
  const most = 45;
  const plan = fc.record({
    applied: fc.array(fc.nat(most), { maxLength: 2 }),
    late: fc.constantFrom(9, 25, 120),
    goAhead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: most, maxLength: most, size: 'max' }), plan, (steps, { late, ...how }) => {
      const entries = received(steps);
      const end = (entries.at(-1)?.at ?? START) + late * MINUTE;
      const atOnce = exposedAfter(entries, { applied: [...entries.keys()], end, goAhead: false });
      expect(exposedAfter(entries, { ...how, end })).toEqual(atOnce);
    }),
    // Shrinking would outlast the test's time: the seed and the whole history are told.
    { numRuns: runs(12, 150), endOnFailure: true },
  );
});

describe('a change of a text that waits while a person acts on it', () => {
  const NOW = iso(START);
  const dated = (cursor: number, id: string, minute: number, summary: string): RawEntry =>
    newAt(cursor, id, { summary, explanation_as_of: `2026-11-20T06:${minute}:00.000Z` });
  const CLEAN = '반도체 수출 증가 소식에 지수가 올랐습니다.';

  test.each([
    ['stop', CLEAN],
    ['move-to-review', CLEAN],
    ['correct', CLEAN],
    ['approve', '지금은 매수 시점입니다.'],
  ] as const)('brings no earlier text back after %s', (move, first) =>
    withParts((parts) => {
      const { ledger } = parts;
      const exposed = () => exposedExplanation(ledger, '069500', 'MTS', new Date(NOW))?.text;
      ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
      takeIn(parts, dated(1, 'a', 30, first));
      for (const entry of [dated(2, 'a', 30, `${CLEAN} 또.`), dated(3, 'b', 10, '외국인 매물에 지수가 내렸습니다.')])
        commitEntries(ledger, [entry], NOW);
      ledger.write((tx) => {
        const request = { id: explanationId('a'), move, actor: reviewer, at: NOW, reason: null };
        applyMove(tx, { ...request, ...(move === 'correct' ? { editedSummary: '고친 본문' } : {}) });
      });
      while (applyNext(parts));
      expect([exposed(), darkTickers(ledger, new Date(NOW))]).toEqual([undefined, ['069500']]);
      expect(verifyLedger(ledger).findings).toEqual([]);
      expect(rebuildLedger(parts)).toMatchObject({ corrected: 0 });
    }, NOW),
  );
});
