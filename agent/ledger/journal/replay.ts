/** Replays the changes of a record in a ledger at the record's place (README). */
import { sql } from 'kysely';
import { appendRow, memberActions } from '../audit/audit.ts';
import { beginEpoch, epochNow, partsOf } from '../explanations/position.ts';
import { readCursors } from '../inbox/raw-bundles.ts';
import type { LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { CAPTURED, untold, type Image, type RowChange, type Value } from './capture.ts';
import { AUDITED, AUDITED_WORDS, type AuditedTable } from '../made/audited.ts';
import type { Made, MadeThing } from '../made/changes.ts';
import { keepPlace, placeOf, recordIn, type DecisionRecord, type StoredRecord } from './records.ts';

/** A record that cannot be replayed; the message is complete. */
export class UnmadeError extends Error {
  override name = 'UnmadeError';
}

/** @throws UnmadeError where the ledger is not at the record's place; the caller rolls back */
export function makeAgain(tx: LedgerTransaction, kept: StoredRecord): void {
  const record = recordIn(kept);
  const place = placeOf(tx);
  if (place.seq !== record.seq - 1 || place.hash !== record.prev)
    throw new UnmadeError(`Record ${record.seq} does not go on from record ${place.seq} of the ledger.`);
  const missing = record.begin === true ? record.acts - memberActions(tx) : 0;
  if (missing !== 0)
    throw new UnmadeError(
      `Before record ${record.seq} people made ${missing} changes without the journal: no record holds them.`,
    );
  const told = thingsIn(record);
  goOnInEpochOf(tx, record);
  for (const change of record.changes) {
    makeChange(tx, change, record.seq);
    refuseUnrecorded(change, told, record.seq);
  }
  // Its rows tell of the changes already.
  tx.changes.forget();
  for (const { thing, key } of told.values())
    if (!tx.changes.isAsTold(thing, key))
      throw new UnmadeError(
        `Record ${record.seq} makes the ${AUDITED_WORDS[thing[0]]} ${thing[1].join(' ')} other than its own row of the audit log tells.`,
      );
  for (const row of record.audit) appendRow(tx, row);
  keepPlace(tx, kept);
}

/** The ledger of the record had set raw records aside and this one has not: what comes after the record's place is later. */
function goOnInEpochOf(tx: LedgerTransaction, { applied, audit, changes }: DecisionRecord): void {
  const positions = changes.flatMap(({ table, row }) => (table === 'state_history' ? String(row['position']) : []));
  const epoch = partsOf(positions.toSorted().at(-1) ?? '').epoch;
  const at = audit[0]?.at;
  if (at !== undefined && epoch > epochNow(tx))
    beginEpoch(tx, at, { epoch, committed: Math.max(applied, readCursors(tx).applied) });
}

const lastPosition = prepared(() =>
  sqlite.selectFrom('state_history').select(({ fn }) => fn.max<string | null>('position').as('position')),
);

/** After the cloud has sent all that it has: records may have come from beyond that, and nothing stays behind them. */
export function endRecordsBeyond(tx: LedgerTransaction, at: string): void {
  const { epoch, cursor } = partsOf(tx.first(lastPosition())?.position ?? '');
  const { committed } = readCursors(tx);
  if (epoch === epochNow(tx) && cursor > committed) beginEpoch(tx, at, { epoch: epoch + 1, committed });
}

type RecordedThings = ReadonlyMap<string, { thing: MadeThing; key: string | null }>;

/** The things that the rows of a record tell of, each as its last row does. */
function thingsIn({ audit }: DecisionRecord): RecordedThings {
  return new Map(
    audit.flatMap(({ made }) => {
      if (made === null) return [];
      const { key, things } = JSON.parse(made) as Made;
      return things.map((thing) => [JSON.stringify([thing[0], thing[1]]), { thing, key }] as const);
    }),
  );
}

/** Each change of what the audit log vouches for has its row in the same record (D199). @throws UnmadeError */
function refuseUnrecorded({ table, key, row }: RowChange, told: RecordedThings, seq: number): void {
  if (!isAudited(table)) return;
  const { key: columns, present } = AUDITED[table];
  if (present !== undefined && !(present in row)) return;
  const thing = columns.map((column) => key[column] ?? row[column] ?? null);
  if (!told.has(JSON.stringify([table, thing])))
    throw new UnmadeError(
      `Record ${seq} changes the ${AUDITED_WORDS[table]} ${thing.join(' ')}, and no row of the audit log in it tells so.`,
    );
}

const isAudited = (table: string): table is AuditedTable => Object.hasOwn(AUDITED, table);

/** Skips a record, without its changes. */
export const passOver = keepPlace;

/** Its statements are texts: to compile built ones takes as long as to write the rows. */
function makeChange(tx: LedgerTransaction, change: RowChange, seq: number): void {
  const { table, op } = change;
  const capture = CAPTURED[table];
  const strange = untold(tx, change);
  if (capture === undefined || strange !== null)
    throw new UnmadeError(`Record ${seq} changes ${strange ?? table}, which no decision changes.`);
  const [key, row] = [resolved(tx, change.key, seq), resolved(tx, change.row, seq)];
  const where = Object.keys(key).map((column) => `${column} IS ?`);
  if (op === 'delete') {
    tx.run({ sql: `DELETE FROM ${table} WHERE ${where.join(' AND ')}`, parameters: Object.values(key) });
    return;
  }
  const entries = Object.entries(row);
  if (entries.length === 0) return;
  const set = entries.map(([column]) =>
    // Screens compare versions with those that they read: a version never repeats.
    capture.only !== undefined && column === 'version' ? 'version = max(version + 1, ?)' : `${column} = ?`,
  );
  const update = `UPDATE ${table} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`;
  const values = entries.map(([, value]) => value);
  if (where.length > 0 && tx.run({ sql: update, parameters: [...values, ...Object.values(key)] }) > 0) return;
  if (capture.only !== undefined)
    throw new UnmadeError(`Record ${seq} is about the ${table} ${Object.values(key).join(' ')}, which is not there.`);
  const columns = entries.map(([column]) => column).join(', ');
  tx.run({
    sql: `INSERT INTO ${table} (${columns}) VALUES (${entries.map(() => '?').join(', ')})`,
    parameters: values,
  });
}

const nthMove = prepared(
  (explanation: string, before: number) => sql<{ id: number }>`
  SELECT id FROM state_history WHERE explanation_id = ${explanation} ORDER BY id LIMIT 1 OFFSET ${before}`,
);

function resolved(
  tx: LedgerTransaction,
  image: Image,
  seq: number,
): Record<string, Exclude<Value, readonly unknown[]>> {
  const value = (given: Value): Exclude<Value, readonly unknown[]> => {
    if (!isMove(given)) return given;
    const [explanation, nth] = given;
    if (nth === 0) return 0;
    const move = tx.first(nthMove(explanation, nth - 1));
    if (move === undefined)
      throw new UnmadeError(`Record ${seq} is about move ${nth} of explanation ${explanation}, which is not there.`);
    return move.id;
  };
  return Object.fromEntries(Object.entries(image).map(([column, given]) => [column, value(given)]));
}

const isMove = (value: Value): value is readonly [string, number] => Array.isArray(value);
