/**
 * What the rows of the audit log made (D199). Temporary triggers note each thing of `AUDITED` that a transaction changes,
 * with its state before; the next row of the log holds digests of the state before and after, under one seal. A row is
 * sealed without such things too.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Database, Statement } from 'better-sqlite3';
import { AUDITED, AUDITED_TABLES, type AuditedTable } from './audited.ts';
import { RecordKeyFile, recordKeyFile, type RecordKey } from './record-key.ts';

/** The values of the columns that name a thing. */
export type ThingKey = readonly (string | number)[];
/** A thing with the digests of its states before and after the act; null: it was not there. */
export type MadeThing = readonly [table: AuditedTable, key: ThingKey, from: string | null, to: string | null];

/** What a row of the log holds in `made`. */
export interface Made {
  /** The name of the host's key, and its HMAC over the row; null where the host had none. */
  key: string | null;
  mac: string | null;
  /** None in a row that changed no such thing, as that of a decision. */
  things: readonly MadeThing[];
  /** In the row of a person: two acts of one moment may say the same, and each is one of its own. */
  nonce?: string;
  /** The seal of the last restore's row before it: a ledger that was given up lacks that restore. */
  branch?: string;
}

/** The digest of a secret without the host's key. */
export const UNSEALED = '?';

/** The fields of a row that its seal covers: a restore appends the row with another number and hash (D140). */
export interface SealedRow {
  at: string;
  actor_id: string | null;
  actor: string;
  actor_role: string | null;
  action: string;
  target_type: string;
  target_id: string | null;
  detail: string;
  source_address: string | null;
}

export const sealOf = (key: RecordKey, row: SealedRow, { things, nonce, branch }: Omit<Made, 'key' | 'mac'>): string =>
  key.mac(
    JSON.stringify([
      ...[row.at, row.actor_id, row.actor, row.actor_role, row.action, row.target_type, row.target_id, row.detail],
      ...[row.source_address, things, nonce],
      ...(branch === undefined ? [] : [branch]),
    ]),
  );

/** What the host's record key seals of a session: one written by hand is a login without a password (D199). */
export const sessionSeal = (row: { token_hash: string; member_id: string; created_at: string }): string =>
  JSON.stringify(['session', row.token_hash, row.member_id, row.created_at]);

/** @param state as `stateSql` gives it @param key for a secret */
export function digestOf(table: AuditedTable, thing: ThingKey, state: string, key: RecordKey | null): string | null {
  if (state === '[]') return null;
  const told = JSON.stringify([table, thing, state]);
  return AUDITED[table].isSecret ? (key?.mac(told) ?? UNSEALED) : hash('sha256', told);
}

/** SQL of the rows of a thing as one text; `[]` where there are none. @param values SQL of the key's values */
function stateSql(table: AuditedTable, values: readonly string[]): string {
  const { key, columns, present } = AUDITED[table];
  const named = key.map((column, index) => `${column} = ${values[index]}`);
  if (present !== undefined) named.push(`${present} IS NOT NULL`);
  return `(SELECT json_group_array(told) FROM (
    SELECT json_array(${columns.join(', ')}) AS told FROM ${table} WHERE ${named.join(' AND ')} ORDER BY 1))`;
}

/** The same as a statement, bound to the key. */
export const stateStatement = (table: AuditedTable): string =>
  `SELECT ${stateSql(
    table,
    AUDITED[table].key.map(() => '?'),
  )} AS state`;

/** SQL of the keys of all things of a table, as JSON. */
export function keysSql(table: AuditedTable): string {
  const { key, present } = AUDITED[table];
  const where = present === undefined ? '' : `WHERE ${present} IS NOT NULL`;
  return `SELECT DISTINCT json_array(${key.join(', ')}) AS key FROM ${table} ${where} ORDER BY 1`;
}

const NONCE_BYTES = 6;
const MOST_PROVED = 1_000;
const BRANCH = `SELECT iif(json_valid(made), made ->> '$.mac', NULL) FROM console_action_log INDEXED BY console_action_restore
  WHERE action = 'ledger.restore' AND made IS NOT NULL ORDER BY seq DESC LIMIT 1`;
const TOUCHED = 'causeway_touched';

/** The changes of one connection since the last row of the log. */
export class Changes {
  readonly #db: Database;
  readonly #key: RecordKeyFile;
  readonly #touched = new Map<string, { table: AuditedTable; key: ThingKey; before: string }>();
  readonly #states = new Map<AuditedTable, Statement>();
  readonly #proved = new Set<string>();
  #branch: Statement | undefined;
  #isOn = false;

  constructor(db: Database, file: string) {
    this.#db = db;
    this.#key = new RecordKeyFile(recordKeyFile(file));
  }

  /** Before the first write of the connection. */
  begin(): void {
    this.#touched.clear();
    if (this.#isOn) return;
    this.#isOn = true;
    this.#db.function(TOUCHED, (table: AuditedTable, key: string, before: string) => {
      const name = `["${table}",${key}]`;
      if (!this.#touched.has(name)) this.#touched.set(name, { table, key: JSON.parse(key) as ThingKey, before });
      return null;
    });
    this.#db.exec(`BEGIN; ${TRIGGERS} COMMIT`);
  }

  /** The triggers are gone: the next write makes them again. */
  restart(): void {
    this.#isOn = false;
  }

  /** The changes have their rows: a restore repeats both. */
  forget(): void {
    this.#touched.clear();
  }

  /** What has changed since the row before it, as a row of the log tells it. */
  take(row: SealedRow): string | null {
    const changed = [...this.#touched.values()].flatMap(({ table, key, before }) => {
      const after = this.state(table, key);
      return after === before ? [] : [{ table, key, before, after }];
    });
    this.#touched.clear();
    return this.tell(row, changed);
  }

  /**
   * What a row of the log tells of changes, with its seal. Every row bears one where there is a key: else somebody could
   * append a decision in a colleague's name, or one of the program. Null where it tells nothing and bears none.
   */
  tell(
    row: SealedRow,
    changed: readonly { table: AuditedTable; key: ThingKey; before: string; after: string }[],
  ): string | null {
    const key = this.#key.read() ?? (changed.length > 0 ? this.#firstKey() : null);
    if (changed.length === 0 && key === null) return null;
    const things = changed.map(({ table, key: named, before, after }): MadeThing => [
      table,
      named,
      digestOf(table, named, before, key),
      digestOf(table, named, after, key),
    ]);
    this.#branch ??= this.#db.prepare(BRANCH).pluck();
    const branch = this.#branch.get() as string | null | undefined;
    const told = {
      things,
      ...(row.actor_role === 'SYSTEM' ? {} : { nonce: randomBytes(NONCE_BYTES).toString('base64url') }),
      ...(typeof branch === 'string' ? { branch } : {}),
    };
    return JSON.stringify({
      key: key?.id ?? null,
      mac: key === null ? null : sealOf(key, row, told),
      ...told,
    } satisfies Made);
  }

  /** The host's; null where it has none. */
  get key(): RecordKey | null {
    return this.#key.read();
  }

  /** The key's HMAC of a text; null where the host has no key. */
  seal(text: string): string | null {
    return this.#key.read()?.mac(text) ?? null;
  }

  /** Whether a text bears this host's seal, as far as it can judge. What was found once is not reckoned again. */
  isSealed(text: string, mac: string | null): boolean {
    const told = `${mac} ${text}`;
    if (this.#proved.has(told)) return true;
    const own = this.seal(text);
    if (own === null || own !== mac) return own === null;
    if (this.#proved.size >= MOST_PROVED) this.#proved.clear();
    this.#proved.add(told);
    return true;
  }

  /** A host whose log has sealed rows already and whose key is missing makes no other: the doctor says so. */
  #firstKey(): RecordKey | null {
    const sealed = this.#db.prepare('SELECT 1 FROM console_action_log WHERE made IS NOT NULL LIMIT 1').get();
    return sealed === undefined ? this.#key.readOrMake() : null;
  }

  keys(table: AuditedTable): ThingKey[] {
    const found = this.#db.prepare(keysSql(table)).pluck().all() as string[];
    return found.map((key) => JSON.parse(key) as ThingKey);
  }

  /** Whether a thing is as a row has left it, as far as this host can judge. */
  isAsTold([table, thing, , to]: MadeThing, keyId: string | null): boolean {
    const key = this.#key.read();
    const state = this.state(table, thing);
    const isOpen = AUDITED[table].isSecret && to !== null && state !== '[]' && (key === null || key.id !== keyId);
    return isOpen || digestOf(table, thing, state, key) === to;
  }

  state(table: AuditedTable, key: ThingKey): string {
    const known = this.#states.get(table);
    const found = known ?? this.#db.prepare(stateStatement(table)).pluck();
    this.#states.set(table, found);
    return found.get(...key) as string;
  }
}

function triggersOf(table: AuditedTable): string {
  const { key, columns, isNumbered, present } = AUDITED[table];
  const valuesOf = (row: string): string[] => key.map((column) => `${row}.${column}`);
  const trigger = (on: string, event: string, row: string, before = stateSql(table, valuesOf(row))): string => `
    CREATE TEMP TRIGGER told_${on}_${table} ${event} ON ${table} BEGIN
      SELECT ${TOUCHED}('${table}', json_array(${valuesOf(row).join(', ')}), ${before})
      ${on === 'insert' && present !== undefined ? `WHERE NEW.${present} IS NOT NULL` : ''}; END;`;
  return [
    isNumbered === true ? trigger('insert', 'AFTER INSERT', 'NEW', "'[]'") : trigger('insert', 'BEFORE INSERT', 'NEW'),
    trigger('update', `BEFORE UPDATE OF ${columns.join(', ')}`, 'OLD'),
    trigger('delete', 'BEFORE DELETE', 'OLD'),
  ].join('');
}

const TRIGGERS = AUDITED_TABLES.map(triggersOf).join('');
