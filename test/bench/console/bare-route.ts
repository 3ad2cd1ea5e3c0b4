/** The raw limit of a read: Fastify and the same SQLite lookup, without any of the product. Argument: the ledger. */
import Database from 'better-sqlite3';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';

const db = new Database(process.argv[2], { readonly: true });
const find = db.prepare('SELECT * FROM explanation WHERE id = ?');
const server = fastify();
server.get<{ Params: { id: string } }>('/api/v1/explanations/:id', (request, reply) => {
  const row = find.get(request.params.id) as { source_events: string; evidences: string } | undefined;
  if (row === undefined) return reply.code(404).send();
  const result = {
    ...row,
    source_events: JSON.parse(row.source_events) as unknown,
    evidences: JSON.parse(row.evidences) as unknown,
  };
  return reply.send({ isSuccess: true, code: 'COMMON200', message: 'OK', result });
});
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as AddressInfo;
console.log(JSON.stringify({ msg: 'listening', part: 'bench', name: 'bare', url: `http://127.0.0.1:${port}` }));
process.once('SIGTERM', () => void server.close());
