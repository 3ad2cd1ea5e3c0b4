/**
 * Holds the present policies, members, credentials, channels, scope, notes and settings against the rows of the audit log
 * that made them (D199): what is altered, gone or there without a row, and rows that no act of this host has written.
 */
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import type { ThingFaultCode } from '../../../shared/wire/console/audit.ts';
import { AUDITED, AUDITED_TABLES, AUDITED_WORDS, type AuditedTable } from '../made/audited.ts';
import {
  digestOf,
  keysSql,
  sealOf,
  stateStatement,
  UNSEALED,
  type Made,
  type MadeThing,
  type ThingKey,
} from '../made/changes.ts';
import type { RecordKey } from '../made/record-key.ts';

export interface ThingFault {
  fault: ThingFaultCode;
  /** Null: a row of the log, without one thing. */
  table: AuditedTable | null;
  key: ThingKey;
  /** The row of the audit log, where one is concerned. */
  row: number | null;
  says: string;
}

export interface ThingFindings {
  faults: ThingFault[];
  /** Things and rows that the host's key alone could judge, and all things while no row tells of one. */
  unjudged: number;
}

const anyMade = prepared(() => sql`SELECT 1 FROM console_action_log WHERE made IS NOT NULL LIMIT 1`);

/** Whether a row of the log tells of a thing at all. */
export const tellsThings = (reader: LedgerReader): boolean => reader.first(anyMade()) !== undefined;

interface LoggedState {
  to: string | null;
  row: number;
  key: string | null;
}

const STEP = 500;
export type Row = ConsoleActionLogTable & { made: string };
const madeFrom = prepared(
  ({ after, about }: { after: number; about: string | null }) => sql<Row>`
  SELECT * FROM console_action_log WHERE made IS NOT NULL AND seq > ${after} AND (${about} IS NULL
    OR EXISTS (SELECT 1 FROM json_each(${about}) WHERE instr(made, value) > 0)) ORDER BY seq LIMIT ${sql.lit(STEP)}`,
);
const bareRows = prepared(
  (after: number) => sql<{ first: number | null; count: number }>`
  SELECT min(seq) AS first, count(*) AS count FROM console_action_log WHERE made IS NULL AND seq > ${after}`,
);
/**
 * @param key the host's; null: what only it can judge is counted
 * @param last runs the last step, on one view of the ledger that others may be writing
 */
export function* followThings(
  reader: LedgerReader,
  key: RecordKey | null,
  last: (step: () => void) => void = (step) => step(),
  tables: readonly AuditedTable[] = AUDITED_TABLES,
): Generator<void, ThingFindings> {
  const told = new ThingCheck(reader, key, tables);
  while (told.walk()) yield;
  const doubtful: Doubt[] = [];
  const seen = new Set<string>();
  for (const table of tables)
    for (const [index, thing] of keysOf(reader, table).entries()) {
      const name = nameOf(table, thing);
      seen.add(name);
      if (told.judge(table, thing) !== null) doubtful.push({ table, thing });
      if (index % STEP === STEP - 1) yield;
    }
  for (const [name, { to }] of told.said) {
    const [table, thing] = JSON.parse(name) as [AuditedTable, ThingKey];
    if (to !== null && tables.includes(table) && !seen.has(name)) doubtful.push({ table, thing });
  }
  let unjudged = 0;
  last(() => {
    while (told.walk());
    told.findBare();
    for (const { table, thing } of doubtful) {
      const fault = told.judge(table, thing);
      if (fault === 'UNJUDGED') unjudged += 1;
      else if (fault !== null) told.faults.push(fault);
    }
  });
  return { faults: told.allFaults(), unjudged: unjudged + told.unjudgedRows };
}

/** A thing to be judged. */
export interface Doubt {
  table: AuditedTable;
  thing: ThingKey;
}

/** The same in one call. */
export function checkThings(
  reader: LedgerReader,
  key: RecordKey | null,
  tables: readonly AuditedTable[] = AUDITED_TABLES,
): ThingFindings {
  const steps = followThings(reader, key, undefined, tables);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** An account with its credentials. */
export const ACCOUNT_TABLES = [
  ...(['member', 'member_identity', 'second_factor', 'recovery_code'] as const),
] satisfies readonly AuditedTable[];

const nameOf = (table: AuditedTable, key: ThingKey): string => JSON.stringify([table, key]);

/** What rows of the log tell of things, in their order, and how the things fit it. */
export class ThingCheck {
  readonly said = new Map<string, LoggedState>();
  readonly faults: ThingFault[] = [];
  unjudgedRows = 0;
  readonly #reader: LedgerReader;
  readonly #key: RecordKey | null;
  #unsealed = { first: Infinity, count: 0 };
  /** The rows that bear the seal of another key, by its name. */
  readonly #strange = new Map<string, Counted>();
  /** The row that bears a seal. */
  readonly #sealed = new Map<string, number>();
  /** The seal of the last restore's row, which the rows after it name. */
  #branch: string | undefined;
  /** A restore makes rows of the ledger before it again, until a member acts. */
  #isMadeAgain = false;
  /** The first row since the record began that bears one. */
  #firstSealed = Infinity;
  /** No row tells of a thing yet. */
  #isUnbegun = true;
  readonly #tables: readonly AuditedTable[];
  /** Null: all rows. */
  readonly #about: string | null;
  #at = 0;

  constructor(reader: LedgerReader, key: RecordKey | null, tables: readonly AuditedTable[]) {
    this.#reader = reader;
    this.#key = key;
    this.#tables = tables;
    this.#about = tables === AUDITED_TABLES ? null : JSON.stringify(tables.map((table) => `["${table}",[`));
  }

  /** Takes the next rows; returns whether there may be more. */
  walk(): boolean {
    const rows = this.#reader.all(madeFrom({ after: this.#at, about: this.#about }));
    for (const row of rows) this.take(row);
    this.#at = rows.at(-1)?.seq ?? this.#at;
    return rows.length === STEP;
  }

  /** Rows without a seal, once all are walked: after the first sealed one there is none. */
  findBare(): void {
    if (this.#about !== null || this.#firstSealed === Infinity) return;
    const bare = this.#reader.first(bareRows(this.#firstSealed));
    if (bare !== undefined && bare.first !== null) counted(this.#unsealed, bare.first, bare.count);
  }

  take(row: Row): void {
    const made = madeIn(row.made);
    this.#isUnbegun &&= made?.things.length === 0;
    if (made === null) {
      this.#fault(
        'ROW_FORGED',
        row.seq,
        `Row ${row.seq} of the audit log tells what it made in no form of this program.`,
      );
      return;
    }
    const isSound = this.#checkSeal(row, made) && this.#checkBranch(row, made);
    if (row.action === 'ledger.restore') {
      this.#branch = made.mac ?? undefined;
      this.#isMadeAgain = true;
    }
    const begins = row.action === 'audit.begin' && isSound;
    if (begins && isFirstPart(row.detail)) {
      this.said.clear();
      this.faults.length = 0;
      this.#unsealed = { first: Infinity, count: 0 };
      this.#strange.clear();
      this.#firstSealed = row.seq;
      this.unjudgedRows = made.mac !== null && this.#key === null ? 1 : 0;
    }
    // Of other tables this log may have been read in part only: a proposal that a publication ends, say.
    for (const thing of made.things) if (this.#tables.includes(thing[0])) this.#follow(row, made, thing, begins);
  }

  #checkSeal(row: Row, made: Made): boolean {
    if (this.#key === null) {
      this.unjudgedRows += 1;
      return true;
    }
    if (made.mac === null) {
      counted(this.#unsealed, row.seq);
      return false;
    }
    if (made.key !== this.#key.id) {
      const name = String(made.key);
      const rows = this.#strange.get(name) ?? { first: row.seq, count: 0 };
      counted(rows, row.seq);
      this.#strange.set(name, rows);
      return false;
    }
    if (sealOf(this.#key, row, made) !== made.mac) {
      this.#fault('ROW_FORGED', row.seq, `Row ${row.seq} of the audit log was not written by this host.`);
      return false;
    }
    this.#firstSealed = Math.min(this.#firstSealed, row.seq);
    // The program's own acts follow from its input, and each of its moves from the one before.
    if (row.actor_role === 'SYSTEM' && made.things.length === 0) return true;
    const first = this.#sealed.get(made.mac);
    this.#sealed.set(made.mac, first ?? row.seq);
    if (first === undefined) return true;
    this.#fault('ROW_FORGED', row.seq, `Row ${row.seq} of the audit log is row ${first} once more.`);
    return false;
  }

  /** Rows of some tables alone do not tell of the restores. */
  #checkBranch(row: Row, { branch }: Made): boolean {
    if (this.#key === null || this.#about !== null) return true;
    if (branch === this.#branch && row.actor_id !== null) this.#isMadeAgain = false;
    if (branch === this.#branch || this.#isMadeAgain) return true;
    this.#fault('ROW_FORGED', row.seq, `Row ${row.seq} of the audit log is of a ledger that a restore has replaced.`);
    return false;
  }

  #follow({ seq }: Row, { key }: Made, [table, thing, from, to]: MadeThing, begins: boolean): void {
    const name = nameOf(table, thing);
    const before = this.said.get(name);
    const left = before === undefined ? initialDigest(table, thing, from) : before.to;
    const isComparable =
      from !== UNSEALED &&
      left !== UNSEALED &&
      !(AUDITED[table].isSecret && before !== undefined && before.key !== key);
    if (!begins && isComparable && from !== left) {
      const what = this.#named(table, thing);
      const than =
        before === undefined ? 'which was there without a row' : `which was not then as row ${before.row} had left it`;
      this.#fault('COVERED', seq, `Row ${seq} of the audit log changes the ${what}, ${than}.`, [table, thing]);
    }
    this.said.set(name, { to, row: seq, key });
  }

  judge(table: AuditedTable, thing: ThingKey): ThingFault | 'UNJUDGED' | null {
    const state = stateOf(this.#reader, table, thing);
    const said = this.said.get(nameOf(table, thing));
    const { isSecret, initial } = AUDITED[table];
    const fault = (code: ThingFaultCode, row: number | null, says: string): ThingFault => ({
      fault: code,
      table,
      key: thing,
      row,
      says,
    });
    if (said === undefined) {
      if (state === '[]' || (initial !== undefined && state === initialState(initial))) return null;
      // A host that has a key has sealed rows with it: then they are gone.
      if (this.#isUnbegun && this.#key === null) return 'UNJUDGED';
      return fault('NO_ROW', null, `The ${this.#named(table, thing)} has no row in the audit log.`);
    }
    if (state === '[]')
      return said.to === null
        ? null
        : fault(
            'GONE',
            said.row,
            `The ${this.#named(table, thing)} is gone, and row ${said.row} of the audit log tells of it.`,
          );
    if (said.to !== null && isSecret && (this.#key === null || said.to === UNSEALED || said.key !== this.#key.id))
      return 'UNJUDGED';
    if (said.to === digestOf(table, thing, state, this.#key)) return null;
    return fault(
      'ALTERED',
      said.row,
      `The ${this.#named(table, thing)} is not as row ${said.row} of the audit log has left it.`,
    );
  }

  /** With one sentence for the rows that the host wrote without its key, and for those of each other key. */
  allFaults(): ThingFault[] {
    const faults = [...this.faults];
    const add = (fault: ThingFaultCode, { first, count }: Counted, which: string): void => {
      if (count > 0)
        faults.push({ fault, table: null, key: [], row: first, says: `${rowsFrom(first, count)} ${which}.` });
    };
    for (const [key, rows] of this.#strange) add('ROW_FORGED', rows, `written with another record key (${key})`);
    add('UNSEALED', this.#unsealed, 'written without the record key');
    return faults;
  }

  refuse(row: number, says: string): void {
    this.#fault('ROW_FORGED', row, says);
  }

  #fault(fault: ThingFaultCode, row: number, says: string, of?: readonly [AuditedTable, ThingKey]): void {
    this.faults.push({ fault, table: of?.[0] ?? null, key: of?.[1] ?? [], row, says });
  }

  #named(table: AuditedTable, thing: ThingKey): string {
    const words = `${AUDITED_WORDS[table]} ${AUDITED[table].initial === undefined ? thing.join(' ') : ''}`.trim();
    if (!words.includes('member ')) return words;
    const member = this.#reader.first(usernameOf(String(thing[0])));
    return member === undefined ? words : `${words} (${member.username})`;
  }
}

interface Counted {
  first: number;
  count: number;
}

function counted(rows: Counted, row: number, count = 1): void {
  rows.first = Math.min(rows.first, row);
  rows.count += count;
}

const rowsFrom = (first: number, count: number): string =>
  count === 1 ? `Row ${first} of the audit log was` : `${count} rows of the audit log, from row ${first} on, were`;

const usernameOf = prepared((id: string) => sqlite.selectFrom('member').select('username').where('id', '=', id));

const initialState = (values: readonly unknown[]): string => JSON.stringify([JSON.stringify(values)]);

/** The digest that a first change begins from, where the schema itself has made the row. */
function initialDigest(table: AuditedTable, thing: ThingKey, from: string | null): string | null {
  const { initial } = AUDITED[table];
  const digest = initial === undefined ? null : digestOf(table, thing, initialState(initial), null);
  return from === null ? null : digest;
}

function keysOf(reader: LedgerReader, table: AuditedTable): ThingKey[] {
  const keys = reader.all<{ key: string }>({ sql: keysSql(table), parameters: [] });
  return keys.map(({ key }) => JSON.parse(key) as ThingKey);
}

function stateOf(reader: LedgerReader, table: AuditedTable, thing: ThingKey): string {
  return reader.first<{ state: string }>({ sql: stateStatement(table), parameters: thing })?.state ?? '[]';
}

function madeIn(text: string): Made | null {
  try {
    const made = JSON.parse(text) as Made;
    const isMade = made.things.every(([table, key]) => Object.hasOwn(AUDITED, table) && Array.isArray(key));
    return isMade ? made : null;
  } catch {
    return null;
  }
}

function isFirstPart(detail: string): boolean {
  try {
    return (JSON.parse(detail) as { part?: unknown }).part === 1;
  } catch {
    return false;
  }
}
