/** Approval numbers by the console API: who sets them, which patterns are refused, and where an approval shows its number. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandActor } from '../../../agent/ledger/audit/audit.ts';
import { closeNumbers } from '../../../agent/ledger/serving/approval.ts';
import type { ApprovalNumbering, ReviewDetail } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

const url = '/api/v1/review/approval-numbers';
const CR = 'COMPLIANCE_REVIEWER';
const read = async () => (await console.ask<ApprovalNumbering>({ method: 'GET', url, as: 'READ_ONLY' })).result;
const set = (body: object, as = CR, headers: Record<string, string> = {}) =>
  console.ask<ApprovalNumbering>({ method: 'PUT', url, as, body, headers });
const approve = (id: string) =>
  console.ask<ReviewDetail>({ method: 'POST', url: `/api/v1/review/items/${id}/approve`, as: CR, body: {} });

test('are unset until a reviewer sets them; an approval then has the number and its end wherever it is told', async () => {
  expect(await read()).toEqual({ pattern: null, validDays: null, closedAt: null, next: null, version: 1 });
  const asked = { pattern: '심사필 제{SEQ:3}호', validDays: 365, next: 12 };
  expect((await set(asked)).result).toMatchObject({ validDays: 365, next: '심사필 제012호', version: 2 });
  const id = console.explanation('PENDING_REVIEW');
  const { result } = await approve(id);
  expect(result.approvalNumber).toBe('심사필 제012호');
  const told = { approvalNumber: result.approvalNumber, validUntil: result.validUntil };
  expect(result.history.at(-1)).toMatchObject({ move: 'approve', ...told });
  for (const address of [`/api/v1/explanations/${id}`, '/api/v1/explanations?status=PUBLISHED'])
    expect(JSON.stringify((await console.ask({ method: 'GET', url: address, as: CR })).result)).toContain(
      JSON.stringify(told).slice(1, -1),
    );
  const timeline = await console.ask({ method: 'GET', url: `/api/v1/review/items/${id}/timeline`, as: CR });
  expect(timeline.result).toMatchObject({ items: expect.arrayContaining([expect.objectContaining(told)]) as unknown });
  expect((await read()).next).toBe('심사필 제013호');
});

test('other roles, older versions and what is no pattern are refused, each with its rule', async () => {
  const fits = { pattern: '{SEQ}', validDays: null, next: 1 };
  for (const as of ['TENANT_ADMIN', 'OPERATOR', 'READ_ONLY']) expect((await set(fits, as)).status).toBe(403);
  expect((await set(fits, CR, { 'if-match': '"1"' })).status).toBe(412);
  const refused = async (body: object) => {
    const answer = (await set({ ...fits, ...body })).body;
    return answer.isSuccess ? null : answer.errors;
  };
  expect(await refused({ pattern: '제{YYYY}호' })).toMatchObject([
    { path: 'body.pattern', message: 'must hold the running number, as {SEQ} or {SEQ:5}' },
  ]);
  expect(await refused({ pattern: '{DD}{SEQ}' })).toMatchObject([
    { message: expect.stringContaining('{YYYY}, {YY}, {MM}') as unknown },
  ]);
  expect(await refused({ pattern: null })).toMatchObject([{ path: 'body.next', message: 'belongs to a pattern' }]);
  for (const validDays of [0, 3_651, 1.5]) expect((await set({ ...fits, validDays })).status).toBe(400);
  expect(await refused({ pattern: '심사필 제{SEQ:3}호', next: 12 })).toEqual([{ path: 'body.next', message: '13' }]);
  expect((await set({ pattern: '{SEQ}', validDays: null })).body).toMatchObject({
    code: 'COMMON409',
    errors: [{ path: 'body.next', message: '1' }],
  });
});

test('an approval is refused while a restore has closed them, until a reviewer states the next one', async () => {
  const id = console.explanation('PENDING_REVIEW');
  console.ledger.write((tx) => closeNumbers(tx, commandActor(), console.now.toISOString()));
  expect((await approve(id)).body).toMatchObject({ code: 'REVIEW4097' });
  const { pattern, validDays } = await read();
  expect((await set({ pattern, validDays, next: 40 })).result.closedAt).toBeNull();
  expect((await approve(id)).result.approvalNumber).toBe('심사필 제040호');
});
