/** The vendor's statement about an answer (D59): an answer without a valid statement is refused whole. */
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { PemError, pemBlocks } from '../../../shared/service/tls/pem.ts';
import { KEY_ID_DIGITS, statementSchema, type Statement } from '../../../shared/wire/statement.ts';
import type { Answer } from './pull.ts';

/** The present keys: two during a rotation of the vendor's key. */
type VerifyKeys = () => readonly KeyObject[];

/** The vendor's keys that verify answers, and the bounds. */
export interface Verification {
  keys: VerifyKeys;
  /** The allowed difference between the time of a statement and this host's clock. */
  toleranceMs: number;
}

export interface Expected {
  /** The committed cursor, as it was sent. */
  after: number;
  /** The tenant of this ledger; null before the first bundle. */
  tenantId: number | null;
  now: Date;
}

export type CheckedStatement =
  | { kind: 'GOOD'; statement: Statement }
  /** `reason` is a sentence. `STATEMENT_TIME`: only the time does not fit. */
  | { kind: 'BAD'; code: 'STATEMENT' | 'STATEMENT_TIME'; reason: string };

/** Checks the statement of an answer against the keys, the answer and the request. */
export function checkStatement(
  { keys, toleranceMs }: Verification,
  { statement: text, status, body }: Pick<Answer, 'statement' | 'status' | 'body'>,
  { after, tenantId, now }: Expected,
): CheckedStatement {
  if (text === null) return bad('The answer has no statement of the vendor, and a verification key is configured.');
  const read = readStatement(text, keys());
  if (typeof read === 'string') return bad(read);
  if (tenantId !== null && read.tenant_id !== tenantId)
    return bad(
      `The statement is about tenant ${read.tenant_id}, and this ledger belongs to tenant ${tenantId}: see whose certificate is shown to the cloud.`,
    );
  if (read.after !== after)
    return bad(`The statement answers a pull after cursor ${read.after}, and cursor ${after} was sent.`);
  if (read.status !== status)
    return bad(`The statement is about an answer of status ${read.status}, and status ${status} came.`);
  if (read.sha256 !== hash('sha256', body, 'hex')) return bad('The statement does not fit the bytes of the answer.');
  const apart = Math.abs(now.getTime() - Date.parse(read.at));
  if (apart > toleranceMs) return { kind: 'BAD', code: 'STATEMENT_TIME', reason: apartText(read.at, now, toleranceMs) };
  return { kind: 'GOOD', statement: read };
}

/** Reads one or more public keys in PEM. @throws Error with a message that finishes the sentence "The file …" */
export function readVerifyKeys(pem: string): readonly KeyObject[] {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) throw new PemError('holds no public key in PEM form');
  return blocks.map(({ text }) => {
    let key: KeyObject;
    try {
      key = createPublicKey(text);
    } catch {
      throw new Error('holds no public key in PEM form');
    }
    if (key.asymmetricKeyType !== 'ed25519')
      throw new Error(`holds a key of type ${key.asymmetricKeyType}, and Ed25519 is needed`);
    return key;
  });
}

const ids = new WeakMap<KeyObject, string>();

/** The id by which a statement names its key. */
export function keyIdOf(key: KeyObject): string {
  const known = ids.get(key);
  if (known !== undefined) return known;
  const id = hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex').slice(0, KEY_ID_DIGITS);
  ids.set(key, id);
  return id;
}

/** A statement is some 350 characters long; a header may be 16 KB. */
const LONGEST = 4_096;
const FORM = /^([\w-]+)\.([\w-]{86})$/;

/** The statement if its signature fits; otherwise the fault, as a sentence. */
export function readStatement(text: string, keys: readonly KeyObject[]): Statement | string {
  const [, said, signature] = text.length > LONGEST ? [] : (FORM.exec(text) ?? []);
  if (said === undefined || signature === undefined) return 'The statement of the answer is not in the form of one.';
  const statement = unsealed(said);
  if (statement === null) return 'The statement of the answer cannot be read.';
  const key = keys.find((one) => keyIdOf(one) === statement.kid);
  if (key === undefined)
    return `The statement is signed by the key ${statement.kid}, and the verification key is ${keys.map(keyIdOf).join(' or ')}.`;
  if (!verify(null, Buffer.from(said), key, Buffer.from(signature, 'base64url')))
    return 'The signature of the statement does not fit it.';
  return statement;
}

/** The tenant that a statement names, without its signature: a hint for words, and never a reason to take anything. */
export function tenantNamedIn(text: string | null): number | null {
  const said = text === null || text.length > LONGEST ? undefined : FORM.exec(text)?.[1];
  return said === undefined ? null : (unsealed(said)?.tenant_id ?? null);
}

/** When a statement was made, which had been verified before it was kept; null: it cannot be read. */
export function statedAt(text: string): string | null {
  const at = unsealed(FORM.exec(text)?.[1] ?? '')?.at;
  return at === undefined ? null : new Date(at).toISOString();
}

/**
 * The fault of the statement beside a raw record, as a sentence, or null. Only verified statements are kept, so one
 * that does not fit was changed on the disk. Without its key a statement is checked against the record alone.
 */
export function keptStatementFault(
  text: string,
  { cursorFrom, sha256, tenantId }: { cursorFrom: number; sha256: Uint8Array; tenantId: number | null },
  keys: readonly KeyObject[],
): string | null {
  const said = FORM.exec(text)?.[1];
  const statement = said === undefined ? null : unsealed(said);
  const fits =
    statement !== null &&
    statement.after === cursorFrom &&
    statement.tenant_id === tenantId &&
    statement.sha256 === Buffer.from(sha256).toString('hex');
  const isAtHand = keys.some((key) => keyIdOf(key) === statement?.kid);
  if (fits && !(isAtHand && typeof readStatement(text, keys) === 'string')) return null;
  return `The vendor's statement beside the raw bundle after cursor ${cursorFrom} does not fit it.`;
}

/** Whether a kept statement names one of these keys; `keptStatementFault` holds its signature. */
export function isSignedBy(text: string, keys: readonly KeyObject[]): boolean {
  const kid = unsealed(FORM.exec(text)?.[1] ?? '')?.kid;
  return keys.some((key) => keyIdOf(key) === kid);
}

function unsealed(said: string): Statement | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(said, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  return statementSchema.safeParse(value).data ?? null;
}

function apartText(at: string, now: Date, toleranceMs: number): string {
  return (
    `The statement was made at ${at}, and this host's clock says ${now.toISOString()}: more than ${toleranceMs / 1_000} seconds apart. ` +
    'See that both clocks are right; where they are, a relay or proxy repeats an answer from earlier.'
  );
}

function bad(reason: string): CheckedStatement {
  return { kind: 'BAD', code: 'STATEMENT', reason };
}
