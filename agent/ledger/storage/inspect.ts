/** Reads a ledger without changing it: the usual opening would migrate it. */
import Database from 'better-sqlite3';
import { asLedgerError } from './errors.ts';
import { refuseLeftLog } from './leftovers.ts';
import { LEDGER_VERSION, refuseUnknown, schemaVersion } from './migrate.ts';
import { schemaFaults } from './schema-faults.ts';

export interface LedgerLook {
  /** The schema version of the file, at most this program's own. */
  version: number;
  /** Whether the next start of a part migrates it to this program's version. */
  isOlder: boolean;
  /** SQLite's findings about the pages; null without any, or without a check. */
  fault: string | null;
  /** The differences between its schema and the one that a release of its version makes. */
  schema: string[];
}

/**
 * @param check reads the whole file, some 400 MB in a second
 * @throws LedgerError
 */
export function inspectLedger(file: string, { check }: { check: boolean }): LedgerLook {
  let db: Database.Database | undefined;
  try {
    refuseLeftLog(file);
    db = new Database(file, { readonly: true, fileMustExist: true, timeout: 3_000 });
    refuseUnknown(db, file);
    const version = schemaVersion(db);
    const found = check ? String(db.pragma('quick_check(1)', { simple: true })) : 'ok';
    return {
      version,
      isOlder: version < LEDGER_VERSION,
      fault: found === 'ok' ? null : found,
      schema: schemaFaults(db),
    };
  } catch (error) {
    throw asLedgerError(file, error);
  } finally {
    db?.close();
  }
}
