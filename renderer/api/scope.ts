/** The calls about the serving scope. */
import type { ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import type { Requester } from '../../shared/ui/http/request.ts';
import { abortable, createCaller } from '../../shared/ui/http/routes.ts';
import type {
  ChannelScope,
  Exclusion,
  MarketScope,
  Page,
  ScopeEffect,
  SectorScope,
  StockScope,
} from '../../shared/wire/console/console.ts';

interface Answers {
  'GET /api/v1/scope/markets': Page<MarketScope>;
  'GET /api/v1/scope/channels': Page<ChannelScope>;
  'GET /api/v1/scope/sectors': Page<SectorScope>;
  'GET /api/v1/scope/stocks': Page<StockScope>;
  'GET /api/v1/scope/effect': ScopeEffect;
  'GET /api/v1/scope/exclusions': Page<Exclusion>;
  'POST /api/v1/scope/markets/{market}/toggle': unknown;
  'POST /api/v1/scope/channels/{channel}/toggle': unknown;
  'POST /api/v1/scope/sectors/{sector}/toggle': unknown;
  'POST /api/v1/scope/stocks/{code}/toggle': unknown;
  'POST /api/v1/scope/markets/{market}/confirm': unknown;
  'POST /api/v1/scope/channels/{channel}/confirm': unknown;
  'POST /api/v1/scope/sectors/{sector}/confirm': unknown;
  'PUT /api/v1/scope/stocks/{code}/sector': unknown;
}

interface PageQuery {
  page: number;
  size: number;
}

export interface StockQuery extends PageQuery {
  q?: string;
  enabled?: 'true' | 'false';
  sector?: string;
}

export type ExclusionQuery = PageQuery & { confirmed?: 'true' | 'false' };

/** The exclusions of which every user is warned. */
export const UNCONFIRMED: ExclusionQuery = { page: 1, size: 20, confirmed: 'false' };

/** A switch, named as on the wire. */
export interface SwitchName {
  type: Exclusion['type'] | 'INSTRUMENT';
  key: string;
}

/** One press of a switch, from the state and version that the screen shows (D227). */
interface Press extends SwitchName {
  enabled: boolean;
  version: number;
  /** Blank: none. */
  reason: string;
}

export function scopeCalls(request: Requester) {
  const call = createCaller<Pick<Answers, keyof Answers & ConsoleRouteKey>>(request);
  return {
    markets: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/scope/markets', { query: { ...query }, ...abortable(signal) }),
    channels: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/scope/channels', { query: { ...query }, ...abortable(signal) }),
    sectors: (query: PageQuery, signal?: AbortSignal) =>
      call('GET /api/v1/scope/sectors', { query: { ...query }, ...abortable(signal) }),
    stocks: (query: StockQuery, signal?: AbortSignal) =>
      call('GET /api/v1/scope/stocks', { query: { ...query }, ...abortable(signal) }),
    scopeEffect: (query: SwitchName, signal?: AbortSignal) =>
      call('GET /api/v1/scope/effect', { query: { ...query }, ...abortable(signal) }),
    exclusions: (query: ExclusionQuery, signal?: AbortSignal) =>
      call('GET /api/v1/scope/exclusions', { query: { ...query }, ...abortable(signal) }),
    pressSwitch: ({ type, key, enabled, version, reason }: Press) => {
      const told = reason.trim() === '' ? {} : { reason };
      const press = { body: { expected: enabled ? 'on' : 'off', ...told }, version };
      switch (type) {
        case 'MARKET':
          return call('POST /api/v1/scope/markets/{market}/toggle', { params: { market: key }, ...press });
        case 'CHANNEL':
          return call('POST /api/v1/scope/channels/{channel}/toggle', { params: { channel: key }, ...press });
        case 'SECTOR':
          return call('POST /api/v1/scope/sectors/{sector}/toggle', { params: { sector: key }, ...press });
        case 'INSTRUMENT':
          return call('POST /api/v1/scope/stocks/{code}/toggle', { params: { code: key }, ...press });
      }
    },
    confirmExclusion: ({ type, key, version }: Pick<Exclusion, 'type' | 'key' | 'version'>, reason: string) => {
      const said = { body: { reason }, version };
      switch (type) {
        case 'MARKET':
          return call('POST /api/v1/scope/markets/{market}/confirm', { params: { market: key }, ...said });
        case 'CHANNEL':
          return call('POST /api/v1/scope/channels/{channel}/confirm', { params: { channel: key }, ...said });
        case 'SECTOR':
          return call('POST /api/v1/scope/sectors/{sector}/confirm', { params: { sector: key }, ...said });
      }
    },
    setSector: (code: string, sector: string | null) =>
      call('PUT /api/v1/scope/stocks/{code}/sector', { params: { code }, body: { sector } }),
  };
}
