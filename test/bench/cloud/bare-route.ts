/** The raw limit of a poll: Fastify, mutual TLS and a constant. Arguments: certificate, key and authority of the clients. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { success } from '../../../shared/wire/envelope.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';

const [cert = '', key = '', ca = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const server = fastify({
  serverFactory: (handler) =>
    createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.2' }, handler),
});
const constant = JSON.stringify(success());
server.get(BUNDLE_PATH, (_request, reply) => reply.type('application/json; charset=utf-8').send(constant));
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as AddressInfo;
console.log(JSON.stringify({ msg: 'listening', part: 'bench', name: 'bare', url: `https://127.0.0.1:${port}` }));
process.once('SIGTERM', () => void server.close());
