/** The serving scope (console API 4, D17): an item that is switched off is not exposed from the next request on. */
import { z } from 'zod';
import { instant } from './common.ts';

const scopeType = z.enum(['MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR']);

/** A person with the right to the switch has confirmed that it is meant to be off (D227). */
const confirmation = z.strictObject({ reason: z.string(), by: z.string(), at: instant });

const switchShape = {
  enabled: z.boolean(),
  /** Why it is off; null while it is on, or where no reason was given. */
  reason: z.string().nullable(),
  confirmation: confirmation.nullable(),
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

/** `GET /api/v1/scope/effect`: what one press of the switch would do now. */
export const scopeEffectSchema = z.strictObject({
  enabled: z.boolean(),
  version: z.int(),
  /** Texts that are no longer exposed to at least one channel, or are again. */
  texts: z.int(),
  channels: z.array(
    z.strictObject({
      channel: z.string(),
      /** Texts of this channel that vanish or come back. */
      texts: z.int(),
      /** Texts exposed to this channel now. */
      shown: z.int(),
    }),
  ),
});
export type ScopeEffect = z.infer<typeof scopeEffectSchema>;

/** A market, channel or sector that is off. One instrument alone is no big switch. */
export const exclusionSchema = z.strictObject({
  type: scopeType.exclude(['INSTRUMENT']),
  key: z.string(),
  reason: z.string().nullable(),
  confirmation: confirmation.nullable(),
  changedBy: z.string(),
  changedAt: instant,
  version: z.int(),
});
export type Exclusion = z.infer<typeof exclusionSchema>;
