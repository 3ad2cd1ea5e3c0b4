/** The operator console's files beside a route policy that refuses everything else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import type { DemoOffer } from '../../shared/wire/sign-in.ts';
import { createServer } from '../operations/server.ts';
import { serveConsolePage } from './console-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-console-page-'));
const PAGE = '<!doctype html><head><title>console</title></head>';
const BROWSER = { accept: 'text/html,*/*;q=0.8' };
let server: FastifyInstance;
let bare: FastifyInstance;
let demo: FastifyInstance;

async function serverOf(pages: string, offer?: DemoOffer): Promise<FastifyInstance> {
  const made = createServer('operator', { clock: systemClock, ids: systemIds, log: false }, () => undefined);
  await serveConsolePage(made, pages, offer);
  return made;
}

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'index.html.gz'), gzipSync(PAGE));
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'assets', 'main.js'), 'export {};');
  writeFileSync(join(folder, 'assets', 'main.js.gz'), gzipSync('export {};'));
  server = await serverOf(folder);
  bare = await serverOf(join(folder, 'nowhere'));
  demo = await serverOf(folder, { accounts: [{ username: 'operator', password: '"<public>"' }] });
});
afterAll(async () => {
  await server.close();
  await bare.close();
  await demo.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the page has a policy that allows no injected content', async () => {
  const page = await server.inject('/');
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.headers['cache-control']).toBe('no-cache');
});

test('a file is served by its name, and kept for good where its name holds a hash', async () => {
  const asset = await server.inject('/assets/main.js');
  expect([asset.statusCode, asset.headers['cache-control']]).toEqual([200, expect.stringContaining('immutable')]);
});

test('a file is sent compressed to a browser that accepts it, and unchanged to any other', async () => {
  const headers = { 'accept-encoding': 'gzip, deflate' };
  const small = await server.inject({ url: '/assets/main.js', headers });
  expect([small.headers['content-encoding'], small.headers['vary'], small.headers['content-type']]).toEqual([
    'gzip',
    expect.stringMatching(/accept-encoding/i),
    expect.stringContaining('javascript'),
  ]);
  expect(gunzipSync(small.rawPayload).toString()).toBe('export {};');
  expect((await server.inject('/assets/main.js')).body).toBe('export {};');
  // A file without a compressed form is sent uncompressed.
  expect((await server.inject({ url: '/icon.svg', headers })).headers['content-encoding']).toBeUndefined();
});

test('the page has its policy and its caching in the compressed form too', async () => {
  const plain = await server.inject({ url: '/', headers: BROWSER });
  const packed = await server.inject({ url: '/', headers: { ...BROWSER, 'accept-encoding': 'gzip' } });
  expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
  for (const name of ['content-security-policy', 'cache-control', 'content-type'])
    expect(packed.headers[name]).toBe(plain.headers[name]);
  expect(packed.headers['content-security-policy']).toContain("script-src 'self'");
});

test.each(['/', '/analyses'])('a demo offers its account in the page %s, and nothing else does', async (url) => {
  const page = await demo.inject({ url, headers: { ...BROWSER, 'accept-encoding': 'gzip' } });
  const told = '[{&#34;username&#34;:&#34;operator&#34;,&#34;password&#34;:&#34;\\&#34;&#60;public&#62;\\&#34;&#34;}]';
  expect(page.body).toBe(
    PAGE.replace('</head>', `<meta name="demo-offer" content="{&#34;accounts&#34;:${told}}"></head>`),
  );
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect(page.headers['cache-control']).toBe('no-store');
  expect((await server.inject({ url, headers: BROWSER })).body).toBe(PAGE);
  expect((await demo.inject('/assets/main.js')).body).toBe('export {};');
});

test.each(['/analyses', '/analyses?status=FAILED', '/analyses/res-a.1', '/analyses/a%2Fb', '/apiary'])(
  'a browser that asks for the screen %s gets the page',
  async (url) => {
    const page = await server.inject({ url, headers: BROWSER });
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('<title>console</title>')]);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  },
);

test.each([
  ['GET', '/api', BROWSER],
  ['GET', '/api/v1/nothing', BROWSER],
  ['GET', '/API/v1/analyses/', BROWSER],
  ['GET', '//api/v1/analyses', BROWSER],
  ['GET', '/analyses/', BROWSER],
  ['POST', '/analyses', BROWSER],
  ['GET', '/analyses', {}],
  ['GET', '/assets/other.js', { accept: '*/*' }],
] as const)('%s %s stays with the route policy', async (method, url, headers) => {
  expect((await server.inject({ method, url, headers })).json()).toMatchObject({ code: 'COMMON403' });
});

test('without built pages the page names the missing build, and nothing else changes', async () => {
  const page = await bare.inject('/');
  expect([page.statusCode, page.json()]).toEqual([
    503,
    { isSuccess: false, code: 'COMMON503', message: expect.stringContaining('npm run package -- --pages') as unknown },
  ]);
  expect((await bare.inject({ url: '/analyses', headers: BROWSER })).statusCode).toBe(403);
});
