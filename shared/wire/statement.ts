/**
 * The vendor's statement about one answer of the bundle endpoint (D59): base64url of these fields as JSON, a dot, and
 * base64url of the Ed25519 signature over the bytes of the first part as they stand in the header.
 */
import { z } from 'zod';
import { exactInteger } from './bundle.ts';

/** The id of a key: the first hexadecimal digits of the SHA-256 of its SPKI form. */
export const KEY_ID_DIGITS = 16;

/** Open, so that a newer cloud may add fields; `v` changes when a field changes its meaning. */
export const statementSchema = z.looseObject({
  v: z.literal(1),
  /** Id of the signing key. */
  kid: z.string().regex(/^[0-9a-f]{16}$/),
  tenant_id: exactInteger,
  /** As requested; null if the query could not be read. */
  after: exactInteger.nullable(),
  /** The tenant's highest cursor at that moment (D31). */
  head: exactInteger,
  at: z.iso.datetime(),
  /** HTTP status of the answer. */
  status: z.int().min(100).max(599),
  /** SHA-256 of the body's bytes, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type Statement = Pick<
  z.infer<typeof statementSchema>,
  'v' | 'kid' | 'tenant_id' | 'after' | 'head' | 'at' | 'status' | 'sha256'
>;
