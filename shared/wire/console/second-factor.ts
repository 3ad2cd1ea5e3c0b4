/** The second factor beside a password. */
import { z } from 'zod';

/** `GET` and `PUT /api/v1/members/second-factor`: whether Compliance Reviewers need one. */
export const secondFactorSettingSchema = z.strictObject({ reviewers: z.boolean(), version: z.int() });
export type SecondFactorSetting = z.infer<typeof secondFactorSettingSchema>;

/** `POST /api/v1/session/second-factor`: the secret for an authenticator app, shown once. */
export const secondFactorBegunSchema = z.strictObject({ secret: z.string(), uri: z.string() });
export type SecondFactorBegun = z.infer<typeof secondFactorBegunSchema>;

/** `POST /api/v1/session/second-factor/confirm`: shown once, stored as hashes. */
export const recoveryCodesSchema = z.strictObject({ recoveryCodes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;
