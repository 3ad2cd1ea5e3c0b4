/** `GET /v1/changes` over a real socket: another connection to the ledger changes what is exposed (D229). */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemIds } from '../../shared/time/clock.ts';
import { refuseUndescribed } from '../../test/support/undescribed.ts';
import { explanationId } from '../ledger/explanations/explanations.ts';
import { publishPolicy } from '../ledger/policy/versions.ts';
import { addChannel, closeChannel, replaceChannelKey } from '../ledger/serving/channels.ts';
import { endTickerHold, holdTickers } from '../ledger/serving/record.ts';
import { toggleScope } from '../ledger/serving/scope.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../ledger/storage/ledger.ts';
import { damagePage, newEntry, receive, testLedger } from '../../test/support/agent/ledger.ts';
import { applyMove } from '../ledger/transitions.ts';
import { SEED_POLICY } from '../screening/seed/seed-policy.ts';
import { provisionOperations } from './openapi.ts';
import { ChangeStreams } from './changes.ts';
import { createProvision } from './server.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const REVIEWER = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const ADMIN = { kind: 'MEMBER', id: 't', displayName: '관리자', role: 'TENANT_ADMIN' } as const;
const SYSTEM = { kind: 'SYSTEM' } as const;

let file: string;
/** That of the server; `other` is another process to it. */
let own: Ledger;
let other: Ledger;
let server: FastifyInstance;
let url: string;
let now: Date;
let counted: string[];
let servedIds: string[];
let told: [event: string, seconds: number][];
let followers: Follower[];

beforeEach(async () => {
  ({ ledger: other, file } = testLedger());
  now = new Date(NOW);
  followers = [];
  [counted, servedIds, told] = [[], [], []];
  other.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'key-mts', at: NOW });
    addChannel(tx, { channel: 'WEB', key: 'key-web', at: NOW });
    const criteria = { ...SEED_POLICY.criteria, holdSeconds: 20, expiresAt: '18:00' };
    publishPolicy(tx, { snapshot: { ...SEED_POLICY, criteria }, changes: [], actor: SYSTEM, at: NOW });
    receive(tx, newEntry('a'), 'AUTO_PUBLISHED');
    receive(tx, newEntry('w', { etf_ticker: '111111' }, { cursor: 2 }), 'PENDING_REVIEW');
  });
  await start();
});
afterEach(async () => {
  for (const each of followers) each.leave();
  await stop();
});

async function start(): Promise<void> {
  own = openLedger(file);
  server = createProvision({
    ledger: own,
    traffic: {
      count: (channel, outcome, served) => {
        counted.push(`${channel}:${outcome}`);
        servedIds.push(...served.map(({ id }) => id));
      },
    },
    clock: { now: () => now },
    ids: systemIds,
    log: pino({ enabled: false }),
    changesTiming: { pollMs: 5, heartbeatMs: 20 },
    onMove: (event, seconds) => told.push([event, seconds]),
  });
  refuseUndescribed(server, provisionOperations({ one: z.unknown(), several: z.unknown() }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/v1/changes`;
}
async function stop(): Promise<void> {
  await server.close();
  own.close();
}

interface Event {
  event: string;
  ticker: string | null;
  id: string | null;
  at: string;
}

class Follower {
  readonly response: IncomingMessage;
  readonly events: Event[] = [];
  readonly ended: Promise<unknown>;
  /** The last place that was told. */
  place = '';
  heartbeats = 0;
  #rest = '';

  constructor(response: IncomingMessage) {
    this.response = response;
    this.ended = once(response, 'close');
    response.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    response.on('error', () => undefined);
    followers.push(this);
  }
  /** What has come since the last call, once there is anything. */
  async told(): Promise<string[]> {
    await expect.poll(() => this.events.length).toBeGreaterThan(0);
    return this.events.splice(0).map(({ event, ticker }) => `${event} ${ticker ?? 'all'}`);
  }
  leave(): void {
    this.response.destroy();
  }
  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      this.place = field('id') ?? this.place;
      const data = field('data');
      if (data === undefined) this.heartbeats += 1;
      else this.events.push({ event: field('event') ?? '', ...(JSON.parse(data) as Omit<Event, 'event'>) });
    }
  }
}

async function ask(key = 'key-mts', place?: string, method = 'GET'): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, ...(place === undefined ? {} : { 'last-event-id': place }) };
  const [response] = (await once(request(url, { method, headers }).end(), 'response')) as [IncomingMessage];
  return response;
}
async function follow(key?: string, place?: string): Promise<Follower> {
  const response = await ask(key, place);
  expect(response.statusCode).toBe(200);
  return new Follower(response);
}
/** A follower that has read its RESET. */
async function followed(key?: string): Promise<Follower> {
  const follower = await follow(key);
  expect(await follower.told()).toEqual(['RESET all']);
  return follower;
}

const stopText = (tx: LedgerTransaction, at = now) =>
  void applyMove(tx, { id: explanationId('a'), actor: REVIEWER, at: at.toISOString(), move: 'stop', reason: 'OTHER' });
const approve = (tx: LedgerTransaction) =>
  void applyMove(tx, { id: explanationId('w'), actor: REVIEWER, at: now.toISOString(), move: 'approve' });
const scope = (tx: LedgerTransaction, type: 'CHANNEL' | 'MARKET', key: string) =>
  toggleScope(tx, { type, key, actor: ADMIN, at: now.toISOString() });
const at = (seconds: number): string => new Date(now.getTime() + seconds * 1_000).toISOString();
const later = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};

describe('a channel that follows', () => {
  test('hears of a withdrawal, a correction and a new text, each with ticker, id and time, and the stream is no counted request', async () => {
    const follower = await followed();
    const move = (request: Omit<Parameters<typeof applyMove>[1], 'id' | 'actor' | 'at'>) =>
      other.write((tx) => applyMove(tx, { id: explanationId('a'), actor: REVIEWER, at: NOW, ...request }));
    move({ move: 'correct', editedSummary: '고친 문장입니다.' });
    expect(await follower.told()).toEqual(['CHANGED 069500']);
    move({ move: 'invalidate', reason: '정정' });
    await expect
      .poll(() => follower.events)
      .toEqual([{ event: 'DARK', ticker: '069500', id: explanationId('a'), at: NOW }]);
    follower.events.length = 0;
    other.write((tx) => receive(tx, newEntry('n', { etf_ticker: '222222' }, { cursor: 3 }), 'AUTO_PUBLISHED'));
    expect(await follower.told()).toEqual(['SHOWN 222222']);
    expect(counted).toEqual([]);
  });

  test('hears of a hold that ends and of texts that expire, without anybody’s act', async () => {
    const follower = await followed();
    other.write(approve);
    later(19_999);
    const beats = follower.heartbeats;
    await expect.poll(() => follower.heartbeats).toBeGreaterThan(beats + 2);
    expect(follower.events).toEqual([]);
    later(1);
    expect(await follower.told()).toEqual(['SHOWN 111111']);
    now = new Date('2026-11-20T18:00:00+09:00');
    expect((await follower.told()).toSorted()).toEqual(['DARK 069500', 'DARK 111111']);
  });

  test('the time from a move to its event is measured while anybody follows, and of nothing that time or a setting caused', async () => {
    other.write((tx) => stopText(tx));
    const follower = await followed();
    // Applied two seconds before anybody looked, and by a clock ahead.
    other.write((tx) => receive(tx, newEntry('n', { etf_ticker: '222222' }, { cursor: 3 }), 'AUTO_PUBLISHED', at(-2)));
    expect(await follower.told()).toEqual(['SHOWN 222222']);
    other.write((tx) => receive(tx, newEntry('m', { etf_ticker: '333333' }, { cursor: 4 }), 'AUTO_PUBLISHED', at(3)));
    expect(await follower.told()).toEqual(['SHOWN 333333']);
    other.write((tx) => approve(tx));
    later(20_000);
    expect(await follower.told()).toEqual(['SHOWN 111111']);
    other.write((tx) => scope(tx, 'MARKET', 'KRX'));
    expect(await follower.told()).toHaveLength(3);
    expect(told).toEqual([
      ['SHOWN', 2],
      ['SHOWN', 0],
    ]);
  });

  test('hears of a policy version and a switch of the scope; one of another channel is none of its business', async () => {
    const follower = await followed();
    other.write((tx) => scope(tx, 'CHANNEL', 'WEB'));
    const disclaimer = { ...SEED_POLICY.disclaimer, text: '다른 고지입니다.' };
    other.write((tx) =>
      publishPolicy(tx, { snapshot: { ...SEED_POLICY, disclaimer }, changes: [], actor: SYSTEM, at: NOW }),
    );
    expect(await follower.told()).toEqual(['CHANGED 069500']);
    other.write((tx) => scope(tx, 'MARKET', 'KRX'));
    expect(await follower.told()).toEqual(['DARK 069500']);
  });

  test('goes on after its last event, also at a provision API that was started anew', async () => {
    const follower = await followed();
    follower.leave();
    other.write((tx) => stopText(tx));
    other.write(approve);
    await stop();
    await start();
    const again = await follow('key-mts', follower.place);
    expect(await again.told()).toEqual(['DARK 069500', 'DARK 111111']);
    again.leave();
    later(20_000);
    const third = await follow('key-mts', again.place);
    expect(await third.told()).toEqual(['SHOWN 111111']);
    third.leave();
    const fourth = await follow('key-mts', third.place);
    await expect.poll(() => fourth.heartbeats).toBeGreaterThan(0);
    expect(fourth.events).toEqual([]);
  });

  test('is told RESET where nothing is known: by a clock that was set back, a rebuild, or very many changes', async () => {
    const follower = await followed();
    later(-60_000);
    expect(await follower.told()).toEqual(['RESET all']);
    other.write((tx) => holdTickers(tx, ['069500'], NOW));
    expect(await follower.told()).toEqual(['RESET all']);
    other.write((tx) => endTickerHold(tx, NOW));
    expect(await follower.told()).toEqual(['RESET all']);
    other.write((tx) => {
      for (let n = 0; n < 101; n += 1)
        receive(tx, newEntry(`m-${n}`, { etf_ticker: `T${n}` }, { cursor: 10 + n }), 'AUTO_PUBLISHED');
    });
    expect(await follower.told()).toEqual(['RESET all']);
  });

  test('begins anew from a place that tells nothing of now', async () => {
    for (const changed of [
      () => 'nonsense',
      // A restored ledger has other rows by these numbers.
      (place: string) => place.replace(/.{16}$/, 'A'.repeat(16)),
      (place: string) => place.replace(/^\d+/, '99999'),
      (place: string) => (other.write((tx) => scope(tx, 'MARKET', 'KRX')), place),
      (place: string) => (other.write((tx) => holdTickers(tx, ['069500'], NOW)), place),
      (place: string) => (later(-1), place),
      (place: string) => ((now = new Date('2026-11-20T18:00:00+09:00')), place),
    ]) {
      const follower = await followed();
      follower.leave();
      const again = await follow('key-mts', changed(follower.place));
      expect([String(changed), await again.told()]).toEqual([String(changed), ['RESET all']]);
      again.leave();
    }
  });

  test.each([
    [
      'whose key was replaced',
      (tx: LedgerTransaction) => replaceChannelKey(tx, { channel: 'MTS', key: 'new', at: NOW }),
      401,
    ],
    ['that was closed', (tx: LedgerTransaction) => closeChannel(tx, { channel: 'MTS', at: NOW }), 401],
    ['that was switched off', (tx: LedgerTransaction) => scope(tx, 'CHANNEL', 'MTS'), 404],
  ])('%s is told DARK for all, and its stream ends', async (_, act, status) => {
    const follower = await followed();
    const web = await followed('key-web');
    other.write(act);
    expect(await follower.told()).toEqual(['DARK all']);
    await follower.ended;
    const refused = await ask();
    expect(refused.resume().statusCode).toBe(status);
    other.write((tx) => stopText(tx));
    expect(await web.told()).toEqual(['DARK 069500']);
  });
});

test('without tickers all texts are listed by ticker in pages, and count apart from those that are asked for', async () => {
  other.write((tx) => {
    for (let n = 0; n < 198; n += 1)
      receive(tx, newEntry(`p-${n}`, { etf_ticker: `3${String(n).padStart(5, '0')}` }, { cursor: 10 + n }));
    receive(tx, newEntry('z', { etf_ticker: 'Z00001' }, { cursor: 300 }), 'AUTO_PUBLISHED');
  });
  const page = async (query = '') => {
    const headers = { authorization: 'Bearer key-mts' };
    const answer = await server.inject({ url: `/v1/explanations${query}`, headers });
    const { items, next } = answer.json<{ result: { items: { etf_ticker: string }[]; next: string | null } }>().result;
    return [items.map((item) => item.etf_ticker), next];
  };
  expect(await page()).toEqual([['069500'], '300197']);
  expect(await page('?after=300197')).toEqual([['Z00001'], null]);
  expect(counted).toEqual(['MTS:LISTED', 'MTS:LISTED']);
  expect(servedIds).toEqual([explanationId('a'), explanationId('z')]);
});

test('a key has four streams; a fifth is refused, as by HEAD, until one ends', async () => {
  for (let n = 0; n < 4; n += 1) await followed();
  for (const method of ['GET', 'HEAD']) {
    const refused = await ask('key-mts', undefined, method);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    refused.resume();
  }
  expect(counted).toEqual(['MTS:BAD_REQUEST', 'MTS:BAD_REQUEST']);
  await followed('key-web');
  followers[0]?.leave();
  await expect.poll(async () => (await ask('key-mts', undefined, 'HEAD')).statusCode).toBe(200);
});

test('counts of this process wake nobody, and a stop ends the streams', async () => {
  const follower = await followed();
  const place = follower.place.split('.').slice(0, 2);
  own.write((tx) => receive(tx, newEntry('own', { etf_ticker: '333333' }, { cursor: 9 }), 'AUTO_PUBLISHED'));
  const beats = follower.heartbeats;
  await expect.poll(() => follower.heartbeats).toBeGreaterThan(beats + 2);
  expect([follower.events, follower.place.split('.').slice(0, 2)]).toEqual([[], place]);
  await server.close();
  await follower.ended;
  expect(follower.response.complete).toBe(true);
});

test('a channel that reads nothing is cut off, and holds up no other', async () => {
  other.write((tx) => {
    for (let n = 0; n < 90; n += 1)
      receive(tx, newEntry(`m-${n}`, { etf_ticker: `T${n}` }, { cursor: 10 + n }), 'AUTO_PUBLISHED');
  });
  const timing = { pollMs: 1, heartbeatMs: 60_000 };
  const streams = new ChangeStreams({ ledger: own, clock: { now: () => now }, onFailure: () => undefined, timing });
  const silent = streams.open('key-mts', '');
  const reader = streams.open('key-web', '');
  let read = 0;
  reader.on('data', (data: Buffer) => void (read += data.length));
  for (let told = 0; !silent.destroyed; told = read) {
    other.write((tx) => scope(tx, 'MARKET', 'KRX'));
    await expect.poll(() => read).toBeGreaterThan(told);
    expect(silent.readableLength).toBeLessThan(100_000);
  }
  expect(reader.destroyed).toBe(false);
  streams.close();
});

test('a ledger that cannot be read ends the streams, and the next request learns why', async () => {
  const follower = await followed();
  damagePage(file, 'state_history');
  await follower.ended;
  const refused = await ask();
  expect(refused.statusCode).toBe(503);
  expect((await refused.setEncoding('utf8').toArray()).join('')).toContain('The ledger is damaged');
});
