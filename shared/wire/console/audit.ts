/** The audit log as it is browsed (D19). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';
import { CHAIN_FAULTS, CHECKPOINT_DIFFERENCES } from './constants.ts';

export const auditActionSchema = z.strictObject({
  seq: z.int(),
  at: instant,
  /** The account and its role at that time, for the Tenant Admin alone (D70); null to everybody else. */
  actorId: z.string().nullable(),
  /** Display name, `SYSTEM`, or the user name that a refused login gave. */
  actor: z.string(),
  actorRole: z.enum([...ROLES, 'SYSTEM']).nullable(),
  /** From where the request came, for the Tenant Admin alone; null where none is on record. */
  sourceAddress: z.string().nullable(),
  action: z.string(),
  targetType: z.string(),
  targetId: z.string().nullable(),
  /** The explanation that it was done to; null where it was done to something else. */
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

/** `GET /api/v1/audit/chain`: whether the log is whole from its first row to its last. */
export const auditChainSchema = z.strictObject({
  ok: z.boolean(),
  /** Rows that are whole, from the first on. */
  rows: z.int(),
  /** The first row that is not; null when all are. */
  firstBroken: z.int().nullable(),
  fault: z.enum(CHAIN_FAULTS).nullable(),
  /** When the look began. */
  checkedAt: instant,
});
export type AuditChain = z.infer<typeof auditChainSchema>;

/** `GET /api/v1/audit/checkpoint`: how the signed checkpoints of the log go, which are kept on another machine. */
export const auditCheckpointSchema = z.strictObject({
  /** The administrator's name for the place; null where no checkpoints are written. */
  place: z.string().nullable(),
  /** When the last one was written, and for which row; null before the first since the start. */
  lastAt: instant.nullable(),
  rows: z.int().nullable(),
  /** Since when none could be written; null while they can. */
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
