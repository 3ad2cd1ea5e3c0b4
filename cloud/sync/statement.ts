/** The bundle endpoint's signed statement about its own answers (D59). */
import { sign, type KeyObject } from 'node:crypto';
import type { Statement } from '../../shared/wire/statement.ts';
import { keyIdOf } from '../pki/signing-key.ts';

export interface StatementFacts {
  tenantId: number;
  /** Null where the query could not be read. */
  after: number | null;
  head: number;
  at: Date;
  status: number;
  /** Of the body's bytes, hexadecimal. */
  sha256: string;
}

/** The value of the header `X-Causeway-Statement`. */
export function sealStatement({ tenantId, after, head, at, status, sha256 }: StatementFacts, key: KeyObject): string {
  const statement: Statement = {
    v: 1,
    kid: keyIdOf(key),
    tenant_id: tenantId,
    after,
    head,
    at: at.toISOString(),
    status,
    sha256,
  };
  const said = Buffer.from(JSON.stringify(statement)).toString('base64url');
  return `${said}.${sign(null, Buffer.from(said), key).toString('base64url')}`;
}
