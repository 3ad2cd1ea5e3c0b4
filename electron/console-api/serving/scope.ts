/**
 * The serving scope (console API 4, rule 4): markets and channels are coverage, set by the Tenant Admin; instruments
 * and sectors are conflicts of interest, set by the Compliance Reviewer. Their routes are separate, so that neither
 * role undoes the other's switches.
 */
import { z } from 'zod';
import { listExclusions } from '../../../agent/ledger/serving/exclusions.ts';
import { effectOfSwitch } from '../../../agent/ledger/serving/scope-rules.ts';
import {
  confirmExclusion,
  findStock,
  listChannels,
  listMarkets,
  listSectors,
  listStocks,
  setSector,
  toggleScope,
  UnknownScopeKeyError,
} from '../../../agent/ledger/serving/scope.ts';
import type { ScopeType } from '../../../agent/ledger/serving/visibility.ts';
import type { LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type {
  ChannelScope,
  Exclusion,
  MarketScope,
  Page,
  ScopeEffect,
  SectorScope,
  StockScope,
} from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import {
  channelScopeSchema,
  exclusionSchema,
  marketScopeSchema,
  scopeEffectSchema,
  sectorScopeSchema,
  stockScopeSchema,
} from '../../../shared/wire/console/scope.ts';
import { actorOf, type Caller } from '../context/context.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { LONGEST, paging, requiredText, requiredWrittenText, search, sectorName, switchedOn } from '../http/schemas.ts';

const key = requiredText(LONGEST.search);
const pagingQuery = z.strictObject(paging);
/** The contract's form has no body. `expected` is the state that the screen shows (D227). */
const switchBody = z
  .strictObject({ reason: requiredWrittenText(LONGEST.reason).optional(), expected: z.enum(['on', 'off']).optional() })
  .optional();
type SwitchBody = z.infer<typeof switchBody>;
const confirmBody = z.strictObject({ reason: requiredWrittenText(LONGEST.reason) });
/** Every key, to find the one that was just switched. */
const ALL = { page: 1, size: Number.MAX_SAFE_INTEGER };

export const scopeHandlers = {
  'GET /api/v1/scope/markets': endpoint({
    summary: 'Markets, and whether they are served',
    query: pagingQuery,
    result: pageOf(marketScopeSchema),
    handle: ({ query, context }): Page<MarketScope> => asPage(listMarkets(context.ledger, query), query),
  }),
  'GET /api/v1/scope/channels': endpoint({
    summary: 'Channels, and whether they are served',
    query: pagingQuery,
    result: pageOf(channelScopeSchema),
    handle: ({ query, context }): Page<ChannelScope> => asPage(listChannels(context.ledger, query), query),
  }),
  'GET /api/v1/scope/sectors': endpoint({
    summary: 'Sectors, and whether they are served',
    query: pagingQuery,
    result: pageOf(sectorScopeSchema),
    handle: ({ query, context }): Page<SectorScope> => asPage(listSectors(context.ledger, query), query),
  }),
  'GET /api/v1/scope/stocks': endpoint({
    summary: 'Instruments, and whether they are served',
    query: z.strictObject({ ...paging, q: search, enabled: switchedOn.optional(), sector: key.optional() }),
    result: pageOf(stockScopeSchema),
    handle: ({ query, context }): Page<StockScope> => {
      const { q, enabled, sector, page, size } = query;
      const filter = {
        page,
        size,
        ...(q === undefined ? {} : { q }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(sector === undefined ? {} : { sector }),
      };
      return asPage(listStocks(context.ledger, filter), query);
    },
  }),

  'GET /api/v1/scope/effect': endpoint({
    summary: 'The texts that one press of a switch would take from channels, or give them again, now',
    query: z.strictObject({ type: z.enum(['MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR']), key }),
    refuses: [404],
    result: scopeEffectSchema,
    handle: ({ query, context }): ScopeEffect =>
      effectOfSwitch(context.ledger, query.type, query.key, context.clock.now()),
  }),
  'GET /api/v1/scope/exclusions': endpoint({
    summary: 'Markets, channels and sectors that are switched off, the newest first',
    query: z.strictObject({ ...paging, confirmed: switchedOn.optional() }),
    result: pageOf(exclusionSchema),
    handle: ({ query, context }): Page<Exclusion> => asPage(listExclusions(context.ledger, query), query),
  }),

  'POST /api/v1/scope/markets/{market}/toggle': endpoint({
    summary: 'Switch a market off or on again',
    path: z.strictObject({ market: key }),
    body: switchBody,
    ifMatch: true,
    result: marketScopeSchema,
    etag: 'version',
    handle: (call): Promise<MarketScope> =>
      toggle(call, 'MARKET', call.path.market, (tx) => marketOf(tx, call.path.market)),
  }),
  'POST /api/v1/scope/channels/{channel}/toggle': endpoint({
    summary: 'Switch a channel off or on again',
    path: z.strictObject({ channel: key }),
    body: switchBody,
    ifMatch: true,
    result: channelScopeSchema,
    etag: 'version',
    handle: (call): Promise<ChannelScope> =>
      toggle(call, 'CHANNEL', call.path.channel, (tx) => channelOf(tx, call.path.channel)),
  }),
  'POST /api/v1/scope/stocks/{code}/toggle': endpoint({
    summary: 'Exclude an instrument, or take it in again',
    path: z.strictObject({ code: key }),
    body: switchBody,
    ifMatch: true,
    result: stockScopeSchema,
    etag: 'version',
    handle: (call): Promise<StockScope> =>
      toggle(call, 'INSTRUMENT', call.path.code, (tx) => findStock(tx, call.path.code)),
  }),
  'POST /api/v1/scope/sectors/{sector}/toggle': endpoint({
    summary: 'Exclude a sector, or take it in again',
    path: z.strictObject({ sector: key }),
    body: switchBody,
    ifMatch: true,
    result: sectorScopeSchema,
    etag: 'version',
    handle: (call): Promise<SectorScope> =>
      toggle(call, 'SECTOR', call.path.sector, (tx) => sectorOf(tx, call.path.sector)),
  }),

  'POST /api/v1/scope/markets/{market}/confirm': endpoint({
    summary: 'Confirm that a market is meant to be off',
    path: z.strictObject({ market: key }),
    body: confirmBody,
    ifMatch: true,
    result: marketScopeSchema,
    etag: 'version',
    handle: (call): Promise<MarketScope> =>
      confirm(call, 'MARKET', call.path.market, (tx) => marketOf(tx, call.path.market)),
  }),
  'POST /api/v1/scope/channels/{channel}/confirm': endpoint({
    summary: 'Confirm that a channel is meant to be off',
    path: z.strictObject({ channel: key }),
    body: confirmBody,
    ifMatch: true,
    result: channelScopeSchema,
    etag: 'version',
    handle: (call): Promise<ChannelScope> =>
      confirm(call, 'CHANNEL', call.path.channel, (tx) => channelOf(tx, call.path.channel)),
  }),
  'POST /api/v1/scope/sectors/{sector}/confirm': endpoint({
    summary: 'Confirm that a sector is meant to be excluded',
    path: z.strictObject({ sector: key }),
    body: confirmBody,
    ifMatch: true,
    result: sectorScopeSchema,
    etag: 'version',
    handle: (call): Promise<SectorScope> =>
      confirm(call, 'SECTOR', call.path.sector, (tx) => sectorOf(tx, call.path.sector)),
  }),

  'PUT /api/v1/scope/stocks/{code}/sector': endpoint({
    summary: 'Set the tenant’s own sector of an instrument; null removes it',
    path: z.strictObject({ code: key }),
    body: z.strictObject({ sector: sectorName.nullable() }),
    ifMatch: true,
    result: stockScopeSchema,
    etag: 'version',
    handle: (call): Promise<StockScope> => {
      const { code } = call.path;
      const { sector } = call.body;
      return change(
        call,
        (tx, by) => setSector(tx, { code, sector, ...by }),
        (tx) => findStock(tx, code),
      );
    },
  }),
};

const marketOf = (tx: LedgerTransaction, name: string): MarketScope | undefined =>
  listMarkets(tx, ALL).rows.find(({ market }) => market === name);
const channelOf = (tx: LedgerTransaction, name: string): ChannelScope | undefined =>
  listChannels(tx, ALL).rows.find(({ channel }) => channel === name);
const sectorOf = (tx: LedgerTransaction, name: string): SectorScope | undefined =>
  listSectors(tx, ALL).rows.find(({ sector }) => sector === name);

function asPage<T>({ rows, total }: { rows: T[]; total: number }, query: { page: number; size: number }): Page<T> {
  return { items: rows, page: query.page, size: query.size, total };
}

type Entry<T> = (tx: LedgerTransaction) => T | undefined;

function toggle<T>(
  call: Call<Caller, unknown, unknown, SwitchBody>,
  type: ScopeType,
  scopeKey: string,
  read: Entry<T>,
): Promise<T> {
  const { reason, expected } = call.body ?? {};
  const seen = { reason, expected: expected === undefined ? undefined : expected === 'on' };
  return change(call, (tx, by) => toggleScope(tx, { type, key: scopeKey, ...seen, ...by }), read);
}

function confirm<T>(
  call: Call<Caller, unknown, unknown, { reason: string }>,
  type: Exclude<ScopeType, 'INSTRUMENT'>,
  scopeKey: string,
  read: Entry<T>,
): Promise<T> {
  const { reason } = call.body;
  return change(call, (tx, by) => confirmExclusion(tx, { type, key: scopeKey, reason, ...by }), read);
}

/** Makes a change in the caller's name, from the version that the caller has seen. @returns the entry as it is then */
function change<B, T>(
  { caller, context, expected, write }: Call<Caller, unknown, unknown, B>,
  make: (tx: LedgerTransaction, by: { actor: ReturnType<typeof actorOf>; at: string } & typeof expected) => void,
  read: Entry<T>,
): Promise<T> {
  return write((tx) => {
    make(tx, { actor: actorOf(caller), at: context.clock.now().toISOString(), ...expected });
    return found(read(tx));
  });
}

function found<T>(switched: T | undefined): T {
  if (switched === undefined)
    throw new UnknownScopeKeyError('This entry of the serving scope no longer exists: reload the list.');
  return switched;
}
