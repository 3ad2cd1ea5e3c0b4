/**
 * A second factor beside the password: time-based codes (RFC 6238) as every authenticator app computes them, and
 * recovery codes for a lost app. This module has no store: the caller keeps the secret together with the step of the
 * last code.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { PRODUCT_NAME } from '../../wire/account-rules.ts';

/** Parameters that every authenticator app supports by default (RFC 4226 wants 160 bits of secret). */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps accepted before and after the present one: clocks differ, and people type slowly. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** Without I, L, O and U: 32 symbols give a code of 140 bits, so a fast hash is enough. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 28;

/** A new secret, in base32. */
export function newSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address in the QR code that an authenticator app reads. */
export function enrolmentUri(secret: string, username: string): string {
  return totp(secret, username).toString();
}

/**
 * The step of a code that is valid now; null for an invalid code.
 *
 * @param lastStep step of the last accepted code; this step and earlier ones are refused
 */
export function stepOf(secret: string, code: string, at: Date, lastStep: number): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totp(secret, '').validate({ token, timestamp: at.getTime(), window: WINDOW });
  if (delta === null) return null;
  const step = TOTP.counter({ period: FORM.period, timestamp: at.getTime() }) + delta;
  return step > lastStep ? step : null;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({ ...FORM, issuer: PRODUCT_NAME, label, secret: Secret.fromBase32(secret) });
}

/** New recovery codes; only the user keeps them in clear text. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');
    return letters.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** The stored form of a recovery code, independent of case and separators. */
export function recoveryHash(code: string): string {
  const written = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return createHash('sha256').update(written).digest('hex');
}
