/** A member who can register others must remain (D18), after changes in any order. */
import { expect, test } from 'vitest';
import { sqlite } from '../storage/query.ts';
import { changeRole, deactivateMember, MemberStateError, registerMember, renameMember } from './member-changes.ts';
import { addMember, findMember } from './members.ts';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';

test('the last active Tenant Admin can be neither deactivated nor given another role', () => {
  const { ledger } = testLedger();
  const actor = { kind: 'SYSTEM' } as const;
  const at = '2026-11-20T08:00:00.000Z';
  ledger.write((tx) => {
    for (const id of ['one', 'two']) {
      addMember(tx, { id, username: id, displayName: id, role: 'TENANT_ADMIN', passwordHash: UNMATCHED_HASH, at });
    }
    deactivateMember(tx, { id: 'one', actor, at });
  });
  expect(() => ledger.write((tx) => deactivateMember(tx, { id: 'two', actor, at }))).toThrow(MemberStateError);
  expect(() => ledger.write((tx) => changeRole(tx, { id: 'two', role: 'OPERATOR', actor, at }))).toThrow(
    'last active Tenant Admin',
  );
});

test('the present display name is no change', () => {
  const { ledger } = testLedger();
  const actor = { kind: 'SYSTEM' } as const;
  const at = '2026-11-20T08:00:00.000Z';
  const same = ledger.write((tx) => {
    addMember(tx, { id: 'a', username: 'a', displayName: '김', role: 'OPERATOR', passwordHash: UNMATCHED_HASH, at });
    return renameMember(tx, { id: 'a', displayName: '김', actor, at });
  });
  expect(same).toEqual(findMember(ledger, 'a'));
  expect(same.version).toBe(1);
  expect(ledger.all(sqlite.selectFrom('console_action_log').select('action'))).toEqual([]);
  expect(ledger.write((tx) => renameMember(tx, { id: 'a', displayName: '이', actor, at })).version).toBe(2);
});

test('two people of one name get different display names, where the program registers them by itself', () => {
  const { ledger } = testLedger();
  const at = '2026-11-20T08:00:00.000Z';
  const account = { displayName: '김민수', role: 'OPERATOR', passwordHash: UNMATCHED_HASH, at } as const;
  ledger.write((tx) => {
    for (const id of ['minsu', 'minsu2']) {
      registerMember(tx, { ...account, id, username: id, actor: { kind: 'SYSTEM' } });
    }
  });
  expect(['minsu', 'minsu2'].map((id) => findMember(ledger, id)?.displayName)).toEqual(['김민수', '김민수 (minsu2)']);
});
