/** The screens of policy and members warn of what was altered past the audit log (D199). */
import Database from 'better-sqlite3';
import { TOTP, Secret } from 'otpauth';
import { describe, expect, test } from 'vitest';
import type { ActivePolicy, PolicyProposal } from '../../../shared/wire/console/console.ts';
import type { MemberPage } from '../../../shared/wire/console/members.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  setSecondFactorSetting,
} from '../../../agent/ledger/accounts/second-factors.ts';
import { findMember } from '../../../agent/ledger/accounts/members.ts';
import { commandActor } from '../../../agent/ledger/audit/audit.ts';
import { beginRecord } from '../../../agent/ledger/audit/record-begins.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { memberId, START, TestConsole } from '../../../test/support/console-api/console.ts';
import { cheapHash } from '../../../test/support/shared/accounts.ts';

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
  const second = console.colleague('second');
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

const HER = memberId('COMPLIANCE_REVIEWER');
const PASSWORD = 'a password of her own 1';
const [OWN, OTHER] = [cheapHash(PASSWORD), cheapHash('a password of another 1')];

/** A reviewer with a password and a second factor, and how she logs in. */
function withReviewer(console: TestConsole) {
  const at = START.toISOString();
  console.setPassword(HER, OWN);
  const codeOf = (secret: string) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: console.now.getTime() });
  const secret = console.ledger.write((tx) => {
    setSecondFactorSetting(tx, { reviewers: true, actor: { kind: 'SYSTEM' }, at });
    const member = findMember(tx, HER);
    if (member === undefined) throw new Error('she is not there');
    const asked = { member, actor: { kind: 'MEMBER', ...member } } as const;
    const begun = beginSecondFactor(tx, { ...asked, at });
    confirmSecondFactor(tx, { ...asked, code: codeOf(begun), at: START, token: 'none' });
    return begun;
  });
  console.pass(60_000);
  return (password = PASSWORD) => {
    const body = { username: 'compliance_reviewer', password, secondFactor: codeOf(secret) };
    return console.ask({ method: 'POST', url: '/api/v1/auth/login', body });
  };
}

describe('an account that is altered for a moment neither logs in nor acts', () => {
  test.for<[what: string, alter: string, back: string, password?: string]>([
    [
      'its password',
      `UPDATE member SET password_hash = '${OTHER}' WHERE id = '${HER}'`,
      `UPDATE member SET password_hash = '${OWN}' WHERE id = '${HER}'`,
      'a password of another 1',
    ],
    [
      'its role',
      `UPDATE member SET role = 'TENANT_ADMIN' WHERE id = '${HER}'`,
      `UPDATE member SET role = 'COMPLIANCE_REVIEWER' WHERE id = '${HER}'`,
    ],
    [
      'its second factor',
      'UPDATE second_factor SET confirmed_at = NULL',
      `UPDATE second_factor SET confirmed_at = '${START.toISOString()}'`,
    ],
    [
      'the demand of a second factor',
      'UPDATE second_factor_setting SET reviewers = 0',
      'UPDATE second_factor_setting SET reviewers = 1',
    ],
    [
      'its recovery codes',
      `INSERT INTO recovery_code (member_id, code_hash) VALUES ('${HER}', 'mine')`,
      "DELETE FROM recovery_code WHERE code_hash = 'mine'",
    ],
    [
      'its single sign-on',
      `INSERT INTO member_identity (issuer, subject, member_id, linked_at) VALUES ('i', 's', '${HER}', '${START.toISOString()}')`,
      'DELETE FROM member_identity',
    ],
  ])('%s', async ([, alter, back, password]) => {
    await using console = new TestConsole();
    const logIn = withReviewer(console);
    const as = console.session('COMPLIANCE_REVIEWER');
    const url = `/api/v1/review/items/${console.explanation()}/notes`;
    const act = () => console.ask({ method: 'POST', url, as, body: { text: '메모' } });
    write(console, alter);
    const before = console.traces().actions;
    expect((await logIn(password)).body).toMatchObject({ code: 'AUTH4032', errors: [{ message: 'ALTERED' }] });
    expect(console.actions(before)).toMatchObject([{ action: 'auth.login-refused', target_id: HER }]);
    expect([401, 403]).toContain((await act()).status);
    write(console, back);
    // Neither the code nor the session is used up.
    expect((await act()).status).toBe(200);
    expect((await logIn()).status).toBe(200);
  });

  test('until the present state is put on record', async () => {
    await using console = new TestConsole();
    const logIn = withReviewer(console);
    write(console, `UPDATE member SET version = 7 WHERE id = '${HER}'`);
    expect((await logIn()).body.code).toBe('AUTH4032');
    const at = console.now.toISOString();
    console.ledger.write((tx) => beginRecord(tx, { at, actor: commandActor(), why: {} }));
    expect((await logIn()).status).toBe(200);
  });
});
