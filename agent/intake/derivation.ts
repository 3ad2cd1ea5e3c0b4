/**
 * What the domain must be, told from the raw bundles alone (D36): a fold of the entries up to the applied
 * cursor. `intake verify` compares it with what is there, `intake rebuild` makes it so. Screenings and
 * human decisions do not follow from raw bundles; they have journals of their own (`journal.ts`).
 */
import { hash } from 'node:crypto';
import { SUPERSEDED } from '../ledger/entries.ts';
import { sameFields, vendorFields } from '../ledger/explanations.ts';
import { sqlite, type LedgerReader } from '../ledger/ledger.ts';
import { readCursors } from '../ledger/raw-bundles.ts';
import type { VendorFields } from '../ledger/tables.ts';
import { committedEntries, committedEntry } from './committed.ts';
import { readEntry, targetOf } from './entry.ts';

/** The vendor's side of one explanation. Its fields are those of the entry at `cursor`; they are not kept in memory. */
export interface DerivedExplanation {
  /** Of the entry that changed it last. */
  cursor: number;
  /** Of the entry that it came with. */
  firstCursor: number;
  /** Of the entry that has named it last, with news or without. */
  lastCursor: number;
  /** How many entries after the first have changed it. */
  updates: number;
  digest: string;
}

export interface Derivation {
  /** By the vendor's id. */
  explanations: Map<string, DerivedExplanation>;
  /** By ticker, the cursor of the entry that has named it last, and the last market that any has named. */
  instruments: Map<string, { cursor: number; market: string | null }>;
  /** The first withdrawal of each vendor id, known or not. */
  withdrawn: Map<string, { cursor: number; reason: string }>;
  /** Entries that do not fit, by cursor, with the reason. */
  misfits: Map<number, string>;
  /** Entries that were set aside and would fit now: `intake replay` applies them. */
  fitNow: number[];
  /** Entries that were set aside and that later ones have overtaken: they count for nothing. */
  superseded: number[];
  entries: number;
}

/** @throws RawBundleDamagedError */
export function derive(reader: LedgerReader): Derivation {
  const setAside = new Map(
    reader
      .all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason']))
      .map(({ cursor, reason }) => [cursor, reason]),
  );
  const derived: Derivation = {
    explanations: new Map(),
    instruments: new Map(),
    withdrawn: new Map(),
    misfits: new Map(),
    fitNow: [],
    superseded: [],
    entries: 0,
  };
  for (const { entry, text } of committedEntries(reader, readCursors(reader).applied)) {
    derived.entries += 1;
    const read = readEntry(entry, text.whole);
    if (read.kind === 'REJECTED') derived.misfits.set(entry.cursor, read.reason);
    else if (setAside.get(entry.cursor) === SUPERSEDED) derived.superseded.push(entry.cursor);
    else if (setAside.has(entry.cursor)) derived.fitNow.push(entry.cursor);
    else if (read.kind === 'NEW') take(reader, derived, vendorFields(read.entry, text), entry.cursor);
    else {
      const target = targetOf(read.entry);
      if (!derived.withdrawn.has(target))
        derived.withdrawn.set(target, { cursor: entry.cursor, reason: read.entry.reason });
    }
  }
  return derived;
}

function take(
  reader: LedgerReader,
  { explanations, instruments }: Derivation,
  fields: VendorFields,
  cursor: number,
): void {
  const digest = digestOf(fields);
  const known = explanations.get(fields.explanation_result_id);
  if (known === undefined) {
    explanations.set(fields.explanation_result_id, {
      cursor,
      firstCursor: cursor,
      lastCursor: cursor,
      updates: 0,
      digest,
    });
  } else {
    known.lastCursor = cursor;
    // The same again changes nothing, in another spelling neither (D37).
    if (known.digest === digest || sameFields(fieldsAt(reader, known.cursor), fields)) return;
    Object.assign(known, { cursor, updates: known.updates + 1, digest });
  }
  const market = fields.market ?? instruments.get(fields.etf_ticker)?.market ?? null;
  instruments.set(fields.etf_ticker, { cursor, market });
}

/** The vendor's fields of the NEW entry at a cursor. @throws RawBundleDamagedError */
export function fieldsAt(reader: LedgerReader, cursor: number): VendorFields {
  const { entry, text } = committedEntry(reader, cursor);
  const read = readEntry(entry, text.whole);
  if (read.kind !== 'NEW') throw new TypeError(`the entry at cursor ${cursor} is no NEW`);
  return vendorFields(read.entry, text);
}

/** Tells two sets of fields apart, digit for digit. */
export function digestOf(fields: VendorFields): string {
  return hash(
    'sha256',
    JSON.stringify([
      fields.explanation_result_id,
      fields.etf_instrument_id,
      fields.etf_ticker,
      fields.etf_name,
      fields.market,
      fields.trade_date,
      fields.explanation_as_of,
      fields.content_as_of,
      fields.explanation_type,
      fields.confidence_level,
      fields.primary_thread_id,
      fields.analysis_engine,
      fields.observed_return,
      fields.summary,
      fields.explanation_run_id,
      fields.release_bundle_version,
      fields.source_events,
      fields.evidences,
    ]),
  );
}
