/** The least that a durable receiver does: one row with the bytes of a page and the new cursor, in one durable commit. */
import Database from 'better-sqlite3';

export interface Sink {
  write(body: Uint8Array): void;
  close(): void;
}

/** As the ledger opens its file, without tables of its own. */
export function openSink(file: string): Sink {
  const db = new Database(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -64000', 'wal_autocheckpoint = 2000'])
    db.pragma(pragma);
  db.exec('CREATE TABLE page (number INTEGER PRIMARY KEY, body BLOB NOT NULL); CREATE TABLE cursor (at INTEGER)');
  db.exec('INSERT INTO cursor VALUES (0)');
  const insert = db.prepare('INSERT INTO page (body) VALUES (?)');
  const advance = db.prepare('UPDATE cursor SET at = ?');
  const commit = db.transaction((body: Uint8Array) => advance.run(insert.run(body).lastInsertRowid));
  return { write: (body) => void commit.immediate(body), close: () => db.close() };
}
