/** The ledger's file: opening it, reading and writing. better-sqlite3 runs queries synchronously and keeps them prepared. */
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  asLedgerError,
  isBusy,
  refuseAnothersLedger,
  LedgerDamagedError,
  LedgerMissingError,
  LedgerUnreachableError,
} from './errors.ts';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { copyBefore, endMigration, type Earlier } from './copy-before.ts';
import { inspectLedger } from './inspect.ts';
import { hasStrangeJournal, isThere, refuseLeftLog } from './leftovers.ts';
import { LEDGER_VERSION, migrate, refuseUnknown, schemaVersion } from './migrate.ts';
import { STEPS } from './migrations/index.ts';
import { openReadOnly } from './read-only.ts';
import { realPath } from './real-path.ts';
import { schemaFaults } from './schema-faults.ts';
import { Changes } from '../made/changes.ts';
import { boundOf, type Query } from './query.ts';

/** Reads. */
export interface LedgerReader {
  /**
   * Remembered answers of the present write (`remembering`): the write lock keeps other writers out meanwhile. A
   * function that changes a remembered answer must update it. Absent elsewhere.
   */
  readonly memo?: Map<string, unknown> | undefined;
  all<Row>(query: Query<Row>): Row[];
  first<Row>(query: Query<Row>): Row | undefined;
}

/** Writes, inside a transaction that holds the file's one write lock. */
export interface LedgerTransaction extends LedgerReader {
  /** Returns the number of rows changed. */
  run(query: Query<unknown>): number;
  /** The id of the last inserted row. */
  insert(query: Query<unknown>): number;
  /** What this write has changed without a row of the audit log so far (D199). */
  readonly changes: Changes;
}

export interface OpenOptions {
  /** The longest wait for another process's write, in milliseconds. */
  busyTimeoutMs?: number;
  /**
   * False: commits are not synced one by one, and a power cut may lose the last ones; for a ledger that can be made again,
   * and for counts.
   */
  synced?: false;
  /** True: writing the log back into the file is left to the other processes, unless they leave it for long. */
  leavesLog?: boolean;
  /**
   * Checks every page first (`PRAGMA quick_check`): slow on a large file, so only the Intake and a restore ask for it, with
   * the first connection of the process.
   */
  check?: boolean;
  /** Begins and ends a write first: SQLite opens a read-only file without complaint and fails at the first write. */
  writable?: boolean;
  /** Whether a missing file is created; default true. */
  create?: boolean;
  /** True: a copy, migrated without one of its own (D170). */
  isCopy?: boolean;
  /** Of a copy: the name of its ledger, beside which the keys of the host lie; default: its own. */
  keysBeside?: string;
  /** Told the stages of a migration, which are planned here. */
  progress?: Progress | undefined;
  /** Memory for pages, in MB; default 16. Changes of a transaction beyond it go to the log before its end. */
  cacheMb?: number;
}

/** Pages that one step of a copy takes: some 16 MB. */
const COPIED_PAGES = 2_000;

export class Ledger implements LedgerReader {
  /** The name by which it was opened; a link where the settings name one. */
  readonly file: string;
  /** The name beside which the keys of the host lie. */
  readonly keysBeside: string;
  readonly #db: Database.Database;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #writing: Database.Transaction<(work: (tx: LedgerTransaction) => unknown) => unknown>;
  readonly #reading: Database.Transaction<(work: (reader: LedgerReader) => unknown) => unknown>;
  /** The last step inside every write of this connection; see `journal/`. */
  beforeCommit: ((tx: LedgerTransaction) => void) | null = null;

  readonly changes: Changes;
  /** Set where this opening has migrated the file: the earlier version, and the copy of it (D170). */
  readonly migrated: Earlier | null;

  constructor(file: string, db: Database.Database, migrated: Ledger['migrated'] = null, keysBeside = file) {
    this.file = file;
    this.keysBeside = keysBeside;
    this.migrated = migrated;
    this.#db = db;
    this.changes = new Changes(db, keysBeside);
    this.#busyTimeoutMs = Number(db.pragma('busy_timeout', { simple: true }));
    const transaction: LedgerTransaction = {
      all: (query) => this.all(query),
      first: (query) => this.first(query),
      run: (query) => this.#run(query).changes,
      insert: (query) => Number(this.#run(query).lastInsertRowid),
      changes: this.changes,
    };
    let depth = 0;
    this.#writing = db.transaction((work) => {
      // A newer program may have migrated the file while this one runs; it counts and indexes in another way.
      refuseUnknown(db, file);
      depth += 1;
      try {
        const done = work(transaction);
        if (depth === 1) this.beforeCommit?.(transaction);
        return done;
      } finally {
        depth -= 1;
      }
    });
    this.#reading = db.transaction((work) => work(this));
  }

  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = boundOf(query);
    return this.#statement(sql).all(...parameters) as Row[];
  }

  first<Row>(query: Query<Row>): Row | undefined {
    const { sql, parameters } = boundOf(query);
    return this.#statement(sql).get(...parameters) as Row | undefined;
  }

  /**
   * Runs `work` as one write: all of it is committed and synced to disk when this returns, or none of it.
   *
   * @throws LedgerTooNewError when a newer program has migrated the file since it was opened
   */
  write<T>(work: (tx: LedgerTransaction) => T): T {
    if (!this.#db.inTransaction) this.changes.begin();
    return this.#writing.immediate(work) as T;
  }

  /** The same, or null at once while another process writes. */
  tryWrite<T>(work: (tx: LedgerTransaction) => T): { value: T } | null {
    let isBegun = false;
    this.#db.pragma('busy_timeout = 0');
    try {
      return {
        value: this.write((tx) => {
          isBegun = true;
          return work(tx);
        }),
      };
    } catch (error) {
      if (!isBegun && isBusy(error)) return null;
      throw error;
    } finally {
      this.#db.pragma(`busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  /** Runs `work` on one consistent view of the file. */
  read<T>(work: (reader: LedgerReader) => T): T {
    return this.#reading.deferred(work) as T;
  }

  /** Grows with every commit of another connection; see `watch.ts`. */
  dataVersion(): number {
    return Number(this.#db.pragma('data_version', { simple: true }));
  }

  /**
   * Copies one snapshot of the ledger into another file while the ledger stays in use; `told` gets the bytes so far, and
   * may end the copy by an error.
   */
  async copyTo(file: string, told: (bytes: number) => void = () => undefined): Promise<void> {
    const pageBytes = Number(this.#db.pragma('page_size', { simple: true }));
    // The snapshot of an open transaction: without it each write of another process begins the copy anew.
    this.#db.exec('BEGIN');
    try {
      this.#db.pragma('user_version');
      await this.#db.backup(file, {
        progress: ({ totalPages, remainingPages }) => {
          told((totalPages - remainingPages) * pageBytes);
          return COPIED_PAGES;
        },
      });
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  /** SQLite's own findings about the pages and indexes, at most ten; slow on a large file. */
  faults(): string[] {
    const rows = this.#db.pragma('integrity_check(10)') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  }

  /** The differences between the schema and that of a release. */
  schemaFaults(): string[] {
    return schemaFaults(this.#db);
  }

  /**
   * Runs `work` with a temporary database named `scratch` on disk. Writing into it takes no lock on the ledger, not
   * even for operations that SQLite counts as writes (a full-text index that checks itself).
   */
  withScratch<T>(work: (execute: (sql: string) => void) => T): T {
    // In memory, as the statement journals are, it would take as much of it as the index takes on the disk.
    this.#db.pragma('temp_store = FILE');
    this.#db.exec("ATTACH '' AS scratch");
    // A copy of a full-text index is written past FTS5, into its own tables.
    this.#db.unsafeMode(true);
    try {
      return work((sql) => void this.#db.exec(sql));
    } finally {
      this.#db.unsafeMode(false);
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      this.#db.exec('DETACH scratch');
      this.#db.pragma('temp_store = MEMORY');
      // Another store drops all temporary triggers.
      this.changes.restart();
    }
  }

  /**
   * Writes the log back and removes it, so that the file alone is the ledger; the next opening makes a new log. False when
   * another process has the file open.
   */
  foldLog(): boolean {
    try {
      return this.#db.pragma('journal_mode = DELETE', { simple: true }) === 'delete';
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** The same, and locks other processes out of the file until it is closed. */
  holdAlone(): boolean {
    try {
      if (!this.foldLog()) return false;
      this.#db.exec('BEGIN EXCLUSIVE');
      // Another process may have opened the file in between: then it has a log again and other readers.
      return this.#db.pragma('journal_mode', { simple: true }) === 'delete';
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Gives the memory of pages that were read back to the system. */
  shrink(): void {
    this.#db.pragma('shrink_memory');
  }

  close(): void {
    this.#db.close();
  }

  #run(query: Query<unknown>): Database.RunResult {
    const { sql, parameters } = boundOf(query);
    return this.#statement(sql).run(...parameters);
  }

  #statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The same write with a memory. Not for a write with savepoints: answers from a rolled-back savepoint would stay. */
export function remembering(tx: LedgerTransaction): LedgerTransaction {
  return { ...tx, memo: new Map() };
}

/** The remembered answer to the same question, where the reader remembers. */
export function remembered<T>({ memo }: LedgerReader, question: string, ask: () => T): T {
  if (memo === undefined) return ask();
  if (!memo.has(question)) memo.set(question, ask());
  return memo.get(question) as T;
}

/** A new ledger is for its owner alone. SQLite gives the files beside it the same permissions. */
function makePrivate(place: string): void {
  if (place === ':memory:') return;
  refuseLeftLog(place);
  if (existsSync(place)) return;
  try {
    closeSync(openSync(place, 'wx', 0o600));
  } catch (error) {
    // Another process has made it at this very moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Checks the pages of a ledger that has a log without writing, so that both stay as they are where they are damaged: the
 * end of a connection that writes folds one into the other. False: it has no log, and its pages are to be checked.
 *
 * @throws LedgerDamagedError
 */
function isReadBesideLog(place: string): boolean {
  if (hasStrangeJournal(place)) throw new LedgerDamagedError(place, 'file is not a database');
  if (!isThere(`${place}-wal`)) return false;
  const { fault } = inspectLedger(place, { check: true });
  if (fault !== null) throw new LedgerDamagedError(place, fault);
  return true;
}

/** The log line of a service whose opening has migrated the ledger. */
export const MIGRATED = 'the ledger was migrated; a copy of it from before is kept beside it';

const PRAGMAS = [
  // Only a new file takes the page size. Rows are some 3 KB: pages of 4 KB would be half empty and twice as many.
  'page_size = 8192',
  'journal_mode = WAL',
  'synchronous = FULL',
  'trusted_schema = OFF',
  // The log is written back every 16 MB, and cut again after a long reader has let it grow.
  'wal_autocheckpoint = 2000',
  'journal_size_limit = 67108864',
  // Keeps the statement journal of triggers in memory instead of a temporary file each.
  'temp_store = MEMORY',
];

/**
 * Opens a ledger, creates or migrates it where needed. WAL with `synchronous=FULL`: every commit survives a power cut.
 *
 * @throws LedgerTooNewError, LedgerLockedError, LedgerDamagedError, LedgerUnreachableError, LedgerMissingError
 */
export function openLedger(file: string, options: OpenOptions = {}): Ledger {
  refuseAnothersLedger(file);
  const place = realPath(file);
  let db: Database.Database | undefined;
  if (options.create === false && !existsSync(place)) throw new LedgerMissingError(file);
  try {
    makePrivate(place);
    const isRead = options.check === true && isReadBesideLog(place);
    db = new Database(place, { timeout: options.busyTimeoutMs ?? 10_000 });
    refuseUnknown(db, file);
    for (const pragma of PRAGMAS) db.pragma(pragma);
    if (options.synced === false) db.pragma('synchronous = NORMAL');
    if (options.leavesLog === true) db.pragma('wal_autocheckpoint = 8000');
    db.pragma(`cache_size = -${(options.cacheMb ?? 16) * 1_000}`);
    db.pragma('foreign_keys = OFF');
    const from = schemaVersion(db);
    const isCopied = from !== 0 && from < LEDGER_VERSION && options.isCopy !== true;
    const progress = options.progress ?? UNTOLD;
    const earlier = isCopied ? copyBefore(db, place, progress) : null;
    migrate(db, file, STEPS, progress);
    if (earlier !== null) endMigration(earlier);
    db.pragma('foreign_keys = ON');
    if (options.check === true && !isRead) {
      const found = db.pragma('quick_check(1)', { simple: true });
      if (found !== 'ok') throw new LedgerDamagedError(file, String(found));
    }
    if (options.writable === true) db.transaction(() => undefined).immediate();
    return new Ledger(file, db, earlier, options.keysBeside);
  } catch (error) {
    db?.close();
    throw asLedgerError(file, error);
  }
}

/**
 * Opens a ledger for reading, also a read-only file, where it already has this program's schema.
 *
 * @throws the errors of `openLedger`
 */
export function openLedgerToRead(file: string, progress?: Progress): Ledger {
  try {
    return openLedger(file, { create: false, progress });
  } catch (error) {
    const db = error instanceof LedgerUnreachableError ? openReadOnly(file) : null;
    if (db === null) throw error;
    return new Ledger(file, db);
  }
}
