/** A backup or ledger in which somebody has altered what decides is named by every check, and not restored (D199). */
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeSession, openSession } from '../../ledger/accounts/sessions.ts';
import { appendRow, recordAction } from '../../ledger/audit/audit.ts';
import { checkThings } from '../../ledger/audit/thing-check.ts';
import { seedDemo } from '../../ledger/demo/seed.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { followHistory } from '../../ledger/explanations/history-check.ts';
import { readRecordKey, recordKeyFile } from '../../ledger/made/record-key.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import { intakeWith } from '../../../test/support/agent/intake-command.ts';
import { newAt, partsOn, RESTORE_ALONE, reviewer, takeIn } from '../../../test/support/agent/intake.ts';
import { backupLedger } from './backup.ts';
import { restoreLedger, type Restored } from './restore.ts';

const at = '2026-11-20T07:00:00.000Z';
let made: { ledger: Ledger; file: string };
let backup: string;
beforeEach(() => {
  made = testLedger();
  seedDemo(made.ledger, { now: () => new Date(at) }, { uuid: () => crypto.randomUUID() }, () => 'hash');
  backup = path.join(path.dirname(made.file), 'backup.sqlite');
});

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

describe('a decision of a ledger that was given up', () => {
  const minute = (n: number) => `2026-11-20T07:0${n}:00.000Z`;
  const id = explanationId('waiting');
  let ledger: Ledger;
  /** Appends the approval that the present ledger lacks, as the nth move of all. */
  let append: (nth: number) => void;
  const decide = (on: Ledger, move: 'approve' | 'move-to-review', n: number) =>
    on.write((tx) => applyMove(tx, { id, move, actor: reviewer, at: minute(n), reason: '확인' }));
  const things = () => checkThings(ledger, readRecordKey(recordKeyFile(made.file))).faults.map(({ says }) => says);
  const steps = () => [...followHistory(ledger).faults.values()];
  beforeEach(async () => {
    takeIn(partsOn(made.ledger, at), newAt(1, 'waiting', { confidence_level: 'LOW' }));
    await backupLedger(made.ledger, backup);
    decide(made.ledger, 'approve', 1);
    const row = made.ledger.first(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq', 'desc'));
    const move = made.ledger.first(sqlite.selectFrom('state_history').selectAll().orderBy('id', 'desc'));
    if (row === undefined || move === undefined) throw new TypeError('no such move');
    append = (nth) =>
      ledger.write((tx) => {
        appendRow(tx, row);
        tx.run(sqlite.insertInto('state_history').values({ ...move, id: nth }));
      });
    made.ledger.close();
    await restoreLedger({ file: made.file, backup, ...RESTORE_ALONE, older: 'EXPOSED', now: new Date(minute(2)) });
    ledger = openLedger(made.file);
  });
  afterEach(() => ledger.close());

  test('is found once people act in the one that goes on', async () => {
    decide(ledger, 'approve', 3);
    decide(ledger, 'move-to-review', 4);
    expect([...things(), ...steps()]).toEqual([]);
    append(4);
    expect(things()).toEqual([
      expect.stringMatching(/^Row \d+ of the audit log is of a ledger that a restore has replaced\.$/),
    ]);
    expect(steps()).toEqual([]);
    append(5);
    expect(steps()).toEqual([
      expect.stringContaining('goes on from PENDING_REVIEW, and the move before it has ended in PUBLISHED'),
    ]);
    await expect(backupLedger(ledger, `${backup}.again`)).rejects.toThrow('of a ledger that a restore has replaced');
  });

  test('is sound where the restore makes it again, also after a move of the program', () => {
    const screened = { outcome: 'BLOCKED', policyVersion: 1, screeningId: null } as const;
    const actor = { kind: 'SYSTEM' } as const;
    ledger.write((tx) =>
      applyMove(tx, { id, move: 'text-changed', actor, at: minute(2), screened, withoutText: true }),
    );
    append(3);
    expect([...things(), ...steps()]).toEqual([]);
  });
});
