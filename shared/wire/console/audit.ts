/** The audit log as it is browsed (D19). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';
import { CHAIN_FAULTS } from './constants.ts';

export const auditActionSchema = z.strictObject({
  seq: z.int(),
  at: instant,
  actorId: z.string().nullable(),
  /** Display name, `SYSTEM`, or the user name that a refused login gave. */
  actor: z.string(),
  actorRole: z.enum([...ROLES, 'SYSTEM']).nullable(),
  action: z.string(),
  targetType: z.string(),
  targetId: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  /** SHA-256 of the row and of the hash before it, in hex. */
  hash: z.string(),
});
export type AuditAction = z.infer<typeof auditActionSchema>;

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
