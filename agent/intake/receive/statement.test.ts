import { generateKeyPairSync, hash, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeVendorKey, pemOf, statementOf, verificationBy } from '../../../test/support/vendor-key.ts';
import {
  checkStatement,
  keptStatementFault,
  keyIdOf,
  readStatement,
  readVerifyKeys,
  type CheckedStatement,
} from './statement.ts';
import { bodyOf, TENANT } from '../../../test/support/agent/intake.ts';

const vendor = makeVendorKey();
const NOW = new Date('2026-11-20T08:00:00.000Z');
const body = bodyOf();
const told = { tenantId: TENANT, after: 4, head: 9, at: NOW, body };

function check(text: string | null, keys = [vendor], changes: { now?: Date; status?: number } = {}): CheckedStatement {
  const { now = NOW, status = 200 } = changes;
  const verification = verificationBy(...keys);
  return checkStatement(verification, { statement: text, status, body }, { after: 4, tenantId: TENANT, now });
}
const reason = (checked: CheckedStatement): string => (checked.kind === 'BAD' ? checked.reason : 'none');
/** A statement of any fields, signed as it should be. */
function signedAs(fields: unknown): string {
  const said = Buffer.from(typeof fields === 'string' ? fields : JSON.stringify(fields)).toString('base64url');
  return `${said}.${sign(null, Buffer.from(said), vendor.privateKey).toString('base64url')}`;
}

test('a valid statement gives the vendor’s fields, and a newer cloud’s additions are ignored', () => {
  expect(check(statementOf(vendor, told))).toMatchObject({ kind: 'GOOD', statement: { head: 9, after: 4 } });
  const read = readStatement(statementOf(vendor, told), [vendor.publicKey]);
  expect(check(signedAs({ ...(read as object), more: 1 })).kind).toBe('GOOD');
});

test('the id of a key is the front of the SHA-256 of its SPKI form, the same on both sides', () => {
  const spki = vendor.publicKey.export({ type: 'spki', format: 'der' });
  expect(keyIdOf(vendor.publicKey)).toBe(hash('sha256', spki, 'hex').slice(0, 16));
  expect(readStatement(statementOf(vendor, told), [vendor.publicKey])).toMatchObject({
    kid: keyIdOf(vendor.publicKey),
  });
});

test.each<[string, string | null, RegExp]>([
  ['none', null, /has no statement/],
  ['another tenant', statementOf(vendor, { ...told, tenantId: 8 }), /about tenant 8.*belongs to tenant 7/],
  ['another cursor', statementOf(vendor, { ...told, after: 5 }), /after cursor 5, and cursor 4 was sent/],
  ['a query that could not be read', statementOf(vendor, { ...told, after: null }), /after cursor null/],
  ['another status', statementOf(vendor, { ...told, status: 410 }), /status 410, and status 200 came/],
  ['another body', statementOf(vendor, { ...told, body: Buffer.from('x') }), /does not fit the bytes/],
  ['another key', statementOf(makeVendorKey(), told), /signed by the key [0-9a-f]{16}, and the verification key is/],
  ['twice', `${statementOf(vendor, told)}, ${statementOf(vendor, told)}`, /not in the form/],
  ['too long', signedAs({ pad: 'x'.repeat(5_000) }), /not in the form/],
  ['no JSON', signedAs('{'), /cannot be read/],
  ['another version', signedAs({ v: 2 }), /cannot be read/],
])('%s: a fault', (_, text, expected) => {
  expect(check(text)).toMatchObject({ kind: 'BAD', code: 'STATEMENT' });
  expect(reason(check(text))).toMatch(expected);
});

test('five minutes of difference pass; more gets its own code, which names both clocks', () => {
  const text = statementOf(vendor, told);
  const at = (seconds: number) => check(text, [vendor], { now: new Date(NOW.getTime() + seconds * 1_000) });
  for (const seconds of [-300, 0, 300]) expect(at(seconds).kind).toBe('GOOD');
  for (const seconds of [-301, 301]) expect(at(seconds)).toMatchObject({ kind: 'BAD', code: 'STATEMENT_TIME' });
  expect(reason(at(600))).toContain(
    `made at ${NOW.toISOString()}, and this host's clock says 2026-11-20T08:10:00.000Z`,
  );
  // Another mismatch is not reported as a difference of clocks.
  const wrong = statementOf(vendor, { ...told, after: 5, at: new Date(0) });
  expect(check(wrong)).toMatchObject({ code: 'STATEMENT' });
});

test('a signature by another key under the id of ours does not fit', () => {
  const [said = ''] = statementOf(vendor, told).split('.');
  const by = sign(null, Buffer.from(said), makeVendorKey().privateKey).toString('base64url');
  expect(reason(check(`${said}.${by}`))).toBe('The signature of the statement does not fit it.');
});

test('while the next key takes over, the statement of either fits', () => {
  const next = makeVendorKey();
  const keys = readVerifyKeys(`${pemOf(vendor)}${pemOf(next)}`);
  for (const key of [vendor, next]) expect(readStatement(statementOf(key, told), keys)).toMatchObject({ head: 9 });
  expect(reason(check(statementOf(next, told)))).toContain('is signed by the key');
  expect(check(statementOf(next, told), [vendor, next]).kind).toBe('GOOD');
});

describe('a statement that is kept beside its raw bundle', () => {
  const kept = { cursorFrom: 4, tenantId: TENANT as number | null, sha256: hash('sha256', body, 'buffer') };
  const text = statementOf(vendor, told);
  const fault = (of: Partial<typeof kept>, keys = [vendor.publicKey], statement = text) =>
    keptStatementFault(statement, { ...kept, ...of }, keys);

  test('fits, also where its key is not at hand any more', () => {
    expect([fault({}), fault({}, []), fault({}, [makeVendorKey().publicKey])]).toEqual([null, null, null]);
  });

  test.each<[string, Partial<typeof kept>]>([
    ['another cursor', { cursorFrom: 5 }],
    ['another tenant', { tenantId: 8 }],
    ['a ledger without a tenant', { tenantId: null }],
    ['other bytes', { sha256: hash('sha256', 'x', 'buffer') }],
  ])('does not fit %s, with its key and without', (_, of) => {
    const said = `The vendor's statement beside the raw bundle after cursor ${of.cursorFrom ?? 4} does not fit it.`;
    expect([fault(of), fault(of, [])]).toEqual([said, said]);
  });

  test('does not fit with a signature that its key did not make, or in another form', () => {
    const [said = ''] = text.split('.');
    const forged = `${said}.${sign(null, Buffer.from('x'), vendor.privateKey).toString('base64url')}`;
    expect([fault({}, [vendor.publicKey], forged), fault({}, [], forged)]).toEqual([expect.any(String), null]);
    for (const broken of ['', said, `${text}x`, signedAs('{')]) expect(fault({}, [], broken)).not.toBeNull();
  });
});

test('any header is accepted or refused with a sentence', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json().map(signedAs)), (text) => {
      expect(reason(check(text))).toMatch(/\.$/);
    }),
    { numRuns: 200 },
  );
});

test('a key of another kind is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  expect(() => readVerifyKeys(rsa)).toThrow('type rsa');
  expect(() => readVerifyKeys('no key')).toThrow('no public key');
});
