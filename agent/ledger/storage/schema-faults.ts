/**
 * Compares a file's schema with the one that the migrations make. SQLite runs the triggers and views of a file by
 * itself: in a manipulated backup they could write beside every decision without a trace.
 */
import Database from 'better-sqlite3';
import { schemaVersion } from './migrate.ts';
import { BASELINE, STEPS } from './migrations/index.ts';

interface SchemaObject {
  type: string;
  name: string;
  table: string;
  /** The SQL as written; null for the index of a constraint. */
  sql: string | null;
}

const OBJECTS = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema';
/** Tables that SQLite makes for itself. */
const OWN = ['sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'];

/** One sentence for each object that is unexpected, missing or different. */
export function schemaFaults(db: Database.Database): string[] {
  const found = objectsOf(db).filter(({ type, name }) => !(type === 'table' && OWN.includes(name)));
  const expected = expectedAt(schemaVersion(db));
  const known = new Map(expected.map((object) => [keyOf(object), object]));
  const faults: string[] = [];
  for (const object of found) {
    const same = known.get(keyOf(object));
    known.delete(keyOf(object));
    if (same === undefined)
      faults.push(`The schema holds the ${described(object)}, which no release of Causeway makes.`);
    else if (same.sql !== object.sql || same.table !== object.table)
      faults.push(`The ${described(object)} is not as a release of Causeway makes it.`);
  }
  return [...faults, ...[...known.values()].map((object) => `The schema lacks the ${described(object)}.`)];
}

function expectedAt(version: number): SchemaObject[] {
  const db = new Database(':memory:');
  try {
    for (const step of STEPS.slice(0, Math.max(0, version - BASELINE + 1))) db.exec(step);
    return objectsOf(db);
  } finally {
    db.close();
  }
}

const objectsOf = (db: Database.Database): SchemaObject[] => db.prepare(OBJECTS).all() as SchemaObject[];

const keyOf = ({ type, name }: SchemaObject): string => JSON.stringify([type, name]);

/** A foreign name may be long, or hold terminal control characters. */
const described = ({ type, name, table }: SchemaObject): string =>
  `${type} ${quoted(name)}${table === name ? '' : ` of ${quoted(table)}`}`;

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));
