/**
 * Turns whatever a Fastify handler throws into the envelope (D4 to D7), the same on every server of
 * both sides: named failures as they are, what Fastify itself refuses by its status, and anything
 * else blandly as COMMON500 with the whole error in the log.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ZodError } from 'zod';
import { ApiError, FAILURES, failure, type FailureCode, type FieldError } from '../../wire/envelope.ts';

/**
 * Installs the error handler and the request id header on a server. The not-found answer is the server's own business.
 * @param name turns an error that the server knows more of into the failure that is answered
 */
export function answerInEnvelopes(
  server: FastifyInstance,
  name: (error: unknown, request: FastifyRequest) => unknown = (error) => error,
): void {
  server.setErrorHandler((error, request, reply) => sendFailure(name(error, request), request, reply));
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    done(null, payload);
  });
}

/** Answers one failure. Also for hooks that refuse before a handler runs. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asApiError(error);
  if (known === null) {
    request.log.error({ err: error }, 'unexpected error');
    return reply
      .code(500)
      .type('application/json; charset=utf-8')
      .send(failure(new ApiError('COMMON500')));
  }
  if (known.status === 429) void reply.header('retry-after', String(known.retryAfterSeconds ?? 1));
  if (known.status >= 500) request.log.error({ err: error }, known.message);
  return reply.code(known.status).type('application/json; charset=utf-8').send(failure(known));
}

function asApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof ZodError) return new ApiError('COMMON400', undefined, fieldErrors(error, ''));
  const status = (error as FastifyError).statusCode;
  const code = (error as FastifyError).code;
  // The client went away in the middle of its body: nobody reads the answer, and nothing is wrong here.
  if (status === 400 && code === 'ECONNRESET') return new ApiError('COMMON400', 'The request breaks off in its body.');
  if (typeof status !== 'number' || typeof code !== 'string' || !code.startsWith('FST_')) return null;
  const named = `COMMON${status}` as FailureCode;
  if (named in FAILURES) return new ApiError(named);
  return status >= 400 && status < 500 ? new ApiError('COMMON400') : null;
}

/** The places of a request that do not fit, as the envelope tells them. */
export function fieldErrors(error: ZodError, prefix: string): FieldError[] {
  return error.issues.map((issue) => ({
    path: [prefix, ...issue.path.map(String)].filter((part) => part !== '').join('.'),
    message: issue.message,
  }));
}
