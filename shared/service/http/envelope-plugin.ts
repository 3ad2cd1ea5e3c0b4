/**
 * Turns every error of a Fastify handler into the envelope (D4 to D7), the same on every server of both sides: named
 * failures as they are, Fastify's own refusals by their status, and any other error as a generic COMMON500 with the
 * whole error in the log.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ZodError } from 'zod';
import { ApiError, FAILURES, failure, type FailureCode, type FieldError } from '../../wire/envelope.ts';

/**
 * Installs the error handler and the request id header on a server. Each server has its own not-found answer.
 * @param name maps an error that only this server knows to the failure that is answered
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
  // The client disconnected in the middle of its body: no client reads the answer, and this server has no fault.
  if (status === 400 && code === 'ECONNRESET') return new ApiError('COMMON400', 'The request breaks off in its body.');
  if (typeof status !== 'number' || typeof code !== 'string' || !code.startsWith('FST_')) return null;
  const named = `COMMON${status}` as FailureCode;
  if (named in FAILURES) return new ApiError(named);
  return status >= 400 && status < 500 ? new ApiError('COMMON400') : null;
}

/** The invalid fields of a request, as the envelope lists them. */
export function fieldErrors(error: ZodError, prefix: string): FieldError[] {
  return error.issues.map((issue) => ({
    path: [prefix, ...issue.path.map(String)].filter((part) => part !== '').join('.'),
    message: issue.message,
  }));
}
