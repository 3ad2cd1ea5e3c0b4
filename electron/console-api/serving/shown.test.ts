/** What was shown, as the console asks it: moments, days, and the answers where nothing can be told. */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { addServed } from '../../../agent/ledger/serving/served.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import type { ShownDay, ShownMoment } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let id: string;
/** 2026-11-20T09:00:00.000Z: 18:00 in Korea. */
let start: string;
beforeEach(() => {
  console = new TestConsole();
  start = console.now.toISOString();
  id = console.ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: start });
    return receive(tx, newEntry('a', { summary: '받은 문장' }), 'AUTO_PUBLISHED', start);
  });
});
afterEach(() => console[Symbol.asyncDispose]());

const ask = <T>(path: string, query: Record<string, string>) =>
  console.ask<T>({
    method: 'GET',
    url: `/api/v1/shown/${path}?${new URLSearchParams(query).toString()}`,
    as: 'READ_ONLY',
  });
const moment = (at: string, ticker = '069500') => ask<ShownMoment>('moment', { ticker, at });
const day = (date: string, ticker = '069500') => ask<ShownDay>('day', { ticker, date });
const later = (ms: number): string => new Date(Date.parse(start) + ms).toISOString();

async function act(
  ms: number,
  role: 'COMPLIANCE_REVIEWER' | 'TENANT_ADMIN',
  path: string,
  body?: object,
): Promise<void> {
  console.pass(ms);
  const { status } = await console.ask({
    method: path.endsWith('/final') ? 'PATCH' : 'POST',
    url: `/api/v1/${path}`,
    as: role,
    ...(body === undefined ? {} : { body }),
  });
  expect(status).toBe(200);
}

test('a day is one band: each change with its cause, the text and disclaimer, and the requests of each span', async () => {
  const stateNow = () => {
    const exposed = exposedExplanation(console.ledger, '069500', 'MTS', console.now);
    if (exposed === undefined) throw new Error('nothing is exposed');
    return { id, afterMove: exposed.afterMove, afterFact: exposed.afterFact };
  };
  const count = (state: ReturnType<typeof stateNow>, times: number, first: number, last: number): void =>
    console.ledger.write((tx) => {
      const at = { firstAt: new Date(later(first)), lastAt: new Date(later(last)) };
      addServed(tx, [{ ...state, channel: 'MTS', times, ...at }]);
    });
  count(stateNow(), 7, 0, 60_050);
  await act(60_000, 'COMPLIANCE_REVIEWER', `explanations/${id}/final`, { published_summary: '고친 문장' });
  count(stateNow(), 2, 60_040, 119_000);
  await act(60_000, 'TENANT_ADMIN', 'scope/markets/KRX/toggle');
  await act(60_000, 'TENANT_ADMIN', 'scope/markets/KRX/toggle');
  await act(60_000, 'COMPLIANCE_REVIEWER', `explanations/${id}/stop`, { reason: '수치 불일치' });
  console.pass(60_000);
  const { result } = await day('2026-11-20');
  expect(result).toMatchObject({
    ticker: '069500',
    from: '2026-11-19T15:00:00.000Z',
    to: later(300_000),
    recordBegins: start,
  });
  const told = result.spans.map(({ from, showing, causes }) => [
    from,
    showing.state === 'GIVEN' ? showing.text : showing.state === 'NOTHING' ? showing.reason : showing.state,
    causes.map((cause) => (cause.kind === 'MOVE' ? cause.move : cause.kind)),
  ]);
  expect(told).toEqual([
    ['2026-11-19T15:00:00.000Z', 'UNKNOWN', []],
    [start, '받은 문장', expect.arrayContaining(['RECORD_BEGINS', 'receive'])],
    [later(60_000), '고친 문장', ['correct']],
    [later(120_000), 'SCOPE', ['SCOPE']],
    [later(180_000), '고친 문장', ['SCOPE']],
    [later(240_000), 'STATE', ['stop']],
  ]);
  expect(result.spans[1]?.showing).toMatchObject({
    state: 'GIVEN',
    id,
    disclaimer: expect.stringContaining('생성형 AI') as string,
    channels: [{ channel: 'MTS', inside: true }],
    actor: 'SYSTEM',
  });
  expect(result.spans[1]?.requests).toEqual([
    // The last of these requests was answered while the correction was being committed.
    { channel: 'MTS', times: 7, most: 7, firstAt: start, lastAt: later(60_050) },
  ]);
  expect(result.spans[2]?.requests).toMatchObject([{ times: 2, most: 2 }]);
  expect(result.spans[4]?.requests).toEqual([]);
  expect(result.spans[5]?.showing).toMatchObject({ reason: 'STATE', status: 'STOPPED', id });
  expect((await moment(later(90_000))).result.showing).toEqual(result.spans[2]?.showing);
});

describe('a clear answer where nothing can be told', () => {
  test('a moment or day that lies ahead', async () => {
    expect(await moment(later(1))).toMatchObject({ status: 400, body: { code: 'SHOWN4001' } });
    expect(await day('2026-11-21')).toMatchObject({ status: 400, body: { code: 'SHOWN4001' } });
    expect(await moment(start)).toMatchObject({ status: 200 });
    expect(await moment('9999-12-31T23:59:59-09:00')).toMatchObject({ status: 400, body: { code: 'COMMON400' } });
  });
  test('a moment before the first record is unknown, never nothing', async () => {
    console.pass(1);
    const { result } = await moment(later(-1));
    expect(result.showing).toEqual({ state: 'UNKNOWN', reason: 'BEFORE_RECORD' });
    expect((await day('2020-01-02')).result.spans.map(({ showing }) => showing)).toEqual([result.showing]);
  });
  test('an unknown ticker', async () => {
    expect(await moment(start, 'NONE')).toMatchObject({ status: 404, body: { code: 'SHOWN4041' } });
  });
  test('a ledger whose rows somebody has changed past the program', async () => {
    console.ledger.write((tx) => tx.run(sqlite.updateTable('explanation').set({ published_summary: 'x' })));
    const answer = await day('2026-11-20');
    expect(answer).toMatchObject({ status: 409, body: { code: 'SHOWN4091' } });
  });
  test('rows that somebody has removed past the program, of the moment and of every day', async () => {
    const next = newEntry('b', { summary: '다음 문장', explanation_as_of: '2026-11-20T07:30:00.000Z' }, { cursor: 2 });
    console.ledger.write((tx) => receive(tx, next, 'AUTO_PUBLISHED', start));
    console.pass(60_000);
    const dossier = () =>
      console.ask({
        method: 'POST',
        url: '/api/v1/dossiers',
        as: 'TENANT_ADMIN',
        body: { ticker: '069500', from: '2026-11-20', to: '2026-11-20' },
      });
    const refused = { status: 409, body: { code: 'SHOWN4091' } };
    expect(await moment(later(1))).toMatchObject({ result: { showing: { text: '다음 문장' } } });
    const db = new Database(console.file);
    db.exec('PRAGMA foreign_keys = OFF; DROP TRIGGER explanation_is_never_deleted');
    for (const lost of ["explanation_result_id = 'b'", "etf_ticker = '069500'"]) {
      db.exec(`DELETE FROM explanation WHERE ${lost}`);
      expect(await moment(later(1))).toMatchObject(refused);
      expect(await day('2026-11-20')).toMatchObject(refused);
      expect(await dossier()).toMatchObject(refused);
    }
    db.close();
  });
  test.each([
    ['an earlier text', "UPDATE state_history SET published_summary = '다른 문장' WHERE move = 'receive'"],
    ['an earlier time', `UPDATE state_history SET at = '2026-11-20T09:00:00.500Z' WHERE move = 'receive'`],
    ['who made a move', "UPDATE state_history SET actor = '다른 사람' WHERE move = 'correct'"],
    ['the authors of a text', "UPDATE state_history SET authors = '{x' WHERE move = 'correct'"],
    ['a move in the middle', "DELETE FROM state_history WHERE move = 'correct' AND published_summary = '고친 문장'"],
    ['a row of the audit log', "UPDATE console_action_log SET detail = '{\"a' WHERE action = 'explanation.correct'"],
    ['the value of a fact', `UPDATE serving_fact SET value = '{"a' WHERE kind = 'CHANNEL'`],
    ['the form of a fact', "UPDATE serving_fact SET value = 'null' WHERE kind = 'CHANNEL'"],
    ['the time of a fact', "UPDATE serving_fact SET at = 'x' WHERE kind = 'CHANNEL'"],
    ['a valid time of a channel', `UPDATE serving_fact SET at = '2026-11-20T09:00:30.000Z' WHERE kind = 'CHANNEL'`],
    ['a valid time of a policy', `UPDATE serving_fact SET at = '2026-11-20T09:00:30.000Z' WHERE kind = 'POLICY'`],
    [
      'a row of the audit log, by a word',
      "UPDATE console_action_log SET actor_role = NULL WHERE action = 'policy.publish'",
    ],
    ['the time of a request', "UPDATE served_period SET first_at = 'x'"],
  ])('%s was changed past the program, and everything else leads to the present', async (_, change) => {
    const served = { afterMove: 0, afterFact: 0, times: 1, firstAt: console.now, lastAt: console.now };
    console.ledger.write((tx) => addServed(tx, [{ id, channel: 'MTS', ...served }]));
    for (const published_summary of ['고친 문장', '다시 고친 문장'])
      await act(60_000, 'COMPLIANCE_REVIEWER', `explanations/${id}/final`, { published_summary });
    expect(await moment(later(60_000))).toMatchObject({ result: { showing: { text: '고친 문장' } } });
    const db = new Database(console.file);
    const guards = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
    for (const { name } of guards) db.exec(`DROP TRIGGER ${name}`);
    db.exec(`PRAGMA foreign_keys = OFF; ${change}`);
    db.close();
    const refused = { status: 409, body: { code: 'SHOWN4091' } };
    expect(await moment(later(60_000))).toMatchObject(refused);
    expect(await day('2026-11-20')).toMatchObject(refused);
    const body = { explanation: id };
    expect(await console.ask({ method: 'POST', url: '/api/v1/dossiers', as: 'TENANT_ADMIN', body })).toMatchObject(
      refused,
    );
  });
  test('a switch that was set past the program', async () => {
    console.ledger.write((tx) =>
      tx.run(
        sqlite
          .insertInto('serving_scope')
          .values({ scope_type: 'MARKET', scope_key: 'KRX', enabled: 0, changed_by: 'x', changed_at: start }),
      ),
    );
    expect(await moment(start)).toMatchObject({ status: 409, body: { code: 'SHOWN4091' } });
  });
  test('a date that is none', async () => {
    expect(await day('2026-13-40')).toMatchObject({ status: 400, body: { code: 'COMMON400' } });
  });
});
