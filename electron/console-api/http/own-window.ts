/**
 * The console API of a single desktop is for that program's window alone: each launch makes a secret that every
 * request of the window carries, and that only this user's processes can read. Without one, anybody else on the
 * machine could ask too, though not without a session.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { WINDOW_SECRET_HEADER } from '../../../shared/wire/console/program.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';

/** Refuses whoever does not know the secret, before anything else is looked at. */
export function admitOwnWindowOnly(server: FastifyInstance, secret: string): void {
  const expected = digest(secret);
  server.addHook('onRequest', async (request) => {
    const given = request.headers[WINDOW_SECRET_HEADER];
    if (typeof given !== 'string' || !timingSafeEqual(digest(given), expected)) {
      throw new ApiError('COMMON403', 'This console is for the window of the program that runs it.');
    }
  });
}

/** Of one length whatever was given, so that comparing tells nothing. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
