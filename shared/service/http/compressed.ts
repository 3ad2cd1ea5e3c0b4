import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** The caller takes gzip, and has not given it a weight of nothing. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/iu;

/** Shorter answers fit into one packet anyway, in characters. */
const LEAST = 1_024;

const compressed = promisify(gzip);

/** Compresses the answers of a console's API for callers that take gzip. Files and streams go as they are. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < LEAST) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!TAKES_GZIP.test(request.headers['accept-encoding'] ?? '')) return payload;
    void reply.header('content-encoding', 'gzip');
    return compressed(payload);
  });
}
