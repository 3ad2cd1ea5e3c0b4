/**
 * `rebuild`, `set-aside` and `replay` work in small transactions: after an end between any two of them the ledger is
 * whole, the same command completes the work, and another writer waits for one transaction at most.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyNext } from '../apply/apply.ts';
import { rebuildLedger } from './rebuild.ts';
import { replayRejected } from './replay.ts';
import { truncateAfter } from './truncate.ts';
import {
  changeOnDisk,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  reviewer,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from './verify.ts';

const CLEAN = '반도체 수출이 늘었습니다.';
const OTHER = '외국인 매물에 지수가 내렸습니다.';
const REVIEWED = '지금은 매수 시점입니다.';

let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Ends the work as a kill would: before its transaction of this number, from 0. */
function endedBefore(transaction: number, work: () => unknown): boolean {
  const write = ledger.write.bind(ledger);
  let left = transaction;
  const spy = vi.spyOn(ledger, 'write').mockImplementation((inner) => {
    if (left === 0) throw new Error('killed');
    left -= 1;
    return write(inner);
  });
  try {
    work();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ message: 'killed' });
    return true;
  } finally {
    spy.mockRestore();
  }
}

const onDisk = (statements: string): void => changeOnDisk(ledger.file, statements);

const findings = (): string[] => verifyLedger(ledger).findings;
const rows = () =>
  ledger
    .all(sqlite.selectFrom('explanation').selectAll().orderBy('id'))
    .map(({ number: _number, version: _version, ...row }) => row);

/** Receives entries in bundles of this size. */
function takeMany(count: number, size: number, fields: { after?: number; etf_ticker?: string } = {}): void {
  const { after = 0, ...result } = fields;
  for (let from = after; from < after + count; from += size)
    takeIn(
      parts,
      ...Array.from({ length: size }, (_, n) =>
        newAt(from + n + 1, `e${from + n + 1}`, { ...result, summary: (from + n) % 7 === 0 ? REVIEWED : CLEAN }),
      ),
    );
}

test('a rebuild of many rows, ended again and again, brings back everything, and others write in between', () => {
  takeMany(450, 150);
  ledger.write((tx) =>
    applyMove(tx, {
      id: explanationId('e1'),
      move: 'reject',
      actor: reviewer,
      at: '2026-11-20T09:00:00.000Z',
      reason: 'x',
    }),
  );
  const before = rows();
  onDisk(`DELETE FROM explanation WHERE number % 3 = 0; UPDATE explanation SET summary = 'forged' WHERE number % 3 = 1;
    DELETE FROM search_progress; INSERT INTO search_progress VALUES (1, 7)`);
  expect(findings()).not.toEqual([]);
  const most: number[] = [];
  const write = ledger.write.bind(ledger);
  let lives = 0;
  while (endedBefore(1 + lives * 3, () => rebuildLedger(parts))) lives += 1;
  expect(lives).toBeGreaterThan(1);
  expect(rows()).toEqual(before);
  expect(findings()).toEqual([]);
  // The rows that one transaction changes do not grow with the ledger.
  onDisk("UPDATE explanation SET summary = 'forged'");
  vi.spyOn(ledger, 'write').mockImplementation((inner) => {
    const changed = changes();
    const done = write(inner);
    most.push(changes() - changed);
    return done;
  });
  rebuildLedger(parts);
  expect(Math.max(...most)).toBeLessThanOrEqual(200);
  expect(rows()).toEqual(before);
});

test('a rebuild that is ended anywhere never leaves an earlier text exposed (D20), and the next one exposes the right text', () => {
  const of = (hour: number) => ({ etf_ticker: '069500', explanation_as_of: `2026-11-20T0${hour}:00:00.000Z` });
  takeIn(parts, newAt(1, 'old', { ...of(1), summary: OTHER }), newAt(2, 'shown', { etf_ticker: '102110' }));
  takeMany(258, 258, { after: 2, etf_ticker: '111111' });
  takeIn(parts, newAt(261, 'new', of(6)), invalidationAt(262, 'new'));
  const exposedText = () =>
    ['069500', '102110'].map(
      (ticker) => exposedExplanation(ledger, ticker, 'MTS', parts.clock.now())?.explanation_as_of,
    );
  const before = exposedText();
  expect(before[0]).toBeUndefined();
  onDisk('DELETE FROM explanation');
  let life = 1;
  while (endedBefore(life, () => rebuildLedger(parts))) {
    life += 1;
    takeIn(parts, newAt(262 + life, `later${life}`, { etf_ticker: '305720' }));
    expect([undefined, before[1]]).toContain(exposedText()[1]);
    expect(exposedText()[0]).toBeUndefined();
  }
  expect(life).toBeGreaterThan(3);
  expect(exposedText()).toEqual(before);
  expect(findings()).toEqual([]);
});

/** The number of rows with the vendor's text. */
const changes = (): number =>
  ledger.all(sqlite.selectFrom('explanation').select('id').where('summary', '<>', 'forged')).length;

test('the Intake indexes the rows that an ended rebuild left without an index', () => {
  takeMany(30, 30);
  onDisk('DELETE FROM explanation_count');
  expect(endedBefore(1, () => rebuildLedger(parts))).toBe(true);
  expect(ledger.all(sqlite.selectFrom('explanation_count').selectAll())).toEqual([]);
  while (applyNext(parts));
  expect(findings()).toEqual([]);
});

test('truncation from the end: each step leaves a sound ledger, and the same command continues', () => {
  takeMany(40, 10);
  // Later bundles change a third of them, twice each.
  for (const [from, text] of [
    [40, OTHER],
    [440, REVIEWED],
    [840, OTHER],
  ] as const)
    for (let part = 0; part < 4; part++)
      takeIn(
        parts,
        ...Array.from({ length: 100 }, (_, n) =>
          newAt(from + part * 100 + n + 1, `e${1 + ((part * 100 + n) % 60)}`, { summary: `${text} ${part}` }),
        ),
      );
  takeIn(parts, invalidationAt(1_241, 'e3'), { cursor: 1_242, delivery_type: 'CORRECTION' });
  expect(findings()).toEqual([]);
  let steps = 0;
  while (endedBefore(1, () => truncateAfter(parts, 40))) {
    steps += 1;
    expect(findings()).toEqual([]);
    expect(readCursors(ledger).committed).toBeGreaterThan(40);
  }
  expect(steps).toBeGreaterThan(1);
  expect(readCursors(ledger)).toMatchObject({ committed: 40, applied: 40 });
  expect(findings()).toEqual([]);
  expect(explanationRow(ledger, 'e8')).toMatchObject({ summary: REVIEWED, status: 'PENDING_REVIEW', cursor: 8 });
  // Its text between the two needed a review: from then on only a person exposes it.
  expect(explanationRow(ledger, 'e9')).toMatchObject({ summary: CLEAN, status: 'PENDING_REVIEW', cursor: 9 });
  expect(explanationRow(ledger, 'e50')).toMatchObject({ status: 'BLOCKED', cursor: 0 });
});

test('truncation takes damaged raw bundles, too', () => {
  takeMany(30, 10);
  onDisk("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 10");
  expect(truncateAfter(parts, 10)).toEqual({ before: 30, committed: 10, bundles: 2, hidden: 20, reverted: 0 });
  expect(findings()).toEqual([]);
});

test('an interrupted replay continues', () => {
  const breaks = {
    ...parts,
    screenEntry: () => {
      throw new Error('the screening breaks');
    },
  };
  takeIn(breaks, ...Array.from({ length: 150 }, (_, n) => newAt(n + 1, `e${n + 1}`, { etf_name: `이름 ${n}` })));
  expect(endedBefore(101, () => replayRejected(parts))).toBe(true);
  expect(findings()).toEqual([]);
  expect(replayRejected(parts).applied).toHaveLength(50);
  expect(findings()).toEqual([]);
});
