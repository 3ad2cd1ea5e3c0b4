/** What a channel was served against what a console says: each kind of difference is named. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareShown, type Compared } from './oracle.ts';
import { now, Recorder, wallOf } from './recorder.ts';
import type { TenantHost } from './tenant-host.ts';

const TICKER = '069500';
const TEXT = 'text of a';

let server: Server;
let status: number;
/** What the console says of any day of the ticker. */
let spans: object[];
let host: TenantHost;
let so: Compared;
beforeEach(async () => {
  status = 200;
  so = { until: 0, compared: 0, unknown: 0 };
  server = createServer((request, response) => {
    const isOfTicker = request.url?.includes(`ticker=${TICKER}`) === true;
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'session=1' });
    response.end(JSON.stringify({ result: { spans: isOfTicker ? spans : [] } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const consoleUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  host = { index: 0, consoleUrl, services: {} } as unknown as TenantHost;
});
afterEach(() => server.close());

/** Compares one reading of a channel with one span around it. */
async function compared(
  showing: object,
  { text = TEXT, fromMs = -60_000, toMs = 60_000 }: { text?: string | null; fromMs?: number; toMs?: number } = {},
): Promise<string[]> {
  const recorder = new Recorder();
  const at = now();
  recorder.add({ kind: 'PROVISION', tenant: 0, channel: 'MTS', ticker: TICKER, text, begin: at, end: at });
  spans = [{ from: wallOf(at + fromMs), to: wallOf(at + toMs), showing }];
  return compareShown(host, recorder, so);
}

const given = (text: string, inside = true) => ({ state: 'GIVEN', text, channels: [{ channel: 'MTS', inside }] });

test('a text that the console tells for the channel is no breach', async () => {
  expect(await compared(given(TEXT))).toEqual([]);
  expect(so).toMatchObject({ compared: 1, unknown: 0 });
});

test.each([
  ['another text', given('text of b')],
  ['a channel outside of the scope', given(TEXT, false)],
  ['nothing', { state: 'NOTHING', channels: [{ channel: 'MTS', inside: true }] }],
])('%s is a breach', async (_, showing) => {
  expect(await compared(showing)).toEqual([expect.stringMatching(/^tenant 0: MTS was served "text of a" of 069500/)]);
});

test('a text that was exposed until shortly before counts, as a commit takes its time, and one from long before does not', async () => {
  expect(await compared(given(TEXT), { toMs: -1_000 })).toEqual([]);
  expect(await compared(given(TEXT), { toMs: -5_000 })).toHaveLength(1);
  expect(await compared(given(TEXT), { fromMs: 5_000 })).toHaveLength(1);
});

test('what the console does not know of is counted', async () => {
  expect(await compared({ state: 'UNKNOWN' })).toEqual([]);
  expect(so).toMatchObject({ compared: 1, unknown: 1 });
});

test('a reading without a text is not compared, and without an answer nothing counts', async () => {
  expect(await compared(given('text of b'), { text: null })).toEqual([]);
  status = 503;
  await expect(compared(given(TEXT))).rejects.toThrow('answers 503');
  expect(so.compared).toBe(0);
});
