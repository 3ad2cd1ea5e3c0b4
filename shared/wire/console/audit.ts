/** The audit log as it is browsed (D19). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';

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
