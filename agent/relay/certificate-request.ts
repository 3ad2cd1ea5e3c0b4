/** A key of our own and the request for its certificate (PKCS#10, RFC 2986). Node makes keys and signatures, but no requests. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const NO_ATTRIBUTES = Buffer.from([0xa0, 0x00]);
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');

/** P-256, PKCS#8, PEM. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return privateKey;
}

/** @param key as `makeKey` gives it @returns PEM */
export function makeRequest(key: string, name: string): string {
  const privateKey = createPrivateKey(key);
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const info = der(SEQUENCE, der(INTEGER, Buffer.from([0])), subject, publicKey, NO_ATTRIBUTES);
  const signature = sign('sha256', info, privateKey);
  const request = der(SEQUENCE, info, der(SEQUENCE, ECDSA_WITH_SHA256), der(BIT_STRING, Buffer.from([0]), signature));
  const lines = request.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** One DER value: tag, length, content. */
function der(tag: number, ...content: Uint8Array[]): Buffer {
  const held = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...sizeOf(held.length)]), held]);
}

/** In the fewest bytes, as DER wants it; up to 64 KiB. */
function sizeOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
