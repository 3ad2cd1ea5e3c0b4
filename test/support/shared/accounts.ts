/** Hashes of passwords that cost next to nothing, for tests of other subjects: a verification reads the cost from them. */
import { argon2Sync, randomBytes } from 'node:crypto';

/** The least that argon2 takes, in KiB. */
const MEMORY_KIB = 8;
const HASH_BYTES = 32;

function phc(salt: Uint8Array, hash: Uint8Array): string {
  const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=1,p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const message = password.normalize('NFKC');
  const cost = { parallelism: 1, memory: MEMORY_KIB, passes: 1, tagLength: HASH_BYTES };
  return phc(salt, argon2Sync('argon2id', { message, nonce: salt, ...cost }));
}

/** No password matches it. */
export const CHEAP_UNMATCHED = phc(new Uint8Array(16), new Uint8Array(HASH_BYTES));
