/** The vendor's signing key, and statements by it (D59) as the cloud makes them, for tests of the tenant's side. */
import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Verification } from '../../agent/intake/receive/statement.ts';
import { sealStatement, type StatementFacts } from '../../cloud/sync/statement.ts';

export interface VendorKey {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export const makeVendorKey = (): VendorKey => generateKeyPairSync('ed25519');

/** The statement about an answer, with status 200 by default. */
export function statementOf(
  key: VendorKey,
  { body, ...told }: Omit<StatementFacts, 'status' | 'sha256'> & { status?: number; body: Uint8Array },
): string {
  return sealStatement({ status: 200, ...told, sha256: hash('sha256', body, 'hex') }, key.privateKey);
}

/** An Intake's settings with these keys and five minutes of tolerance. */
export function verificationBy(...keys: VendorKey[]): Verification {
  const known = keys.map(({ privateKey }) => createPublicKey(privateKey));
  return { keys: () => known, toleranceMs: 300_000 };
}

/** The verification key that the vendor publishes (`signing.pub`). */
export const pemOf = ({ publicKey }: VendorKey): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Answers tenant 1's pull after cursor 0 with a body and the vendor's statement about it, made now by default. */
export function stating(key: VendorKey, body: string, at = (): Date => new Date()): RequestListener {
  const told = { tenantId: 1, after: 0, head: 0, body: Buffer.from(body) };
  return (_, response) => {
    const headers = {
      'content-length': told.body.length,
      'x-causeway-statement': statementOf(key, { ...told, at: at() }),
    };
    response.writeHead(200, headers).end(body);
  };
}
