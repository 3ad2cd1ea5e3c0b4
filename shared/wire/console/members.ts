/** Users and roles (D18). */
import { z } from 'zod';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';

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
export type ConsoleMember = z.infer<typeof memberSchema>;
