/** The screens of policy and members warn of what was altered past the audit log (D199). */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import type { ActivePolicy, PolicyProposal } from '../../../shared/wire/console/console.ts';
import type { MemberPage } from '../../../shared/wire/console/members.ts';
import { addMember } from '../../../agent/ledger/accounts/members.ts';
import { openSession } from '../../../agent/ledger/accounts/sessions.ts';
import { sqlite } from '../../../agent/ledger/storage/ledger.ts';
import { LIMITS, TestConsole } from '../../../test/support/console-api/console.ts';

function write(console: TestConsole, sql: string): void {
  const db = new Database(console.file);
  const guards = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of guards) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  for (const guard of guards) db.exec(guard.sql);
  db.close();
}

test('of the members, also of one that is there without a record and one that is gone', async () => {
  await using console = new TestConsole();
  const altered = async () =>
    (await console.ask<MemberPage>({ method: 'GET', url: '/api/v1/members', as: 'TENANT_ADMIN' })).result.altered;
  expect(await altered()).toEqual([]);
  write(
    console,
    `UPDATE member SET password_hash = 'mine' WHERE username = 'operator';
     DELETE FROM member WHERE username = 'read_only';
     INSERT INTO member (id, username, display_name, role, password_hash, active, created_at)
       VALUES ('new', 'new', 'New', 'TENANT_ADMIN', 'mine', 1, '2026-11-20T00:00:00.000Z')`,
  );
  expect((await altered()).map(({ fault, name }) => [fault, name])).toEqual(
    expect.arrayContaining([
      ['ALTERED', 'operator'],
      ['NO_ROW', 'new'],
      ['GONE', expect.any(String)],
    ]),
  );
});

test('of the policy in force, with the texts that it has let out', async () => {
  await using console = new TestConsole();
  const id = console.explanation('AUTO_PUBLISHED');
  const policy = async () =>
    (await console.ask<ActivePolicy>({ method: 'GET', url: '/api/v1/screening/policy', as: 'READ_ONLY' })).result;
  expect((await policy()).altered).toBeNull();
  write(console, "UPDATE policy_version SET snapshot = json_set(snapshot, '$.words', json('[]'))");
  expect((await policy()).altered).toMatchObject({
    faults: [{ fault: 'ALTERED', kind: 'POLICY', name: '1', row: 1 }],
    provided: 1,
    explanations: [{ id }],
  });
});

test('a policy that was altered is no base of another version, nor is an altered proposal published', async () => {
  await using console = new TestConsole();
  const first = console.session('COMPLIANCE_REVIEWER');
  const second = console.ledger.write((tx) => {
    const account = { id: 'second', username: 'second', displayName: '둘째', role: 'COMPLIANCE_REVIEWER' } as const;
    addMember(tx, { ...account, passwordHash: UNMATCHED_HASH, at: console.now.toISOString() });
    return openSession(tx, 'second', console.now, LIMITS);
  });
  const ask = (method: 'PATCH' | 'POST', url: string, body: object = {}, as = first) =>
    console.ask<PolicyProposal>({ method, url: `/api/v1/screening/${url}`, as, body });
  const { result: proposal } = await ask('POST', 'proposals', { criteria: { minSources: 3 } });
  const publish = () => ask('POST', `proposals/${proposal.id}/publish`, {}, second);
  const whole = console.ledger.first(sqlite.selectFrom('policy_version').select('snapshot'))?.snapshot ?? '';
  const put = (snapshot: string): void => write(console, `UPDATE policy_version SET snapshot = ${snapshot}`);
  put("json_set(snapshot, '$.words', json('[]'))");
  const refused = [
    await ask('PATCH', 'criteria', { fourEyes: true }),
    await ask('POST', 'proposals', { criteria: { minSources: 4 } }),
    await publish(),
  ];
  for (const { body } of refused) {
    expect(body.code).toBe('COMMON409');
    expect(body.message).toContain('The policy version 1 is not as row 1 of the audit log has left it.');
  }
  put(`'${whole.replaceAll("'", "''")}'`);
  write(console, "UPDATE policy_proposal SET snapshot = json_set(snapshot, '$.words', json('[]'))");
  expect((await publish()).body.message).toContain(`The proposal ${proposal.id} is not as row`);
  expect((await ask('PATCH', 'criteria', { fourEyes: true })).status).toBe(200);
});

test('a policy that was altered for a moment lets nobody approve an edit alone', async () => {
  await using console = new TestConsole();
  const id = console.explanation();
  write(console, "UPDATE policy_version SET snapshot = json_set(snapshot, '$.criteria.minSources', 9)");
  const { result } = await console.ask<{ status: string }>({
    ...{ method: 'POST', url: `/api/v1/review/items/${id}/approve-edited`, as: 'COMPLIANCE_REVIEWER' },
    body: { edited_summary: '고친 글입니다.', comment: '확인' },
  });
  expect(result.status).toBe('PENDING_REVIEW');
});
