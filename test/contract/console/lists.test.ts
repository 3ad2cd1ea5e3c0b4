/**
 * No list of the console and no search costs more in a larger ledger (D11): every list of the benchmark is requested in
 * a ledger and in one eight times its size. The comparison is of processor time, the least of many tries; and no
 * statement may scan all explanations.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger, type Ledger, type LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { boundOf, type Query } from '../../../agent/ledger/storage/query.ts';
import { listExplanations } from '../../../agent/ledger/explanations/lists.ts';
import type { ExplanationFilter } from '../../../agent/ledger/explanations/pages.ts';
import type { CheckName, ExplanationSort, ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { LISTS, SEARCHES } from '../../bench/console/console.ts';
import { fillLedger } from '../../bench/console/filled.ts';

const [ROWS, TIMES] = [4_000, 8];
const WAITING = 400;
const NOW = new Date('2026-11-20T08:00:00.000Z');

let folder: string;
let small: Ledger;
let large: Ledger;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-lists-'));
  [small, large] = ([1, TIMES] as const).map((times) => {
    const file = path.join(folder, `${times}.sqlite`);
    fillLedger(file, ROWS * times, () => undefined, WAITING * times);
    return openLedger(file);
  }) as [Ledger, Ledger];
});
afterAll(() => {
  for (const ledger of [small, large]) ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Limits small enough that both ledgers lie beyond them, as one of a million rows lies beyond the console's. */
const TURNS = { readAll: 5, far: 50, named: 50, cap: 9, looked: 200, counted: 50 };

/** The filter that the route of the path gives to the ledger; a far page is at the end of either ledger. */
function filterOf(asked: string, times: number): ExplanationFilter {
  const { pathname, searchParams } = new URL(asked, 'http://console/');
  const isReview = pathname.startsWith('/review');
  const { page = '1', sort, status, reason, market, q } = Object.fromEntries(searchParams);
  const states = status?.split(',') ?? (isReview ? ['PENDING_REVIEW'] : undefined);
  return {
    page: Number(page) > 1_000 ? Math.ceil((Number(page) * ROWS * times) / 1_000_000) : Number(page),
    size: 20,
    sort: (sort ?? (isReview ? 'waiting-longest' : 'newest')) as ExplanationSort,
    ...(states === undefined ? {} : { statuses: states as ExplanationStatus[] }),
    ...(reason === undefined ? {} : { failedCheck: reason as CheckName }),
    ...(market === undefined ? {} : { market }),
    ...(q === undefined ? {} : { q }),
  };
}

/** In ms of processor time. */
function cost(ledger: Ledger, filter: ExplanationFilter): number {
  const before = process.cpuUsage();
  for (let n = 0; n < 2; n += 1) ledger.read((reader) => listExplanations(reader, filter, NOW, TURNS));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 2_000;
}

/** Other work on the machine only adds to a try: the least of many tries is the cost of the list itself. */
const MOST_TRIES = 20;

/** Every step of the plans of a list's statements. */
function plansOf(ledger: Ledger, filter: ExplanationFilter): string[] {
  const steps: string[] = [];
  const explain = (query: Query<unknown>): void => {
    const { sql, parameters } = boundOf(query);
    const plan = ledger.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters });
    steps.push(...plan.map(({ detail }) => detail));
  };
  const reader: LedgerReader = {
    all: (query) => {
      explain(query);
      return ledger.all(query);
    },
    first: (query) => {
      explain(query);
      return ledger.first(query);
    },
  };
  listExplanations(reader, filter, NOW, TURNS);
  return steps;
}

test.for([...LISTS, ...SEARCHES].map((asked) => [decodeURIComponent(asked), asked] as const))('%s', ([, asked]) => {
  const [few, many] = [filterOf(asked, 1), filterOf(asked, TIMES)];
  expect(plansOf(large, many).filter((step) => step === 'SCAN explanation')).toEqual([]);
  let [least, most] = [Infinity, Infinity];
  // Noise, and what grows with the days and not with the rows.
  const isBounded = (): boolean => most < least * 3 + 0.3;
  for (let tries = 0; tries < MOST_TRIES && !(tries >= 3 && isBounded()); tries += 1) {
    least = Math.min(least, cost(small, few));
    most = Math.min(most, cost(large, many));
  }
  expect(isBounded(), `${least} ms in the small ledger, ${most} ms in the large one`).toBe(true);
});
