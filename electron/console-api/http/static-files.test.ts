import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { staticPath } from './static-files.ts';
import { OWN_VERSIONS, VERSION_HEADER, versionsText } from '../../../shared/wire/version.ts';
import { PAGE, TestConsole } from '../../../test/support/console-api/console.ts';

const HTML = 'text/html,application/xhtml+xml';

describe('the built page', () => {
  let console: TestConsole;
  beforeAll(() => {
    console = new TestConsole({ pages: 'built' });
  });
  afterAll(() => console.close());
  const get = (url: string, accept = '*/*') =>
    console.app.inject({ method: 'GET', url, headers: { host: '127.0.0.1', accept } });

  test.for(['/', '/index.html', '/login', '/review/Ab_-12', '/explanations?status=STOPPED'])(
    '%s is the page, under a strict policy',
    async (url) => {
      const page = await get(url, HTML);
      expect([page.statusCode, page.body]).toEqual([200, PAGE]);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['cache-control']).toBe('no-store');
      expect(page.headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(page.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      });
      expect(page.headers['x-request-id']).toBeDefined();
    },
  );

  test('every answer carries the version, for every caller', async () => {
    const answers = [await get('/', HTML), await get('/assets/index-BeEf01.js'), await get('/api/v1/session')];
    for (const { headers } of answers) expect(headers[VERSION_HEADER]).toBe(versionsText(OWN_VERSIONS));
  });

  test('a hashed asset may be cached for ever, another file is requested again', async () => {
    const asset = await get('/assets/index-BeEf01.js');
    expect([asset.statusCode, asset.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(asset.headers['content-security-policy']).toContain("default-src 'none'");
    const icon = await get('/favicon.svg');
    expect([icon.statusCode, icon.headers['cache-control'], icon.headers['content-type']]).toEqual([
      200,
      'no-cache',
      'image/svg+xml',
    ]);
  });

  test('whoever takes brotli gets the compressed form of a file, as a script', async () => {
    const headers = { host: '127.0.0.1', 'accept-encoding': 'gzip, deflate, br' };
    const asset = await console.app.inject({ method: 'GET', url: '/assets/index-BeEf01.js', headers });
    expect(asset.headers).toMatchObject({
      'content-encoding': 'br',
      // The library's older type of a script.
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(asset.rawPayload).toString()).toBe('export {};');
  });

  test.for([
    '/assets/gone-1234.js',
    '/assets/notes.md',
    '/assets',
    '/.env',
    '/assets/../.env',
    '/assets/%2e%2e/.env',
    '/../ledger.sqlite',
    '/..%2fledger.sqlite',
    '/%2e%2e/ledger.sqlite',
  ])('%s is no part of it', async (url) => {
    expect((await get(url)).statusCode).toBe(401);
    expect((await console.ask({ method: 'GET', url, as: 'TENANT_ADMIN' })).status).toBe(403);
  });

  test.for(['/api', '/api/', '/api/v1/nothing', '/API/v1/session', '//api/v1/session', '/Api'])(
    '%s is the API, whatever a browser wants to see',
    async (url) => {
      expect(staticPath('GET', url, HTML)).toBeNull();
    },
  );

  test('a path that only a program requests is not a page', async () => {
    expect((await get('/review/abc', 'application/json')).statusCode).toBe(401);
    expect(staticPath('HEAD', '/', HTML)).toBeNull();
    expect(staticPath('POST', '/login', HTML)).toBeNull();
  });
});

test('without a build the page says so, and the API works', async () => {
  await using console = new TestConsole({ pages: 'missing' });
  const page = await console.ask({ method: 'GET', url: '/' });
  expect([page.status, page.body.code]).toEqual([503, 'COMMON503']);
  expect(page.body.message).toContain('have to be built');
  expect((await console.ask({ method: 'GET', url: '/api/v1/session', as: 'READ_ONLY' })).status).toBe(200);
});
