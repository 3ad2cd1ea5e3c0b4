/** A backup or ledger in which somebody has altered what decides is named by every check, and not restored (D199). */
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeSession, openSession } from '../../ledger/accounts/sessions.ts';
import { recordAction } from '../../ledger/audit/audit.ts';
import { seedDemo } from '../../ledger/demo/seed.ts';
import { recordKeyFile } from '../../ledger/made/record-key.ts';
import { openLedger, sqlite, type Ledger } from '../../ledger/storage/ledger.ts';
import { newEntry, receive, temporaryLedger } from '../../ledger/testing.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import { intakeWith } from '../testing-command.ts';
import { RESTORE_ALONE } from '../testing.ts';
import { backupLedger } from './backup.ts';
import { restoreLedger, type Restored } from './restore.ts';

const at = '2026-11-20T07:00:00.000Z';
let made: { ledger: Ledger; file: string; dispose(): void };
let backup: string;
beforeEach(() => {
  made = temporaryLedger();
  seedDemo(made.ledger, { now: () => new Date(at) }, { uuid: () => crypto.randomUUID() }, () => 'hash');
  backup = path.join(path.dirname(made.file), 'backup.sqlite');
});
afterEach(() => made.dispose());

/** Writes into a file with its guards as they were afterwards. */
function alter(file: string, table: string, sql: string): void {
  const db = new Database(file);
  const guard = db.prepare(`SELECT sql FROM sqlite_schema WHERE name = '${table}_is_never_updated'`).pluck().get() as
    | string
    | undefined;
  db.exec(`${guard === undefined ? '' : `DROP TRIGGER ${table}_is_never_updated;`} ${sql}; ${guard ?? ''}`);
  db.close();
}
const WITHOUT_WORDS = "UPDATE policy_version SET snapshot = json_set(snapshot, '$.words', json('[]'))";

const restore = (): Promise<Restored> =>
  restoreLedger({
    file: path.join(path.dirname(backup), 'restored.sqlite'),
    backup,
    ...RESTORE_ALONE,
    now: new Date(at),
  });

test('a policy without its words is named by verify with the texts that it has let out, and gives no backup', async () => {
  made.ledger.write((tx) => {
    receive(tx, newEntry('out'), 'AUTO_PUBLISHED', at);
    receive(tx, newEntry('waiting', {}, { cursor: 2 }), 'PENDING_REVIEW', at);
  });
  alter(made.file, 'policy_version', WITHOUT_WORDS);
  expect(verifyLedger(made.ledger).findings).toEqual(
    expect.arrayContaining([
      'The policy version 1 is not as row 2 of the audit log has left it.',
      'Under policy version 1, 1 texts were provided without a reviewer: out.',
    ]),
  );
  await expect(backupLedger(made.ledger, backup)).rejects.toThrow('The policy version 1 is not as row 2');
});

test.each([
  ['the words of the policy', 'policy_version', WITHOUT_WORDS, 'policy version 1'],
  ['a role', 'member', "UPDATE member SET role = 'TENANT_ADMIN' WHERE username = 'viewer'", 'member'],
  ['a password', 'member', "UPDATE member SET password_hash = 'mine' WHERE username = 'admin'", '(admin)'],
  ['the key of a channel', 'channel', "UPDATE channel SET key_hash = 'mine' WHERE channel = 'MTS'", 'channel MTS'],
])('a backup with another value of %s is not restored', async (_, table, sql, said) => {
  await backupLedger(made.ledger, backup);
  alter(backup, table, sql);
  await expect(restore()).rejects.toThrow(said);
});

test('a session that was ended after the backup does not live again', async () => {
  const member = made.ledger.first(sqlite.selectFrom('member').selectAll().orderBy('id'));
  const { id = '', display_name: displayName = '', role = 'READ_ONLY' } = member ?? {};
  const token = made.ledger.write((tx) => {
    const actor = { kind: 'MEMBER', id, displayName, role } as const;
    recordAction(tx, { at, actor, action: 'auth.login', targetType: 'member', targetId: id, detail: {} });
    return openSession(tx, id, new Date(at), { idleMs: 60_000, absoluteMs: 60_000 });
  });
  await backupLedger(made.ledger, backup);
  made.ledger.write((tx) => closeSession(tx, token, at));
  await restore();
  const restored = openLedger(path.join(path.dirname(backup), 'restored.sqlite'), { create: false });
  expect(restored.all(sqlite.selectFrom('session').selectAll())).toEqual([]);
  restored.close();
});

test('without the record key an altered policy is refused, and an honest backup is restored and not called sound', async () => {
  const whole = await backupLedger(made.ledger, backup);
  rmSync(recordKeyFile(made.file) ?? '');
  const without = await backupLedger(made.ledger, `${backup}.second`);
  const unjudged = [expect.stringContaining('could not be judged')];
  expect([whole.unjudged, without.unjudged, verifyLedger(made.ledger).unjudged]).toEqual([[], unjudged, unjudged]);
  expect((await restore()).notices).toEqual(unjudged);
  const { code, out } = await intakeWith({ CAUSEWAY_LEDGER: made.file }, 'verify');
  expect([code, out]).toEqual([1, expect.stringContaining('sound as far as it could be judged')]);
  alter(backup, 'policy_version', WITHOUT_WORDS);
  rmSync(path.join(path.dirname(backup), 'restored.sqlite'));
  await expect(restore()).rejects.toThrow('policy version 1');
});
