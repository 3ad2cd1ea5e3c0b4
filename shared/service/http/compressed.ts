import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';

/** Shorter answers fit into one packet anyway, in characters. */
const LEAST = 1_024;

const compressed = promisify(gzip);

/** Compresses the answers of a console's API for callers that take gzip. Files and streams go as they are. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < LEAST) return payload;
    void reply.header('vary', 'accept-encoding');
    if (negotiate(request.headers['accept-encoding'] ?? '', ['gzip']) === null) return payload;
    void reply.header('content-encoding', 'gzip');
    return compressed(payload);
  });
}
