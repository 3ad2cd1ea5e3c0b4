/** The setup of the rebuild's property tests: the events of a ledger, and ways to damage it. */
import fc from 'fast-check';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { saveDraft } from '../../../agent/ledger/review/drafts.ts';
import { setApprovalNumbering } from '../../../agent/ledger/serving/approval.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { MOVE_TABLE } from '../../../agent/ledger/explanations/transition-table.ts';
import { MoveNotAllowedError, UnknownExplanationError } from '../../../agent/ledger/explanations/transitions.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { setSector, UnknownScopeKeyError } from '../../../agent/ledger/serving/scope.ts';
import { temporaryLedger } from './ledger.ts';
import { SHORT_POLICY } from './screening.ts';
import { applyNext, type ApplyParts } from '../../../agent/intake/apply/apply.ts';
import type { RawEntry } from '../../../agent/intake/apply/entry.ts';
import { replayRejected } from '../../../agent/intake/maintenance/replay.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { changeOnDisk, commitEntries, invalidationAt, newAt, readableLog, reviewer } from './intake.ts';

const { log } = readableLog();
export const TEXTS = ['반도체 수출이 늘었습니다.', '지금은 매수 시점입니다.', '이 상품은 확정 수익을 드립니다.'];
const IDS = ['a', 'b', 'c'];
const HUMAN = ['approve', 'approve-edited', 'reject', 'block', 'move-to-review', 'unblock', 'stop', 'correct'] as const;

export type Step =
  | {
      kind: 'NEW';
      id: string;
      summary: string;
      ticker: string;
      engine: string;
      market: string | null;
      breaks?: boolean;
    }
  | { kind: 'REPLAY' }
  | { kind: 'WITHDRAWAL'; id: string }
  | { kind: 'MISFIT' }
  | { kind: 'DRAFT'; id: string; text: string | null; comment: string | null }
  | { kind: 'SECTOR'; ticker: string; sector: string | null }
  | { kind: 'DECISION'; id: string; move: (typeof HUMAN)[number]; text: string };

const id = fc.constantFrom(...IDS);
const text = fc.constantFrom(...TEXTS);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('NEW' as const),
      id,
      summary: text,
      ticker: fc.constantFrom('069500', '102110'),
      engine: fc.constantFrom('v1', 'v1', 'v2'),
      breaks: fc.constantFrom(false, false, false, true),
      market: fc.constantFrom('KRX', 'KOSDAQ', null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('WITHDRAWAL' as const), id: fc.constantFrom(...IDS, 'never') }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'MISFIT' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'REPLAY' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('DRAFT' as const),
      id,
      text: fc.option(text),
      comment: fc.constantFrom(null, '다시 볼 것', '수치 확인'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('SECTOR' as const),
      ticker: fc.constantFrom('069500', '102110'),
      sector: fc.constantFrom('반도체', '은행', null),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('DECISION' as const), id, move: fc.constantFrom(...HUMAN), text }),
  },
);

/** Ways to damage the domain past all guards, as a fault of the disk or of a program would. */
export const DAMAGES = [
  "DELETE FROM explanation WHERE explanation_result_id = 'a'",
  'DELETE FROM explanation',
  "UPDATE explanation SET summary = 'forged', etf_name = 'forged'",
  "UPDATE explanation SET evidences = '[]', cursor = cursor + 1000 WHERE explanation_result_id <> 'b'",
  "UPDATE explanation SET status = 'PUBLISHED', published_summary = 'forged' WHERE status <> 'INVALIDATED'",
  "UPDATE explanation SET etf_ticker = '102110', trade_date = '2030-01-01' WHERE explanation_result_id = 'b'",
  "UPDATE explanation SET published_summary = NULL WHERE status NOT IN ('AUTO_PUBLISHED', 'PUBLISHED')",
  "UPDATE explanation SET received_at = '2020-01-01T00:00:00.000Z'",
  `UPDATE explanation SET failed_checks = '["CONFIDENCE"]'`,
  'DELETE FROM held_invalidation',
  "INSERT OR REPLACE INTO held_invalidation VALUES ('nobody', 1, 'x', 'now')",
  'DELETE FROM rejected_entry',
  "UPDATE rejected_entry SET entry = 'forged'",
  "UPDATE instrument SET etf_name = 'forged', market = 'forged'",
  "UPDATE instrument SET sector = 'forged'",
  'DELETE FROM instrument',
  "UPDATE explanation SET edited_summary = 'forged'",
  "UPDATE explanation SET approval_number = 'forged', valid_until = NULL WHERE approval_number IS NOT NULL",
  "UPDATE explanation SET edited_summary = NULL, comment = NULL WHERE explanation_result_id <> 'c'",
  'DELETE FROM word_hit',
  "INSERT OR IGNORE INTO word_hit SELECT 'forged', received_at, id FROM explanation",
  'DELETE FROM explanation_count',
  'DELETE FROM search_progress; INSERT INTO search_progress VALUES (1, 0)',
  'UPDATE sync_state SET applied_cursor = applied_cursor / 2',
  'UPDATE sync_state SET applied_cursor = 0',
  '',
];

/**
 * An applied cursor that was set back: the last entries may leave no trace that they were applied, if they were held or
 * rejected and that record is lost too. They wait, and the Intake applies them.
 */
export const isBehind = (damages: readonly string[]): boolean => damages.some((sql) => sql.includes('applied_cursor'));

/** Behind, and with no other damage that a check could name. */
export const isOnlyBehind = (damages: readonly string[]): boolean =>
  isBehind(damages) &&
  damages.every((sql) => sql === '' || /applied_cursor|DELETE FROM (?:held_invalidation|rejected_entry)/.test(sql));

/** Damages the file. @returns those that have changed anything */
export function damage(ledger: Ledger, damages: readonly string[]): string[] {
  return damages.filter((sql) => {
    const before = stateOf(ledger);
    changeOnDisk(ledger.file, sql);
    return stateOf(ledger) !== before;
  });
}

const stateOf = (ledger: Ledger): string => JSON.stringify([domainOf(ledger), readCursors(ledger).applied]);

/** The Intake's work after a rebuild of a ledger that was behind. */
export function applyWaiting(parts: ApplyParts): void {
  while (applyNext(parts));
}

/** An entry that failed once fits by now: no raw bundle records that it was rejected. */
export const forgets = (sql: string): boolean => sql.includes('rejected_entry');
export const neverBroken = (each: Step): Step => (each.kind === 'NEW' ? { ...each, breaks: false } : each);

export function withLedger(
  where: 'memory' | 'file',
  steps: readonly Step[],
  work: (ledger: Ledger, parts: ApplyParts & { ledger: Ledger }) => void,
): void {
  const { ledger, dispose } = where === 'memory' ? ledgerInMemory() : temporaryLedger();
  let tick = 0;
  // An approved text is sometimes still held at the next step, and sometimes not.
  const now = (): Date => new Date(Date.UTC(2026, 10, 20, 0, 0, (tick += 1) * 20));
  const snapshot = { ...SHORT_POLICY, criteria: { ...SHORT_POLICY.criteria, holdSeconds: 30 } };
  const parts = { ledger, log, clock: { now }, screenEntry: createEntryScreening(log) };
  try {
    ledger.write((tx) => {
      const at = now().toISOString();
      publishPolicy(tx, { snapshot, changes: [], actor: { kind: 'SYSTEM' }, at });
      setApprovalNumbering(tx, { pattern: '{SEQ}', validDays: 1, next: 1 }, { actor: reviewer, at });
    });
    steps.forEach((each, index) => take(parts, each, index + 1));
    work(ledger, parts);
  } finally {
    dispose();
  }
}

function ledgerInMemory(): { ledger: Ledger; dispose(): void } {
  const ledger = openLedger(':memory:');
  return { ledger, dispose: () => ledger.close() };
}

export function take(parts: ApplyParts & { ledger: Ledger }, each: Step, cursor: number): void {
  if (each.kind === 'DECISION' || each.kind === 'DRAFT' || each.kind === 'SECTOR') return act(parts, each);
  const { ledger } = parts;
  if (each.kind === 'REPLAY') {
    replayRejected(parts);
    return;
  }
  commitEntries(ledger, [entryOf(each, cursor)], parts.clock.now().toISOString());
  const breaks = each.kind === 'NEW' && each.breaks === true;
  while (applyNext(breaks ? { ...parts, screenEntry: breaksDown } : parts));
}

/** A fault that an entry meets in a program of the time; a later replay can apply it. */
function breaksDown(): never {
  throw new Error('the screening breaks');
}

type Act = Extract<Step, { kind: 'DECISION' | 'DRAFT' | 'SECTOR' }>;

function entryOf(each: Exclude<Step, Act | { kind: 'REPLAY' }>, cursor: number): RawEntry {
  switch (each.kind) {
    case 'NEW':
      return newAt(cursor, each.id, {
        summary: each.summary,
        etf_ticker: each.ticker,
        etf_name: `${each.ticker} ${cursor}`,
        analysis_engine: each.engine,
        market: each.market,
      });
    case 'WITHDRAWAL':
      return invalidationAt(cursor, each.id);
    case 'MISFIT':
      return { cursor, delivery_type: 'CORRECTION' };
  }
}

/** A person's act; without effect where the state does not allow it. */
function act({ ledger, clock }: ApplyParts, each: Act): void {
  const at = clock.now().toISOString();
  const actor = reviewer;
  try {
    ledger.write((tx) => {
      if (each.kind === 'SECTOR') setSector(tx, { code: each.ticker, sector: each.sector, actor, at });
      else if (each.kind === 'DRAFT') {
        saveDraft(tx, { id: explanationId(each.id), text: each.text, comment: each.comment, actor, at });
      } else decide(tx, each, at);
    });
  } catch (error) {
    const isExpected =
      error instanceof MoveNotAllowedError ||
      error instanceof UnknownExplanationError ||
      error instanceof UnknownScopeKeyError;
    if (!isExpected) throw error;
  }
}

function decide(
  tx: LedgerTransaction,
  { id: target, move, text: editedSummary }: Extract<Step, { kind: 'DECISION' }>,
  at: string,
): void {
  const comment = move === 'approve' || move === 'approve-edited' ? editedSummary : undefined;
  applyMove(tx, {
    id: explanationId(target),
    move,
    actor: reviewer,
    at,
    reason: editedSummary,
    ...(comment === undefined ? {} : { comment }),
    ...(MOVE_TABLE[move].target.to === 'PUBLISHED' || move === 'correct' ? { editedSummary } : {}),
  });
}

/** Versions that a screen may have read must not come again for another text. */
export function versionsOf(ledger: Ledger): Map<string, number> {
  const rows = ledger.all(sqlite.selectFrom('explanation').select(['id', 'version']));
  return new Map(rows.map((row) => [row.id, row.version]));
}

/** All that a rebuild must bring back. Times of recording, row numbers and versions are not part of it. */
export function domainOf(ledger: Ledger): unknown {
  const rows = ledger.all(sqlite.selectFrom('explanation').selectAll().orderBy('id'));
  return {
    explanations: rows.map(({ number: _number, version: _version, ...row }) => row),
    history: ledger.all(sqlite.selectFrom('state_history').selectAll().orderBy('id')),
    screenings: ledger.all(sqlite.selectFrom('screening').selectAll().orderBy('id')),
    held: ledger.all(
      sqlite.selectFrom('held_invalidation').select(['target_id', 'cursor', 'reason']).orderBy('target_id'),
    ),
    rejected: ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason', 'entry']).orderBy('cursor')),
    instruments: ledger
      .all(sqlite.selectFrom('instrument').selectAll().orderBy('etf_ticker'))
      .map(({ version: _version, ...row }) => row),
    hits: ledger.all(sqlite.selectFrom('word_hit').selectAll().orderBy('word_id').orderBy('explanation_id')),
    applied: readCursors(ledger).applied > 0,
    counts: ledger.all(
      sqlite
        .selectFrom('explanation_count')
        .selectAll()
        .where('n', '>', 0)
        .orderBy('status')
        .orderBy('trade_date')
        .orderBy('market'),
    ),
  };
}

const LATER = new Date('2026-11-21T00:00:00.000Z');

/** The provision's text for each ticker. */
export function exposedBy(ledger: Ledger): Map<string, string | undefined> {
  return new Map(
    ['069500', '102110', 'forged'].map((ticker) => [ticker, exposedExplanation(ledger, ticker, 'MTS', LATER)?.text]),
  );
}
