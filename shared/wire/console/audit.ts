/** The audit log as the screen reads it (D19). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';
import { CHAIN_FAULTS, CHECKPOINT_DIFFERENCES, type ChainFault } from './constants.ts';

export const auditActionSchema = z.strictObject({
  seq: z.int(),
  at: instant,
  /** The account and its role at that time; null for every role but the Tenant Admin (D70). */
  actorId: z.string().nullable(),
  /** Display name, `SYSTEM`, or the user name of a refused login. */
  actor: z.string(),
  actorRole: z.enum([...ROLES, 'SYSTEM']).nullable(),
  /** Source address of the request, for the Tenant Admin only; null where none is recorded. */
  sourceAddress: z.string().nullable(),
  action: z.string(),
  targetType: z.string(),
  targetId: z.string().nullable(),
  /** The present display name of an account, for the Tenant Admin only (D70); null for any other target. */
  targetName: z.string().nullable(),
  /** The explanation that the action concerned; null for any other target. */
  explanation: z
    .strictObject({
      etf_ticker: z.string(),
      etf_name: z.string(),
      trade_date: z.string(),
      explanation_as_of: z.string(),
    })
    .nullable(),
  detail: z.record(z.string(), z.unknown()),
  /** SHA-256 of the row and of the hash before it, in hex. */
  hash: z.string(),
});
export type AuditAction = z.infer<typeof auditActionSchema>;

/** `GET /api/v1/audit/people`: the display names under which people stand in the log, in order. */
export const auditPeopleSchema = z.strictObject({ names: z.array(z.string()) });
export type AuditPeople = z.infer<typeof auditPeopleSchema>;

/**
 * How something differs from the audit log (D199): altered, gone or there without a row; a row that covers a change
 * without one, that no act of the host has written, or that was written without its key.
 */
export const THING_FAULTS = ['ALTERED', 'GONE', 'NO_ROW', 'COVERED', 'ROW_FORGED', 'UNSEALED'] as const;
export type ThingFaultCode = (typeof THING_FAULTS)[number];

/** What the audit log vouches for. */
export const THING_KINDS = ['POLICY', 'PROPOSAL', 'ACCOUNT', 'CHANNEL', 'SCOPE', 'NOTE', 'SETTING'] as const;
export type ThingKind = (typeof THING_KINDS)[number];

export const alteredThingSchema = z.strictObject({
  fault: z.enum(THING_FAULTS),
  /** Null: the row of the log alone. */
  kind: z.enum(THING_KINDS).nullable(),
  /** Its name or number; null where it has none, and of accounts for all but the Tenant Admin. */
  name: z.string().nullable(),
  /** The row of the audit log; null: there is none. */
  row: z.int().nullable(),
});
export type AlteredThing = z.infer<typeof alteredThingSchema>;

/** `GET /api/v1/audit/chain`: whether the log is intact from the first row to the last, and what it tells is so. */
export const auditChainSchema = z.strictObject({
  /** Whether the chain is intact and nothing is found altered. Only with `unjudged` 0 does it say that all is sound (D199). */
  ok: z.boolean(),
  /** Intact rows, counted from the first. */
  rows: z.int(),
  /** The first broken row; null when none is. */
  firstBroken: z.int().nullable(),
  fault: z.enum(CHAIN_FAULTS).nullable(),
  /** At most 20 of what differs from the log. */
  altered: z.array(alteredThingSchema),
  alteredCount: z.int(),
  /** What the record key of the host alone could judge, and it is not there. */
  unjudged: z.int(),
  /** Start of the check. */
  checkedAt: instant,
});
export type AuditChain = z.infer<typeof auditChainSchema>;

/** The one word for the result. What could not be judged is not called sound (D199). */
export function chainWord({
  fault,
  alteredCount,
  unjudged,
}: AuditChain): ChainFault | 'altered' | 'unjudged' | 'whole' {
  if (fault !== null) return fault;
  if (alteredCount > 0) return 'altered';
  return unjudged > 0 ? 'unjudged' : 'whole';
}

/** `GET /api/v1/audit/checkpoint`: the state of the log's signed checkpoints, which are kept on another machine. */
export const auditCheckpointSchema = z.strictObject({
  /** The administrator's name for the target folder; null where no checkpoints are written. */
  place: z.string().nullable(),
  /** Time and row of the last checkpoint; null before the first since the start. */
  lastAt: instant.nullable(),
  rows: z.int().nullable(),
  /** Start of the present failure; null while checkpoints are written. */
  failingSince: instant.nullable(),
  /** The first difference between the log and an earlier checkpoint: it lies in the rows `from` to `to`. */
  difference: z
    .strictObject({
      kind: z.enum(CHECKPOINT_DIFFERENCES),
      from: z.int(),
      to: z.int(),
      signedAt: instant,
      restoredAt: instant.nullable(),
      foundAt: instant,
    })
    .nullable(),
});
export type AuditCheckpoint = z.infer<typeof auditCheckpointSchema>;
