/** The serving scope (console API 4, rule 4; D17, D20). */
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import type {
  ChannelScope,
  ExplanationDetail,
  MarketScope,
  Page,
  SectorScope,
  StockScope,
} from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let id: string;
beforeEach(() => {
  console = new TestConsole();
  console.ledger.write((tx) => addChannel(tx, { channel: 'MTS', key: 'k-mts', at: console.now.toISOString() }));
  console.ledger.write((tx) => addChannel(tx, { channel: 'HTS', key: 'k-hts', at: console.now.toISOString() }));
  id = console.explanation('AUTO_PUBLISHED');
  console.explanation('AUTO_PUBLISHED', { etf_ticker: '114800', etf_name: 'KODEX 인버스', market: null });
});
afterEach(() => console.close());

const ask = <T>(method: Asked['method'], url: string, as: string, more: Partial<Asked> = {}) =>
  console.ask<T>({ method, url: `/api/v1/scope/${url}`, as, ...more });
const list = async <T>(url: string) => (await ask<Page<T>>('GET', url, 'READ_ONLY')).result;
const isExposed = (channel: string) => exposedExplanation(console.ledger, '069500', channel, console.now) !== undefined;
const exposed = async () =>
  (await console.ask<ExplanationDetail>({ method: 'GET', url: `/api/v1/explanations/${id}`, as: 'READ_ONLY' })).result
    .exposed;

const CASES = [
  ['markets/KRX', 'TENANT_ADMIN', 'COMPLIANCE_REVIEWER', 'MARKET', 1],
  // Naming its sector has changed the instrument's version once.
  ['stocks/069500', 'COMPLIANCE_REVIEWER', 'TENANT_ADMIN', 'INSTRUMENT', 2],
  ['sectors/%EB%B0%98%EB%8F%84%EC%B2%B4', 'COMPLIANCE_REVIEWER', 'TENANT_ADMIN', 'SECTOR', 1],
] as const;

describe.each(CASES)('%s', (url, owner, other, type, version) => {
  beforeEach(async () => {
    await ask('PUT', 'stocks/069500/sector', 'COMPLIANCE_REVIEWER', { body: { sector: '반도체' } });
  });

  test('a switch that waits for the ledger is dated when it is made, because channels are served until then', async () => {
    const session = console.session(owner);
    const holder = new Database(console.file);
    holder.exec('BEGIN IMMEDIATE');
    const switched = ask<MarketScope>('POST', `${url}/toggle`, session);
    for (let turns = 0; turns < 50; turns += 1) await setImmediate();
    console.pass(5_000);
    holder.exec('ROLLBACK');
    holder.close();
    expect((await switched).result).toMatchObject({ enabled: false, changedAt: console.now.toISOString() });
  });

  test('switched off, is exposed to no channel from the next request on; switched on again, it is', async () => {
    expect([isExposed('MTS'), await exposed()]).toEqual([true, true]);
    const before = console.actions().length;
    const off = await ask<MarketScope>('POST', `${url}/toggle`, owner);
    expect(off.result).toMatchObject({
      enabled: false,
      changedAt: console.now.toISOString(),
      version: version + 1,
    });
    expect([isExposed('MTS'), isExposed('HTS'), await exposed()]).toEqual([false, false, false]);
    expect(console.actions(before)).toMatchObject([
      { action: 'scope.toggle', detail: JSON.stringify({ scope_type: type, from: true, to: false }) },
    ]);
    expect((await ask<MarketScope>('POST', `${url}/toggle`, owner)).result).toMatchObject({
      enabled: true,
      version: version + 2,
    });
    expect([isExposed('MTS'), await exposed()]).toEqual([true, true]);
  });

  test('cannot be undone by the other role', async () => {
    await ask('POST', `${url}/toggle`, owner);
    expect((await ask('POST', `${url}/toggle`, other)).status).toBe(403);
    for (const role of ['OPERATOR', 'READ_ONLY']) expect((await ask('POST', `${url}/toggle`, role)).status).toBe(403);
    expect(await exposed()).toBe(false);
  });

  test('is switched only with the version that was read', async () => {
    const headers = { 'if-match': `"${version}"` };
    expect((await ask('POST', `${url}/toggle`, owner, { headers })).status).toBe(200);
    const late = await ask('POST', `${url}/toggle`, owner, { headers });
    expect([late.status, late.body]).toMatchObject([412, { errors: [{ path: 'version', message: `${version + 1}` }] }]);
    expect(await exposed()).toBe(false);
  });
});

test('a channel that is switched off gets nothing; the others still do', async () => {
  expect((await ask<ChannelScope>('POST', 'channels/MTS/toggle', 'TENANT_ADMIN')).result).toMatchObject({
    channel: 'MTS',
    enabled: false,
    changedBy: '이름 tenant_admin',
  });
  expect([isExposed('MTS'), isExposed('HTS')]).toEqual([false, true]);
  expect((await ask('POST', 'channels/MTS/toggle', 'COMPLIANCE_REVIEWER')).status).toBe(403);
});

test.for(['markets/NYSE', 'channels/WEB', 'stocks/000000', 'sectors/none'])(
  'a missing object, %s: 404',
  async (url) => {
    const before = console.traces();
    const owner = /^(markets|channels)/.test(url) ? 'TENANT_ADMIN' : 'COMPLIANCE_REVIEWER';
    expect((await ask('POST', `${url}/toggle`, owner)).status).toBe(404);
    expect(console.traces()).toEqual(before);
  },
);

test('lists name everything known, and everything switched', async () => {
  await ask('PUT', 'stocks/114800/sector', 'COMPLIANCE_REVIEWER', { body: { sector: '파생' } });
  await ask('POST', 'stocks/114800/toggle', 'COMPLIANCE_REVIEWER');
  expect((await list<MarketScope>('markets')).items).toMatchObject([{ market: 'KRX', instruments: 1, enabled: true }]);
  expect((await list<ChannelScope>('channels')).items.map(({ channel }) => channel)).toEqual(['HTS', 'MTS']);
  expect((await list<SectorScope>('sectors')).items).toMatchObject([{ sector: '파생', instruments: 1, enabled: true }]);
  expect(await list<StockScope>('stocks')).toMatchObject({ total: 2, items: [{ code: '069500' }, { code: '114800' }] });
  expect((await list<StockScope>('stocks?enabled=false')).items).toMatchObject([
    { code: '114800', name: 'KODEX 인버스', market: null, sector: '파생', enabled: false },
  ]);
  for (const q of ['kodex%20200', 'KODEX200'])
    expect((await list<StockScope>(`stocks?q=${q}`)).items.map(({ code }) => code)).toEqual(['069500']);
  expect((await list<StockScope>('stocks?sector=%ED%8C%8C%EC%83%9D')).total).toBe(1);
  expect((await list<StockScope>('stocks?size=1&page=2')).items).toMatchObject([{ code: '114800' }]);
});

test('a switched sector without instruments stays in the list', async () => {
  await ask('PUT', 'stocks/114800/sector', 'COMPLIANCE_REVIEWER', { body: { sector: '파생' } });
  await ask('POST', `sectors/${encodeURIComponent('파생')}/toggle`, 'COMPLIANCE_REVIEWER');
  await ask('PUT', 'stocks/114800/sector', 'COMPLIANCE_REVIEWER', { body: { sector: null } });
  expect((await list<SectorScope>('sectors')).items).toMatchObject([
    { sector: '파생', instruments: 0, enabled: false },
  ]);
  const before = console.traces();
  await ask('PUT', 'stocks/114800/sector', 'COMPLIANCE_REVIEWER', { body: { sector: null } });
  expect(console.traces()).toEqual(before);
});

describe('the name of a sector', () => {
  const say = (sector: string) =>
    ask<StockScope>('PUT', 'stocks/069500/sector', 'COMPLIANCE_REVIEWER', { body: { sector } });

  test.for(['파생 상품', '파생 상품 ', '\t파생 상품', '파생\u00a0 상품', '파생 상품'.normalize('NFD')])(
    'does not get round an exclusion by the way it is written: %j',
    async (written) => {
      await ask('PUT', 'stocks/114800/sector', 'COMPLIANCE_REVIEWER', { body: { sector: '파생 상품' } });
      await ask('POST', `sectors/${encodeURIComponent('파생 상품')}/toggle`, 'COMPLIANCE_REVIEWER');
      expect(isExposed('MTS')).toBe(true);
      expect((await say(written)).result.sector).toBe('파생 상품');
      expect(isExposed('MTS')).toBe(false);
    },
  );

  test.for(['', ' ', '파생\u200b상품', '파생\u3164', '\u202e파생', '파생\n상품'])(
    'has no characters that cannot be seen: %j',
    async (written) => {
      const before = console.traces();
      expect((await say(written)).status).toBe(400);
      expect(console.traces()).toEqual(before);
    },
  );
});
