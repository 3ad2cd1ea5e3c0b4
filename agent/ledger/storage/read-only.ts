/** Opens a file that this process cannot write: a ledger on a read-only disk, or of another account. */
import { readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isThere, refuseLeftLog } from './leftovers.ts';
import { LEDGER_VERSION, refuseUnknown, schemaVersion } from './migrate.ts';
import { realPath } from './real-path.ts';

/** Null where it is not readable, or has another schema than this program's. */
export function openReadOnly(file: string): Database.Database | null {
  return ofThisSchema(() => readOnly(file)) ?? copyInMemory(file);
}

/** Reads a file of any schema that this program knows; null where that fails, for whatever reason. */
export function lookInto<T>(file: string, work: (db: Database.Database) => T): T | null {
  let db: Database.Database | undefined;
  try {
    db = readOnly(file);
    refuseUnknown(db, file);
    return work(db);
  } catch {
    return null;
  } finally {
    db?.close();
  }
}

function readOnly(file: string): Database.Database {
  refuseLeftLog(file);
  return new Database(file, { readonly: true, fileMustExist: true });
}

/** Largest file that is read into memory, in bytes. */
const LARGEST_IN_MEMORY = 1024 ** 3;

/** SQLite refuses to read a file beside which it cannot make a log. A file without a log is complete by itself. */
function copyInMemory(file: string): Database.Database | null {
  if (isThere(`${realPath(file)}-wal`)) return null;
  return ofThisSchema(() => {
    if (statSync(file).size > LARGEST_IN_MEMORY) throw new RangeError('too large');
    const bytes = readFileSync(file);
    // The header's flag for "has a log": a copy in memory has none.
    bytes.fill(1, 18, 20);
    return new Database(bytes, { readonly: true });
  });
}

/** Null where it is unreadable; the fault has been reported already. */
function ofThisSchema(open: () => Database.Database): Database.Database | null {
  let db: Database.Database | undefined;
  try {
    db = open();
    if (schemaVersion(db) === LEDGER_VERSION) return db;
  } catch {
    // Reported already.
  }
  db?.close();
  return null;
}
