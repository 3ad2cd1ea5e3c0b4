/** Each alteration of what the audit log vouches for is found (D199), driven by the schema itself; an honest ledger is sound. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import type { PolicySnapshot } from '../../screening/policy.ts';
import { memberSignedIn } from '../accounts/identities.ts';
import { openSession, sessionKey, touchSession } from '../accounts/sessions.ts';
import { activePolicyVersion } from '../policy/versions.ts';
import { thingFindings } from './thing-findings.ts';
import { changeRole, registerMember, renameMember } from '../accounts/member-changes.ts';
import { findMember } from '../accounts/members.ts';
import { beginSecondFactor, confirmSecondFactor, setSecondFactorSetting } from '../accounts/second-factors.ts';
import { seedDemo } from '../demo/seed.ts';
import { withCriteria, withDisclaimer } from '../policy/changes.ts';
import { proposeChange, publishProposal } from '../policy/proposals.ts';
import { cancelPolicyStart, startDuePolicy } from '../policy/start.ts';
import { changePolicy } from '../policy/versions.ts';
import { isIndexSound } from '../explanations/search-index.ts';
import { addNote } from '../review/notes.ts';
import { setApprovalNumbering } from '../serving/approval.ts';
import { setReviewTarget } from '../review/target.ts';
import { closeChannel, openChannel, replaceChannelKey } from '../serving/channels.ts';
import { confirmExclusion, setSector, toggleScope } from '../serving/scope.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { newEntry, receive, temporaryLedger } from '../../../test/support/agent/ledger.ts';
import { appendRow, recordAction, rowOf, verifyChain, type Actor } from './audit.ts';
import { AUDITED, AUDITED_TABLES, NOT_AUDITED, type AuditedTable } from '../made/audited.ts';
import { readRecordKey, recordKeyFile } from '../made/record-key.ts';
import { beginRecord } from './record-begins.ts';
import { hashOf } from './row-hash.ts';
import { checkThings } from './thing-check.ts';
import { policyFaults } from './single-things.ts';
import { some } from '../../../test/support/runs.ts';

const at = '2026-11-20T07:00:00.000Z';
const LATER = '2026-11-20T07:10:00.000Z';
const ADMIN = { kind: 'MEMBER', id: 'admin', displayName: '관리자', role: 'TENANT_ADMIN' } as const satisfies Actor;
const REVIEWER = { kind: 'MEMBER', id: 'jiwoo', displayName: '한지우', role: 'COMPLIANCE_REVIEWER' } as const;

/** An act of each kind that the log vouches for. */
function act(tx: LedgerTransaction): void {
  const account = { username: 'jiwoo', displayName: '한지우', role: 'OPERATOR', passwordHash: UNMATCHED_HASH } as const;
  registerMember(tx, { id: 'jiwoo', ...account, actor: ADMIN, at });
  changeRole(tx, { id: 'jiwoo', role: 'COMPLIANCE_REVIEWER', actor: ADMIN, at });
  renameMember(tx, { id: 'jiwoo', displayName: '한지우 (심사)', actor: ADMIN, at });
  setSecondFactorSetting(tx, { reviewers: true, actor: ADMIN, at });
  const member = findMember(tx, 'jiwoo');
  if (member === undefined) throw new TypeError('no member');
  const secret = beginSecondFactor(tx, { member, actor: REVIEWER, at });
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.parse(at) });
  confirmSecondFactor(tx, { member, code, at: new Date(at), actor: REVIEWER, token: 'none' });
  const person = { issuer: 'https://id', subject: 's', usernames: ['seyoung'], displayName: '오세영' } as const;
  memberSignedIn(tx, { ...person, role: 'OPERATOR' }, 'seyoung', at);
  openChannel(tx, { channel: 'APP', key: 'first', at });
  replaceChannelKey(tx, { channel: 'APP', key: 'second', at });
  const id = receive(tx, newEntry('one'));
  toggleScope(tx, { type: 'MARKET', key: 'KRX', actor: ADMIN, at, reason: 'no trading' });
  confirmExclusion(tx, { type: 'MARKET', key: 'KRX', actor: ADMIN, at, reason: 'never served' });
  setSector(tx, { code: '069500', sector: '지수', actor: ADMIN, at });
  addNote(tx, { id, actor: REVIEWER, at, text: '확인함' });
  setReviewTarget(tx, { minutes: 60, actor: ADMIN, at });
  setApprovalNumbering(tx, { pattern: '{SEQ}', validDays: 365, next: 1 }, { actor: REVIEWER, at });
  const change = (active: typeof SEED_POLICY) => withCriteria(active, { minSources: 9 });
  const draft = { criteria: { minSources: 9 } };
  const sources =
    (minSources: number) =>
    (edited: PolicySnapshot = SEED_POLICY) =>
      withCriteria(edited, { minSources });
  const later = { startsAt: LATER, at };
  const cancelled = changePolicy(tx, { change: sources(3), actor: ADMIN, ...later });
  cancelPolicyStart(tx, { version: cancelled.version, reason: '보류', actor: REVIEWER, at });
  changePolicy(tx, { change: sources(4), actor: ADMIN, ...later });
  startDuePolicy(tx, LATER);
  changePolicy(tx, { change: () => withDisclaimer(SEED_POLICY, '다른 안내'), actor: ADMIN, at });
  proposeChange(tx, { id: 'proposal', draft, told: [], change, actor: REVIEWER, at });
}

let made: { ledger: Ledger; file: string; dispose(): void };
let honest: { bytes: Buffer; key: string };
beforeAll(() => {
  const whole = temporaryLedger();
  let n = 0;
  seedDemo(whole.ledger, { now: () => new Date(at) }, { uuid: () => `demo-${(n += 1)}` }, () => 'hash');
  whole.ledger.write(act);
  whole.ledger.foldLog();
  honest = { bytes: readFileSync(whole.file), key: readFileSync(recordKeyFile(whole.file) ?? '', 'utf8') };
  whole.dispose();
});
beforeEach(() => {
  made = temporaryLedger();
  made.ledger.close();
  writeFileSync(made.file, honest.bytes);
  writeFileSync(keyFile(), honest.key);
  made.ledger = openLedger(made.file);
});
afterEach(() => made.dispose());

const keyFile = (): string => recordKeyFile(made.file) ?? '';
const found = (key = readRecordKey(keyFile())) => made.ledger.read((reader) => checkThings(reader, key));

/** Writes past the guards, and puts them back, as somebody who can write the file does. */
function alter(sql: string): void {
  const db = new Database(made.file);
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  const guards = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of guards) db.exec(`DROP TRIGGER "${name}"`);
  db.exec(sql);
  for (const guard of guards) db.exec(guard.sql);
  db.close();
}

interface Column {
  table: string;
  name: string;
  type: string;
}
const COLUMNS = ((): Column[] => {
  const { ledger, dispose } = temporaryLedger();
  const columns = ledger.all<Column>({
    sql: `SELECT t.name AS "table", c.name, c.type FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT GLOB 'explanation_search_*' ORDER BY 1, c.cid`,
    parameters: [],
  });
  dispose();
  return columns;
})();
const isAudited = (table: string): table is AuditedTable => Object.hasOwn(AUDITED, table);
const covered = COLUMNS.filter(({ table, name }) => isAudited(table) && AUDITED[table].columns.includes(name));

test('a ledger of every kind of act is sound, and its chain too', () => {
  expect(found()).toEqual({ faults: [], unjudged: 0 });
  expect(verifyChain(made.ledger)).toMatchObject({ ok: true });
  expect(
    AUDITED_TABLES.filter(
      (table) => made.ledger.first({ sql: `SELECT 1 FROM ${table}`, parameters: [] }) === undefined,
    ),
  ).toEqual([]);
});

test('a look at some tables alone takes nothing of the others for an alteration', () => {
  const actor = { ...REVIEWER, id: 'second' };
  const { version } = made.ledger.write((tx) => publishProposal(tx, { id: 'proposal', actor, at }));
  // One row ends the proposal and makes the version.
  const key = readRecordKey(keyFile());
  for (let each = 1; each <= version; each += 1) expect(policyFaults(made.ledger, key, each)).toEqual([]);
  for (const table of AUDITED_TABLES)
    expect(checkThings(made.ledger, key, [table]), table).toEqual({ faults: [], unjudged: 0 });
  expect(found()).toEqual({ faults: [], unjudged: 0 });
});

test('each column of the schema is vouched for, or exempt with a reason', () => {
  const neither = COLUMNS.filter(
    (column) =>
      !covered.includes(column) &&
      NOT_AUDITED[column.table] === undefined &&
      NOT_AUDITED[`${column.table}.${column.name}`] === undefined,
  );
  expect(neither).toEqual([]);
  const places = new Set(COLUMNS.flatMap(({ table, name }) => [table, `${table}.${name}`]));
  expect(Object.keys(NOT_AUDITED).filter((place) => !places.has(place))).toEqual([]);
});

describe('an alteration is found', () => {
  test.each(
    some(
      30,
      covered.map(({ table, name, type }) => [`${table}.${name}`, table, name, type] as const),
    ),
  )('of %s', (_, table, name, type) => {
    const other = type === 'INTEGER' ? `coalesce("${name}", 0) + 7` : `coalesce("${name}", '') || 'x'`;
    const present = isAudited(table) ? AUDITED[table].present : undefined;
    const rows = present === undefined ? '' : `WHERE ${present} IS NOT NULL`;
    const row = `rowid = (SELECT max(rowid) FROM ${table} ${rows})`;
    const first = COLUMNS.find((column) => column.table === table)?.name;
    const where = isWithoutRowid(table) ? `"${first}" = (SELECT max("${first}") FROM ${table} ${rows})` : row;
    alter(`UPDATE OR IGNORE ${table} SET "${name}" = ${other} WHERE ${where}`);
    expect(found().faults.length).toBeGreaterThan(0);
  });

  test.each(AUDITED_TABLES)('that removes all rows of %s', (table) => {
    alter(`DELETE FROM ${table}`);
    expect(found().faults.filter((fault) => fault.table === table && fault.row !== null)).not.toEqual([]);
  });

  test('that adds an administrator', () => {
    alter(`INSERT INTO member (id, username, display_name, role, password_hash, active, created_at)
      VALUES ('new', 'new', 'New', 'TENANT_ADMIN', 'hash', 1, '${at}')`);
    expect(found().faults).toEqual([
      {
        ...{ fault: 'NO_ROW', table: 'member', key: ['new'], row: null },
        says: 'The member new (new) has no row in the audit log.',
      },
    ]);
  });

  test('that a later act of a person would cover', () => {
    alter("UPDATE member SET role = 'TENANT_ADMIN' WHERE id = 'jiwoo'");
    made.ledger.write((tx) => renameMember(tx, { id: 'jiwoo', displayName: '한지우', actor: ADMIN, at }));
    expect(found().faults).toMatchObject([
      { table: 'member', key: ['jiwoo'], says: expect.stringContaining('which was not then as row') as string },
    ]);
  });

  test('that comes with a row of its own at the end of the log, or with one that was there before', () => {
    const [last] = made.ledger.all(
      sqlite.selectFrom('console_action_log').selectAll().where('action', '=', 'member.role'),
    );
    if (last === undefined) throw new TypeError('no row');
    const again = { ...last };
    made.ledger.write((tx) => appendRow(tx, again));
    const says = found().faults.map(({ says }) => says);
    expect(says).toContainEqual(expect.stringMatching(/^Row \d+ of the audit log is row \d+ once more\.$/));
    expect(says).toContainEqual(expect.stringContaining('which was not then as'));
    const forged = { ...again, detail: JSON.stringify({ from: 'OPERATOR', to: 'TENANT_ADMIN' }) };
    made.ledger.write((tx) => appendRow(tx, forged));
    expect(found().faults.map(({ says }) => says)).toContainEqual(
      expect.stringContaining('was not written by this host'),
    );
  });

  test('that brings back what was removed, with the row that had made it', () => {
    made.ledger.write((tx) => openChannel(tx, { channel: 'KIOSK', key: 'stolen', at }));
    const channels = made.ledger.all(sqlite.selectFrom('channel').selectAll().where('channel', '=', 'KIOSK'));
    made.ledger.write((tx) => closeChannel(tx, { channel: 'KIOSK', at }));
    expect(found()).toEqual({ faults: [], unjudged: 0 });
    const added = made.ledger.all(
      sqlite.selectFrom('console_action_log').selectAll().where('action', '=', 'channel.add'),
    );
    made.ledger.write((tx) => {
      for (const channel of channels) tx.run(sqlite.insertInto('channel').values(channel));
      tx.changes.forget();
      const row = added.at(-1);
      if (row !== undefined) appendRow(tx, row);
    });
    expect(found().faults.map(({ says }) => says)).toEqual([expect.stringContaining('once more')]);
  });
});

test('a row that is appended without the key is found, although it made nothing', () => {
  const row = rowOf({
    at,
    actor: ADMIN,
    action: 'explanation.approve',
    targetType: 'explanation',
    targetId: 'a',
    detail: {},
  });
  made.ledger.write((tx) => appendRow(tx, { ...row, made: null }));
  made.ledger.write((tx) => appendRow(tx, { ...row, made: '{"key":"00000000","mac":"00","things":[]}' }));
  made.ledger.write((tx) => appendRow(tx, { ...row, actor_id: null, actor_role: 'SYSTEM', made: null }));
  expect(found().faults).toMatchObject([
    {
      fault: 'ROW_FORGED',
      says: expect.stringMatching(/^Row \d+ of the audit log was written with another record key/) as string,
    },
    {
      fault: 'UNSEALED',
      says: expect.stringMatching(
        /^2 rows of the audit log, from row \d+ on, were written without the record key\.$/,
      ) as string,
    },
  ]);
});

const isWithoutRowid = (table: string): boolean =>
  /WITHOUT ROWID/.test(
    made.ledger.first<{ sql: string }>({ sql: 'SELECT sql FROM sqlite_schema WHERE name = ?', parameters: [table] })
      ?.sql ?? '',
  );

test('without the record key it is said what could not be judged, and what is public is judged nevertheless', () => {
  rmSync(keyFile());
  expect(found()).toEqual({ faults: [], unjudged: expect.any(Number) as number });
  expect(found().unjudged).toBeGreaterThan(10);
  alter("UPDATE policy_version SET snapshot = '{}' WHERE version = 2; UPDATE member SET password_hash = 'mine'");
  expect(found().faults).toMatchObject([{ table: 'policy_version', key: [2] }]);
});

test('a host that has lost its key goes on without seals, until an administrator puts the present state on record', () => {
  rmSync(keyFile());
  made.ledger.write((tx) => changeRole(tx, { id: 'jiwoo', role: 'OPERATOR', actor: ADMIN, at }));
  expect(readRecordKey(keyFile())).toBeNull();
  expect(found().faults).toEqual([]);
  writeFileSync(keyFile(), honest.key);
  expect(found().faults.map(({ says }) => says)).toEqual([
    expect.stringMatching(/^Row \d+ of the audit log was written without the record key\.$/),
  ]);
  made.ledger.write((tx) => beginRecord(tx, { at, actor: { kind: 'UNKNOWN', username: 'command (root)' }, why: {} }));
  expect(found()).toEqual({ faults: [], unjudged: 0 });
  expect(verifyChain(made.ledger)).toMatchObject({ ok: true });
  alter("UPDATE channel SET key_hash = 'mine' WHERE channel = 'APP'");
  expect(found().faults).toMatchObject([{ table: 'channel', key: ['APP'] }]);
});

test('no digest tells of a secret without the key', () => {
  const rows = JSON.stringify(made.ledger.all(sqlite.selectFrom('console_action_log').select('made')));
  for (const { secret } of made.ledger.all(sqlite.selectFrom('second_factor').select('secret')))
    expect(rows).not.toContain(secret);
  for (const { code_hash } of made.ledger.all(sqlite.selectFrom('recovery_code').select('code_hash')))
    expect(rows).not.toContain(code_hash);
});

test('a write that is rolled back tells nothing; one that changes nothing bears its seal alone', () => {
  const before = found();
  expect(() =>
    made.ledger.write((tx) => {
      changeRole(tx, { id: 'jiwoo', role: 'OPERATOR', actor: ADMIN, at });
      throw new Error('no');
    }),
  ).toThrow('no');
  made.ledger.write((tx) => {
    tx.run(sqlite.updateTable('member').set({ last_login_at: at }));
    recordAction(tx, { at, actor: ADMIN, action: 'auth.login', targetType: 'member', targetId: 'admin', detail: {} });
  });
  const [last] = made.ledger.all(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq', 'desc').limit(1));
  expect([last?.action, last && hashOf(last) === last.hash]).toEqual(['auth.login', true]);
  expect(JSON.parse(last?.made ?? '')).toMatchObject({ key: expect.any(String) as string, things: [] });
  expect(found()).toEqual(before);
});

test.each([
  ['emptied', 'DELETE FROM console_action_log WHERE seq > 1; UPDATE console_action_log SET made = NULL'],
  ['without what its rows made', 'UPDATE console_action_log SET made = NULL'],
])('a log %s, on a host with a record key, is found', (_, statements) => {
  const db = new Database(made.file);
  db.exec(
    `DROP TRIGGER console_action_log_is_never_deleted; DROP TRIGGER console_action_log_is_never_updated; ${statements}`,
  );
  db.close();
  const left = openLedger(made.file);
  const { faults } = checkThings(left, readRecordKey(keyFile()));
  expect(faults.length).toBeGreaterThan(10);
  expect(new Set(faults.map(({ fault }) => fault))).toEqual(new Set(['NO_ROW']));
  left.close();
});

test.each(['policy.publish', 'audit.begin'])('the newest policy version, told by %s and gone, is missed', (told) => {
  if (told === 'audit.begin') made.ledger.write((tx) => beginRecord(tx, { at, actor: ADMIN, why: { accepted: true } }));
  const newest = activePolicyVersion(made.ledger) ?? 0;
  const db = new Database(made.file);
  db.pragma('foreign_keys = OFF');
  for (const table of ['policy_version', 'policy_timing'])
    db.exec(`DROP TRIGGER IF EXISTS ${table}_is_never_deleted; DELETE FROM ${table} WHERE version = ${newest}`);
  db.close();
  expect(activePolicyVersion(made.ledger)).toBe(newest - 1);
  expect(policyFaults(made.ledger, readRecordKey(keyFile()), newest - 1)).toMatchObject([
    { fault: 'GONE', key: [newest], says: `The policy version ${newest} is gone, and the audit log tells of it.` },
  ]);
});

describe('a session', () => {
  const opened = new Date('2026-11-20T07:30:00.000Z');
  const open = (): string =>
    made.ledger.write((tx) => openSession(tx, 'jiwoo', opened, { idleMs: 60_000, absoluteMs: 60_000 }));
  const sessions = (): string[] => thingFindings(made.ledger, readRecordKey(keyFile())).findings;

  test('that this host has begun is sound, also while it is in use', () => {
    const token = open();
    made.ledger.write((tx) => touchSession(tx, token, '2026-11-20T07:30:30.000Z'));
    expect(sessions()).toEqual([]);
  });

  test.each([
    ['a token of somebody else', { token_hash: sessionKey('mine') }],
    ['another member', { member_id: 'seyoung' }],
    ['another beginning', { created_at: '2026-11-20T09:00:00.000Z' }],
  ])('with %s is found, in the place of one that a login began', (_, forged) => {
    open();
    made.ledger.write((tx) => tx.run(sqlite.updateTable('session').set(forged)));
    expect(sessions()).toEqual([expect.stringMatching(/^The session of \S+ of \S+Z was not begun by this host\.$/u)]);
  });

  test('without a proof is found', () => {
    open();
    made.ledger.write((tx) => tx.run(sqlite.updateTable('session').set({ proof: null })));
    expect(sessions()).toEqual([expect.stringContaining('was begun without the record key.')]);
  });
});

test('an act after a check of the search index, which drops temporary triggers, is told as well', () => {
  expect(isIndexSound(made.ledger)).toBe(true);
  made.ledger.write((tx) => changeRole(tx, { id: 'jiwoo', role: 'OPERATOR', actor: ADMIN, at }));
  expect(found()).toEqual({ faults: [], unjudged: 0 });
});
