/** The compliance policy (D16). */
import { z } from 'zod';

/** `GET /api/v1/screening/disclaimer`; null while no policy is active. */
export const disclaimerSchema = z.strictObject({
  disclaimer: z.string().nullable(),
  policyVersion: z.int().nullable(),
});
export type Disclaimer = z.infer<typeof disclaimerSchema>;
