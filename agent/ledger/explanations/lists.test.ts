/** A page is the same by every access path, and equals one that is sorted by hand. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPLANATION_SORTS, EXPLANATION_STATUSES, type ExplanationSort } from '../../../shared/wire/console/console.ts';
import { statusCounts } from './counts.ts';
import { listExplanations } from './lists.ts';
import type { ExplanationFilter, ListLimits } from './pages.ts';
import type { Ledger, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { applyMove } from '../transitions.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { forceStatus, newEntry, receive, screened, temporaryLedger } from '../../../test/support/agent/ledger.ts';
import { recordWordHits, wordCounts } from './word-hits.ts';

const TEXTS = [
  '반도체 업종의 수출이 늘었습니다.',
  '외국인 순매수가 이어졌습니다.',
  '50% 넘게 올랐고_a "따옴표"가 있습니다.',
  'KODEX 은행 강세',
  '유상증자 공시',
];
const NAMES = ['KODEX 200', 'KODEX 은행', 'TIGER 반도체'];
/** Texts that end with a short term found nowhere else, and one text that begins with it. */
const RARE = new Map([
  [17, '주가가 급락'],
  [99, '급락'],
  [150, '급락한 뒤 올랐습니다.'],
]);
const EVIDENCE = { kind: 'NEWS', source: 'HANKANG', published_at: null } as const;
/** Titles of evidence; one row has two. */
const TITLES = ['연준 금리 동결', '한강\u3000일보: 수주\n공시', 'ETF flows'];
const ROWS = 240;
const NOW = new Date('2026-11-20T12:00:00.000Z');

function evidencesOf(n: number): NewEntry['evidences'] {
  const titles = [TITLES[n % 7], n === 50 ? TITLES[2] : undefined].filter((title) => title !== undefined);
  return titles.map((title) => ({ ...EVIDENCE, title }));
}

/** The word, or none, that is found in the n-th. */
const wordOf = (n: number): number | null => (n % 3 === 0 ? n % 4 : null);
const receivedAt = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 7, minute)).toISOString();

let ledger: Ledger;
const hits = new Map<string, Set<string>>();
let dispose: () => void;
let rows: ReturnType<typeof readRows>;

function readRows() {
  return ledger.all(sqlite.selectFrom('explanation').selectAll());
}

/** Records a screening that has found the word twice. */
function find(tx: LedgerTransaction, id: string, wordId: string): void {
  const hit = { wordId, word: '단어', severity: 'REVIEW', start: 0, end: 2, matched: '단어', pass: 'strict' } as const;
  const found = [hit, { ...hit, start: 4, end: 6 }].map((one) => ({ ...one, exception: null, isExact: true, why: '' }));
  const { checks, ...rest } = screened('PENDING_REVIEW');
  recordWordHits(tx, id, { ...rest, checks: checks.map((check) => ({ ...check, hits: found })) });
  hits.set(wordId, (hits.get(wordId) ?? new Set()).add(id));
}

beforeAll(() => {
  ({ ledger, dispose } = temporaryLedger());
  ledger.write((tx) => {
    for (let n = 0; n < ROWS; n += 1) {
      const day = String(1 + ((n * 7) % 12)).padStart(2, '0');
      const id = receive(
        tx,
        newEntry(
          `x-${n}`,
          {
            etf_ticker: `T${n % 5}`,
            etf_name: NAMES[n % NAMES.length] ?? '',
            market: n % 11 === 0 ? null : n % 4 === 0 ? 'KOSDAQ' : 'KRX',
            trade_date: `2026-11-${day}`,
            explanation_as_of: `2026-11-${day}T0${n % 3}:00:00.000Z`,
            summary: RARE.get(n) ?? TEXTS[n % TEXTS.length] ?? '',
          },
          { cursor: n + 1, evidences: evidencesOf(n) },
        ),
        n % 2 === 0 ? 'PENDING_REVIEW' : 'AUTO_PUBLISHED',
        receivedAt(n % 60),
      );
      const word = wordOf(n);
      if (word !== null) find(tx, id, `word-${word}`);
      forceStatus(tx, id, EXPLANATION_STATUSES[n % EXPLANATION_STATUSES.length] ?? 'STOPPED');
    }
  });
  rows = readRows();
});
afterAll(() => dispose());

type Row = (typeof rows)[number];
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS: Record<ExplanationSort, (a: Row, b: Row) => number> = {
  newest: (a, b) =>
    compare(b.trade_date, a.trade_date) || compare(b.explanation_as_of, a.explanation_as_of) || compare(a.id, b.id),
  oldest: (a, b) => ORDERS.newest(b, a),
  'waiting-longest': (a, b) => compare(a.status_since, b.status_since) || compare(a.id, b.id),
  'waiting-shortest': (a, b) => ORDERS['waiting-longest'](b, a),
  ticker: (a, b) => compare(a.etf_ticker, b.etf_ticker) || ORDERS.newest(a, b),
};

function byHand(filter: ExplanationFilter, among: readonly Row[] = rows): { ids: string[]; total: number } {
  const folded = (text: string): string => text.normalize('NFKC').replaceAll(/\s/g, '').toLowerCase();
  const holds = (text: string | null) => text !== null && folded(text).includes(folded(filter.q ?? ''));
  const found = among
    .filter(
      (row) =>
        (filter.statuses === undefined || filter.statuses.includes(row.status)) &&
        (filter.market === undefined || row.market === filter.market) &&
        (filter.tradeDateFrom === undefined || row.trade_date >= filter.tradeDateFrom) &&
        (filter.tradeDateTo === undefined || row.trade_date <= filter.tradeDateTo) &&
        (filter.failedCheck === undefined || row.failed_checks.includes(filter.failedCheck)) &&
        (filter.receivedFrom === undefined || row.received_at >= filter.receivedFrom) &&
        (filter.receivedBefore === undefined || row.received_at < filter.receivedBefore) &&
        (filter.word === undefined || hits.get(filter.word)?.has(row.id) === true) &&
        (filter.q === undefined ||
          [row.etf_ticker, row.etf_name, row.summary, row.published_summary, ...titlesOf(row)].some((text) =>
            holds(text),
          )),
    )
    .toSorted(ORDERS[filter.sort]);
  const from = (filter.page - 1) * filter.size;
  return { ids: found.slice(from, from + filter.size).map(({ id }) => id), total: found.length };
}

const titlesOf = ({ evidences }: Row): string[] =>
  (JSON.parse(evidences) as { title: string }[]).map(({ title }) => title);

/** Search terms: with other spaces, in other forms of Unicode, of titles, long, short, at the beginning and the end of texts, and wildcards of SQL. */
const TERMS = [
  '수출이',
  '순매수',
  '은행',
  '공시',
  '200',
  'kodex',
  'T3',
  '50%',
  '_a',
  '"따',
  '없는 말',
  '%',
  '반',
  '시',
  '세',
  '급락',
  '락',
  'KODEX200',
  'k odex은 행',
  '은행'.normalize('NFD'),
  'ＫＯＤＥＸ　２００',
  '금리동결',
  '일보:수주 공시',
  'FLOWS',
  '주',
] as const;

const day = fc.integer({ min: 1, max: 14 }).map((n) => `2026-11-${String(n).padStart(2, '0')}`);
const filters: fc.Arbitrary<ExplanationFilter> = fc
  .record(
    {
      statuses: fc.uniqueArray(fc.constantFrom(...EXPLANATION_STATUSES), { minLength: 1, maxLength: 4 }),
      market: fc.constantFrom('KRX', 'KOSDAQ', 'NYSE'),
      tradeDateFrom: day,
      tradeDateTo: day,
      failedCheck: fc.constantFrom('CONFIDENCE' as const, 'SOURCE_COUNT' as const),
      receivedFrom: fc.integer({ min: 0, max: 70 }).map(receivedAt),
      receivedBefore: fc.integer({ min: 0, max: 70 }).map(receivedAt),
      word: fc.constantFrom('word-0', 'word-1', 'word-2', 'word-3'),
      q: fc.constantFrom(...TERMS),
      sort: fc.constantFrom(...EXPLANATION_SORTS),
      page: fc.integer({ min: 1, max: 6 }),
      size: fc.integer({ min: 1, max: 60 }),
    },
    { requiredKeys: ['sort', 'page', 'size'] },
  )
  .map((filter) => filter as ExplanationFilter);

const FAR = 1_000_000;
/** Each path by itself: all rows read, hits by their numbers, and day by day. */
const WAYS: [string, ListLimits][] = [
  ['all read', { readAll: FAR, far: FAR, named: 0, cap: FAR, looked: FAR, counted: FAR }],
  ['all read, few by the index', { readAll: FAR, far: FAR, named: 0, cap: 10, looked: FAR, counted: FAR }],
  ['by numbers', { readAll: 0, far: 0, named: FAR, cap: FAR, looked: FAR, counted: FAR }],
  ['near', { readAll: 0, far: FAR, named: FAR, cap: FAR, looked: FAR, counted: FAR }],
  ['walked on', { readAll: 0, far: 0, named: 10, cap: 10, looked: FAR, counted: 10 }],
];

/** The rows that a search of a frequent term lists in an order other than by day: the latest received. */
function listed(
  { page: _page, size: _size, sort, q, ...narrowed }: ExplanationFilter,
  { cap }: ListLimits,
): readonly Row[] {
  if (q === undefined || sort === 'newest' || sort === 'oldest' || Object.keys(narrowed).length > 0) return rows;
  const { ids } = byHand({ q, sort, page: 1, size: ROWS });
  return rows
    .filter(({ id }) => ids.includes(id))
    .toSorted((a, b) => b.number - a.number)
    .slice(0, cap);
}

describe('a page of explanations', () => {
  test.each(WAYS)('%s: equals one sorted by hand', (_way, limits) => {
    fc.assert(
      fc.property(filters, (filter) => {
        const { rows: page, total, more } = listExplanations(ledger, filter, NOW, limits);
        const ids = page.map(({ id }) => id);
        const all = byHand(filter);
        if (more) expect(total).toBeLessThanOrEqual(all.total);
        else expect(total).toBe(all.total);
        // Rows beyond the bound are counted and need not be listed.
        const offset = (filter.page - 1) * filter.size;
        const isBeyond = more && offset >= limits.cap;
        const before = more && filter.q !== undefined ? Math.max(0, total - offset) : filter.size;
        if (!isBeyond || ids.length > 0)
          expect(ids).toEqual(more ? byHand(filter, listed(filter, limits)).ids.slice(0, before) : all.ids);
      }),
      { numRuns: 400 },
    );
  });

  test.each(WAYS)('%s: holds every text with the term, at any place', (_way, limits) => {
    for (const q of TERMS) {
      for (const narrowed of [{}, { statuses: ['PUBLISHED', 'STOPPED'] as const }]) {
        const filter = { q, sort: 'newest', page: 1, size: ROWS, ...narrowed } as const;
        const found = listExplanations(ledger, filter, NOW, limits);
        const { ids } = byHand(filter);
        expect([q, found.rows.map(({ id }) => id)]).toEqual([q, found.more ? ids.slice(0, found.total) : ids]);
        expect(found.total).toBeGreaterThanOrEqual(Math.min(limits.cap, ids.length));
      }
    }
  });
});

test.each([...WAYS, ['few looked at', { readAll: 0, far: 0, named: 0, cap: 10, looked: 25, counted: FAR }] as const])(
  '%s: a search gives the same total on every page, and each counted hit can be reached',
  (_way, limits) => {
    fc.assert(
      fc.property(filters, fc.constantFrom(...TERMS), fc.constantFrom(7, 20), (narrowed, q, size) => {
        const filter = { ...narrowed, q, size };
        const pageAt = (page: number) => listExplanations(ledger, { ...filter, page }, NOW, limits);
        const { total, more } = pageAt(1);
        const last = Math.ceil(total / size);
        const pages = Array.from({ length: last + 2 }, (_, at) => pageAt(at + 1));
        for (const page of pages) expect([page.total, page.more]).toEqual([total, more]);
        const reached = pages.flatMap(({ rows: page }) => page.map(({ id }) => id));
        expect(reached).toHaveLength(total);
        expect(new Set(reached).size).toBe(total);
      }),
      { numRuns: 150 },
    );
  },
);

test.each(EXPLANATION_SORTS)('by %s: of a frequent term only the reachable hits are counted', (sort) => {
  const cap = 10;
  const limits = { readAll: 0, far: 0, named: cap, cap, looked: FAR, counted: cap };
  const filter = { q: '순매수', sort, size: 4 };
  expect(byHand({ ...filter, page: 1 }).total).toBeGreaterThan(cap + filter.size);
  const pages = [1, 2, 3, 4].map((page) => listExplanations(ledger, { ...filter, page }, NOW, limits));
  expect(pages.map(({ rows: page, total, more }) => [page.length, total, more])).toEqual(
    [4, 4, 2, 0].map((length) => [length, cap, true]),
  );
});

test('rows that a check has held back are counted up to a bound: each page says so, and each counted row can be reached', () => {
  const counted = 10;
  const limits = { readAll: 0, far: 0, named: 0, cap: FAR, looked: FAR, counted };
  const filter = { failedCheck: 'CONFIDENCE', sort: 'newest', size: 4 } as const;
  expect(byHand({ ...filter, page: 1, size: ROWS }).total).toBeGreaterThan(counted + filter.size);
  const pages = [1, 2, 3, 4].map((page) => listExplanations(ledger, { ...filter, page }, NOW, limits));
  expect(pages.map(({ total, more }) => [total, more])).toEqual(pages.map(() => [counted, true]));
  expect(new Set(pages.flatMap(({ rows: page }) => page.map(({ id }) => id))).size).toBeGreaterThanOrEqual(counted);
});

test('the counts are kept through every move', () => {
  const counted = () => EXPLANATION_STATUSES.map((status) => readRows().filter((row) => row.status === status).length);
  expect(Object.values(statusCounts(ledger))).toEqual(counted());
  const actor = { kind: 'SYSTEM' } as const;
  const waiting = rows.find(({ status }) => status === 'PENDING_REVIEW');
  ledger.write((tx) =>
    applyMove(tx, { id: waiting?.id ?? '', move: 'invalidate', actor, at: '2026-11-20T09:00:00.000Z' }),
  );
  expect(Object.values(statusCounts(ledger))).toEqual(counted());
  expect(statusCounts(ledger).INVALIDATED).toBe(rows.filter(({ status }) => status === 'INVALIDATED').length + 1);
});

describe('the hits of a word', () => {
  test('are counted by the time of reception, and lead to a list of as many', () => {
    for (const received of [
      {},
      { receivedFrom: receivedAt(10) },
      { receivedFrom: receivedAt(10), receivedBefore: receivedAt(40) },
    ]) {
      const counts = wordCounts(ledger, received);
      expect(counts.map(({ wordId }) => wordId).toSorted(compare)).toEqual(['word-0', 'word-1', 'word-2', 'word-3']);
      for (const { wordId, explanations, lastReceivedAt } of counts) {
        const filter = { word: wordId, sort: 'newest', page: 1, size: 100, ...received } as const;
        for (const [way, limits] of WAYS) {
          if (way !== 'walked on') expect(listExplanations(ledger, filter, NOW, limits).total).toBe(explanations);
        }
        const last = rows.filter(({ id }) => hits.get(wordId)?.has(id) === true).map((row) => row.received_at);
        if (!('receivedBefore' in received)) expect(lastReceivedAt).toBe(last.toSorted(compare).at(-1));
      }
    }
    expect(wordCounts(ledger, { receivedFrom: receivedAt(60) })).toEqual([]);
  });
});
