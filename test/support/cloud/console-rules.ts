/** A good day, and helpers that judge it by the rules. */
import { expect } from 'vitest';
import type { Facts } from '../../../shared/wire/facts.ts';
import { catalogues } from '../../../cloud/console/i18n/catalogues.ts';
import { judge, RULES } from '../../../cloud/console/rules/engine.ts';
import type { ReadFacts, Verdict } from '../../../cloud/console/rules/rule.ts';

export const RUN = {
  id: 'market/2026-11-20/close',
  lane: 'market',
  tradingDate: '2026-11-20',
  ledgerStatus: 'SUCCEEDED',
  ledgerUpdated: '2026-11-20T06:00:00.000Z',
  deadline: '2026-11-20T06:30:00.000Z',
  cloudStatus: 'SUCCEEDED',
  cloudStop: '2026-11-20T05:59:00.000Z',
};
export const GAP: Facts['runs'][number] = {
  ...RUN,
  id: 'news/2026-11-20/1',
  ledgerStatus: null,
  ledgerUpdated: null,
  deadline: null,
  cloudStatus: null,
  cloudStop: null,
  planned: true,
  noRunRow: true,
};
export const TASK = {
  runId: RUN.id,
  dataset: 'price',
  attempts: 1,
  recordsOut: 10,
  unsupportedRecords: 3,
  failedRecords: 0,
  completenessExpected: 10,
  completenessActual: 10,
};
export const DATASET = {
  id: 'price',
  contract: true,
  expectedAsOf: '2026-11-20',
  actualAsOf: '2026-11-20',
  collectedAt: '2026-11-20T05:00:00.000Z',
  unverifiable: null,
};
export const OUTPUT: Facts['outputs'][number] = {
  id: 'o.doc',
  label: 'documents',
  today: 10,
  base: 10,
  unit: 'documents',
};
export const FEED = { label: 'l', unit: 'u', src: 's' };
export const ETF = { etf: '069500', name: 'KODEX 200', triggered: true, outcome: 'SUCCEEDED', error: null };
export const QUEUE = { name: 'work', visible: 2, inFlight: 1, dlq: 0 };
const STAGES = ['c.obs', 'c.route', 'c.run', 'c.res', 'c.pub'] as const;
export const chainOf = (v: [number, number], ...counts: [number, number][]): NonNullable<Facts['chain']> => ({
  feeds: [
    { ...FEED, id: 'feed.batch', v: v[0] },
    { ...FEED, id: 'feed.intraday', v: v[1] },
  ],
  stages: STAGES.map((id, index) => {
    const [batch, intraday] = counts[index] ?? [0, 0];
    return { id, label: 'l', batch, intraday, src: 's' };
  }),
});

/** An hour that is usual, in which something began. */
const HOUR = { at: '2026-11-20T05:00:00.000Z', count: 1, before: [1, 1, 1, 1] };
export const LANE_RHYTHM = {
  id: 'market',
  last: '2026-11-20T05:10:00.000Z',
  lastDay: '2026-11-20',
  hours: [HOUR],
  nonTradingDays: [],
};
export const SOURCE_RHYTHM = {
  id: 'NEWS',
  last: '2026-11-20T05:10:00.000Z',
  dueAt: null,
  hours: [HOUR],
  nonTradingDays: [],
};

/** A day on which all is well, with every axis. */
export const GOOD: Facts & Required<Pick<ReadFacts, 'failures' | 'withdrawals'>> = {
  runs: [RUN],
  meta: { db: '2026-11-20T07:00:00.000Z', today: '2026-11-20', cloud: '2026-11-20T07:00:00.000Z' },
  tasks: [TASK],
  datasets: [DATASET],
  outputs: [OUTPUT],
  boundary: { publishedWithoutDelivery: 0, deliveryNowNonpublished: 0, deliveryRows: 4 },
  chain: chainOf([3, 0], [2, 0], [2, 0], [2, 0], [2, 0], [1, 0]),
  etfLedger: { rows: [ETF] },
  slots: [],
  rhythm: { lanes: [LANE_RHYTHM], sources: [SOURCE_RHYTHM] },
  queues: [QUEUE],
  failures: { asOf: '2026-11-20T07:00:00.000Z', date: '2026-11-20', runs: [] },
  withdrawals: {
    asOf: '2026-11-20T07:00:00.000Z',
    everIssued: true,
    analyses: { items: [], total: 0 },
    tenants: { items: [], total: 0, neverConnected: 0 },
  },
};

/** The previous working day, read after its end. */
export const EARLIER: ReadFacts = {
  ...GOOD,
  meta: { ...GOOD.meta, db: '2026-11-19T07:00:00.000Z', today: '2026-11-19' },
};

/** Deeply frozen: a rule that changes its input throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

export function without(...axes: (keyof ReadFacts)[]): ReadFacts {
  return Object.fromEntries(
    Object.entries(GOOD).filter(([axis]) => !axes.includes(axis as keyof ReadFacts)),
  ) as ReadFacts;
}

/** The fact behind a pointer. */
function at(pointer: string, facts: ReadFacts, previous: ReadFacts | null): unknown {
  const [root, ...names] = pointer.split('/');
  let place: unknown = root === 'previous' ? previous : facts;
  for (const name of names)
    place = typeof place === 'object' && place !== null ? (place as Record<string, unknown>)[name] : undefined;
  return place;
}

/** Judges, and checks every verdict: a known sentence with its values, and pointers to existing facts. */
export function look(facts: ReadFacts, previous: ReadFacts | null = EARLIER): Verdict[] {
  const verdicts = judge(frozen(facts), previous === null ? null : frozen(previous));
  expect(new Set(verdicts.map(({ rule }) => rule))).toEqual(new Set(RULES.map(({ id }) => id)));
  for (const { severity, sentence, facts: read } of verdicts) {
    const words = catalogues.en[sentence.id] ?? '';
    // An argument has braces of its own; the braces after a selector hold its text.
    for (const [, name] of words.matchAll(/(?<!(?:other|one|=\d+|[A-Z_]{2,}) )\{(\w+)[,}]/g)) {
      expect(Object.keys(sentence.values), words).toContain(name);
    }
    expect(read.length).toBeGreaterThan(0);
    for (const pointer of read) {
      const leads = at(pointer, facts, previous) !== undefined;
      // A day too near for a comparison is present, and its facts show nothing.
      if (severity !== 'NOT_MEASURED' || !pointer.startsWith('previous'))
        expect(leads, `${sentence.id} ${pointer}`).toBe(sentence.id !== 'verdict.absent');
    }
  }
  return verdicts;
}

/** The verdicts of one rule, as `SEVERITY sentence`. */
export function said(rule: string, changes: Partial<ReadFacts>, previous: ReadFacts | null = EARLIER): string[] {
  return look({ ...GOOD, ...changes }, previous)
    .filter((verdict) => verdict.rule === rule)
    .map(({ severity, sentence }) => `${severity} ${sentence.id.replace('verdict.', '')}`);
}
