/** The lower bound of a drain on this machine: the same rows in the same transactions, by bare better-sqlite3. */
import Database from 'better-sqlite3';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';

type Row = Record<string, unknown>;

/** Tables in which an applied entry has a row. */
const DOMAIN = ['explanation', 'screening', 'state_history', 'console_action_log'] as const;
/** Entries of one transaction; the Intake's second step takes about as many (D143). */
const BATCH = 1_000;
/** Rows held in memory and written; more would not change the rate. */
const ENTRIES = 20_000;

export interface BareRates {
  /** Entries per second until their bundle is committed. */
  committed: number;
  /** Entries per second when their domain rows and index are written too, in separate transactions. */
  applied: number;
}

/** Writes the content of a drained ledger into a new file. */
export function bareRates(drained: string, file: string): BareRates {
  const source = new Database(drained, { readonly: true });
  const bundles = source
    .prepare('SELECT * FROM raw_bundle WHERE cursor_to <= ? ORDER BY cursor_from')
    .all(ENTRIES) as Row[];
  const entries = bundles.reduce((sum, { entry_count }) => sum + Number(entry_count), 0);
  const domain = DOMAIN.map((table) => {
    const { pk } = source.prepare(`SELECT name AS pk FROM pragma_table_info('${table}') WHERE pk = 1`).get() as {
      pk: string;
    };
    const ordered = `SELECT * FROM ${table} WHERE ${table === 'console_action_log' ? "action = 'explanation.receive'" : 'true'}`;
    return source.prepare(`${ordered} ORDER BY ${pk} LIMIT ?`).all(entries) as Row[];
  });
  // The audit log is numbered without gaps from its first row on.
  domain[3]?.forEach((row, index) => (row['seq'] = index + 1));
  source.close();

  openLedger(file).close();
  const db = new Database(file);
  // As the ledger opens its file; settings that the file itself stores are not repeated.
  for (const pragma of ['synchronous = FULL', 'cache_size = -64000', 'wal_autocheckpoint = 2000', 'foreign_keys = ON'])
    db.pragma(pragma);
  try {
    const committed = entries / seconds(() => writeBundles(db, bundles));
    const applied = entries / (entries / committed + seconds(() => writeDomain(db, domain, entries)));
    return { committed, applied };
  } finally {
    db.close();
  }
}

function seconds(work: () => void): number {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1_000;
}

function writeBundles(db: Database.Database, bundles: readonly Row[]): void {
  const insert = inserter(db, 'raw_bundle', bundles[0]);
  const advance = db.prepare("UPDATE sync_state SET committed_cursor = ?, state = 'OK' WHERE id = 1");
  const commit = db.transaction((bundle: Row) => {
    insert.run(bundle);
    advance.run(bundle['cursor_to']);
  });
  for (const bundle of bundles) commit.immediate(bundle);
}

const SEARCHED = 'texts, evidence_titles';

function writeDomain(db: Database.Database, domain: readonly Row[][], entries: number): void {
  const inserts = DOMAIN.map((table, index) => inserter(db, table, domain[index]?.[0]));
  const index = db.prepare(`INSERT INTO explanation_search (rowid, ${SEARCHED})
    SELECT number, ${SEARCHED} FROM explanation_text WHERE number > (SELECT indexed_to FROM search_progress)`);
  const indexed = db.prepare('UPDATE search_progress SET indexed_to = (SELECT max(number) FROM explanation)');
  const advance = db.prepare('UPDATE sync_state SET applied_cursor = ? WHERE id = 1');
  const batch = db.transaction((from: number) => {
    for (let at = from; at < Math.min(from + BATCH, entries); at += 1) {
      inserts.forEach((insert, table) => {
        const row = domain[table]?.[at];
        if (row !== undefined) insert.run(row);
      });
    }
    index.run();
    indexed.run();
    advance.run(Math.min(from + BATCH, entries));
  });
  for (let from = 0; from < entries; from += BATCH) batch.immediate(from);
}

function inserter(db: Database.Database, table: string, row: Row | undefined): Database.Statement {
  const columns = Object.keys(row ?? {});
  return db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  );
}
