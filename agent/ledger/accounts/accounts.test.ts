import { rmSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemIds } from '../../../shared/time/clock.ts';
import { channelOfKey } from '../serving/channels.ts';
import { seedDemo } from '../demo/seed.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { memberForLogin } from './members.ts';
import { hashPasswordSync, UNMATCHED_HASH, verifyPassword } from '../../../shared/service/accounts/passwords.ts';
import { activePolicy } from '../policy/versions.ts';
import { closeOtherSessions, closeSession, liveSession, openSession, sessionKey, touchSession } from './sessions.ts';
import { recordKeyFile } from '../made/record-key.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';

const LIMITS = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };
const START = new Date('2026-11-20T08:00:00.000Z');
const after = (minutes: number) => new Date(START.getTime() + minutes * 60_000);

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
  seedDemo(ledger, { now: () => START }, systemIds);
});

describe('the demo seed', () => {
  test('has an account for each role, a policy and three channels', async () => {
    const members = ledger.all(sqlite.selectFrom('member').select(['username', 'role']).orderBy('username'));
    expect(members).toEqual([
      { username: 'admin', role: 'TENANT_ADMIN' },
      { username: 'operator', role: 'OPERATOR' },
      { username: 'reviewer', role: 'COMPLIANCE_REVIEWER' },
      { username: 'viewer', role: 'READ_ONLY' },
    ]);
    const stored = memberForLogin(ledger, 'reviewer')?.passwordHash ?? '';
    expect(await verifyPassword('causeway-demo', stored)).toBe(true);
    expect(activePolicy(ledger)?.version).toBe(1);
    expect(channelOfKey(ledger, 'demo-hts')).toBe('HTS');
    expect(channelOfKey(ledger, 'demo-xxx')).toBeUndefined();
  });
  test('a second time changes nothing', () => {
    const before = ledger.all(sqlite.selectFrom('member').selectAll());
    seedDemo(ledger, { now: () => after(1) }, systemIds);
    expect(ledger.all(sqlite.selectFrom('member').selectAll())).toEqual(before);
    expect(activePolicy(ledger)?.version).toBe(1);
  });
});

describe('passwords', () => {
  test('only the right one fits, in either form of the same letters', async () => {
    const stored = hashPasswordSync('비밀번호 긴 것');
    expect(await verifyPassword('비밀번호 긴 것'.normalize('NFD'), stored)).toBe(true);
    expect(await verifyPassword('비밀번호 긴 것 ', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });
  test('no password fits an unreadable hash, or the placeholder of an unknown user', async () => {
    expect(await verifyPassword('x', 'plain')).toBe(false);
    expect(await verifyPassword('', UNMATCHED_HASH)).toBe(false);
  });
});

describe('sessions', () => {
  const memberId = () => memberForLogin(ledger, 'reviewer')?.member.id ?? '';
  const open = () => ledger.write((tx) => openSession(tx, memberId(), START, LIMITS));

  test('lives until it has been idle too long', () => {
    const token = open();
    expect(liveSession(ledger, token, after(29), LIMITS)).toMatchObject({
      member: { username: 'reviewer' },
      expiresAt: after(30).toISOString(),
    });
    expect(liveSession(ledger, token, after(30), LIMITS)).toBeUndefined();
  });
  test('lives on while it is used, but not beyond its whole time', () => {
    const token = open();
    for (let minute = 20; minute < 720; minute += 20) {
      expect(liveSession(ledger, token, after(minute), LIMITS)).toBeDefined();
      ledger.write((tx) => touchSession(tx, token, after(minute).toISOString()));
    }
    expect(liveSession(ledger, token, after(719), LIMITS)).toBeDefined();
    expect(liveSession(ledger, token, after(720), LIMITS)).toBeUndefined();
  });
  test('ends at once with logout, and with its member', () => {
    const [first, second] = [open(), open()];
    ledger.write((tx) => closeSession(tx, first, START.toISOString()));
    expect(liveSession(ledger, first, START, LIMITS)).toBeUndefined();
    expect(liveSession(ledger, second, START, LIMITS)).toBeDefined();
    ledger.write((tx) => tx.run(sqlite.updateTable('member').set({ active: 0 })));
    expect(liveSession(ledger, second, START, LIMITS)).toBeUndefined();
  });
  test('leaves the ledger once it is over, at the next login', () => {
    const [idle, used] = [open(), open()];
    ledger.write((tx) => touchSession(tx, used, after(20).toISOString()));
    const kept = () => ledger.all(sqlite.selectFrom('session').select('token_hash')).length;
    const login = (minute: number) => ledger.write((tx) => openSession(tx, memberId(), after(minute), LIMITS));
    login(30);
    expect(kept()).toBe(3);
    login(31);
    expect([kept(), liveSession(ledger, idle, after(29), LIMITS)]).toEqual([3, undefined]);
    for (let minute = 40; minute <= 720; minute += 20)
      ledger.write((tx) => touchSession(tx, used, after(minute).toISOString()));
    login(720);
    expect(kept()).toBe(2);
    login(721);
    expect([kept(), liveSession(ledger, used, after(700), LIMITS)]).toEqual([2, undefined]);
  });
  test('of a member but one end together, and with them the claims of review items', () => {
    const [mine, other] = [open(), open()];
    const id = ledger.write((tx) => receive(tx, newEntry('claimed')));
    const at = START.toISOString();
    for (const token of [mine, other])
      ledger.write((tx) =>
        tx.run(
          sqlite.insertInto('review_claim').values({
            ...{ session: sessionKey(token), explanation_id: id },
            ...{ claimed_at: at, expires_at: after(30).toISOString() },
          }),
        ),
      );
    const ended = ledger.write((tx) => closeOtherSessions(tx, { memberId: memberId(), token: mine, at }));
    expect(ended).toBe(1);
    expect([mine, other].map((token) => liveSession(ledger, token, START, LIMITS) !== undefined)).toEqual([
      true,
      false,
    ]);
    expect(ledger.all(sqlite.selectFrom('review_claim').select('session'))).toEqual([{ session: sessionKey(mine) }]);
    const log = sqlite
      .selectFrom('console_action_log')
      .select(['action', 'target_id', 'detail'])
      .orderBy('seq', 'desc');
    expect(ledger.first(log)).toEqual({
      action: 'review.claim-released',
      target_id: id,
      detail: '{"ended":"SESSION_ENDED"}',
    });
  });
  test.each([
    ['without a seal', () => ({ proof: null })],
    ['of another member', () => ({ member_id: memberForLogin(ledger, 'admin')?.member.id ?? '' })],
    ['with another beginning', () => ({ created_at: after(1).toISOString() })],
  ])('%s that no login began is none where the host has its record key', (_, forged) => {
    const token = open();
    ledger.write((tx) => tx.run(sqlite.updateTable('session').set(forged())));
    expect(liveSession(ledger, token, after(2), LIMITS)).toBeUndefined();
    expect(ledger.write((tx) => liveSession(tx, token, after(2), LIMITS))).toBeUndefined();
    rmSync(recordKeyFile(ledger.file) ?? '');
    expect(liveSession(ledger, token, after(2), LIMITS)).toBeDefined();
  });
  test('an invented token opens no session, and the token itself is not in the file', () => {
    const token = open();
    expect(liveSession(ledger, `${token}x`, START, LIMITS)).toBeUndefined();
    expect(JSON.stringify(ledger.all(sqlite.selectFrom('session').selectAll()))).not.toContain(token);
  });
});
