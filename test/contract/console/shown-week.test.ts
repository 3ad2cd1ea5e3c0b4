/**
 * A week of the real console API and the real provision API on one ledger and one seeded clock. A recorder beside the
 * channels holds each answer against what the console tells of that moment: at once, and again when the week is over.
 */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrafficCounter } from '../../../agent/provision/traffic.ts';
import { createProvision } from '../../../agent/provision/server.ts';
import { openChannel } from '../../../agent/ledger/serving/channels.ts';
import { endTickerHold, holdTickers } from '../../../agent/ledger/serving/record.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { TestConsole } from '../../support/console-api/console.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import type { ServedExplanation, ShownDay, ShownMoment } from '../../../shared/wire/console/console.ts';
import type { Envelope } from '../../../shared/wire/envelope.ts';

const TICKERS = ['069500', '102110', '114800'] as const;
const KEYS: Readonly<Record<string, string>> = { MTS: 'key-mts', WEB: 'key-web' };
const WEEK_MS = 7 * 86_400_000;
const STEP_MS = 75 * 60_000;

let console: TestConsole;
let ledger: Ledger;
let provision: ReturnType<typeof createProvision>;
let traffic: TrafficCounter;
beforeAll(() => {
  console = new TestConsole();
  // A connection of its own, as the process of the provision API has one.
  ledger = openLedger(console.file);
  const parts = { ledger, clock: { now: () => console.now }, log: pino({ enabled: false }) };
  traffic = new TrafficCounter(parts);
  provision = createProvision({ ...parts, traffic, ids: { uuid: () => console.id() } });
  ledger.write((tx) => {
    for (const [channel, key] of Object.entries(KEYS)) openChannel(tx, { channel, key, at: at() });
  });
});
afterAll(async () => {
  await provision.close();
  await traffic.close(0);
  ledger.close();
  await console[Symbol.asyncDispose]();
});
const at = (): string => console.now.toISOString();

let state = 20_261_120;
/** Seeded, so that a week that fails comes again. */
function chance(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const one = <T>(of: readonly T[]): T => {
  const picked = of[chance(of.length)];
  if (picked === undefined) throw new Error('nothing to pick');
  return picked;
};

const ids: string[] = [];
function entry(): void {
  const [ticker, n] = [one(TICKERS), ids.length];
  const result = {
    etf_ticker: ticker,
    etf_name: `ETF ${ticker}`,
    trade_date: kstDate(console.now),
    explanation_as_of: at(),
    summary: `문장 ${n}`,
    market: one(['KRX', 'KRX', null]),
  };
  const outcome = one(['AUTO_PUBLISHED', 'PENDING_REVIEW'] as const);
  ids.push(console.ledger.write((tx) => receive(tx, newEntry(`e${n}`, result, { cursor: n + 1 }), outcome, at())));
}

type Act = [method: 'POST' | 'PATCH', url: string, as: 'COMPLIANCE_REVIEWER' | 'TENANT_ADMIN', body?: object];
const CR = 'COMPLIANCE_REVIEWER';
const ACTS: readonly ((id: string, n: number) => Act)[] = [
  (id) => ['POST', `review/items/${id}/approve`, CR, {}],
  (id) => ['POST', `review/items/${id}/approve`, CR, {}],
  (id, n) => ['POST', `review/items/${id}/approve-edited`, CR, { edited_summary: `고친 문장 ${n}` }],
  (id, n) => ['PATCH', `explanations/${id}/final`, CR, { published_summary: `정정한 문장 ${n}` }],
  (id) => ['POST', `explanations/${id}/stop`, CR, { reason: '수치 불일치' }],
  (id) => ['POST', `explanations/${id}/move-to-review`, CR, {}],
  () => ['POST', `scope/stocks/${one(TICKERS)}/toggle`, CR],
  () => ['POST', 'scope/markets/KRX/toggle', 'TENANT_ADMIN'],
  () => ['POST', 'scope/markets/KRX/toggle', 'TENANT_ADMIN'],
  () => ['POST', 'scope/channels/WEB/toggle', 'TENANT_ADMIN'],
  () => ['PATCH', 'screening/criteria', CR, { holdSeconds: one([0, 30, 60]) }],
  () => ['PATCH', 'screening/criteria', CR, { expiresAt: one([null, null, '20:00']) }],
  (_, n) => ['PATCH', 'screening/disclaimer', CR, { disclaimer: `고지문 ${n}` }],
];

interface Recorded {
  instant: string;
  ticker: string;
  channel: string;
  served: { text: string; disclaimer: string | null } | null;
}

async function record(): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  for (const ticker of TICKERS)
    for (const [channel, key] of Object.entries(KEYS)) {
      const url = `/v1/explanations/${ticker}`;
      const answer = await provision.inject({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } });
      const { result } = JSON.parse(answer.body) as Envelope<ServedExplanation> & { result?: ServedExplanation };
      const served = result === undefined ? null : { text: result.text, disclaimer: result.disclaimer };
      expect(answer.statusCode).toBe(served === null ? 404 : 200);
      recorded.push({ instant: at(), ticker, channel, served });
    }
  traffic.flush();
  return recorded;
}

/** What the console tells of the same moment, in the same form. */
async function told(recorded: readonly Recorded[]): Promise<Recorded[]> {
  const answers: Recorded[] = [];
  const asked = new Map<string, ShownMoment>();
  for (const { instant, ticker, channel } of recorded) {
    const key = `${ticker} ${instant}`;
    const url = `/api/v1/shown/moment?${new URLSearchParams({ ticker, at: instant }).toString()}`;
    const known = asked.get(key);
    const moment = known ?? (await console.ask<ShownMoment>({ method: 'GET', url, as: 'READ_ONLY' })).result;
    asked.set(key, moment);
    const { showing } = moment;
    if (showing.state === 'UNKNOWN') throw new Error(`${key} is said to be unknown`);
    const isInside = showing.channels.some((each) => each.channel === channel && each.inside);
    const served =
      showing.state === 'GIVEN' && isInside ? { text: showing.text, disclaimer: showing.disclaimer } : null;
    answers.push({ instant, ticker, channel, served });
  }
  return answers;
}

test('what channels were served in a week is what is told of each moment, at once and when the week is over', async () => {
  for (const ticker of TICKERS) {
    const result = { etf_ticker: ticker, etf_name: `ETF ${ticker}`, explanation_as_of: at() };
    ids.push(console.ledger.write((tx) => receive(tx, newEntry(ticker, result), 'AUTO_PUBLISHED', at())));
  }
  const week: Recorded[] = [];
  const done = new Set<string>();
  const end = console.now.getTime() + WEEK_MS;
  for (let n = 0; console.now.getTime() < end; n += 1) {
    const [off] = isOff;
    if (off !== undefined && chance(2) === 0) await act(off, done);
    else if (chance(2) === 0) entry();
    else if (chance(12) === 0) ledger.write((tx) => holdTickers(tx, [one(TICKERS)], at()));
    else if (chance(3) === 0) ledger.write((tx) => endTickerHold(tx, at()));
    else if (chance(25) === 0) withdraw(one(ids));
    else for (let times = 0; times < 4; times += 1) await act(one(ACTS)(one(ids.slice(-4)), n), done);
    const now = await record();
    expect(await told(now)).toEqual(now);
    week.push(...now);
    // Also while an approval is on hold, and each time at another second.
    console.pass(chance(3) === 0 ? 20_000 : STEP_MS + chance(STEP_MS));
  }
  expect(await told(week)).toEqual(week);
  await expectCounts(week);
  // The week has had what it was made for.
  const texts = new Set(week.map(({ served }) => served?.text));
  expect(texts.size).toBeGreaterThan(15);
  expect(week.filter(({ served }) => served === null).length).toBeGreaterThan(100);
  const acts = ['review/items/…/approve', 'review/items/…/approve-edited', 'explanations/…/final'];
  const others = ['explanations/…/stop', 'explanations/…/move-to-review', 'screening/criteria', 'screening/disclaimer'];
  for (const url of [...acts, ...others]) expect(done).toContain(`200 ${url}`);
  for (const scope of ['stocks/…', 'markets/KRX', 'channels/WEB']) expect(done).toContain(`200 scope/${scope}/toggle`);
});

/** Each span of each day has the requests that were recorded beside the channels. */
async function expectCounts(week: readonly Recorded[]): Promise<void> {
  const served = week.filter(({ served: text }) => text !== null);
  let counted = 0;
  for (const ticker of TICKERS)
    for (const date of new Set(week.map(({ instant }) => kstDate(new Date(instant))))) {
      const url = `/api/v1/shown/day?${new URLSearchParams({ ticker, date }).toString()}`;
      const { spans } = (await console.ask<ShownDay>({ method: 'GET', url, as: 'READ_ONLY' })).result;
      for (const { from, to, requests } of spans) {
        const within = served.filter((each) => each.ticker === ticker && each.instant >= from && each.instant < to);
        const times = (name: string): number => within.filter(({ channel }) => channel === name).length;
        const expected = Object.keys(KEYS).filter((name) => times(name) > 0);
        expect([date, from, requests.map(({ channel, times: least, most }) => [channel, least, most])]).toEqual([
          date,
          from,
          expected.map((name) => [name, times(name), times(name)]),
        ]);
        counted += within.length;
      }
    }
  expect(counted).toBe(served.length);
}

/** The switches that are off: one of them is soon switched on again, so that texts are served most of the time. */
const isOff: Act[] = [];

async function act(made: Act, done: Set<string>): Promise<void> {
  const [method, url, as, body] = made;
  const asked = { method, url: `/api/v1/${url}`, as, ...(body === undefined ? {} : { body }) };
  const { status } = await console.ask(asked);
  done.add(`${status} ${url.replaceAll(/[\w-]{22}|\d{6}/g, '…')}`);
  if (!url.endsWith('/toggle')) return;
  const known = isOff.findIndex((each) => each[1] === url);
  if (known === -1) isOff.push(made);
  else isOff.splice(known, 1);
}

function withdraw(id: string): void {
  const request = { id, move: 'invalidate', actor: { kind: 'SYSTEM' }, at: at(), reason: '공급사 철회' } as const;
  try {
    console.ledger.write((tx) => applyMove(tx, request));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'MoveNotAllowedError') throw error;
  }
}
