/**
 * Passwords as argon2id hashes in PHC form (D18): 19 MiB, two passes, one lane. A process computes one hash at a time,
 * so guesses take at most one core and other requests go on.
 */
import { argon2, argon2Sync, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { ApiError } from '../../wire/envelope.ts';

const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const HASH_BYTES = 32;

function parameters(password: string, salt: Uint8Array): Argon2Parameters {
  return {
    message: password.normalize('NFKC'),
    nonce: salt,
    parallelism: 1,
    tagLength: HASH_BYTES,
    memory: MEMORY_KIB,
    passes: PASSES,
  };
}

function phc(salt: Uint8Array, hash: Uint8Array): string {
  const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Most hashes that may wait: some two seconds of work. */
const MOST_WAITING = 64;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** @throws ApiError COMMON429 when too many hashes wait already */
async function derive(from: Argon2Parameters): Promise<Buffer> {
  if (waiting >= MOST_WAITING)
    throw new ApiError('COMMON429', 'Too many people log in at this moment: try again.', undefined, 2);
  waiting += 1;
  const turn = last.then(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        argon2('argon2id', from, (error, derived) => (error === null ? resolve(derived) : reject(error)));
      }),
  );
  last = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    waiting -= 1;
  }
}

/** The hash to store for a password. Blocks for some 30 ms: for seeds and commands. */
export function hashPasswordSync(password: string): string {
  const salt = randomBytes(16);
  return phc(salt, argon2Sync('argon2id', parameters(password, salt)));
}

/** Computes the hash to store for a password, off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return phc(salt, await derive(parameters(password, salt)));
}

/** Whether a password is the one of a stored hash; false for a hash that cannot be read. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored);
  if (match === null) return false;
  const [, memory, passes, salt, hash] = match;
  const expected = Buffer.from(hash ?? '', 'base64');
  const actual = await derive({
    ...parameters(password, Buffer.from(salt ?? '', 'base64')),
    memory: Number(memory),
    passes: Number(passes),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** A hash that no password matches, so that an unknown user costs the same time as a known one. */
export const UNMATCHED_HASH = phc(new Uint8Array(16), new Uint8Array(HASH_BYTES));
