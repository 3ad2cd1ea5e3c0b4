import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVerifyKeys, signatureFault } from './signature.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signed = (body: Uint8Array) => sign(null, body, privateKey).toString('base64');

test('the vendor’s signature fits its bytes and no others', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (body, place, change) => {
        const key = readVerifyKeys(pem);
        const header = signed(body);
        expect(signatureFault(key, body, header)).toBeNull();
        const other = Uint8Array.from(body);
        const index = place % other.length;
        other[index] = (other[index] ?? 0) ^ change;
        expect(signatureFault(key, other, header)).toContain('does not fit');
      },
    ),
    { numRuns: 50 },
  );
});
test('a missing, mangled or foreign signature is a fault', () => {
  const key = readVerifyKeys(pem);
  const body = Buffer.from('{}');
  expect(signatureFault(key, body, null)).toContain('not signed');
  expect(signatureFault(key, body, `${signed(body)}, ${signed(body)}`)).toContain('not base64');
  expect(signatureFault(key, body, '')).toContain('does not fit');
  const other = generateKeyPairSync('ed25519');
  expect(signatureFault(key, body, sign(null, body, other.privateKey).toString('base64'))).toContain('does not fit');
});
test('a key of another kind is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  expect(() => readVerifyKeys(rsa)).toThrow('type rsa');
  expect(() => readVerifyKeys('no key')).toThrow('no public key');
});

test('while the next key takes over, the signature of either fits', () => {
  const next = generateKeyPairSync('ed25519');
  const keys = readVerifyKeys(`${pem}${next.publicKey.export({ type: 'spki', format: 'pem' }).toString()}`);
  const body = Buffer.from('{}');
  expect(signatureFault(keys, body, signed(body))).toBeNull();
  expect(signatureFault(keys, body, sign(null, body, next.privateKey).toString('base64'))).toBeNull();
  expect(signatureFault(readVerifyKeys(pem), body, sign(null, body, next.privateKey).toString('base64'))).toContain(
    'does not fit',
  );
});
