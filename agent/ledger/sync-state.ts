/** How the reception goes, as the Intake last saw it (D55). */
import type { SyncAlarm, SyncState, SyncStatus } from '../../shared/wire/console.ts';
import { countHeld, countRejected } from './entries.ts';
import { sqlite, statement, type LedgerReader, type LedgerTransaction } from './ledger.ts';
import { countQuarantined } from './raw-bundles.ts';
import type { SyncEventTable } from './tables.ts';

const pulledWell = statement<[pull: { at: string; head: number | null }]>(`
  UPDATE sync_state SET state = 'OK', last_attempt_at = @at, last_success_at = @at, head = @head,
    last_error_code = NULL, last_error_message = NULL, last_error_at = NULL
  WHERE id = 1`);

/** A pull that was answered well: no error is the present one any more. `head` is null when the answer did not tell it. */
export function recordPull(tx: LedgerTransaction, pull: { at: string; head: number | null }): void {
  recordChange(tx, { at: pull.at, state: 'OK', code: null, message: null });
  tx.run(pulledWell(pull));
}

/** A pull that failed. */
export function recordPullFailure(
  tx: LedgerTransaction,
  failure: {
    at: string;
    state: Exclude<SyncState, 'NEVER' | 'OK'>;
    code: string;
    message: string;
    head?: number | null;
  },
): void {
  recordChange(tx, failure);
  tx.run(
    sqlite
      .updateTable('sync_state')
      .set({
        state: failure.state,
        last_attempt_at: failure.at,
        last_error_code: failure.code,
        last_error_message: failure.message,
        last_error_at: failure.at,
        ...(failure.head === undefined ? {} : { head: failure.head }),
      })
      .where('id', '=', 1),
  );
}

const stateNow = statement<[], { state: SyncState }>('SELECT state FROM sync_state WHERE id = 1');
const insertEvent = statement<[row: Omit<SyncEventTable, 'id'>]>(
  'INSERT INTO sync_event (at, state, code, message) VALUES (@at, @state, @code, @message)',
);

/** A state that is another one than before goes into the history; the same again is no news. */
function recordChange(
  tx: LedgerTransaction,
  { at, state, code, message }: { at: string; state: SyncState; code: string | null; message: string | null },
): void {
  if (tx.first(stateNow())?.state !== state) tx.run(insertEvent({ at, state, code, message }));
}

const headNow = statement<[], { head: number | null }>('SELECT head FROM sync_state WHERE id = 1');

/** The cloud's highest cursor as last told, or null (D31). Below the committed cursor: the cloud has lost records. */
export function readHead(reader: LedgerReader): number | null {
  return reader.first(headNow())?.head ?? null;
}

export function syncStatus(reader: LedgerReader): SyncStatus {
  const row = reader.first(sqlite.selectFrom('sync_state').selectAll().where('id', '=', 1));
  if (row === undefined) throw new Error('the ledger has no sync_state row');
  const held = countHeld(reader);
  const rejected = countRejected(reader);
  const quarantined = countQuarantined(reader);
  const { state, head, committed_cursor: committed, applied_cursor: applied } = row;
  const alarms: [SyncAlarm, boolean][] = [
    ['NOT_OK', state !== 'OK' && state !== 'NEVER'],
    ['CLOUD_BEHIND', head !== null && head < committed],
    ['NOT_APPLIED', applied < committed],
    ['HELD_INVALIDATIONS', held > 0],
    ['REJECTED_ENTRIES', rejected > 0],
    ['QUARANTINED_BUNDLES', quarantined > 0],
  ];
  return {
    state,
    committedCursor: committed,
    appliedCursor: applied,
    head,
    lag: head === null ? null : Math.max(0, head - committed),
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    lastReceivedAt:
      reader.first(sqlite.selectFrom('raw_bundle').select('received_at').orderBy('cursor_from', 'desc').limit(1))
        ?.received_at ?? null,
    lastError:
      row.last_error_code === null || row.last_error_message === null || row.last_error_at === null
        ? null
        : { code: row.last_error_code, message: row.last_error_message, at: row.last_error_at },
    heldInvalidations: held,
    rejectedEntries: rejected,
    quarantinedBundles: quarantined,
    alarms: alarms.filter(([, isOn]) => isOn).map(([alarm]) => alarm),
  };
}
