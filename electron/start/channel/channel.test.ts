/** The page of a demo channel, before a real provision API with the channel's real key. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import path from 'node:path';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { freePort, TestFixture } from '../../../test/support/process.ts';
import { DEMO } from '../parts.ts';
import { serveChannel, type ChannelPage } from './channel.ts';

const TICKER = '900500';
const fixture = new TestFixture();
let ledger: string;
let id: string;
let page: ChannelPage;

beforeAll(async () => {
  ledger = path.join(fixture.folder('ledger'), 'ledger.sqlite');
  const env = { CAUSEWAY_LEDGER: ledger, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' };
  const provision = await fixture.start('agent/provision/main.ts', { env }).listening('provision');
  write((tx) => (id = receive(tx, newEntry('shown', { etf_ticker: TICKER }), 'AUTO_PUBLISHED')));
  page = await serveChannel({
    listen: `127.0.0.1:${await freePort()}`,
    provision: provision.url,
    channels: DEMO.channels,
    tickers: [TICKER, '900501'],
  });
});
afterAll(async () => {
  await page.close();
  await fixture.clear();
});

function write(work: Parameters<ReturnType<typeof openLedger>['write']>[0]): void {
  const opened = openLedger(ledger);
  opened.write(work);
  opened.close();
}

const ask = (at: string, tag?: string): Promise<Response> =>
  fetch(new URL(at, page.url), { headers: tag === undefined ? {} : { 'if-none-match': tag } });

test('a text is served with its tag, confirmed by it, and gone the moment it is not exposed', async () => {
  const list = (await (await ask('/MTS')).json()) as { result: { items: { etf_ticker: string }[] } };
  expect(list.result.items.map(({ etf_ticker }) => etf_ticker)).toEqual([TICKER]);
  const first = await ask(`/HTS/${TICKER}`);
  expect(await first.json()).toMatchObject({ result: { etf_ticker: TICKER } });
  const tag = first.headers.get('etag') ?? '';
  expect((await ask(`/HTS/${TICKER}`, tag)).status).toBe(304);
  const at = new Date().toISOString();
  write((tx) => applyMove(tx, { id, move: 'invalidate', reason: '정정', actor: { kind: 'SYSTEM' }, at }));
  expect((await ask(`/HTS/${TICKER}`, tag)).status).toBe(404);
});

test('no file of the page has a key, and no other channel or host is answered', async () => {
  for (const [at, type] of [
    ['/', 'text/html'],
    ['/page.js', 'text/javascript'],
    ['/page.css', 'text/css'],
    ['/tokens.css', 'text/css'],
  ] as const) {
    const answer = await ask(at);
    expect([at, answer.status, answer.headers.get('content-type')]).toEqual([at, 200, `${type}; charset=utf-8`]);
    expect(await answer.text()).not.toMatch(/demo-(?:mts|hts|web)/);
  }
  expect((await ask(`/APP/${TICKER}`)).status).toBe(404);
  const foreign = await new Promise((resolve) => {
    request(page.url, { headers: { host: 'elsewhere.example' } }, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(foreign).toBe(403);
});
