/**
 * Invariants of a ledger after any faults (the first paragraph of the list of faults): no gap,
 * no loss, no duplicate, raw bytes identical to the cloud's, the domain a fold of the raw records, the
 * cursor never ahead of them, nothing exposed that must not be. The file is read with SQL of our own.
 */
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { POISON_REASON } from '../../agent/intake/apply/in-hand.ts';
import { SUPERSEDED } from '../../agent/ledger/inbox/entries.ts';
import { fold } from './fold.ts';
import { sha256, type Entry } from './truth.ts';

/** The cloud's entries and the bodies that it has sent. */
export interface Truth {
  /** In cursor order. */
  entries: readonly Entry[];
  /** SHA-256 of every whole true body. */
  sent: ReadonlySet<string>;
}

export interface Kept {
  committed: number;
  applied: number;
  quarantined: number;
  rejected: number[];
}

interface RawRow {
  cursor_from: number;
  cursor_to: number;
  entry_count: number;
  body: Buffer;
  sha256: Buffer;
}

/** Reads a ledger's file, checks every promise, and returns its position. The file may be in use. */
export function checkInvariants(file: string, truth: Truth): Kept {
  const db = new Database(file, { fileMustExist: true });
  try {
    return db.transaction(() => checkAll(db, truth))();
  } finally {
    db.close();
  }
}

/** As `checkPromises`, for a ledger that must hold and have applied all of the cloud's records. */
export function checkCaughtUp(file: string, truth: Truth): Kept {
  const kept = checkInvariants(file, truth);
  const head = truth.entries.at(-1)?.cursor ?? 0;
  expect(kept, 'everything that the cloud has').toMatchObject({ committed: head, applied: head });
  return kept;
}

function checkAll(db: Database.Database, truth: Truth): Kept {
  const cursors = db
    .prepare<[], { committed_cursor: number; applied_cursor: number }>('SELECT * FROM sync_state')
    .all()
    .at(0);
  if (cursors === undefined) throw new Error('the ledger has no cursors');
  const { committed_cursor: committed, applied_cursor: applied } = cursors;
  checkRaw(db, truth, committed);
  expect(applied, 'applied is not ahead of committed').toBeLessThanOrEqual(committed);
  const rejected = checkDomain(
    db,
    truth.entries.filter((entry) => entry.cursor <= applied),
    truth.entries.filter((entry) => entry.cursor > applied && entry.cursor <= committed),
  );
  checkHistory(db);
  return { committed, applied, rejected, quarantined: count(db, 'SELECT count(*) FROM quarantined_bundle') };
}

/** No gap, no loss, no duplicate, the very bytes; and the cursor is where the raw records end. */
function checkRaw(db: Database.Database, { entries, sent }: Truth, committed: number): void {
  let reached = 0;
  const kept: Entry[] = [];
  for (const row of db.prepare<[], RawRow>('SELECT * FROM raw_bundle ORDER BY cursor_from').iterate()) {
    if (row.cursor_from !== reached) expect.fail(`raw records go on after ${reached} with ${row.cursor_from}`);
    const hash = sha256(row.body);
    if (hash !== row.sha256.toString('hex')) expect.fail(`the raw record after ${reached} does not fit its hash`);
    if (!sent.has(hash)) expect.fail(`the raw record after ${reached} is none that the cloud has sent`);
    const { result } = JSON.parse(row.body.toString('utf8')) as { result: { entries: Entry[] } };
    if (result.entries.length !== row.entry_count) expect.fail(`the raw record after ${reached} miscounts its entries`);
    kept.push(...result.entries);
    reached = row.cursor_to;
  }
  expect(committed, 'the committed cursor is where the raw records end').toBe(reached);
  const wanted = entries.filter((entry) => entry.cursor <= committed);
  // Cursors first: a hole gives one line instead of a difference of thousands.
  expect(kept.map((entry) => entry.cursor)).toEqual(wanted.map((entry) => entry.cursor));
  if (JSON.stringify(kept) !== JSON.stringify(wanted)) expect(kept).toEqual(wanted);
}

interface Row {
  id: string;
  explanation_result_id: string;
  status: string;
  summary: string;
  etf_name: string;
  cursor: number;
  published_summary: string | null;
}

/** @param waiting entries that are committed and not applied: their withdrawals may have gone ahead (D169) */
function checkDomain(db: Database.Database, entries: readonly Entry[], waiting: readonly Entry[]): number[] {
  // Entries at which kills have ended the process twice. They wait for "intake replay", which leaves out those with a
  // later entry of the same explanation.
  const deadly = new Set(
    db
      .prepare('SELECT cursor FROM rejected_entry WHERE reason IN (?, ?)')
      .pluck()
      .all(POISON_REASON, SUPERSEDED)
      .map(Number),
  );
  const wanted = fold(entries.filter(({ cursor }) => !deadly.has(cursor)));
  const ahead = new Set(
    [...waiting, ...entries.filter(({ cursor }) => deadly.has(cursor))]
      .filter((entry) => entry.delivery_type === 'INVALIDATION')
      .map((entry) => String(entry['target_explanation_result_id'])),
  );
  const rows = db.prepare<[], Row>('SELECT * FROM explanation').all();
  // An explanation of a truncated raw record that has not come again cannot be exposed by a person.
  for (const row of rows.filter(({ cursor }) => cursor === 0))
    expect(['BLOCKED', 'INVALIDATED'], `${row.explanation_result_id} was set aside`).toContain(row.status);
  const told = rows.filter(({ cursor }) => cursor !== 0);
  for (const { explanation_result_id: id, status } of told) {
    const expected = wanted.explanations.get(id);
    if (expected !== undefined && status === 'INVALIDATED' && ahead.has(id)) expected.status = status;
  }
  const found = told.map((row) => [
    row.explanation_result_id,
    { status: row.status, summary: row.summary, name: row.etf_name, cursor: row.cursor },
  ]);
  expect(Object.fromEntries(found), 'the domain is a fold of the raw records').toEqual(
    Object.fromEntries(wanted.explanations),
  );
  expect(told.length, 'no explanation is there twice').toBe(wanted.explanations.size);
  for (const row of rows) {
    // The exposed text is the screened one. Withdrawn and waiting explanations expose none.
    if (row.status === 'AUTO_PUBLISHED' && row.published_summary !== row.summary)
      expect.fail(`${row.explanation_result_id} shows another text than was screened`);
    expect(row.status, 'nothing is published that nobody approved').not.toBe('PUBLISHED');
  }
  expect(new Set(column(db, 'SELECT target_id FROM held_invalidation'))).toEqual(wanted.held);
  const onRecord = db.prepare('SELECT cursor FROM rejected_entry WHERE reason <> ? ORDER BY cursor').pluck();
  const rejected = onRecord
    .all(SUPERSEDED)
    .map(Number)
    .filter((cursor) => !deadly.has(cursor));
  expect(rejected, 'what does not fit is set aside, and nothing else').toEqual(wanted.rejected);
  return rejected;
}

/**
 * Each explanation was received once, its moves are consecutive, and the audit log has the same moves in an unbroken
 * chain.
 */
function checkHistory(db: Database.Database): void {
  const last = new Map<string, string>();
  const moves = db
    .prepare<[], { explanation_id: string; move: string; from_status: string | null; to_status: string }>(
      'SELECT * FROM state_history ORDER BY id',
    )
    .all();
  for (const { explanation_id: id, move, from_status, to_status } of moves) {
    if ((last.get(id) ?? null) !== from_status || (move === 'receive') !== (from_status === null))
      expect.fail(`${id}: ${move} from ${from_status}, and its state was ${last.get(id)}`);
    last.set(id, to_status);
  }
  const states = db.prepare<[], [string, string]>('SELECT id, status FROM explanation').raw().all();
  expect(Object.fromEntries(last), 'the history ends where the explanation stands').toEqual(Object.fromEntries(states));
  const audit = db
    .prepare<[], { seq: number; action: string; prev_hash: string; hash: string }>(
      'SELECT seq, action, prev_hash, hash FROM console_action_log ORDER BY seq',
    )
    .all();
  for (const [index, row] of audit.entries()) {
    const before = audit[index - 1];
    if (row.seq !== index + 1 || (before !== undefined && before.hash !== row.prev_hash))
      expect.fail(`the audit log is broken at row ${index + 1}`);
  }
  expect(audit.filter((row) => row.action.startsWith('explanation.')).map((row) => row.action)).toEqual(
    moves.map((row) => `explanation.${row.move}`),
  );
}

function column(db: Database.Database, sql: string): unknown[] {
  return db.prepare(sql).pluck().all();
}

function count(db: Database.Database, sql: string): number {
  return Number(db.prepare(sql).pluck().get());
}
