/** Records of the decision journal, and the outbox in which each waits for it (README). */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { chainEnd, goesOnFrom, isNoDecision, isMemberAction, loggedAmong, memberActions } from '../audit/audit.ts';
import { fitsHash } from '../audit/row-hash.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import { lastPolicyStart, type PolicyStarted } from '../policy/start.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable, DecisionOutboxTable } from '../storage/tables.ts';
import { sealed, type JournalKeys } from './journal-key.ts';
import { takeCollected, type RowChange } from './capture.ts';

/** Number and hash of a record; 0 and zeros before the first. */
export interface Place {
  seq: number;
  hash: string;
}

export interface DecisionRecord {
  seq: number;
  /** Hash of the record before it. */
  prev: string;
  /** The applied cursor at that time. */
  applied: number;
  /** The end of the audit log after it. */
  auditEnd: Place;
  audit: ConsoleActionLogTable[];
  changes: RowChange[];
  /** The number of acts of members in the audit log by then, without logins. */
  acts: number;
  /** The last start of a policy version before it; null: none; absent: of a program that did not tell. */
  started?: PolicyStarted | null | undefined;
  /** People have made changes before it that no record holds. */
  begin?: true;
  /** See `journal-key.ts`. */
  mac?: string;
}

/** A record as stored in a segment. */
export type StoredRecord = DecisionOutboxTable;

export const START: Place = { seq: 0, hash: '0'.repeat(64) };

export const recordIn = ({ record }: StoredRecord): DecisionRecord => JSON.parse(record) as DecisionRecord;

export const digest = (text: string): string => hash('sha256', text);

/** The ledger's position in its journal. */
export function placeOf(reader: LedgerReader): Place {
  return (
    reader.first(sqlite.selectFrom('decision_outbox').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1)) ?? START
  );
}

export function outboxAfter(reader: LedgerReader, seq: number): StoredRecord[] {
  return reader.all(
    sqlite.selectFrom('decision_outbox').selectAll().where('seq', '>', seq).orderBy('seq').limit(1_000),
  );
}

/** The number of records of the outbox after `seq`. */
export function countAfter(reader: LedgerReader, seq: number): number {
  const kept = sqlite.selectFrom('decision_outbox').where('seq', '>', seq);
  return reader.first(kept.select((eb) => eb.fn.countAll<number>().as('records')))?.records ?? 0;
}

/**
 * Leaves this transaction's changes in the outbox, as its last step. Synced records are removed from there.
 *
 * @param refuse called where there is something to journal; it may throw before anything is changed
 * @returns the number of the record; null without a change that counts
 */
export function leaveRecord(
  tx: LedgerTransaction,
  synced: number,
  keys: JournalKeys,
  refuse: (audit: readonly ConsoleActionLogTable[]) => void,
): number | null {
  const { changes, audit: images } = takeCollected(tx);
  const audit = images as unknown as ConsoleActionLogTable[];
  if (changes.length === 0 && audit.every(isNoDecision)) return null;
  refuse(audit);
  const last = lastStored(tx);
  const before = last === undefined ? 0 : recordIn(last).acts;
  return put(
    tx,
    last ?? START,
    { audit, changes, acts: before + audit.filter(isMemberAction).length },
    { synced, keys },
  );
}

/**
 * Records how many acts the ledger has where the last record does not tell it: people made changes while the journal was
 * off, or an administrator has accepted a loss.
 */
export function noteUnrecorded(tx: LedgerTransaction, keys: JournalKeys): void {
  const acts = memberActions(tx);
  const last = lastStored(tx);
  if (last !== undefined && recordIn(last).acts === acts && placeFault(tx) === null) return;
  put(tx, last ?? START, { audit: [], changes: [], begin: true, acts }, { synced: 0, keys });
}

/** Of the record up to which the last restore has made decisions again, whose end of the log is another ledger's. */
const madeAgainTo = prepared(
  () => sql<{ hash: string | null }>`
  SELECT iif(json_valid(detail), detail ->> '$.journalHash', NULL) AS hash
  FROM console_action_log INDEXED BY console_action_restore WHERE action = 'ledger.restore' ORDER BY seq DESC LIMIT 1`,
);

/**
 * Why the ledger does not hold all up to the record where it says to stand; null where it does. Somebody has put its place
 * further along, or has cut off the end of its log: either undoes what people decided. The record tells the end of the log
 * after it, which stands for each row before it, also those that count as no member's act. Reads the whole log only after a
 * restore.
 */
export function placeFault(reader: LedgerReader): string | null {
  const kept = lastStored(reader);
  if (kept === undefined) return null;
  const { seq, acts, audit, auditEnd } = recordIn(kept);
  const isReached = goesOnFrom(reader, auditEnd) || reader.first(madeAgainTo())?.hash === kept.hash;
  const isWhole = digest(kept.record) === kept.hash && seq === kept.seq && isReached;
  if (isWhole && memberActions(reader) >= acts && loggedAmong(reader, audit).length === audit.length) return null;
  return `the audit log lacks rows of record ${kept.seq} of the decision journal, where the ledger says to stand, or of records before it`;
}

function lastStored(reader: LedgerReader): StoredRecord | undefined {
  return reader.first(sqlite.selectFrom('decision_outbox').selectAll().orderBy('seq', 'desc').limit(1));
}

type RecordContent = Pick<DecisionRecord, 'audit' | 'changes' | 'begin' | 'acts'>;

function put(
  tx: LedgerTransaction,
  { seq, hash: prev }: Place,
  told: RecordContent,
  { synced, keys }: { synced: number; keys: JournalKeys },
): number {
  const { seq: end, hash: endHash } = chainEnd(tx);
  const made: DecisionRecord = {
    seq: seq + 1,
    prev,
    applied: readCursors(tx).applied,
    started: lastPolicyStart(tx),
    auditEnd: { seq: end, hash: endHash },
    ...told,
  };
  const record = JSON.stringify(sealed(made, keys));
  keepPlace(tx, { seq: seq + 1, hash: digest(record), record });
  if (synced > 0) tx.run(sqlite.deleteFrom('decision_outbox').where('seq', '<=', Math.min(synced, seq)));
  return seq + 1;
}

/** Puts a record at the end of the outbox. */
export function keepPlace(tx: LedgerTransaction, kept: StoredRecord): void {
  tx.run(sqlite.insertInto('decision_outbox').values(kept));
}

/** Validates one record by itself; returns the fault or null. */
export function recordFault(record: DecisionRecord): string | null {
  const changed = record.audit.find((row) => !fitsHash(row));
  return changed === undefined ? null : `row ${changed.seq} of its audit log does not fit its hash`;
}
