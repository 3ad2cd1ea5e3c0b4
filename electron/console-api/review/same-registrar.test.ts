/** The audit log marks two accounts that one person registered and that act as the two of four eyes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerMember } from '../../../agent/ledger/accounts/member-changes.ts';
import { openSession } from '../../../agent/ledger/accounts/sessions.ts';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import type { AuditAction, Page, PolicyProposal, TimelineEntry } from '../../../shared/wire/console/console.ts';
import { LIMITS, START, TestConsole } from '../../../test/support/console-api/console.ts';

const HOUR_MS = 3_600_000;

let console: TestConsole;
beforeEach(async () => {
  console = new TestConsole();
  const url = '/api/v1/screening/criteria';
  const as = console.session('COMPLIANCE_REVIEWER');
  expect((await console.ask({ method: 'PATCH', url, as, body: { fourEyes: true } })).status).toBe(200);
});
afterEach(() => console.close());

/** @returns a session of an account that an administrator registered this many hours after the start */
function registered(id: string, { by = 'admin', hours = 0 } = {}): string {
  console.ledger.write((tx) =>
    registerMember(tx, {
      id,
      username: id,
      displayName: `심사자 ${id}`,
      role: 'COMPLIANCE_REVIEWER',
      passwordHash: UNMATCHED_HASH,
      actor: { kind: 'MEMBER', id: by, displayName: `관리자 ${by}`, role: 'TENANT_ADMIN' },
      at: new Date(START.getTime() + hours * HOUR_MS).toISOString(),
    }),
  );
  console.setPassword(id);
  return console.ledger.write((tx) => openSession(tx, id, console.now, LIMITS));
}

/** Both approve the same edit. @returns the item */
async function bothApprove(first: string, second: string): Promise<string> {
  const id = console.explanation();
  const url = `/api/v1/review/items/${id}/approve-edited`;
  for (const as of [first, second])
    expect((await console.ask({ method: 'POST', url, as, body: { edited_summary: '고친 글입니다.' } })).status).toBe(
      200,
    );
  return id;
}

const told = async (as: string, action = 'review.same-registrar'): Promise<AuditAction[]> =>
  (await console.ask<Page<AuditAction>>({ method: 'GET', url: `/api/v1/audit/actions?action=${action}`, as })).result
    .items;

test('an edit that both approved is marked in the audit log and in the timeline of the item', async () => {
  const id = await bothApprove(registered('one'), registered('two', { hours: 24 }));
  expect(await told('READ_ONLY')).toMatchObject([
    { actor: '심사자 two', targetType: 'explanation', targetId: id, detail: { firstPerson: '심사자 one' } },
  ]);
  const timeline = await console.ask<Page<TimelineEntry>>({
    method: 'GET',
    url: `/api/v1/review/items/${id}/timeline`,
    as: 'READ_ONLY',
  });
  expect(timeline.result.items.map(({ kind }) => kind)).toContain('SAME_REGISTRAR');
});

test.for([
  ['first', ['one', 'two']],
  ['second', ['two', 'one']],
] as const)(
  'an account that has registered the other one and acts as the %s is marked, whenever',
  async ([, order]) => {
    const sessions = { one: registered('one'), two: registered('two', { by: 'one', hours: 240 }) };
    await bothApprove(sessions[order[0]], sessions[order[1]]);
    expect(await told('TENANT_ADMIN')).toMatchObject([{ detail: { registeredById: 'one' } }]);
  },
);

test('the registrar is named only to the Tenant Admin', async () => {
  await bothApprove(registered('one'), registered('two'));
  for (const role of ['COMPLIANCE_REVIEWER', 'OPERATOR', 'READ_ONLY'])
    expect((await told(role)).map(({ detail }) => Object.keys(detail))).toEqual([['firstPerson']]);
  expect(await told('TENANT_ADMIN')).toMatchObject([
    { detail: { firstPersonId: 'one', registeredBy: '관리자 admin', registeredById: 'admin' } },
  ]);
});

test.for([
  ['two administrators have registered them', { by: 'other' }],
  ['more than a day lies between', { hours: 24.1 }],
] as const)('nothing is marked where %s', async ([, how]) => {
  await bothApprove(registered('one'), registered('two', how));
  expect(await told('TENANT_ADMIN')).toEqual([]);
});

test('a policy change that one proposes and the other publishes is marked as well', async () => {
  const [first, second] = [registered('one'), registered('two')];
  const draft = { disclaimer: '투자 판단과 결과는 투자자 본인에게 있습니다.' };
  const made = await console.ask<PolicyProposal>({
    method: 'POST',
    url: '/api/v1/screening/proposals',
    as: first,
    body: draft,
  });
  const url = `/api/v1/screening/proposals/${made.result.id}/publish`;
  expect((await console.ask({ method: 'POST', url, as: second, body: {} })).status).toBe(200);
  expect(await told('READ_ONLY', 'policy.same-registrar')).toMatchObject([
    { actor: '심사자 two', targetType: 'policy_version', detail: { firstPerson: '심사자 one' } },
  ]);
});
