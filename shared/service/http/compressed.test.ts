import { gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { compressAnswers } from './compressed.ts';

const LONG = { text: '반도체 수출이 늘었다. '.repeat(100) };

test.each([
  ['/long', 'gzip, deflate, br', 'gzip'],
  ['/long', 'gzip;q=0, br', undefined],
  ['/long', undefined, undefined],
  ['/short', 'gzip', undefined],
] as const)('%s for %s is sent as %s, and reads the same', async (url, accepted, encoding) => {
  const server = fastify();
  compressAnswers(server);
  server.get('/long', async () => LONG);
  server.get('/short', async () => ({ text: 'short' }));
  const answer = await server.inject({
    url,
    headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
  });
  const body = encoding === undefined ? answer.rawPayload : gunzipSync(answer.rawPayload);
  expect([answer.headers['content-encoding'], answer.headers['content-length'], JSON.parse(body.toString())]).toEqual([
    encoding,
    String(answer.rawPayload.length),
    url === '/long' ? LONG : { text: 'short' },
  ]);
  await server.close();
});
