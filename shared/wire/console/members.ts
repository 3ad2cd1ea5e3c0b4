/** Users and roles (D18). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { alteredThingSchema } from './audit.ts';
import { instant, pageOf } from './common.ts';

export const memberSchema = z.strictObject({
  id: z.string(),
  username: z.string(),
  displayName: z.string(),
  role: z.enum(ROLES),
  active: z.boolean(),
  createdAt: instant,
  lastLoginAt: instant.nullable(),
  version: z.int(),
  /** Another user set the password, and the member has not changed it yet. */
  temporaryPassword: z.boolean(),
  /** The member has set up a second factor. */
  secondFactor: z.boolean(),
});
/** `GET /api/v1/members`. */
export const memberPageSchema = pageOf(memberSchema).extend({
  /** Accounts and credentials that differ from the audit log (D199), also such as are gone. */
  altered: z.array(alteredThingSchema),
});
export type MemberPage = z.infer<typeof memberPageSchema>;
export type ConsoleMember = z.infer<typeof memberSchema>;
