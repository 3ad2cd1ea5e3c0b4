/**
 * The next release of this program, which adds three steps to the ledger's schema: the tests of upgrades go from the
 * present release to it. `as-next-release.ts` makes a process one.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from 'better-sqlite3';
import { BASELINE, STEPS } from '../../../agent/ledger/storage/migrations/index.ts';

/** The steps that it adds. */
export const ADDED = [
  'CREATE TABLE upgraded (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT; INSERT INTO upgraded SELECT number, id FROM explanation',
  'CREATE INDEX upgraded_by_id ON upgraded (id)',
  'ALTER TABLE upgraded ADD COLUMN name TEXT',
];

/** The schema version of the present release. */
export const PRESENT = BASELINE + STEPS.length - 1;
export const NEXT = PRESENT + ADDED.length;

/** The environment of a part of the next release. */
export const NEXT_RELEASE = {
  NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'as-next-release.ts')).href}`,
};

/** Makes the schema that of the present release again. */
export function asPresentRelease(db: Database): void {
  db.exec(`DROP TABLE upgraded; PRAGMA user_version = ${PRESENT}`);
}
