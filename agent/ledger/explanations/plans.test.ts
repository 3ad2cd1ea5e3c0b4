/** Questions of the reviewer's screens that a ledger of years makes slow by a wrong plan. */
import { afterAll, expect, test } from 'vitest';
import { laterOf } from '../serving/candidate.ts';
import { openLedger, type LedgerReader } from '../storage/ledger.ts';
import { boundOf, type Query } from '../storage/query.ts';
import { receivedCount } from './counts.ts';
import { blockedIds, screeningBlock } from './screening-blocks.ts';
import { wordCounts } from './word-hits.ts';

const ledger = openLedger(':memory:');
afterAll(() => ledger.close());

/** The steps of the plans of what is asked. */
function plansOf(ask: (reader: LedgerReader) => unknown): string[] {
  const steps: string[] = [];
  const planned = (query: Query<unknown>): void => {
    const { sql, parameters } = boundOf(query);
    for (const { detail } of ledger.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters }))
      steps.push(detail);
  };
  ask({
    all: (query) => {
      planned(query);
      return ledger.all(query);
    },
    first: (query) => {
      planned(query);
      return ledger.first(query);
    },
  });
  return steps;
}

test('a later snapshot of a ticker is found without sorting all of them', () => {
  const row = { etf_ticker: 't', trade_date: '2026-01-02', explanation_as_of: '2026-01-02T00:00:00.000Z', cursor: 1 };
  const steps = plansOf((reader) => laterOf(reader, row, new Date(0)));
  expect(steps).toContainEqual(expect.stringContaining('explanation_by_ticker (etf_ticker=? AND trade_date>?)'));
  expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual(['USE TEMP B-TREE FOR LAST TERM OF ORDER BY']);
});

test('the counts of words read the hits of the days that are asked for', () => {
  const steps = plansOf((reader) => wordCounts(reader, { receivedFrom: '2026', receivedBefore: '2027' }));
  expect(steps.filter((step) => /(?:word|dismissed)_hit/.test(step) && !step.includes('(word_id>?)'))).toEqual([
    'SEARCH word_hit USING PRIMARY KEY',
    expect.stringMatching(/^SEARCH word_hit USING .*\(word_id=\? AND received_at>\? AND received_at<\?\)/),
    expect.stringMatching(/^SEARCH dismissed_hit USING .*\(explanation_id=\? AND word_id=\?\)/),
  ]);
});

test('the count of all explanations reads the kept counts', () => {
  expect(plansOf((reader) => receivedCount(reader, {}))).toEqual(['SCAN explanation_count']);
});

test('blocks of the screening are listed and looked up by indexes', () => {
  const steps = plansOf((reader) => [blockedIds(reader, 10), screeningBlock(reader, 'x')]);
  expect(steps.filter((step) => step.startsWith('SCAN') || step.includes('TEMP B-TREE'))).toEqual([]);
  expect(steps).toContainEqual(expect.stringContaining('console_action_of_people_by_target (target_id=?)'));
});
