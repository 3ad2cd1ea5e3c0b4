/** What was shown at a moment, and over a day (D154). */
import { z } from 'zod';
import { instant } from './common.ts';
import { EXPLANATION_STATUSES, MOVES } from './constants.ts';

const scopeType = z.enum(['MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR']);

/** Reservations about an answer. */
const marks = {
  /** A later rebuild corrected rows of the ticker: another text may have been exposed. */
  corrected: z.boolean(),
  /** The clock was set back, so this moment occurred more than once; the last occurrence is shown. */
  repeated: z.boolean(),
};
/** The channels that had a key at the moment; `inside`: not switched off. */
const channels = z.array(z.strictObject({ channel: z.string(), inside: z.boolean() }));

const exposed = z.strictObject({
  state: z.literal('GIVEN'),
  id: z.string(),
  etf_name: z.string(),
  trade_date: z.string().meta({ format: 'date' }),
  explanation_as_of: instant,
  content_as_of: z.string().nullable(),
  text: z.string(),
  disclaimer: z.string().nullable(),
  /** The first policy version with this disclaimer. */
  disclaimerVersion: z.int().nullable(),
  /** The move that let this text out, and who answers for it. */
  since: instant,
  move: z.enum(MOVES),
  actor: z.string(),
  authors: z.array(z.string()),
  /** Null where no person approved the text, or its approval has none (D211). */
  approvalNumber: z.string().nullable(),
  policyVersion: z.int().nullable(),
  channels,
  ...marks,
});

/** Why nothing was exposed. `NO_POLICY`: a text of v1 without a disclaimer (D61). */
export const NOTHING_REASONS = [
  'NOTHING_YET',
  'STATE',
  'AHEAD',
  'HELD',
  'EXPIRED',
  'LAPSED',
  'NO_POLICY',
  'SCOPE',
  'REBUILD',
] as const;

const nothing = z.strictObject({
  state: z.literal('NOTHING'),
  reason: z.enum(NOTHING_REASONS),
  /** The candidate that was not exposed; null: none. */
  id: z.string().nullable(),
  status: z.enum(EXPLANATION_STATUSES).nullable(),
  /** The switch that excluded it. */
  scope: z.strictObject({ type: scopeType, key: z.string() }).nullable(),
  channels,
  ...marks,
});

/**
 * No record: `BEFORE_RECORD` is earlier than the ledger's first record, `RESTORED` between the last row of a backup and
 * its restore.
 */
const unknown = z.strictObject({ state: z.literal('UNKNOWN'), reason: z.enum(['BEFORE_RECORD', 'RESTORED']) });

const showingSchema = z.discriminatedUnion('state', [exposed, nothing, unknown]);
export type Showing = z.infer<typeof showingSchema>;

const by = z.string().nullable();
/** Causes of a change. */
const shownCauseSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('MOVE'),
    id: z.string(),
    move: z.enum(MOVES),
    to: z.enum(EXPLANATION_STATUSES),
    actor: z.string(),
    reason: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('HOLD_OVER'), id: z.string() }),
  z.strictObject({ kind: z.literal('EXPIRED'), time: z.string() }),
  z.strictObject({ kind: z.literal('LAPSED'), id: z.string() }),
  z.strictObject({ kind: z.literal('FIELDS'), id: z.string() }),
  z.strictObject({ kind: z.literal('SCOPE'), type: scopeType, key: z.string(), enabled: z.boolean(), by }),
  z.strictObject({ kind: z.literal('INSTRUMENT'), market: z.string().nullable(), sector: z.string().nullable(), by }),
  z.strictObject({ kind: z.literal('POLICY'), version: z.int(), by }),
  z.strictObject({ kind: z.literal('CHANNEL'), channel: z.string(), open: z.boolean() }),
  z.strictObject({ kind: z.literal('REBUILD'), held: z.boolean() }),
  z.strictObject({ kind: z.literal('CORRECTED') }),
  z.strictObject({ kind: z.literal('RECORD_BEGINS') }),
  z.strictObject({ kind: z.literal('BACKUP_ENDS') }),
  z.strictObject({ kind: z.literal('RESTORED') }),
  /** No recorded cause: the clock was set back. */
  z.strictObject({ kind: z.literal('CLOCK') }),
]);
export type ShownCause = z.infer<typeof shownCauseSchema>;

/** The requests of a channel that were served the text of a span (D181). */
const shownRequestsSchema = z.strictObject({
  channel: z.string(),
  /** So many at least. */
  times: z.int(),
  /** So many at most: more than `times` only where counts could not be told apart. */
  most: z.int(),
  firstAt: instant,
  lastAt: instant,
});
export type ShownRequests = z.infer<typeof shownRequestsSchema>;

const about = {
  ticker: z.string(),
  /** When the ledger was read. */
  readAt: instant,
  /** Earlier moments are unknown. */
  recordBegins: instant,
};

/** `GET /api/v1/shown/moment`. */
export const shownMomentSchema = z.strictObject({ ...about, at: instant, showing: showingSchema });
export type ShownMoment = z.infer<typeof shownMomentSchema>;

/** A span in which one thing was exposed, with the changes that began it and its requests. */
export const shownSpanSchema = z.strictObject({
  from: instant,
  to: instant,
  showing: showingSchema,
  causes: z.array(shownCauseSchema),
  requests: z.array(shownRequestsSchema),
});

/** `GET /api/v1/shown/day`: a Korean day, up to now. Each span begins where the one before it ends. */
export const shownDaySchema = z.strictObject({
  ...about,
  date: z.string().meta({ format: 'date' }),
  from: instant,
  to: instant,
  spans: z.array(shownSpanSchema),
});
export type ShownDay = z.infer<typeof shownDaySchema>;
export type ShownSpan = ShownDay['spans'][number];
