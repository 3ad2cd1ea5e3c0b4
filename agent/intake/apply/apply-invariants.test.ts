/**
 * Invariants of every stream of entries: the domain does not depend on the bundles that the stream was cut into, on
 * entries that were applied twice, or on the point at which the Intake ended.
 */
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { verifyChain } from '../../ledger/audit/audit.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import { readCursors, setAppliedCursor } from '../../ledger/inbox/raw-bundles.ts';
import { temporaryLedger } from '../../../test/support/agent/ledger.ts';
import { SHORT_POLICY } from '../../../test/support/agent/screening.ts';
import { applyNext, type ApplyParts } from './apply.ts';
import type { RawEntry } from './entry.ts';
import type { Store } from '../receive/reception.ts';
import { createEntryScreening } from './screening.ts';
import { commitEntries, invalidationAt, newAt, readableLog, withParts } from '../../../test/support/agent/intake.ts';
import { runs } from '../../../test/support/runs.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const { log } = readableLog();

/** The state that a text of v1 gets under the seed policy. */
const TEXTS: Record<string, ExplanationStatus> = {
  '반도체 수출 증가 소식에 지수가 올랐습니다.': 'AUTO_PUBLISHED',
  '외국인 매물에 지수가 내렸습니다.': 'AUTO_PUBLISHED',
  '지금은 매수 시점입니다.': 'PENDING_REVIEW',
  '이 상품은 확정 수익을 드립니다.': 'BLOCKED',
};
const IDS = ['a', 'b', 'c', 'd'] as const;

type Step =
  | { kind: 'NEW'; id: string; summary: string; name: string; v2: boolean }
  | { kind: 'INVALIDATION'; id: string; reason: string }
  | { kind: 'UNKNOWN' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('NEW' as const),
      id: fc.constantFrom(...IDS),
      summary: fc.constantFrom(...Object.keys(TEXTS)),
      name: fc.constantFrom('KODEX 200', 'KODEX 200TR'),
      v2: fc.constant(false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>({ kind: 'NEW', id: 'v2', summary: '확정 수익', name: 'TIGER 200', v2: true }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('INVALIDATION' as const),
      id: fc.constantFrom(...IDS, 'v2', 'never came'),
      reason: fc.constantFrom('x', 'y'),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'UNKNOWN' }) },
);
/** Entries with ascending cursors, gaps included. */
const stream: fc.Arbitrary<RawEntry[]> = fc
  .array(fc.tuple(step, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 25 })
  .map((steps) => {
    let cursor = 0;
    return steps.map(([what, gap]) => {
      cursor += gap;
      return entryOf(what, cursor);
    });
  });

function entryOf(what: Step, cursor: number): RawEntry {
  switch (what.kind) {
    case 'NEW':
      return newAt(cursor, what.id, {
        summary: what.summary,
        etf_name: what.name,
        ...(what.v2 ? { analysis_engine: 'v2' } : {}),
      });
    case 'INVALIDATION':
      return invalidationAt(cursor, what.id, what.reason);
    case 'UNKNOWN':
      return { cursor, delivery_type: 'CORRECTION' };
  }
}

function withLedger<T>(work: (ledger: Ledger) => T): T {
  return withParts(({ ledger }) => work(ledger), NOW);
}

function commitAll(ledger: Ledger, bundles: readonly RawEntry[][]): void {
  for (const entries of bundles.filter((bundle) => bundle.length > 0)) commitEntries(ledger, entries, NOW);
}
const partsOf = (ledger: Store): ApplyParts => ({
  ledger,
  log,
  clock: { now: () => new Date(NOW) },
  screenEntry: createEntryScreening(log),
});
function applyAll(ledger: Store): void {
  const parts = partsOf(ledger);
  while (applyNext(parts));
}

/**
 * Everything that follows from the entries, audit included. Row numbers do not follow from them, and the audit names the
 * bundles into which they were cut (D199).
 */
function domainOf(ledger: Ledger): unknown {
  expect(verifyChain(ledger)).toMatchObject({ ok: true });
  return {
    applied: readCursors(ledger).applied,
    explanations: ledger.all(sqlite.selectFrom('explanation').selectAll().orderBy('id')),
    history: ledger.all(sqlite.selectFrom('state_history').selectAll().orderBy('id')),
    screenings: ledger.all(sqlite.selectFrom('screening').selectAll().orderBy('id')),
    held: ledger.all(sqlite.selectFrom('held_invalidation').selectAll().orderBy('target_id')),
    rejected: ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason', 'entry']).orderBy('cursor')),
    instruments: ledger.all(sqlite.selectFrom('instrument').selectAll().orderBy('etf_ticker')),
    audit: ledger
      .all(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq'))
      .map(({ prev_hash: _before, hash: _hash, made: _made, detail, ...row }) => ({
        ...row,
        detail: { ...(JSON.parse(detail) as Record<string, unknown>), bundleId: null },
      })),
  };
}
const reference = (entries: readonly RawEntry[]): unknown =>
  withLedger((ledger) => {
    commitAll(
      ledger,
      entries.map((entry) => [entry]),
    );
    applyAll(ledger);
    return domainOf(ledger);
  });

test('the domain is a fold of the entries: last text, withdrawn for good, nothing exposed that must not be', () => {
  fc.assert(
    fc.property(stream, (entries) =>
      withLedger((ledger) => {
        commitAll(ledger, [entries]);
        applyAll(ledger);
        expect(statuses(ledger)).toEqual(foldOf(entries));
      }),
    ),
    { numRuns: runs(30, 150) },
  );
});

function statuses(ledger: Ledger): Record<string, [string, ExplanationStatus]> {
  const rows = ledger.all(
    sqlite.selectFrom('explanation').select(['explanation_result_id as id', 'summary', 'status']),
  );
  return Object.fromEntries(rows.map((row) => [row.id, [row.summary, row.status]]));
}

/** The same fold in the simplest code. */
function foldOf(entries: readonly RawEntry[]): Record<string, [string, ExplanationStatus]> {
  const told: Record<string, [string, ExplanationStatus]> = {};
  const withdrawn = new Set(entries.map((entry) => entry['target_explanation_result_id']));
  for (const entry of entries) {
    const result = entry['explanation_result'] as { explanation_result_id: string; summary: string } | undefined;
    if (result === undefined) continue;
    const { explanation_result_id: id, summary } = result;
    const [text, before] = told[id] ?? [];
    const screened = id === 'v2' ? 'AUTO_PUBLISHED' : (TEXTS[summary] ?? 'PENDING_REVIEW');
    // Only a person exposes a text that was held back once.
    const held = before === 'PENDING_REVIEW' || (before === 'BLOCKED' && screened === 'AUTO_PUBLISHED');
    told[id] = [summary, text === summary && before !== undefined ? before : held ? 'PENDING_REVIEW' : screened];
  }
  for (const [id, each] of Object.entries(told)) if (withdrawn.has(id)) each[1] = 'INVALIDATED';
  return told;
}

test('however the stream is cut into bundles, and whenever they are applied, the domain is the same', () => {
  fc.assert(
    fc.property(
      stream,
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      (entries, cuts, applies) =>
        withLedger((ledger) => {
          let bundle: RawEntry[] = [];
          for (const [index, entry] of entries.entries()) {
            bundle.push(entry);
            if (cuts[index] !== true) continue;
            commitAll(ledger, [bundle]);
            bundle = [];
            if (applies[index] === true) applyAll(ledger);
          }
          commitAll(ledger, [bundle]);
          applyAll(ledger);
          expect(domainOf(ledger)).toEqual(reference(entries));
        }),
    ),
    { numRuns: runs(20, 100) },
  );
});

test('raw bundles that are applied again change nothing', () => {
  fc.assert(
    fc.property(stream, fc.nat(), (entries, place) =>
      withLedger((ledger) => {
        commitAll(
          ledger,
          entries.map((entry) => [entry]),
        );
        applyAll(ledger);
        const once = domainOf(ledger);
        const cursors = [0, ...entries.map((entry) => entry.cursor)];
        ledger.write((tx) => setAppliedCursor(tx, cursors[place % cursors.length] ?? 0));
        applyAll(ledger);
        expect(domainOf(ledger)).toEqual(once);
      }),
    ),
    { numRuns: runs(20, 100) },
  );
});

test('ended by the disk at any write and started again, the domain is that of an undisturbed run', () => {
  fc.assert(
    fc.property(
      stream,
      fc.integer({ min: 1, max: 6 }),
      fc.nat(40),
      fc.integer({ min: 3, max: 7 }),
      (entries, size, first, stride) => {
        const { ledger, file, dispose } = temporaryLedger();
        try {
          ledger.write((tx) =>
            publishPolicy(tx, { snapshot: SHORT_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: NOW }),
          );
          commitAll(ledger, chunked(entries, size));
          // The allowance grows each time, so that over all runs the disk fails before, at and after every write.
          expect(survives(file, 0)).toBe(false);
          for (let allowed = first; !survives(file, allowed); allowed += stride);
          expect(domainOf(ledger)).toEqual(reference(entries));
        } finally {
          dispose();
        }
      },
    ),
    { numRuns: runs(5, 25) },
  );
});

/** One run of the Intake on a disk that fails after `allowed` writes. False when the failure ended the Intake. */
function survives(file: string, allowed: number): boolean {
  const ledger = openLedger(file);
  try {
    applyAll(failingAfter(ledger, allowed));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SQLITE_IOERR' });
    return false;
  } finally {
    ledger.close();
  }
}

/** A ledger whose disk fails after `allowed` writes. */
function failingAfter(ledger: Ledger, allowed: number): Store {
  let left = allowed;
  const failing = (tx: LedgerTransaction): LedgerTransaction => {
    const spend = (): void => {
      if (left-- === 0) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
    };
    return {
      all: (query) => tx.all(query),
      first: (query) => tx.first(query),
      run: (query) => {
        spend();
        return tx.run(query);
      },
      insert: (query) => {
        spend();
        return tx.insert(query);
      },
      changes: tx.changes,
    };
  };
  return {
    all: (query) => ledger.all(query),
    first: (query) => ledger.first(query),
    write: (work) => ledger.write((tx) => work(failing(tx))),
  };
}

function chunked<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size));
  return chunks;
}
