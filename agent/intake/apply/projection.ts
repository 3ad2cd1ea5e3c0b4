/**
 * The projection of the raw bundles (D36): a fold of the applied entries that gives the state that the domain must have.
 * `intake verify` compares the domain with it, `intake rebuild` corrects the domain by it. Screenings and human decisions
 * do not follow from raw bundles; they have their own journals (`history.ts`).
 *
 * It is made without the write lock, because it takes long on a large ledger. `extend` adds the entries that the Intake
 * has applied meanwhile.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { SUPERSEDED } from '../../ledger/inbox/entries.ts';
import { explanationId, knownExplanation, sameFields, sameGrain } from '../../ledger/explanations/explanations.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { prepared, sqlite } from '../../ledger/storage/query.ts';
import { rawBundleAfter, readCursors, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import type { InstrumentTable } from '../../ledger/storage/tables.ts';
import { VENDOR_FIELDS, type VendorFields, vendorFields } from '../../ledger/storage/vendor-fields.ts';
import {
  committedEntries,
  CommittedEntries,
  entriesOf,
  RawBundleDamagedError,
  type CommittedEntry,
  readCommitted,
} from './committed-entries.ts';
import { OTHER_GRAIN, targetOf, type ReadEntry } from './entry.ts';

/**
 * The vendor's side of one explanation. Its fields come from the last entry that changed it and are not kept in memory.
 */
export interface ProjectedExplanation {
  /** Cursors of its first entry and of the entries that have changed it since, ascending. */
  changes: number[];
  /** When the first of them came. */
  receivedAt: string;
  /** The cursor of its last entry, with a change or without. */
  lastCursor: number;
  /** Fields of the current content. */
  digest: string;
}

/** The name that an entry gave an instrument, with the last market that any entry has named. */
export interface Named extends Omit<InstrumentTable, 'sector' | 'version'> {
  cursor: number;
}

export interface Projection {
  /** The cursor of the last entry that counts. */
  upTo: number;
  /** By the vendor's id. */
  explanations: Map<string, ProjectedExplanation>;
  /** By ticker: every change of its name. */
  instruments: Map<string, Named[]>;
  /** The first withdrawal of each vendor id, known or not. */
  withdrawn: Map<string, { cursor: number; reason: string }>;
  /** Entries that do not fit, by cursor, with the reason. */
  misfits: Map<number, string>;
  /** Rejected entries that would fit now: `intake replay` applies them. */
  fitNow: number[];
  /** The withdrawals among them: no later entry overtakes one. */
  withdrawalsAside: number[];
  /** Rejected entries that later ones have superseded: they count for nothing. */
  superseded: number[];
  entries: number;
}

/**
 * The end of the applied entries: the applied cursor, or a later cursor in any row. Without the second, an applied
 * cursor that was damaged on the disk would make those rows look underived.
 */
export function appliedEnd(reader: LedgerReader): number {
  const { applied, committed } = readCursors(reader);
  const tables = ['explanation', 'held_invalidation', 'rejected_entry'] as const;
  const told = tables.map((table) => {
    const last = sqlite.selectFrom(table).select(sql<number | null>`max(cursor)`.as('cursor'));
    return reader.first(last.where('cursor', '<=', committed))?.cursor ?? 0;
  });
  const end = Math.max(applied, ...told);
  return end < committed ? lastOrphan(reader, end) : end;
}

const orphans = prepared(
  () => sql<{ id: string }>`
  SELECT DISTINCT explanation_id AS id FROM state_history
  WHERE NOT EXISTS (SELECT 1 FROM explanation WHERE explanation.id = state_history.explanation_id)
  UNION SELECT id FROM explanation WHERE cursor > (SELECT committed_cursor FROM sync_state)`,
);

/**
 * The last entry after a cursor whose explanation has a history but no row, or a row with an impossible cursor: that
 * entry had been applied.
 */
function lastOrphan(reader: LedgerReader, after: number): number {
  const lost = new Set(reader.all(orphans()).map(({ id }) => id));
  if (lost.size === 0) return after;
  let last = after;
  for (const each of committedEntries(reader, after, readCursors(reader).committed)) {
    const read = readCommitted(each);
    if (read.kind === 'NEW' && lost.has(explanationId(read.entry.explanation_result.explanation_result_id)))
      last = each.entry.cursor;
  }
  return last;
}

interface DeriveOptions {
  /** Beyond this cursor a damaged bundle ends the projection instead of failing it: a truncation may remove it. */
  ignoreDamageAfter?: number;
  /** Told the cursor, as the stage `DERIVED`. */
  progress?: Progress;
  /** Told each raw bundle before its entries. */
  onBundle?: ((raw: RawBundle) => void) | undefined;
}

/** The stage in which entries are derived. */
export const DERIVED = 'entries to derive';

/** @throws RawBundleDamagedError, StoppedError */
export function derive(
  reader: LedgerReader,
  { ignoreDamageAfter = Number.POSITIVE_INFINITY, progress = UNTOLD, onBundle }: DeriveOptions = {},
): Projection {
  const derived = nothingYet();
  try {
    extend(reader, derived, appliedEnd(reader), progress, onBundle);
  } catch (error) {
    if (!(error instanceof RawBundleDamagedError) || derived.upTo < ignoreDamageAfter) throw error;
  }
  return derived;
}

/** Adds the entries that have been applied since. @throws RawBundleDamagedError, StoppedError */
export function extend(
  reader: LedgerReader,
  derived: Projection,
  upTo = readCursors(reader).applied,
  progress: Progress = UNTOLD,
  onBundle?: DeriveOptions['onBundle'],
): void {
  if (upTo <= derived.upTo) return;
  const reasons = rejections(reader, derived.upTo);
  const committed = new CommittedEntries(reader);
  let last: RawBundle | undefined;
  for (const each of committedEntries(reader, derived.upTo, upTo)) {
    if (each.raw !== last) onBundle?.((last = each.raw));
    takeEntry(reader, committed, derived, reasons, each);
    progress.at(DERIVED, each.entry.cursor);
  }
  derived.upTo = upTo;
}

const beginnings = prepared(() =>
  sqlite.selectFrom('raw_bundle').select('cursor_from as cursorFrom').orderBy('cursor_from'),
);

/** The same from the readable raw bundles; `isWhole`: none is damaged or missing. */
export function deriveReadable(reader: LedgerReader): { derived: Projection; isWhole: boolean } {
  const derived = nothingYet();
  const { applied } = readCursors(reader);
  const reasons = rejections(reader, 0);
  const committed = new CommittedEntries(reader);
  let isWhole = true;
  let end = 0;
  for (const { cursorFrom } of reader.all(beginnings())) {
    const raw = rawBundleAfter(reader, cursorFrom);
    if (raw === undefined || cursorFrom >= applied) break;
    isWhole &&= raw.cursorFrom === end;
    end = raw.cursorTo;
    try {
      for (const each of entriesOf(raw))
        if (each.entry.cursor <= applied) takeEntry(reader, committed, derived, reasons, each);
    } catch (error) {
      if (!(error instanceof RawBundleDamagedError)) throw error;
      isWhole = false;
    }
  }
  return { derived, isWhole: isWhole && end >= applied };
}

function nothingYet(): Projection {
  return {
    upTo: 0,
    explanations: new Map(),
    instruments: new Map(),
    withdrawn: new Map(),
    misfits: new Map(),
    fitNow: [],
    withdrawalsAside: [],
    superseded: [],
    entries: 0,
  };
}

/** The reasons of the rejected entries after a cursor. */
function rejections(reader: LedgerReader, after: number): Map<number, string> {
  const rows = reader.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason']).where('cursor', '>', after));
  return new Map(rows.map(({ cursor, reason }) => [cursor, reason]));
}

function takeEntry(
  reader: LedgerReader,
  committed: CommittedEntries,
  derived: Projection,
  rejected: ReadonlyMap<number, string>,
  each: CommittedEntry,
): void {
  const { raw, entry, text } = each;
  derived.entries += 1;
  derived.upTo = entry.cursor;
  const read = readCommitted(each);
  const fields = read.kind === 'NEW' ? vendorFields(read.entry, text) : null;
  if (read.kind === 'REJECTED') derived.misfits.set(entry.cursor, read.reason);
  else if (read.kind === 'NEW' && rejected.get(entry.cursor) === SUPERSEDED) derived.superseded.push(entry.cursor);
  else if (
    fields !== null &&
    (hasOtherGrain(committed, derived, fields) ||
      (rejected.get(entry.cursor) === OTHER_GRAIN && knownExplanation(reader, fields)?.sameGrain === false))
  )
    // The row knows the grain of entries that were set aside.
    derived.misfits.set(entry.cursor, OTHER_GRAIN);
  else if (rejected.has(entry.cursor) && !isTold(reader, read, entry.cursor)) {
    derived.fitNow.push(entry.cursor);
    if (read.kind !== 'NEW') derived.withdrawalsAside.push(entry.cursor);
  } else if (fields !== null) take(committed, derived, fields, entry.cursor, raw.receivedAt);
  else if (read.kind === 'INVALIDATION') {
    const target = targetOf(read.entry);
    if (!derived.withdrawn.has(target))
      derived.withdrawn.set(target, { cursor: entry.cursor, reason: read.entry.reason });
  }
}

/** Whether an earlier entry has given the id another instrument or moment (D37). */
function hasOtherGrain(committed: CommittedEntries, { explanations }: Projection, fields: VendorFields): boolean {
  const known = explanations.get(fields.explanation_result_id);
  return (
    known !== undefined &&
    known.digest !== digestOf(fields) &&
    !sameGrain(committed.newAt(lastChange(known)).fields, fields)
  );
}

/** Whether the explanation has the content of this entry: then it was applied, even if it is on record as rejected. */
function isTold(reader: LedgerReader, read: ReadEntry, cursor: number): boolean {
  if (read.kind !== 'NEW') return false;
  const id = explanationId(read.entry.explanation_result.explanation_result_id);
  const row = reader.first(sqlite.selectFrom('explanation').select('cursor').where('id', '=', id));
  return row?.cursor === cursor;
}

function take(
  committed: CommittedEntries,
  { explanations, instruments }: Projection,
  fields: VendorFields,
  cursor: number,
  receivedAt: string,
): void {
  const digest = digestOf(fields);
  const known = explanations.get(fields.explanation_result_id);
  if (known === undefined) {
    explanations.set(fields.explanation_result_id, { changes: [cursor], receivedAt, lastCursor: cursor, digest });
  } else {
    known.lastCursor = cursor;
    // A repetition changes nothing, nor does another spelling of it (D37).
    if (known.digest === digest || sameFields(committed.newAt(lastChange(known)).fields, fields)) return;
    known.changes.push(cursor);
    known.digest = digest;
  }
  const named = instruments.get(fields.etf_ticker) ?? [];
  const before = named.at(-1);
  const { etf_ticker, etf_instrument_id, etf_name } = fields;
  const market = fields.market ?? before?.market ?? null;
  if (before?.etf_instrument_id !== etf_instrument_id || before.etf_name !== etf_name || before.market !== market)
    named.push({ cursor, etf_ticker, etf_instrument_id, etf_name, market });
  instruments.set(etf_ticker, named);
}

/** The vendor ids of committed entries that are not applied yet. */
export function laterIds(reader: LedgerReader, { upTo }: Projection): Set<string> {
  const ids = new Set<string>();
  for (const each of committedEntries(reader, upTo, readCursors(reader).committed)) {
    const read = readCommitted(each);
    if (read.kind === 'NEW') ids.add(read.entry.explanation_result.explanation_result_id);
  }
  return ids;
}

/** The cursor of the first entry of an explanation. */
export function firstChange({ changes }: ProjectedExplanation): number {
  return changes[0] ?? 0;
}

/** The cursor of the entry that changed an explanation last. */
export function lastChange({ changes }: ProjectedExplanation): number {
  return changes.at(-1) ?? 0;
}

/** The last item that is not after a cursor. */
export function lastUpTo<Item>(items: readonly Item[], cursor: number, cursorOf: (item: Item) => number) {
  return items.findLast((item) => cursorOf(item) <= cursor);
}

/** Bytes of a digest: one is held for each explanation, 1,825,000 of them after five years. */
const DIGEST_BYTES = 16;

/** A digest of the fields, a character for each byte: two sets differ, digit for digit, where their digests do. */
export function digestOf(fields: VendorFields): string {
  const whole = hash('sha256', JSON.stringify(VENDOR_FIELDS.map((name) => fields[name])), 'buffer');
  return whole.toString('latin1', 0, DIGEST_BYTES);
}
