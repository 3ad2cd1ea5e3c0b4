/** The event stream over a real socket, with the ledger changed from another connection. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { recordPull } from '../../../agent/ledger/inbox/sync-state.ts';
import { closeSession, touchSession } from '../../../agent/ledger/accounts/sessions.ts';
import { addTraffic } from '../../../agent/ledger/serving/traffic.ts';
import { waitFor } from '../../../test/support/process.ts';
import { EVENT_TIMING, type EventTiming } from '../context/event-hub.ts';
import type { ConsoleApiService } from '../service.ts';
import { startService } from '../../../test/support/console-api/service.ts';
import { LIMITS, TestConsole } from '../../../test/support/console-api/console.ts';

const FAST: EventTiming = { pollMs: 10, sessionMs: 20, keepAliveMs: 60_000 };
let console: TestConsole;
let service: ConsoleApiService;

async function serve(eventTiming: EventTiming): Promise<void> {
  service = await startService({ ledger: console.file, clock: { now: () => console.now }, eventTiming });
}

beforeEach(async () => {
  console = new TestConsole();
  await serve(FAST);
});
afterEach(async () => {
  await service.stop();
  await console.close();
});

interface Listener {
  answer: IncomingMessage;
  /** Everything received so far. */
  text(): string;
  notices(): unknown[];
  /** The kind of each event. */
  kinds(): string[];
  ended(): boolean;
}

async function listen(token: string, since?: string): Promise<Listener> {
  const query = since === undefined ? '' : `?since=${since}`;
  const request = get(`${service.url}/api/v1/events${query}`, { headers: { cookie: `causeway_session=${token}` } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  let ended = false;
  answer.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  answer.on('end', () => {
    ended = true;
  });
  answer.on('error', () => undefined);
  await waitFor('the first line', () => text.includes(': open'));
  return {
    answer,
    text: () => text,
    notices: () =>
      [...text.matchAll(/^event: change\ndata: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? '') as unknown),
    kinds: () => [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] ?? ''),
    ended: () => ended,
  };
}

const pull = () => console.ledger.write((tx) => recordPull(tx, { at: console.now.toISOString(), head: null }));

describe('the event stream', () => {
  test('reports each change to every listener', async () => {
    const [first, second] = [await listen(console.session('READ_ONLY')), await listen(console.session('OPERATOR'))];
    expect(first.answer.statusCode).toBe(200);
    expect(first.answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(first.answer.headers['x-request-id']).toBeDefined();
    expect(first.notices()).toEqual([]);
    console.explanation('PENDING_REVIEW');
    await waitFor('the first notice', () => first.notices().length === 1 && second.notices().length === 1);
    console.pass(1_000);
    pull();
    await waitFor('the second notice', () => first.notices().length === 2 && second.notices().length === 2);
    expect(first.notices()).toEqual([{ seq: 1 }, { seq: 2 }]);
    first.answer.destroy();
    second.answer.destroy();
  });

  test('reports the console API’s own commits', async () => {
    const id = console.explanation('PUBLISHED');
    const listener = await listen(console.session('READ_ONLY'));
    const answer = await fetch(`${service.url}/api/v1/explanations/${id}/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `causeway_session=${console.session('OPERATOR')}` },
      body: JSON.stringify({ reason: '사유' }),
    });
    expect(answer.status).toBe(200);
    await waitFor('the notice', () => listener.notices().length > 0);
    listener.answer.destroy();
  });

  test('tells at once what is new since the profile was read, by a commit or by time', async () => {
    const token = console.session('COMPLIANCE_REVIEWER');
    const headers = { cookie: `causeway_session=${token}` };
    const read = async (): Promise<string> => {
      const answer = await fetch(`${service.url}/api/v1/session`, { headers });
      return ((await answer.json()) as { result: { mark: string } }).result.mark;
    };
    const mark = await read();
    const same = await listen(token, mark);
    console.explanation('PENDING_REVIEW');
    const later = await listen(token, mark);
    await waitFor('the notices', () => same.kinds().length > 0 && later.kinds().length > 0);
    // The one that was behind was told before the next look at the ledger.
    expect(later.text()).toMatch(/^retry: \d+\n: open\n\nevent: change\n/);
    const now = await read();
    expect(now).not.toBe(mark);
    // With a clock that stands before the mark, nothing is known.
    console.pass(-60_000);
    const back = await listen(token, now);
    await waitFor('the notice', () => back.kinds().length > 0);
    for (const { answer } of [same, later, back]) answer.destroy();
    const refused = await fetch(`${service.url}/api/v1/events?since=yesterday`, { headers });
    expect(refused.status).toBe(400);
  });

  test('tells a user’s own claims apart, and other users of a change', async () => {
    const id = console.explanation('PENDING_REVIEW');
    const token = console.session('COMPLIANCE_REVIEWER');
    const [own, other] = [await listen(token), await listen(console.session('READ_ONLY'))];
    const ask = (method: string, path: string, body?: unknown) =>
      fetch(`${service.url}/api/v1/review/items/${id}/${path}`, {
        method,
        headers: {
          cookie: `causeway_session=${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await ask('POST', 'claim')).status).toBe(200);
    await waitFor('the claim', () => own.kinds().length === 1 && other.kinds().length === 1);
    expect((await ask('DELETE', 'claim')).status).toBe(200);
    await waitFor('the release', () => own.kinds().length === 2 && other.kinds().length === 2);
    expect((await ask('POST', 'reject', { reason: 'WEAK_GROUNDS' })).status).toBe(200);
    await waitFor('the decision', () => own.kinds().length === 3 && other.kinds().length === 3);
    expect(own.kinds()).toEqual(['claim', 'claim', 'change']);
    expect(other.kinds()).toEqual(['change', 'change', 'change']);
    for (const { answer } of [own, other]) answer.destroy();
  });

  test('is silent about changes that no screen shows', async () => {
    const token = console.session('READ_ONLY');
    const listener = await listen(token);
    console.ledger.write((tx) => touchSession(tx, token, console.now.toISOString()));
    console.ledger.write((tx) => addTraffic(tx, [{ minute: 1, channel: 'WEB', outcome: 'SERVED', requests: 1 }]));
    // A visible change follows: if they had been reported, it would not be the first.
    pull();
    await waitFor('the notice', () => listener.notices().length > 0);
    expect(listener.notices()).toEqual([{ seq: 1 }]);
    listener.answer.destroy();
  });

  const endings: [name: string, end: (token: string) => unknown][] = [
    [
      'logs out',
      (token) =>
        fetch(`${service.url}/api/v1/auth/logout`, {
          method: 'POST',
          headers: { cookie: `causeway_session=${token}` },
        }),
    ],
    ['is deactivated', () => console.setMember('OPERATOR', { active: 0 })],
    [
      'has their session ended elsewhere',
      (token) => console.ledger.write((tx) => closeSession(tx, token, console.now.toISOString())),
    ],
    ['lets the session run out', () => console.pass(LIMITS.idleMs)],
  ];
  test.for(endings)('ends when its user %s, and tells nothing more', async ([, end]) => {
    const token = console.session('OPERATOR');
    const listener = await listen(token);
    await end(token);
    await waitFor('the end', () => listener.ended());
    const told = listener.notices().length;
    pull();
    expect(listener.notices().length).toBe(told);
    expect(told).toBe(0);
    const again = await fetch(`${service.url}/api/v1/events`, { headers: { cookie: `causeway_session=${token}` } });
    expect(again.status).toBe(401);
  });

  test('does not keep the session alive, however often it reconnects', async () => {
    const token = console.session('READ_ONLY');
    console.pass(LIMITS.idleMs - 1);
    const listener = await listen(token);
    listener.answer.destroy();
    const again = await listen(token);
    pull();
    await waitFor('the notice', () => again.notices().length > 0);
    console.pass(1);
    await waitFor('the end', () => again.ended());
  });

  test('goes on when the role changes, since every role may see events', async () => {
    const listener = await listen(console.session('READ_ONLY'));
    console.setMember('READ_ONLY', { role: 'TENANT_ADMIN' });
    pull();
    await waitFor('the notice', () => listener.notices().length > 0);
    expect(listener.ended()).toBe(false);
    listener.answer.destroy();
  });

  test('is kept open by a sign that a page can observe', async () => {
    await service.stop();
    await serve({ pollMs: 5, sessionMs: 1_000, keepAliveMs: 10 });
    const listener = await listen(console.session('READ_ONLY'));
    await waitFor('two signs', () => listener.text().split('event: alive\ndata: {}\n\n').length > 2);
    expect(listener.notices()).toEqual([]);
    listener.answer.destroy();
  });

  test('ends when the service stops, which does not wait for its readers', async () => {
    const listener = await listen(console.session('READ_ONLY'));
    await service.stop();
    await waitFor('the end', () => listener.ended());
    expect(listener.notices()).toEqual([]);
    await serve(FAST);
  });
});

test('in the product the ledger is checked four times a second, so that no change is reported a second late', () => {
  expect(EVENT_TIMING.pollMs).toBeLessThanOrEqual(500);
  expect(EVENT_TIMING.sessionMs).toBeLessThanOrEqual(1_000);
});

test('nothing runs without a listener', async () => {
  const { events } = console.context;
  const begun = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  const stream = events.open(console.session('READ_ONLY'), 'somebody');
  const looks = begun.mock.calls.flatMap(([, ms], index) =>
    ms === EVENT_TIMING.pollMs ? [begun.mock.results[index]?.value as unknown] : [],
  );
  expect([events.size, looks.length]).toEqual([1, 1]);
  stream.resume().destroy();
  await waitFor('the stream to be forgotten', () => events.size === 0);
  expect(ended.mock.calls.map(([timer]) => timer)).toContain(looks[0]);
  events.close();
  expect(() => events.open('x', 'somebody')).toThrow('Not ready');
});

test('a session’s streams are limited, without affecting another session', async () => {
  const token = console.session('OPERATOR');
  const open = await Promise.all(Array.from({ length: 8 }, () => listen(token)));
  const headers = { cookie: `causeway_session=${token}` };
  const refused = await fetch(`${service.url}/api/v1/events`, { headers });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const other = await listen(console.session('READ_ONLY'));
  open[0]?.answer.destroy();
  await waitFor('room for another', async () => {
    const again = await fetch(`${service.url}/api/v1/events`, { headers });
    await again.body?.cancel();
    return again.status === 200;
  });
  for (const { answer } of [...open, other]) answer.destroy();
});

// 128 sessions of one reader took every connection of the server and locked other users out.
test('a user’s streams are limited across sessions, and another user is served', async () => {
  const sessions = Array.from({ length: 5 }, () => console.session('READ_ONLY'));
  const open = await Promise.all(
    sessions.slice(0, 4).flatMap((token) => Array.from({ length: 8 }, () => listen(token))),
  );
  const headers = { cookie: `causeway_session=${sessions[4]}` };
  expect((await fetch(`${service.url}/api/v1/events`, { headers })).status).toBe(429);
  const other = await listen(console.session('OPERATOR'));
  for (const { answer } of [...open, other]) answer.destroy();
});
