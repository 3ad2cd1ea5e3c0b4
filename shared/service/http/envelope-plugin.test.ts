import { connect, type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError, success } from '../../wire/envelope.ts';
import { answerInEnvelopes } from './envelope-plugin.ts';

const server = Fastify({ logger: false, genReqId: () => 'request-1', bodyLimit: 100 });
answerInEnvelopes(server);
server.get('/bug', () => {
  throw new Error('SELECT secret FROM /some/path');
});
server.get('/named', () => {
  throw new ApiError('REVIEW4001', undefined, [{ path: 'body.reason', message: 'blank' }]);
});
server.post('/typed', (request) => success(z.strictObject({ n: z.number() }).parse(request.body)));

test('an unexpected error gets a generic answer, and its text stays in the log', async () => {
  const answer = await server.inject('/bug');
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain('secret');
  expect(answer.json()).toEqual({
    isSuccess: false,
    code: 'COMMON500',
    message: 'Something went wrong on our side; the request id finds it in the log.',
  });
  expect(answer.headers['x-request-id']).toBe('request-1');
});

test('a named failure is answered with its status, code and field paths', async () => {
  const answer = await server.inject('/named');
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toEqual({
    isSuccess: false,
    code: 'REVIEW4001',
    message: 'A reason is required.',
    errors: [{ path: 'body.reason', message: 'blank' }],
  });
});

test.each([
  ['a body that is no JSON', '{', 'application/json', 400, 'COMMON400'],
  ['an empty JSON body', '', 'application/json', 400, 'COMMON400'],
  ['a prototype key', '{"__proto__":{"a":1}}', 'application/json', 400, 'COMMON400'],
  ['a wrong type', '{"n":"1"}', 'application/json', 400, 'COMMON400'],
  ['an unknown field', '{"n":1,"m":2}', 'application/json', 400, 'COMMON400'],
  ['another media type', 'n=1', 'application/x-www-form-urlencoded', 415, 'COMMON415'],
  ['a huge body', `{"n":${'1'.repeat(200)}}`, 'application/json', 413, 'COMMON413'],
])('%s is refused in the envelope', async (_, payload, type, status, code) => {
  const answer = await server.inject({ method: 'POST', url: '/typed', payload, headers: { 'content-type': type } });
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ isSuccess: false, code });
});

test('a client that disconnects in the middle of its body causes no error of ours', async () => {
  const logged: string[] = [];
  const stream = { write: (line: string) => void logged.push(line) };
  const noted = Fastify({ logger: { level: 'warn', stream }, genReqId: () => 'request-1' });
  answerInEnvelopes(noted);
  noted.post('/typed', () => success());
  const seen: string[] = [];
  const begun = new Promise<void>((resolve) => noted.addHook('onRequest', async () => resolve()));
  const failed = new Promise<void>((resolve) => {
    noted.addHook('onError', async (_request, _reply, error) => {
      seen.push(error.code);
      resolve();
    });
  });
  await noted.listen({ host: '127.0.0.1', port: 0 });
  const { port } = noted.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /typed HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"a":');
  await begun;
  socket.resetAndDestroy();
  await failed;
  await noted.close();
  expect(seen).toEqual(['ECONNRESET']);
  expect(logged).toEqual([]);
});

test('a success without a result has no result field', () => {
  expect(Object.keys(success())).toEqual(['isSuccess', 'code', 'message']);
  expect(success({ a: 1 })).toEqual({ isSuccess: true, code: 'COMMON200', message: 'OK', result: { a: 1 } });
});
