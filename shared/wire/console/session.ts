/** The session of the logged-in user (D9, D10). */
import { z } from 'zod';
import { FUNCTION_IDS } from '../../policy/matrix.ts';
import { ROLES } from '../../policy/roles.ts';
import { instant } from './common.ts';

/** `GET /api/v1/auth/session`. */
export const sessionStateSchema = z.strictObject({
  authenticated: z.literal(true),
  role: z.enum(ROLES),
  expiresAt: instant,
});
export type SessionState = z.infer<typeof sessionStateSchema>;

/** `POST /api/v1/auth/login` for a sign-in at the provider: the address to go to (D21). */
export const signInBegunSchema = z.strictObject({ authorizationUrl: z.url() });
export type SignInBegun = z.infer<typeof signInBegunSchema>;

/**
 * `POST /api/v1/auth/logout`: the address at the provider that ends the session there too; null where there is none.
 */
export const signedOutSchema = z.strictObject({ signOutUrl: z.url().nullable() });
export type SignedOut = z.infer<typeof signedOutSchema>;

/** The next step of a login that must come first; null for none. */
export const OUTSTANDING = ['PASSWORD', 'SECOND_FACTOR'] as const;
export type Outstanding = (typeof OUTSTANDING)[number];

/** `GET /api/v1/session`. */
export const profileSchema = z.strictObject({
  id: z.string(),
  username: z.string(),
  displayName: z.string(),
  role: z.enum(ROLES),
  permissions: z.array(z.enum(FUNCTION_IDS)),
  version: z.int(),
  outstanding: z.enum(OUTSTANDING).nullable(),
  /** When an administrator removed the second factor, until another one is set up; null otherwise. */
  secondFactorResetAt: instant.nullable(),
  /** The state of the ledger before this answer: the event stream tells what is new since then. */
  mark: z.string(),
});
export type Profile = z.infer<typeof profileSchema>;
