/**
 * The serving scope as people set it (console API 4, D17). An absent row means "inside": the table lists only switched
 * keys.
 */
import { formsOf, withoutSpace } from '../../../shared/wire/search-fold.ts';
import { sql } from 'kysely';
import type { ChannelScope, MarketScope, SectorScope, StockScope } from '../../../shared/wire/console/console.ts';
import { actorName, recordAction, type Actor } from '../audit/audit.ts';
import { keepConfirmation, keepReason, UNTOLD, whyOff, type Why } from './exclusions.ts';
import { recordFact, recordInstrument } from './record.ts';
import type { ScopeType } from './visibility.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

export class UnknownScopeKeyError extends Error {
  override name = 'UnknownScopeKeyError';
}

/** The switch is on where the caller takes it to be off, or the other way round (SCOPE4091). */
export class SwitchStateError extends Error {
  override name = 'SwitchStateError';
  constructor(type: ScopeType, key: string, enabled: boolean) {
    super(`The ${type.toLowerCase()} ${key} is switched ${enabled ? 'on' : 'off'} now: read it again.`);
  }
}

/** Another user has switched it since the caller read it (412). */
export class ScopeMovedOnError extends Error {
  override name = 'ScopeMovedOnError';
  readonly version: number;
  constructor(version: number) {
    super(`The switch is at version ${version} now.`);
    this.version = version;
  }
}

interface Switch extends Why {
  enabled: boolean;
  changedBy: string | null;
  changedAt: string | null;
  version: number;
}

interface SwitchRow {
  enabled: number | null;
  changed_by: string | null;
  changed_at: string | null;
  version: number | null;
}

function toSwitch(row: SwitchRow, why: Why = UNTOLD): Switch {
  return {
    enabled: row.enabled !== 0,
    ...why,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
    version: row.version ?? 1,
  };
}

interface Paging {
  page: number;
  size: number;
}

interface Found<T> {
  rows: T[];
  total: number;
}

/** The total, and the rows of one page. There are some thousands of instruments at most. */
function paged<Row extends SwitchRow, T>(all: Row[], { page, size }: Paging, toItem: (row: Row) => T): Found<T> {
  return { rows: all.slice((page - 1) * size, page * size).map(toItem), total: all.length };
}

/** Keys of a type that instruments have or that were switched once, with their switch. */
function keysOf(reader: LedgerReader, type: 'MARKET' | 'SECTOR') {
  const column = sql.ref(type === 'MARKET' ? 'market' : 'sector');
  return reader.all<SwitchRow & { key: string; instruments: number }>(
    sqlite
      .selectFrom((from) =>
        from
          .selectFrom('instrument')
          .select([sql<string>`${column}`.as('key'), sql<number>`count(*)`.as('instruments')])
          .where(sql<boolean>`${column} IS NOT NULL`)
          .groupBy('key')
          .unionAll(
            from
              .selectFrom('serving_scope')
              .select(['scope_key as key', sql<number>`0`.as('instruments')])
              .where('scope_type', '=', type)
              .where(sql<boolean>`scope_key NOT IN (SELECT ${column} FROM instrument WHERE ${column} IS NOT NULL)`),
          )
          .as('known'),
      )
      .leftJoin('serving_scope as s', (join) =>
        join.on('s.scope_type', '=', type).onRef('s.scope_key', '=', 'known.key'),
      )
      .select(['known.key', 'known.instruments', 's.enabled', 's.changed_by', 's.changed_at', 's.version'])
      .orderBy('known.key'),
  );
}

export function listMarkets(reader: LedgerReader, paging: Paging): Found<MarketScope> {
  const why = whyOff(reader, 'MARKET');
  return paged(keysOf(reader, 'MARKET'), paging, (row) => ({
    market: row.key,
    instruments: row.instruments,
    ...toSwitch(row, why.get(row.key)),
  }));
}

export function listSectors(reader: LedgerReader, paging: Paging): Found<SectorScope> {
  const why = whyOff(reader, 'SECTOR');
  return paged(keysOf(reader, 'SECTOR'), paging, (row) => ({
    sector: row.key,
    instruments: row.instruments,
    ...toSwitch(row, why.get(row.key)),
  }));
}

export function listChannels(reader: LedgerReader, paging: Paging): Found<ChannelScope> {
  const rows = reader.all(
    sqlite
      .selectFrom('channel')
      .leftJoin('serving_scope as s', (join) =>
        join.on('s.scope_type', '=', 'CHANNEL').onRef('s.scope_key', '=', 'channel.channel'),
      )
      .select(['channel.channel', 's.enabled', 's.changed_by', 's.changed_at', 's.version'])
      .orderBy('channel.channel'),
  );
  const why = whyOff(reader, 'CHANNEL');
  return paged(rows, paging, (row) => ({ channel: row.channel, ...toSwitch(row, why.get(row.channel)) }));
}

export interface StockFilter extends Paging {
  /** Part of code or name. */
  q?: string;
  enabled?: boolean;
  sector?: string;
}

export function listStocks(reader: LedgerReader, filter: StockFilter): Found<StockScope> {
  const parts = formsOf(filter.q ?? '').map((form) => form.toLowerCase());
  const holds = (text: string): boolean => parts.some((part) => withoutSpace(text).toLowerCase().includes(part));
  const rows = reader
    .all(stocks().orderBy('instrument.etf_ticker'))
    .filter(
      (row) =>
        (parts.length === 0 || holds(row.etf_ticker) || holds(row.etf_name)) &&
        (filter.enabled === undefined || (row.enabled !== 0) === filter.enabled) &&
        (filter.sector === undefined || row.sector === filter.sector),
    );
  const why = whyOff(reader, 'INSTRUMENT');
  return paged(rows, filter, (row) => toStock(row, why.get(row.etf_ticker)));
}

function stocks() {
  return sqlite
    .selectFrom('instrument')
    .leftJoin('serving_scope as s', (join) =>
      join.on('s.scope_type', '=', 'INSTRUMENT').onRef('s.scope_key', '=', 'instrument.etf_ticker'),
    )
    .select([
      'instrument.etf_ticker',
      'instrument.etf_name',
      'instrument.market',
      'instrument.sector',
      's.enabled',
      's.changed_by',
      's.changed_at',
      's.version',
      'instrument.version as said',
    ]);
}

type StockRow = SwitchRow & {
  etf_ticker: string;
  etf_name: string;
  market: string | null;
  sector: string | null;
  /** The version of the assigned sector. */
  said: number;
};

/** Its version grows with the switch and with the sector, each of which has a count of its own. */
function toStock(row: StockRow, why?: Why): StockScope {
  const { version, ...switched } = toSwitch(row, why);
  const { etf_ticker: code, etf_name: name, market, sector } = row;
  return { code, name, market, sector, ...switched, version: version + row.said - 1 };
}

export function findStock(reader: LedgerReader, code: string): StockScope | undefined {
  const row = reader.first(stocks().where('instrument.etf_ticker', '=', code));
  return row === undefined ? undefined : toStock(row, whyOff(reader, 'INSTRUMENT').get(code));
}

/**
 * @returns `version` as screens read it, `count` that of the switch alone
 * @throws UnknownScopeKeyError
 */
export function switchNow(
  reader: LedgerReader,
  type: ScopeType,
  key: string,
): { enabled: boolean; version: number; count: number } {
  if (!isKnown(reader, type, key)) throw new UnknownScopeKeyError(`There is no ${type.toLowerCase()} ${key}.`);
  const row = reader.first(
    sqlite
      .selectFrom('serving_scope')
      .select(['enabled', 'version'])
      .where('scope_type', '=', type)
      .where('scope_key', '=', key),
  );
  const count = row?.version ?? 1;
  const version = type === 'INSTRUMENT' ? (findStock(reader, key)?.version ?? count) : count;
  return { enabled: row?.enabled !== 0, version, count };
}

interface Switching {
  type: ScopeType;
  key: string;
  actor: Actor;
  at: string;
  expectedVersion?: number;
}

/**
 * Switches a key to the other side, from the next request of a channel on (D20).
 *
 * @param request `expected`: the state that the caller has seen (D227)
 * @throws UnknownScopeKeyError, ScopeMovedOnError, SwitchStateError
 */
export function toggleScope(
  tx: LedgerTransaction,
  request: Switching & { reason?: string | undefined; expected?: boolean | undefined },
): void {
  const { type, key, actor, at, expectedVersion, reason, expected } = request;
  const { enabled: was, version, count } = switchNow(tx, type, key);
  refuseStale(expectedVersion, version);
  if (expected !== undefined && expected !== was) throw new SwitchStateError(type, key, was);
  const enabled = was ? 0 : 1;
  const next = { enabled, changed_by: actorName(actor), changed_at: at, version: count + 1 };
  tx.run(
    sqlite
      .insertInto('serving_scope')
      .values({ scope_type: type, scope_key: key, ...next })
      .onConflict((conflict) => conflict.columns(['scope_type', 'scope_key']).doUpdateSet(next)),
  );
  keepReason(tx, { type, key, reason: was ? (reason ?? null) : null });
  recordAction(tx, {
    at,
    actor,
    action: 'scope.toggle',
    targetType: 'serving_scope',
    targetId: key,
    detail: { scope_type: type, from: was, to: !was, ...(reason === undefined ? {} : { reason }) },
  });
  recordFact(tx, at, 'SCOPE', type === 'INSTRUMENT' ? key : null, { type, key, enabled, by: actorName(actor) });
}

/**
 * Confirms that a switch is meant to be off: the consoles no longer warn of it (D227).
 *
 * @throws UnknownScopeKeyError, ScopeMovedOnError, SwitchStateError where it is on
 */
export function confirmExclusion(tx: LedgerTransaction, request: Switching & { reason: string }): void {
  const { type, key, actor, at, expectedVersion, reason } = request;
  const { enabled, version } = switchNow(tx, type, key);
  refuseStale(expectedVersion, version);
  if (enabled) throw new SwitchStateError(type, key, enabled);
  keepConfirmation(tx, { type, key, confirmation: { reason, by: actorName(actor), at } });
  recordAction(tx, {
    at,
    actor,
    action: 'scope.confirm',
    targetType: 'serving_scope',
    targetId: key,
    detail: { scope_type: type, reason },
  });
}

function refuseStale(expected: number | undefined, version: number): void {
  if (expected !== undefined && expected !== version) throw new ScopeMovedOnError(version);
}

/**
 * Assigns an instrument to a sector of the tenant's own; null removes it from any. The same value leaves no trace.
 *
 * @throws UnknownScopeKeyError, ScopeMovedOnError
 */
export function setSector(
  tx: LedgerTransaction,
  request: { code: string; sector: string | null; actor: Actor; at: string; expectedVersion?: number },
): void {
  const { code, sector, actor, at } = request;
  const known = findStock(tx, code);
  if (known === undefined) throw new UnknownScopeKeyError(`There is no instrument ${code}.`);
  refuseStale(request.expectedVersion, known.version);
  if (known.sector === sector) return;
  tx.run(
    sqlite
      .updateTable('instrument')
      .set((eb) => ({ sector, version: eb('version', '+', 1) }))
      .where('etf_ticker', '=', code),
  );
  recordAction(tx, {
    at,
    actor,
    action: 'scope.sector',
    targetType: 'instrument',
    targetId: code,
    detail: { from: known.sector, to: sector },
  });
  recordInstrument(tx, at, code, actorName(actor));
}

/** SQLite takes the row of the maximum for bare columns. */
const sectorActs = prepared(
  () => sql<{ code: string; sector: string | null; times: number }>`
    SELECT target_id AS code, json_extract(detail, '$.to') AS sector, count(*) AS times, max(seq) FROM console_action_log
    WHERE action = 'scope.sector' AND actor_role IS NOT 'SYSTEM' GROUP BY target_id`,
);

/** The last sector that people assigned to each instrument, and the number of assignments, from the audit log. */
export function loggedSectors(reader: LedgerReader): Map<string, { sector: string | null; times: number }> {
  return new Map(reader.all(sectorActs()).map(({ code, sector, times }) => [code, { sector, times }]));
}

/** Assigns an instrument to that sector, at the version of that time. */
export function restoreSector(
  tx: LedgerTransaction,
  code: string,
  said: { sector: string | null; times: number },
): void {
  tx.run(
    sqlite
      .updateTable('instrument')
      .set({ sector: said.sector, version: said.times + 1 })
      .where('etf_ticker', '=', code),
  );
}

function isKnown(reader: LedgerReader, type: ScopeType, key: string): boolean {
  switch (type) {
    case 'CHANNEL':
      return reader.first(sqlite.selectFrom('channel').select('channel').where('channel', '=', key)) !== undefined;
    case 'INSTRUMENT':
      return reader.first(sqlite.selectFrom('instrument').select('market').where('etf_ticker', '=', key)) !== undefined;
    case 'MARKET':
    case 'SECTOR':
      return keysOf(reader, type).some((row) => row.key === key);
  }
}
