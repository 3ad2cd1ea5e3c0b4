/**
 * Compares the tables beside the explanations with the raw bundles and the journals. `intake verify` and `intake
 * rebuild` share this definition, so that every fault that is found can be mended.
 */
import { SUPERSEDED } from '../../ledger/inbox/entries.ts';
import { explanationId, putInstrument, statusOf } from '../../ledger/explanations/explanations.ts';
import type { LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { recordInstrument } from '../../ledger/serving/record.ts';
import { restoreSector, loggedSectors } from '../../ledger/serving/scope.ts';
import { dropWaitingEdit, isAsLogged, keepWaitingEdit, loggedWaitingEdits } from '../../ledger/review/waiting-edits.ts';
import { correctWordHit, wordHitFaults } from '../../ledger/explanations/word-hits.ts';
import { CommittedEntries } from '../apply/committed-entries.ts';
import type { Projection, Named } from '../apply/projection.ts';
import { rejectedText } from '../apply/entry.ts';

export interface DomainFault {
  /** A sentence. */
  says: string;
  /** A notice is no fault and needs no repair. */
  isNotice?: boolean;
  mend(tx: LedgerTransaction, at: string): void;
}

/** Withdrawals that wait for their original (D35): the first one for each target without an original. */
export function heldFaults(reader: LedgerReader, derived: Projection): DomainFault[] {
  const faults: DomainFault[] = [];
  const rows = reader.all(sqlite.selectFrom('held_invalidation').selectAll());
  const held = new Map(rows.map((row) => [row.target_id, row]));
  for (const [target_id, { cursor, reason }] of derived.withdrawn) {
    // An explanation that is withdrawn already waits for nothing.
    if (derived.explanations.has(target_id) || statusOf(reader, explanationId(target_id)) === 'INVALIDATED') continue;
    const row = held.get(target_id);
    held.delete(target_id);
    if (row?.cursor === cursor && row.reason === reason) continue;
    faults.push({
      says: `The withdrawal of ${target_id}, which waits for its original, is not kept.`,
      mend: (tx, held_at) => {
        tx.run(sqlite.deleteFrom('held_invalidation').where('target_id', '=', target_id));
        const values = { target_id, cursor, reason, held_at: row?.held_at ?? held_at };
        tx.run(sqlite.insertInto('held_invalidation').values(values));
      },
    });
  }
  for (const target of held.keys()) {
    faults.push({
      says: `A withdrawal of ${target} is kept as waiting, and has nothing to wait for.`,
      mend: (tx) => void tx.run(sqlite.deleteFrom('held_invalidation').where('target_id', '=', target)),
    });
  }
  return faults;
}

/** Rejected entries (D34): those that do not fit, and those that fit by now and wait for `intake replay`. */
export function rejectedFaults(reader: LedgerReader, derived: Projection): DomainFault[] {
  const faults: DomainFault[] = [];
  const committed = new CommittedEntries(reader);
  const rows = reader.all(sqlite.selectFrom('rejected_entry').selectAll());
  const rejected = new Map(rows.map((row) => [row.cursor, row]));
  const put = (says: string, cursor: number, reason: string, isNotice = false): void => {
    const { raw, text } = committed.at(cursor);
    const known = rejected.get(cursor);
    faults.push({
      says,
      isNotice,
      mend: (tx, at) => {
        const told = {
          cursor_from: raw.cursorFrom,
          entry: rejectedText(text.whole),
          reason,
          rejected_at: known?.rejected_at ?? at,
        };
        tx.run(
          sqlite
            .insertInto('rejected_entry')
            .values({ cursor, ...told })
            .onConflict((conflict) => conflict.column('cursor').doUpdateSet(told)),
        );
      },
    });
  };
  const superseded = new Set(derived.superseded);
  const expected = [
    ...derived.misfits,
    ...[...derived.fitNow, ...derived.superseded].map((cursor) => [cursor, null] as const),
  ];
  for (const [cursor, reason] of expected) {
    const row = rejected.get(cursor);
    const about = `The entry at cursor ${cursor}`;
    if (row === undefined) {
      put(`${about} does not fit and is not on record as rejected.`, cursor, reason ?? '');
      continue;
    }
    const { raw, text } = committed.at(cursor);
    if (row.entry !== rejectedText(text.whole) || row.cursor_from !== raw.cursorFrom)
      put(
        `${about} is on record as rejected with another text than the raw bundle holds.`,
        cursor,
        reason ?? row.reason,
      );
    else if (reason !== null && row.reason === SUPERSEDED)
      put(`${about} does not fit and is on record as superseded.`, cursor, reason);
    else if (superseded.has(cursor) && !isOvertaken(derived, committed, cursor))
      put(
        `${about} is on record as superseded, and no later one of its explanation is applied.`,
        cursor,
        NOT_OVERTAKEN,
      );
    // Another version of the program may word the reason differently.
    else if (reason !== null && row.reason !== reason)
      put(`${about} is on record as rejected for another reason than it would be now.`, cursor, reason, true);
  }
  const known = new Set(expected.map(([cursor]) => cursor));
  for (const { cursor } of rows.filter((row) => !known.has(row.cursor))) {
    faults.push({
      says: `An entry at cursor ${cursor} is on record as rejected that was applied, or never committed.`,
      mend: (tx) => void tx.run(sqlite.deleteFrom('rejected_entry').where('cursor', '=', cursor)),
    });
  }
  return faults;
}

const NOT_OVERTAKEN =
  'It was on record as superseded without a later entry of its explanation: "replay" looks at it again.';

function isOvertaken(derived: Projection, committed: CommittedEntries, cursor: number): boolean {
  const { explanation_result_id: id } = committed.newAt(cursor).fields;
  return (derived.explanations.get(id)?.lastCursor ?? 0) > cursor;
}

/**
 * Instruments with the vendor's latest name and the sectors that people assigned. An instrument that no entry names any
 * more stays, without a market: an exclusion may refer to it.
 */
export function instrumentFaults(
  reader: LedgerReader,
  derived: Projection,
  nameOf = (names: readonly Named[]): Named | undefined => names.at(-1),
): DomainFault[] {
  const faults: DomainFault[] = [];
  const rows = new Map(reader.all(sqlite.selectFrom('instrument').selectAll()).map((row) => [row.etf_ticker, row]));
  const said = loggedSectors(reader);
  for (const ticker of new Set([...rows.keys(), ...derived.instruments.keys()])) {
    const row = rows.get(ticker);
    const named = nameOf(derived.instruments.get(ticker) ?? []);
    const sector = said.get(ticker) ?? { sector: null, times: 0 };
    const isNamed =
      named === undefined
        ? (row?.market ?? null) === null
        : row?.etf_instrument_id === named.etf_instrument_id &&
          row.etf_name === named.etf_name &&
          row.market === named.market;
    if (isNamed && (row?.sector ?? null) === sector.sector) continue;
    faults.push({
      says: `The instrument ${ticker} has another name or market than the vendor's last entry, or another sector than a person set.`,
      mend: (tx, at) => {
        // A code that no entry has named is no market.
        tx.run(sqlite.updateTable('instrument').set({ market: null }).where('etf_ticker', '=', ticker));
        if (named !== undefined) putInstrument(tx, named);
        // One fact of the whole row: nobody has set a wrong sector that it had.
        restoreSector(tx, ticker, sector);
        recordInstrument(tx, at, ticker);
      },
    });
  }
  return faults;
}

/** The forbidden words of each explanation, against the records of the screenings. */
export function foundWordFaults(reader: LedgerReader): DomainFault[] {
  const { missing, stray } = wordHitFaults(reader);
  return [
    ...missing.map((row) => ({ row, is: 'missing' as const })),
    ...stray.map((row) => ({ row, is: 'stray' as const })),
  ].map(({ row, is }) => ({
    says: `The index of found words differs from the screenings of the explanation ${row.explanation_id}.`,
    mend: (tx) => correctWordHit(tx, row, is),
  }));
}

/** Edits that wait for a second person, against the audit log. */
export function waitingEditFaults(reader: LedgerReader): DomainFault[] {
  const said = new Map(loggedWaitingEdits(reader).map((edit) => [edit.explanation_id, edit]));
  const rows = reader.all(sqlite.selectFrom('waiting_edit').selectAll());
  const waiting = new Map(rows.map((row) => [row.explanation_id, row]));
  const faults: DomainFault[] = [];
  for (const id of new Set([...said.keys(), ...waiting.keys()])) {
    const [edit, row] = [said.get(id), waiting.get(id)];
    if (isAsLogged(edit, row)) continue;
    faults.push({
      says: `The edit of ${id} that waits for a second approval differs from the audit log.`,
      mend: (tx) => (edit === undefined ? dropWaitingEdit(tx, id) : keepWaitingEdit(tx, edit)),
    });
  }
  return faults;
}
