/**
 * The console API of a single desktop is for that program's window only: each launch creates a secret that every
 * request of the window carries and that only this user's processes can read. Without it another user of the machine
 * could send requests too, though not without a session.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { WINDOW_SECRET_HEADER } from '../../../shared/wire/console/program.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';

/** Refuses a caller without the secret before any other check. */
export function admitOwnWindowOnly(server: FastifyInstance, secret: string): void {
  const expected = digest(secret);
  server.addHook('onRequest', async (request) => {
    const given = request.headers[WINDOW_SECRET_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) {
      throw new ApiError('COMMON403', 'This console serves only the window of the program that runs it.');
    }
  });
}

/** A fixed length for any input, so that the comparison reveals nothing. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
