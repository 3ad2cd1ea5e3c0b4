/** Big switches (D227): what one would take from channels, why it is off, and who has confirmed it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import type { Exclusion, MarketScope, Page, ScopeEffect } from '../../../shared/wire/console/console.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

const TICKERS = ['069500', '114800', '005930'];
const CHANNELS = ['HTS', 'MTS'];

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
  for (const channel of CHANNELS)
    console.ledger.write((tx) => addChannel(tx, { channel, key: `k-${channel}`, at: console.now.toISOString() }));
  console.explanation('AUTO_PUBLISHED', { etf_ticker: '069500' });
  // Its market is unknown, so that every market that is off counts against it (D64).
  console.explanation('PUBLISHED', { etf_ticker: '114800', market: null });
  console.explanation('PUBLISHED', { etf_ticker: '005930', market: 'KOSDAQ' });
  console.explanation('PENDING_REVIEW', { etf_ticker: '000660' });
});
afterEach(() => console.close());

const OWNER = { MARKET: 'TENANT_ADMIN', CHANNEL: 'TENANT_ADMIN', SECTOR: 'COMPLIANCE_REVIEWER' } as const;
const ask = <T>(method: Asked['method'], url: string, as: string, more: Partial<Asked> = {}) =>
  console.ask<T>({ method, url: `/api/v1/scope/${url}`, as, ...more });
const toggle = (url: string, body?: object, as = 'TENANT_ADMIN') =>
  ask<MarketScope>('POST', `${url}/toggle`, as, body === undefined ? {} : { body });
const effectOf = async (type: string, key: string) =>
  (await ask<ScopeEffect>('GET', `effect?type=${type}&key=${encodeURIComponent(key)}`, 'READ_ONLY')).result;
const exclusions = async (query = '') =>
  (await ask<Page<Exclusion>>('GET', `exclusions${query}`, 'READ_ONLY')).result.items;
const exposed = (channel: string): string[] =>
  TICKERS.filter((ticker) => exposedExplanation(console.ledger, ticker, channel, console.now) !== undefined);

describe('what a switch would do is what it does', () => {
  beforeEach(async () => {
    const sector = { body: { sector: '반도체' } };
    await ask('PUT', 'stocks/005930/sector', 'COMPLIANCE_REVIEWER', sector);
  });

  test.each([
    ['MARKET', 'markets', 'KRX'],
    ['MARKET', 'markets', 'KOSDAQ'],
    ['CHANNEL', 'channels', 'MTS'],
    ['SECTOR', 'sectors', '반도체'],
    ['INSTRUMENT', 'stocks', '114800'],
  ] as const)('%s %s/%s', async (type, place, key) => {
    const as = type === 'INSTRUMENT' ? 'COMPLIANCE_REVIEWER' : OWNER[type];
    for (let press = 0; press < 2; press += 1) {
      const told = await effectOf(type, key);
      const before = CHANNELS.map(exposed);
      const answer = await toggle(`${place}/${encodeURIComponent(key)}`, { expected: told.enabled ? 'on' : 'off' }, as);
      expect(answer.result).toMatchObject({ enabled: !told.enabled, version: told.version + 1 });
      const after = CHANNELS.map(exposed);
      const changed = before.map((tickers, n) =>
        TICKERS.filter((one) => tickers.includes(one) !== after[n]?.includes(one)),
      );
      expect(told.channels).toEqual(
        CHANNELS.map((channel, n) => ({ channel, texts: changed[n]?.length, shown: before[n]?.length })),
      );
      expect(told.texts).toBe(new Set(changed.flat()).size);
    }
  });

  test('of two switches on one text, the second takes nothing more', async () => {
    await toggle('sectors/%EB%B0%98%EB%8F%84%EC%B2%B4', undefined, 'COMPLIANCE_REVIEWER');
    expect((await effectOf('MARKET', 'KOSDAQ')).texts).toBe(1);
    expect((await effectOf('INSTRUMENT', '005930')).texts).toBe(0);
  });

  test('of a missing object: 404', async () => {
    expect((await ask('GET', 'effect?type=MARKET&key=NYSE', 'READ_ONLY')).status).toBe(404);
  });
});

test('two presses of two people never cancel each other: the second is refused, and leaves no trace', async () => {
  const body = { reason: '거래소 장애', expected: 'on' };
  expect((await toggle('markets/KRX', body)).status).toBe(200);
  const before = console.traces();
  const late = await toggle('markets/KRX', body);
  expect([late.status, late.body.code]).toEqual([409, 'SCOPE4091']);
  expect(console.traces()).toEqual(before);
});

test('the contract’s form has no body, and a blank reason is none', async () => {
  expect((await toggle('markets/KRX')).result).toMatchObject({ enabled: false, reason: null });
  expect((await toggle('markets/KRX', { reason: ' ' })).status).toBe(400);
  expect((await toggle('markets/KRX', {})).result.enabled).toBe(true);
});

describe('a big switch that is off', () => {
  const confirm = (url: string, as: string, body: object = { reason: '취급하지 않는 시장' }) =>
    ask<MarketScope>('POST', `${url}/confirm`, as, { body });

  test('is on the list of every role until somebody with the right to it confirms it', async () => {
    const before = console.actions().length;
    await toggle('markets/KRX', { reason: '거래소 장애' });
    await toggle('channels/MTS');
    await toggle('stocks/005930', { reason: '이해상충' }, 'COMPLIANCE_REVIEWER');
    const at = console.now.toISOString();
    const by = '이름 tenant_admin';
    expect(await exclusions('?confirmed=false')).toEqual([
      {
        ...{ type: 'CHANNEL', key: 'MTS', reason: null, confirmation: null },
        ...{ changedBy: by, changedAt: at, version: 2 },
      },
      {
        ...{ type: 'MARKET', key: 'KRX', reason: '거래소 장애', confirmation: null },
        ...{ changedBy: by, changedAt: at, version: 2 },
      },
    ]);
    for (const role of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'])
      expect((await confirm('markets/KRX', role)).status).toBe(403);
    const confirmation = { reason: '취급하지 않는 시장', by, at };
    expect((await confirm('markets/KRX', 'TENANT_ADMIN')).result).toMatchObject({
      ...{ enabled: false, reason: '거래소 장애', confirmation },
    });
    expect((await exclusions('?confirmed=false')).map(({ key }) => key)).toEqual(['MTS']);
    expect((await exclusions('?confirmed=true')).map(({ key }) => key)).toEqual(['KRX']);
    expect(console.actions(before).filter(({ action }) => action.startsWith('scope.'))).toMatchObject([
      { detail: JSON.stringify({ scope_type: 'MARKET', from: true, to: false, reason: '거래소 장애' }) },
      { detail: JSON.stringify({ scope_type: 'CHANNEL', from: true, to: false }) },
      { target_id: '005930' },
      {
        action: 'scope.confirm',
        target_id: 'KRX',
        detail: JSON.stringify({ scope_type: 'MARKET', reason: '취급하지 않는 시장' }),
      },
    ]);
  });

  test('warns anew when it is switched off anew', async () => {
    await toggle('markets/KRX', { reason: '거래소 장애' });
    await confirm('markets/KRX', 'TENANT_ADMIN');
    await toggle('markets/KRX', { reason: '장애 복구' });
    expect(await exclusions()).toEqual([]);
    await toggle('markets/KRX');
    expect(await exclusions()).toMatchObject([{ key: 'KRX', reason: null, confirmation: null }]);
  });

  test('is confirmed only while it is off, with a reason', async () => {
    const on = await confirm('markets/KRX', 'TENANT_ADMIN');
    expect([on.status, on.body.code]).toEqual([409, 'SCOPE4091']);
    await toggle('markets/KRX');
    for (const body of [{}, { reason: ' ' }])
      expect((await confirm('markets/KRX', 'TENANT_ADMIN', body)).status).toBe(400);
    expect((await confirm('markets/KRX', 'TENANT_ADMIN')).status).toBe(200);
  });

  test('warns of nothing where the channel is closed', async () => {
    await toggle('channels/MTS');
    console.ledger.write((tx) => tx.run({ sql: 'DELETE FROM channel WHERE channel = ?', parameters: ['MTS'] }));
    expect(await exclusions()).toEqual([]);
  });
});
