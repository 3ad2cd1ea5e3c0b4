/** Every transition of D12 through the API: allowed ones leave exactly their traces, refused ones none. */
import Database from 'better-sqlite3';
import { HELD_BY_ANOTHER } from '../../../agent/ledger/storage/write-lock.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import {
  EXPLANATION_STATUSES,
  type ExplanationDetail,
  type ReviewDetail,
} from '../../../shared/wire/console/console.ts';
import { ACTIONS, type Action } from '../../../test/support/console-api/actions.ts';
import { TestConsole, type Answer } from '../../../test/support/console-api/console.ts';
import { runs } from '../../../test/support/runs.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

type Detail = ReviewDetail | ExplanationDetail;
function act(
  action: Action,
  id: string,
  as = 'COMPLIANCE_REVIEWER',
  headers: Record<string, string> = {},
): Promise<Answer<Detail>> {
  return console.ask<Detail>({
    method: action.method ?? 'POST',
    url: action.url(id),
    as,
    headers,
    ...(action.body === undefined ? {} : { body: action.body }),
  });
}

for (const action of ACTIONS) {
  describe(`${action.name} ${action.body === undefined ? 'without a body' : 'with a body'}`, () => {
    for (const status of EXPLANATION_STATUSES) {
      if (action.from.includes(status)) {
        test(`from ${status}: ${action.to ?? status}, with one history and one audit row`, async () => {
          const id = console.explanation(status);
          const before = console.traces();
          console.pass(1_000);
          const answer = await act(action, id);
          expect(answer.status).toBe(200);
          expect(answer.headers.etag).toBe('"2"');
          expect(answer.result).toMatchObject({ id, status: action.to ?? status, version: 2 });
          expect(answer.result.history.at(-1)).toEqual({
            move: action.name,
            from: status,
            to: action.to ?? status,
            actor: '이름 compliance_reviewer',
            at: console.now.toISOString(),
            reason: action.reason,
            policyVersion: 1,
            heldUntil: null,
            duringHold: false,
            ...{ approvalNumber: null, validUntil: null },
            authors: ['correct', 'approve-edited'].includes(action.name) ? ['이름 compliance_reviewer'] : [],
            mine: true,
          });
          expect(console.traces().history).toBe(before.history + 1);
          expect(console.actions(before.actions)).toMatchObject([
            { action: `explanation.${action.name}`, actor_role: 'COMPLIANCE_REVIEWER', target_id: id },
          ]);
        });
        test(`from ${status} with another version: 412, and no trace remains`, async () => {
          const id = console.explanation(status);
          const before = console.traces();
          const answer = await act(action, id, 'COMPLIANCE_REVIEWER', { 'if-match': '"7"' });
          expect([answer.status, answer.body.code]).toEqual([412, 'COMMON412']);
          expect(answer.body).toMatchObject({
            errors: [
              { path: 'status', message: status },
              { path: 'version', message: '1' },
            ],
          });
          expect(console.traces()).toEqual(before);
        });
        test(`from ${status} with the version that was read, or any: done`, async () => {
          for (const version of ['"1"', '*']) {
            expect(
              (await act(action, console.explanation(status), 'COMPLIANCE_REVIEWER', { 'if-match': version })).status,
            ).toBe(200);
          }
        });
      } else {
        test(`from ${status}: 409 with the present state, and no trace remains`, async () => {
          const id = console.explanation(status);
          const before = console.traces();
          for (const headers of [{}, { 'if-match': '"7"' }]) {
            const answer = await act(action, id, 'COMPLIANCE_REVIEWER', headers);
            expect([answer.status, answer.body.code]).toEqual([409, 'COMMON409']);
            expect(answer.body.message).toContain(status);
            expect(answer.body).toMatchObject({
              errors: [
                { path: 'status', message: status },
                { path: 'version', message: '1' },
              ],
            });
          }
          expect(console.traces()).toEqual(before);
        });
      }
    }

    test('of an unknown id: 404, and no trace remains', async () => {
      const before = console.traces();
      expect((await act(action, 'nothing')).status).toBe(404);
      expect(console.traces()).toEqual(before);
    });

    test.for(['1', 'W/"1"', '"x"', '"1", "2"', '', '"0"', `"${'9'.repeat(40)}"`])(
      'with an If-Match that cannot be read: %s',
      async (version) => {
        const id = console.explanation(action.from[0]);
        const before = console.traces();
        const answer = await act(action, id, 'COMPLIANCE_REVIEWER', { 'if-match': version });
        expect([answer.status, answer.body]).toMatchObject([
          400,
          { code: 'COMMON400', errors: [{ path: 'header.if-match' }] },
        ]);
        expect(console.traces()).toEqual(before);
      },
    );
  });
}

describe('a missing reason or text', () => {
  const blank = [
    undefined,
    {},
    { reason: '' },
    { reason: ' \t\n\u3000' },
    { reason: '\u200b \u2060' },
    { reason: 5 },
    { reason: null },
    { reason: ['x'] },
  ];
  for (const name of ['stop', 'reject', 'block']) {
    const action = ACTIONS.find((one) => one.name === name);
    test.for(blank)(`${name} %j: REVIEW4001`, async (body) => {
      if (action === undefined) throw new Error(`there is no ${name}`);
      const id = console.explanation(action.from[0]);
      const before = console.traces();
      const answer = await act({ ...action, body }, id);
      expect([answer.status, answer.body.code]).toEqual([400, 'REVIEW4001']);
      expect(console.traces()).toEqual(before);
    });
  }

  test.for([
    undefined,
    {},
    { edited_summary: '' },
    { edited_summary: '   ' },
    { edited_summary: '\u200b\u3164\u00ad' },
    { edited_summary: 1 },
    { comment: '좋음' },
  ])('approve-edited %j: REVIEW4002', async (body) => {
    const id = console.explanation();
    const before = console.traces();
    const answer = await console.ask({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve-edited`,
      as: 'COMPLIANCE_REVIEWER',
      ...(body === undefined ? {} : { body }),
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'REVIEW4002']);
    expect(console.traces()).toEqual(before);
  });

  test.for([{ reason: 'x', extra: 1 }, { reason: 'a\u0000b' }, { reason: 'x'.repeat(2_001) }, [], null, 'text', 5])(
    'a body that does not fit, %j: COMMON400',
    async (body) => {
      const id = console.explanation();
      const before = console.traces();
      const answer = await console.ask({
        method: 'POST',
        url: `/api/v1/review/items/${id}/reject`,
        as: 'COMPLIANCE_REVIEWER',
        body,
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'COMMON400']);
      expect(console.traces()).toEqual(before);
    },
  );

  test('the order of checks: binding before existence, existence before state', async () => {
    const reject = (id: string, body: unknown) =>
      console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/reject`, as: 'COMPLIANCE_REVIEWER', body });
    expect((await reject('nothing', {})).status).toBe(400);
    expect((await reject('nothing', { reason: 'x' })).status).toBe(404);
    expect((await reject(console.explanation('INVALIDATED'), {})).status).toBe(400);
    expect((await reject(console.explanation('INVALIDATED'), { reason: 'x' })).status).toBe(409);
  });
});

test('two reviewers decide at the same moment: one wins, the other learns the present state', async () => {
  const tokens = [console.session('COMPLIANCE_REVIEWER'), console.session('COMPLIANCE_REVIEWER')] as const;
  const decisions = ACTIONS.filter((action) => action.from.includes('PENDING_REVIEW'));
  for (let round = 0; round < runs(20, 100); round += 1) {
    const id = console.explanation();
    const before = console.traces();
    const pair = [decisions[round % decisions.length], decisions[(round * 3 + 1) % decisions.length]] as const;
    if (pair[0] === undefined || pair[1] === undefined) throw new Error('no decision');
    const headers = round % 2 === 0 ? {} : { 'if-match': '"1"' };
    const answers = await Promise.all([act(pair[0], id, tokens[0], headers), act(pair[1], id, tokens[1], headers)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200)?.result.status;
    const lost = answers.find(({ status }) => status === 409)?.body;
    expect(lost).toMatchObject({
      errors: [
        { path: 'status', message: won },
        { path: 'version', message: '2' },
      ],
    });
    const after = console.traces();
    expect([after.actions - before.actions, after.history - before.history]).toEqual([1, 1]);
  }
});

test('the audit log is intact after all of that', () => {
  expect(verifyChain(console.ledger)).toEqual({ ok: true, rows: console.actions().length });
});

test('a write that fails half-way leaves no trace', async () => {
  await using broken = new TestConsole();
  const id = broken.explanation('PUBLISHED');
  // The transition and its history are written before the audit row, which cannot be appended now.
  broken.ledger.write((tx) => tx.run(sqlite.schema.alterTable('console_action_log').renameTo('elsewhere')));
  const state = () =>
    JSON.stringify([
      broken.ledger.all(sqlite.selectFrom('explanation').selectAll()),
      broken.ledger.all(sqlite.selectFrom('state_history').selectAll()),
    ]);
  const before = state();
  const answer = await broken.ask({
    method: 'POST',
    url: `/api/v1/explanations/${id}/stop`,
    as: 'OPERATOR',
    body: { reason: '사유' },
  });
  expect([answer.status, answer.body]).toEqual([
    500,
    { isSuccess: false, code: 'COMMON500', message: expect.any(String) as unknown },
  ]);
  expect(answer.body.message).not.toMatch(/SQL|table|console_action_log/i);
  expect(state()).toBe(before);
});

test('while another program holds the ledger, a stop says so and leaves no trace', async () => {
  await using busy = new TestConsole({ patienceMs: 20 });
  const id = busy.explanation('PUBLISHED');
  const asked = {
    method: 'POST',
    url: `/api/v1/explanations/${id}/stop`,
    as: busy.session('OPERATOR'),
    body: { reason: '사유' },
  } as const;
  const before = busy.traces();
  const holder = new Database(busy.file);
  holder.exec('BEGIN IMMEDIATE');
  const answer = await busy.ask(asked);
  holder.exec('ROLLBACK');
  holder.close();
  expect([answer.status, answer.body]).toMatchObject([503, { code: 'COMMON503', message: HELD_BY_ANOTHER }]);
  expect(busy.traces()).toEqual(before);
  expect((await busy.ask(asked)).status).toBe(200);
});
