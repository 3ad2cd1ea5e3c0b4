/**
 * What a dossier holds: the names of its files and the form of each. A reader takes nothing that is not in this form,
 * because a dossier comes from outside (README).
 */
import { z } from 'zod';
import { checkpointSchema } from '../../../shared/service/checkpoints/checkpoint.ts';
import { EXPLANATION_STATUSES, MOVES } from '../../../shared/wire/console/constants.ts';
import { shownSpanSchema } from '../../../shared/wire/console/shown.ts';
import { upTo } from '../shown/shown-at.ts';
import { vendorFieldsSchema } from '../storage/vendor-fields.ts';

export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'manifest.sig';
export const RECORD = 'record.json';
export const SHOWN = 'shown.json';
export const AUDIT = 'audit.json';
export const PAGE = 'dossier.html';
/** The cloud may have sent another bundle in the place of one that was set aside. */
export const bundleName = ({
  cursorFrom,
  sha256,
  setAside,
}: Pick<DossierBundle, 'cursorFrom' | 'sha256' | 'setAside'>): string =>
  `bundles/${cursorFrom}${setAside === true ? `-${sha256.slice(0, 16)}` : ''}.json`;

const text = z.string();
const flag = z.int().min(0).max(1);
const count = z.int().min(0);
const hex = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime({ precision: 3 });

const subject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('EXPLANATION'), id: text, ticker: text }),
  z.strictObject({ kind: z.literal('SPAN'), ticker: text, from: instant, to: instant }),
]);
export type DossierSubject = z.infer<typeof subject>;

export const manifestSchema = z.strictObject({
  format: z.literal('causeway dossier'),
  v: z.literal(1),
  /** The version of the program that made it. */
  program: text,
  madeAt: instant,
  /** Display name of the person, or the account that ran the command. */
  madeBy: text,
  subject,
  /** The tenant's public key, SPKI in base64. */
  key: text,
  files: z.array(z.strictObject({ name: text, bytes: count, sha256: hex })).max(1_000),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** A row of a table whose values are plain. */
const plainRow = z.record(text, z.union([text, z.number(), z.null()]));
export type PlainRow = z.infer<typeof plainRow>;

/** Counts apart by Korean day and by the state that the answers followed from (D181). */
const servedSchema = z.strictObject({
  channel: text,
  afterMove: count,
  afterFact: count,
  times: count,
  firstAt: instant,
  lastAt: instant,
});

const historyRow = z.strictObject({
  id: count,
  explanation_id: text,
  move: z.enum(MOVES),
  from_status: z.enum(EXPLANATION_STATUSES).nullable(),
  to_status: z.enum(EXPLANATION_STATUSES),
  actor_id: text.nullable(),
  actor: text,
  at: instant,
  reason: text.nullable(),
  policy_version: count.nullable(),
  published_summary: text.nullable(),
  text_sha256: hex.nullable(),
  screening_id: count.nullable(),
  held_until: instant.nullable(),
  during_hold: flag,
  position: text,
  authors: text.nullable(),
  approval_number: text.nullable(),
  valid_until: instant.nullable(),
});
export type HistoryRow = z.infer<typeof historyRow>;

const screening = z.strictObject({
  id: count,
  explanation_id: text,
  at: instant,
  outcome: text,
  policy_version: count.nullable(),
  matcher_version: text,
  /** JSON. */
  checks: text,
});

const explanation = z.strictObject({
  id: text,
  /** The vendor's fields as the entry at `cursor` gave them. */
  fields: vendorFieldsSchema,
  cursor: count,
  receivedAt: instant,
  /** The entries of it that the bundles hold, by cursor. */
  entries: z.array(count),
  history: z.array(historyRow).min(1),
  screenings: z.array(screening),
  /** Rows of what people wrote and looked at, by table. */
  review: z.record(text, z.array(plainRow)),
  served: z.array(servedSchema),
});
export type DossierExplanation = z.infer<typeof explanation>;

const bundle = z.strictObject({
  cursorFrom: count,
  cursorTo: count,
  bundleId: text,
  entryCount: count,
  sha256: hex,
  /** The header as received (D32), and the vendor's statement (D59). */
  signature: text.nullable(),
  statement: text.nullable(),
  receivedAt: instant,
  /** It lay in the quarantine. */
  setAside: z.literal(true).optional(),
});
export type DossierBundle = z.infer<typeof bundle>;

export const recordSchema = z.strictObject({
  tenantId: count.nullable(),
  bundles: z.array(bundle).max(900),
  explanations: z.array(explanation),
  policies: z.array(
    z.strictObject({
      ...{ version: count, snapshot: text, changes: text, author: text, created_at: instant },
      starts_at: instant.nullable(),
      started_at: instant.nullable(),
    }),
  ),
});
export type DossierRecord = z.infer<typeof recordSchema>;

const servingFields = vendorFieldsSchema
  .pick({ etf_ticker: true, etf_name: true, market: true, trade_date: true })
  .extend({ explanation_as_of: instant, content_as_of: text.nullable(), analysis_engine: text, cursor: count });

const at = { at: instant };
const factsSchema = z.strictObject({
  ticker: text,
  readAt: instant,
  begins: instant,
  explanations: z.array(
    z.strictObject({
      id: text,
      fields: servingFields,
      former: z.array(z.strictObject({ ...at, fields: servingFields })),
      moves: z.array(
        historyRow
          .pick({ id: true, at: true, move: true, to_status: true, actor: true, reason: true, policy_version: true })
          .extend({ published_summary: text.nullable(), held_until: instant.nullable(), during_hold: flag })
          .extend({ position: text, authors: z.array(text) })
          .extend({ approval_number: text.nullable(), valid_until: instant.nullable() }),
      ),
      served: z.array(servedSchema),
    }),
  ),
  policies: z.array(z.strictObject({ ...at, version: count, disclaimer: text, expiresAt: text.nullable(), by: text })),
  scope: z.array(
    z.strictObject({
      ...at,
      type: z.enum(['MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR']),
      key: text,
      enabled: flag,
      by: text,
    }),
  ),
  channels: z.array(z.strictObject({ ...at, channel: text, open: flag })),
  instrument: z.array(
    z.strictObject({ ...at, market: text.nullable(), sector: text.nullable(), by: text.nullable().optional() }),
  ),
  rebuilds: z.array(z.strictObject({ ...at, held: flag })),
  corrected: z.array(z.strictObject(at)),
  restored: z.array(z.strictObject({ ...at, since: instant.nullable() })),
  recorded: z.array(z.strictObject({ ...at, seq: count })),
});

const shown = z.strictObject({
  from: instant,
  to: instant,
  facts: factsSchema,
  spans: z.array(shownSpanSchema),
});
/** What was shown, for each period of the dossier, with the facts from which it follows. */
export const shownSchema = z.array(shown).min(1);
export type DossierShown = z.infer<typeof shown>;

/**
 * Whether an explanation was let out by the end of a period: only such a one can be shown in it, or keep another from it,
 * and the vendor's entries prove its place.
 */
export const wasLetOut = (
  { moves }: Pick<DossierShown['facts']['explanations'][number], 'moves'>,
  { facts, to }: DossierShown,
): boolean => upTo(moves, to, facts).some(({ published_summary }) => published_summary !== null);

const auditRow = z.strictObject({
  seq: z.int().min(1),
  at: instant,
  actor_id: text.nullable(),
  actor: text,
  actor_role: z.enum(['TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY', 'SYSTEM']).nullable(),
  action: text,
  target_type: text,
  target_id: text.nullable(),
  detail: text,
  prev_hash: hex,
  hash: hex,
  source_address: text.nullable(),
  made: text.nullable(),
});

export const auditSchema = z.strictObject({
  checkpoints: z.array(checkpointSchema).min(1),
  rows: z.array(
    z.strictObject({
      row: auditRow,
      /** By the number of rows that a checkpoint signs: the hashes that lead from this row to its root. */
      paths: z.record(z.string().regex(/^\d{1,10}$/), z.array(hex).max(64)),
    }),
  ),
});
export type DossierAudit = z.infer<typeof auditSchema>;
