/** The session of an operator (operator API 4). */
import { z } from 'zod';
import { OUTSTANDING } from '../console/session.ts';

/** The answer of `POST /api/v1/auth/login` and `GET /api/v1/auth/session`. */
export const operatorSessionStateSchema = z.strictObject({
  authenticated: z.literal(true),
  role: z.literal('OPERATOR'),
  expiresAt: z.string(),
});
export type OperatorSessionState = z.infer<typeof operatorSessionStateSchema>;

/** The answer of `GET /api/v1/session`. */
export const operatorProfileSchema = z.strictObject({
  /** The next step of the login before anything else can be done; null where there is none. */
  outstanding: z.enum(OUTSTANDING).nullable(),
  id: z.string(),
  username: z.string(),
  displayName: z.string(),
  role: z.literal('OPERATOR'),
});
export type OperatorProfile = z.infer<typeof operatorProfileSchema>;
