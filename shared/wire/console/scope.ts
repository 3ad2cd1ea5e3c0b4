/** The serving scope (console API 4, D17): an item that is switched off is not provided from the next request on. */
import { z } from 'zod';
import { instant } from './common.ts';

const switchShape = {
  enabled: z.boolean(),
  /** The last user who switched it, and when; null if never switched. */
  changedBy: z.string().nullable(),
  changedAt: instant.nullable(),
  version: z.int(),
};

export const marketScopeSchema = z.strictObject({ market: z.string(), instruments: z.int(), ...switchShape });
export type MarketScope = z.infer<typeof marketScopeSchema>;

export const channelScopeSchema = z.strictObject({ channel: z.string(), ...switchShape });
export type ChannelScope = z.infer<typeof channelScopeSchema>;

export const sectorScopeSchema = z.strictObject({ sector: z.string(), instruments: z.int(), ...switchShape });
export type SectorScope = z.infer<typeof sectorScopeSchema>;

export const stockScopeSchema = z.strictObject({
  code: z.string(),
  name: z.string(),
  market: z.string().nullable(),
  /** The tenant's own name for the sector; null where none is given. */
  sector: z.string().nullable(),
  ...switchShape,
});
export type StockScope = z.infer<typeof stockScopeSchema>;
