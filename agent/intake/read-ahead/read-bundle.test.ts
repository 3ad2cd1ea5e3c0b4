/**
 * Entries that were read ahead give the same ledger as entries that are read where they are applied, row by row, and
 * none is screened under another policy than the one on its record.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawBundleAfter, readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import type { Ledger, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { SEED_POLICY } from '../../screening/seed-policy.ts';
import type { PolicySnapshot } from '../../screening/policy.ts';
import { applyNext } from '../apply/apply.ts';
import type { RawEntry } from '../apply/entry.ts';
import { commitEntries, explanationRow, invalidationAt, newAt, withParts, type WholeParts } from '../testing.ts';
import { BundleQueue } from './bundle-queue.ts';
import { bundleReader } from './read-bundle.ts';

const NOW = '2026-11-20T08:00:00.000Z';

const summary = fc.oneof(
  fc.constantFrom(
    '반도체 수출 증가 소식에 지수가 올랐습니다.',
    '지금은 매수 시점입니다.',
    '이 상품은 확정 수익을 드립니다.',
    '원금이 보장되지 않는 상품입니다.',
    '확·정·수·익, 확정 수익!',
    ' \u200b ',
    '가\u202e나',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

const result = fc.record(
  {
    summary,
    etf_name: fc.constantFrom('KODEX 200', 'TIGER 200'),
    market: fc.constantFrom('KRX', 'NXT', null),
    confidence_level: fc.constantFrom('HIGH', 'LOW', null),
    explanation_type: fc.constantFrom('EVENT_SUPPORTED', 'UNCERTAIN', null),
    analysis_engine: fc.constantFrom('v1', 'v2'),
    observed_return: fc.constantFrom(0.1, -0, 1e-7, 123456789.123, null),
    content_as_of: fc.constantFrom('2026-11-20T06:30:00Z', null),
    explanation_as_of: fc.constantFrom(
      '2026-11-20T06:30:00.5+09:00',
      '2026-11-20T06:30:00Z',
      'soon',
      '2036-01-01T00:00:00Z',
    ),
  },
  { requiredKeys: ['summary'] },
);

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
type Made = (cursor: number) => RawEntry;
const entry: fc.Arbitrary<Made> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(id, result).map(
      ([of, more]): Made =>
        (cursor) =>
          newAt(cursor, of, more),
    ),
  },
  {
    weight: 2,
    arbitrary: id.map(
      (of): Made =>
        (cursor) =>
          invalidationAt(cursor, of),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Made>((cursor) => ({ cursor, delivery_type: 'CORRECTION' })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\0', '\ud800', 7).map(
      (text): Made =>
        (cursor) =>
          newAt(cursor, 'x', { summary: text as never }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.json().map((text): Made => (cursor) => ({
      ...newAt(cursor, 'y'),
      later: JSON.parse(text) as unknown,
    })),
  },
);

/** One bundle, and what happens before the next one. */
interface Step {
  entries: Made[];
  readsAhead: boolean;
  publishes: boolean;
  applies: boolean;
}

const stream: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    entries: fc.array(entry, { minLength: 1, maxLength: 8 }),
    readsAhead: fc.boolean(),
    publishes: fc.boolean(),
    applies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

const OTHER_POLICY: PolicySnapshot = {
  ...SEED_POLICY,
  words: [{ id: 'other', word: '반도체', severity: 'BLOCK', active: true, exceptions: [] }],
};

const publish = (tx: LedgerTransaction, snapshot: PolicySnapshot): number =>
  publishPolicy(tx, { snapshot, changes: [], actor: { kind: 'SYSTEM' }, at: NOW });

/** All rows that follow from the bundles, in every table. A count may have come and gone: batches have other ends. */
function rowsOf(ledger: Ledger): Record<string, unknown[]> {
  const select = (sql: string): Record<string, unknown>[] => ledger.all({ sql, parameters: [] });
  const names = select("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map(({ name }) =>
    String(name),
  );
  const own = names.filter((name) => name !== 'raw_bundle' && !name.startsWith('explanation_search_'));
  return Object.fromEntries(own.map((name) => [name, select(`SELECT * FROM ${name}`).filter(({ n }) => n !== 0)]));
}

/** Reads every committed bundle that it has not read yet, as the thread does. */
function aheadOf({ ledger }: WholeParts): { queue: BundleQueue; readOn(): void } {
  const queue = new BundleQueue();
  const read = bundleReader(ledger);
  let readTo = 0;
  const readOn = (): void => {
    for (;;) {
      readTo = Math.max(readTo, readCursors(ledger).applied);
      const raw = rawBundleAfter(ledger, readTo);
      if (raw === undefined) return;
      // What is no value for another thread fails here.
      queue.keep(structuredClone(read(raw)));
      readTo = raw.cursorTo;
    }
  };
  return { queue, readOn };
}

function run(steps: readonly Step[], parts: WholeParts, readOn: () => void): Record<string, unknown[]> {
  let cursor = 0;
  let isOther = false;
  for (const { entries, readsAhead, publishes, applies } of steps) {
    commitEntries(
      parts.ledger,
      entries.map((made) => made((cursor += 2))),
      NOW,
    );
    if (readsAhead) readOn();
    if (publishes) {
      isOther = !isOther;
      const snapshot = isOther ? OTHER_POLICY : SEED_POLICY;
      parts.ledger.write((tx) => publish(tx, snapshot));
    }
    if (applies) while (applyNext(parts));
  }
  while (applyNext(parts));
  return rowsOf(parts.ledger);
}

test('row by row the same ledger, whatever was read ahead and whenever the policy changed', () => {
  let taken = 0;
  fc.assert(
    fc.property(stream, (steps) => {
      const plain = withParts((parts) => run(steps, parts, () => undefined), NOW);
      const ahead = withParts((parts) => {
        const { queue, readOn } = aheadOf(parts);
        const take: BundleQueue['take'] = (...asked) => {
          const entries = queue.take(...asked);
          taken += entries?.length ?? 0;
          return entries;
        };
        return run(steps, { ...parts, readAhead: { take } }, readOn);
      }, NOW);
      expect(ahead).toEqual(plain);
    }),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(100);
});

test('a text is screened by the words of the policy on its record', () => {
  withParts((parts) => {
    const { queue, readOn } = aheadOf(parts);
    commitEntries(parts.ledger, [newAt(1, 'a', { summary: '반도체 수출 증가 소식에 지수가 올랐습니다.' })], NOW);
    readOn();
    parts.ledger.write((tx) => publish(tx, OTHER_POLICY));
    while (applyNext({ ...parts, readAhead: queue }));
    expect(explanationRow(parts.ledger, 'a')).toMatchObject({ status: 'BLOCKED', policy_version: 2 });
  }, NOW);
});

test('entries of one policy version are not searched for words a second time', () => {
  withParts((parts) => {
    const { queue, readOn } = aheadOf(parts);
    commitEntries(parts.ledger, [newAt(1, 'a', { summary: '이 상품은 확정 수익을 드립니다.' })], NOW);
    readOn();
    const [first] = queue.take(parts.ledger, 0, 1) ?? [];
    expect(first?.ahead).toMatchObject({ kind: 'NEW', words: { policyVersion: 1, hits: [{ word: '확정 수익' }] } });
  }, NOW);
});
