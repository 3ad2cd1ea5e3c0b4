/** The setup of the ledger's tests and of its users' tests: real files, and an explanation to work on. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { insertExplanation } from '../../../agent/ledger/transitions.ts';
import { vendorFields } from '../../../agent/ledger/storage/vendor-fields.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { prepared, sqlite } from '../../../agent/ledger/storage/query.ts';
import type { Screened } from '../../../agent/ledger/explanations/screenings.ts';
import { indexReceived } from '../../../agent/ledger/explanations/search-index.ts';

/** A new ledger in a temporary folder; `dispose` closes it and removes the folder. */
export function temporaryLedger(): { ledger: Ledger; file: string; dispose(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-ledger-'));
  const file = path.join(folder, 'ledger.sqlite');
  putLedger(
    file,
    ledgerWith(() => undefined, 'nothing'),
  );
  const ledger = openLedger(file);
  return {
    ledger,
    file,
    dispose: () => {
      ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A new ledger of the present test, with whose end it goes. */
export function testLedger(): { ledger: Ledger; file: string } {
  const { dispose, ...made } = temporaryLedger();
  onTestFinished(dispose);
  return made;
}

/** Writes a file of `ledgerWith`, with the record key that sealed its rows. */
export function putLedger(file: string, bytes: Buffer): void {
  writeFileSync(file, bytes, { mode: 0o600 });
  putRecordKey(path.dirname(file));
}

/** The key of ledgers in memory: the rows of equal acts are equal in all tests. */
const putRecordKey = (folder: string): void =>
  writeFileSync(path.join(folder, 'record.key'), `${Buffer.alloc(32).toString('base64url')}\n`, { mode: 0o600 });

const made = new Map<string, Buffer>();

/**
 * The file of a ledger with what `fill` writes, made once in a process: its schema costs more than most tests.
 *
 * @param name of the content
 */
export function ledgerWith(fill: (tx: LedgerTransaction) => void, name: string): Buffer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-ledger-'));
  const file = path.join(folder, 'ledger.sqlite');
  putRecordKey(folder);
  const ledger = openLedger(file);
  ledger.write(fill);
  ledger.close();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true, force: true });
  made.set(name, bytes);
  return bytes;
}

/** A valid NEW entry; a test passes only the fields that matter to it. */
export function newEntry(
  id: string,
  result: Partial<NewEntry['explanation_result']> = {},
  entry: Partial<Omit<NewEntry, 'explanation_result'>> = {},
): NewEntry {
  return {
    cursor: 1,
    delivery_type: 'NEW',
    explanation_run: { explanation_run_id: `run-${id}`, release_bundle_version: '2026.11.1' },
    source_events: [
      { source_event_id: `${id}-a`, source_class: 'NEWS', event_type_code: 'EARNINGS', event_date: '2026-11-20' },
      { source_event_id: `${id}-b`, source_class: 'DISCLOSURE', event_type_code: 'CONTRACT', event_date: null },
    ],
    evidences: [
      {
        kind: 'NEWS',
        title: '반도체 수출 증가',
        source: 'HANKANG',
        published_at: '2026-11-20T01:00:00.000Z',
        news_id: 'n-1',
      },
    ],
    ...entry,
    explanation_result: {
      explanation_result_id: id,
      etf_instrument_id: 'KR7069500007',
      etf_ticker: '069500',
      etf_name: 'KODEX 200',
      trade_date: '2026-11-20',
      explanation_as_of: '2026-11-20T06:30:00.000Z',
      explanation_type: 'EVENT_SUPPORTED',
      summary: '반도체 업종의 수출 증가 소식에 지수가 올랐습니다.',
      confidence_level: 'HIGH',
      primary_thread_id: `thread-${id}`,
      market: 'KRX',
      observed_return: 0.0123,
      ...result,
    },
  };
}

/** The outcome of a screening, as if one had been made. */
export function screened(outcome: Screened['outcome'], policyVersion: number | null = 1): Screened {
  return {
    outcome,
    policyVersion,
    matcherVersion: 'test',
    checks: [
      {
        check: 'CONFIDENCE',
        verdict: outcome === 'AUTO_PUBLISHED' ? 'PASS' : outcome === 'BLOCKED' ? 'BLOCK' : 'REVIEW',
        code: 'CONFIDENCE_LOW',
        parameters: { level: 'LOW', least: 'MEDIUM' },
        hits: [],
        policyVersion,
        matcherVersion: 'test',
      },
    ],
  };
}

const cursors = prepared(
  ({ committed, applied }: { committed: number; applied: number }) => sql`UPDATE sync_state SET
    committed_cursor = max(committed_cursor, ${committed}), applied_cursor = max(applied_cursor, ${applied})`,
);

/** Moves the cursors up, without the bundles between. */
export const moveCursors = (tx: LedgerTransaction, to: { committed: number; applied: number }): void =>
  void tx.run(cursors(to));

/**
 * Applies an entry as the Intake does, with an invented screening or a real one, and moves the cursors to it. Returns the
 * explanation's id.
 */
export function receive(
  tx: LedgerTransaction,
  entry: NewEntry,
  outcome: Screened['outcome'] | Screened = 'PENDING_REVIEW',
  at = '2026-11-20T07:00:00.000Z',
): string {
  const texts = { source_events: JSON.stringify(entry.source_events), evidences: JSON.stringify(entry.evidences) };
  const id = insertExplanation(tx, vendorFields(entry, texts), {
    cursor: entry.cursor,
    at,
    screened: typeof outcome === 'string' ? screened(outcome) : outcome,
    reason: null,
  });
  moveCursors(tx, { committed: entry.cursor, applied: entry.cursor });
  indexReceived(tx);
  return id;
}

/** Forces an explanation into a state, past all rules: for tests of the effects of a state. */
export function forceStatus(tx: LedgerTransaction, id: string, status: ExplanationStatus): void {
  tx.run(
    sqlite
      .updateTable('explanation')
      .set((eb) => ({ status, published_summary: eb.fn.coalesce('published_summary', 'summary') }))
      .where('id', '=', id),
  );
  // Its history tells the same, or nobody could decide; a block in it is one by the screening.
  if (status === 'BLOCKED') return;
  const run = (sql: string, ...parameters: string[]): void => void tx.run({ sql, parameters });
  const guard = tx.first<{ sql: string }>({
    sql: `SELECT sql FROM sqlite_schema WHERE name = '${GUARD}'`,
    parameters: [],
  });
  run(`DROP TRIGGER ${GUARD}`);
  run(
    'UPDATE state_history SET to_status = ? WHERE id = (SELECT max(id) FROM state_history WHERE explanation_id = ?)',
    status,
    id,
  );
  run(guard?.sql ?? '');
}

const GUARD = 'state_history_is_never_updated';

/** Overwrites the first page of a table or an index, as a failing disk does. Open connections read it at their next step. */
export function damagePage(file: string, name: string): void {
  const db = new Database(file);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = Number(db.pragma('page_size', { simple: true }));
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name));
  const disk = openSync(file, 'r+');
  writeSync(disk, Buffer.alloc(bytes, 0xff), 0, bytes, (page - 1) * bytes);
  closeSync(disk);
  // A commit makes other connections forget the pages that they have read.
  db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true }))}`);
  db.close();
}

/** Deletes rows of the audit log past its guard. */
export function loseActions(file: string, where: string): void {
  const db = new Database(file);
  db.exec(`DROP TRIGGER console_action_log_is_never_deleted; DELETE FROM console_action_log WHERE ${where}`);
  db.close();
}
