/** Records of a decision journal that no console API wrote are not made again unseen (D208). */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { seedDemo } from '../../../ledger/demo/seed.ts';
import { changeRole, registerMember } from '../../../ledger/accounts/member-changes.ts';
import { appendRow } from '../../../ledger/audit/audit.ts';
import { hashOf } from '../../../ledger/audit/row-hash.ts';
import { beginAnew, captureDecisions, DecisionJournal, journalState } from '../../../ledger/journal/journal.ts';
import {
  addJournalKey,
  confirmKeyCopy,
  journalKeyFile,
  readJournalKeys,
  sealed,
} from '../../../ledger/journal/journal-key.ts';
import { digest, keepPlace, outboxAfter, type DecisionRecord } from '../../../ledger/journal/records.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../ledger/storage/ledger.ts';
import { sqlite } from '../../../ledger/storage/query.ts';
import type { ConsoleActionLogTable } from '../../../ledger/storage/tables.ts';
import { testLedger } from '../../../../test/support/agent/ledger.ts';
import { changeOnDisk, RESTORE_ALONE } from '../../../../test/support/agent/intake.ts';
import { backupLedger } from '../backup.ts';
import { restoreLedger, type Restored, type RestoreParts } from '../restore.ts';
import { verifyLedger } from '../../maintenance/verify.ts';
import { lossText } from './words.ts';

const at = '2026-11-20T07:00:00.000Z';
const actor = { kind: 'MEMBER', id: 'admin', displayName: '관리자', role: 'TENANT_ADMIN' } as const;
const log = { info: () => undefined, error: () => undefined };
let made: { ledger: Ledger; file: string };
let folder: string;
let backup: string;
let lost: string;
beforeEach(async () => {
  made = testLedger();
  folder = path.join(path.dirname(made.file), 'journal');
  backup = path.join(path.dirname(made.file), 'backup.sqlite');
  lost = path.join(path.dirname(made.file), 'new', 'ledger.sqlite');
  mkdirSync(path.dirname(lost));
  seedDemo(made.ledger, { now: () => new Date(at) }, { uuid: () => crypto.randomUUID() }, () => 'hash');
  const kept = await DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
  await backupLedger(made.ledger, backup);
  await register(kept, 'honest');
  await kept.stop();
});

const reopened = (): Promise<DecisionJournal> => {
  made.ledger.close();
  made.ledger = openLedger(made.file);
  return DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
};

const register = (kept: DecisionJournal, id: string): Promise<void> =>
  kept.write((begin) =>
    Promise.resolve(
      made.ledger.write((tx) => {
        begin();
        const account = {
          id,
          username: id,
          displayName: id,
          role: 'COMPLIANCE_REVIEWER',
          passwordHash: 'hash',
        } as const;
        registerMember(tx, { ...account, actor, at });
      }),
    ),
  );

const keys = () => readJournalKeys(journalKeyFile(made.file));
/** On another host, which has the journal and the backup alone. */
const restore = (
  acceptsUnproved = false,
  known = keys(),
  older: RestoreParts['older'] = 'REFUSED',
): Promise<Restored> =>
  restoreLedger({
    ...{ file: lost, backup, ...RESTORE_ALONE, older, journal: folder },
    catchUp: (_ledger, between) => {
      between?.makeUpTo(Number.MAX_SAFE_INTEGER);
      return Promise.resolve(null);
    },
    proof: { keys: known, acceptsUnproved },
    now: new Date(at),
  });
const members = (): string[] => {
  const ledger = openLedger(lost);
  const names = ledger.all(sqlite.selectFrom('member').select('username').orderBy('username'));
  ledger.close();
  return names.map(({ username }) => username);
};

const segment = (): string => path.join(folder, readdirSync(folder).toSorted().at(-1) ?? '');
const lines = (): string[] => readFileSync(segment(), 'utf8').trimEnd().split('\n');
const recordOf = (line: string): DecisionRecord => JSON.parse(line.slice(65)) as DecisionRecord;
const put = (all: readonly object[]): void =>
  writeFileSync(
    segment(),
    all
      .map((told) => JSON.stringify(told))
      .map((text) => `${digest(text)} ${text}\n`)
      .join(''),
  );

const unsealed = (record: DecisionRecord): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'mac'));

/** Appends a record by hand: the same with other words, and sound hashes. */
function forge(change: (record: DecisionRecord) => DecisionRecord): void {
  const all = lines();
  const last = all.at(-1) ?? '';
  const record = change(recordOf(last));
  const next = unsealed({ ...record, seq: record.seq + 1, prev: last.slice(0, 64) });
  put([...all.map((line) => JSON.parse(line.slice(65)) as object), next]);
}
const asOther = (record: DecisionRecord): DecisionRecord =>
  JSON.parse(JSON.stringify(record).replaceAll('honest', 'forged')) as DecisionRecord;
const rehashed = (record: DecisionRecord): DecisionRecord => ({
  ...record,
  audit: record.audit.map((row) => ({ ...row, hash: hashOf(row) })),
});

test('an honest journal makes again what people did, and every record of it is proved', async () => {
  expect(await restore()).toMatchObject({ replayed: { made: 1, unproved: [], lacking: null } });
  expect(members()).toContain('honest');
  expect(journalState(made.ledger, folder)).toMatchObject({ isWhole: true });
});

test('a reviewer that somebody has written into the journal is refused, and named where it is accepted', async () => {
  forge((record) => rehashed(asOther(record)));
  await expect(restore()).rejects.toThrow(/is not proved: record 3 in segment-\d+\.jsonl: it bears no MAC/);
  expect(journalState(made.ledger, folder).said).toContain('it bears no MAC of the journal key');
  // The seal of the row's digests shows it, too, once it is in the ledger.
  const restored = await restore(true);
  expect(restored.replayed).toMatchObject({
    made: 2,
    unproved: [{ seq: 3, why: 'it bears no MAC of the journal key', actions: ['member.register'] }],
  });
});

test.each([
  [
    'a change without its row',
    (record: DecisionRecord) => ({ ...record, audit: [] }),
    'no row of the audit log in it tells so',
  ],
  [
    'a change that its row does not tell',
    (record: DecisionRecord) =>
      rehashed({
        ...record,
        audit: record.audit.map((row) => ({ ...row, made: JSON.stringify({ key: null, mac: null, things: [] }) })),
      }),
    'no row of the audit log in it tells so',
  ],
])('%s is not made again, proved or not', async (_, change, said) => {
  const all = lines();
  const record = unsealed(change(recordOf(all.at(-1) ?? '')));
  put([...all.slice(0, -1).map((line) => JSON.parse(line.slice(65)) as object), sealed(record, keys())]);
  await expect(restore()).rejects.toThrow(said);
});

test('a value that its row tells otherwise is not made again', async () => {
  copyFileSync(path.join(path.dirname(made.file), 'record.key'), path.join(path.dirname(lost), 'record.key'));
  const all = lines();
  const record = recordOf(all.at(-1) ?? '');
  const changes = record.changes.map((one) => ({ ...one, row: { ...one.row, password_hash: 'mine' } }));
  put([
    ...all.slice(0, -1).map((line) => JSON.parse(line.slice(65)) as object),
    sealed(unsealed({ ...record, changes }), keys()),
  ]);
  await expect(restore()).rejects.toThrow('other than its own row of the audit log tells');
});

test('an unproved first line that takes records out is refused, and each record is named where it is accepted', async () => {
  const [first = '', one = ''] = lines();
  const header = JSON.parse(first.slice(65)) as DecisionRecord;
  const from = { seq: recordOf(one).seq, hash: one.slice(0, 64) };
  const branch = unsealed(Object.assign(header, { segment: 9, from, branch: true }));
  const text = JSON.stringify(branch);
  writeFileSync(path.join(folder, 'segment-000009.jsonl'), `${digest(text)} ${text}\n`);
  await expect(restore()).rejects.toThrow('is not proved: the first line of segment-000009.jsonl: it bears no MAC');
  const { replayed, lost: gone } = await restore(true);
  expect(replayed).toMatchObject({ made: 0, unproved: [] });
  expect(replayed?.dropped).toContainEqual({
    seq: 2,
    why: 'the first line of segment-000009.jsonl says that it no longer counts, and it bears no MAC of the journal key',
    actions: ['member.register'],
  });
  const told = lossText(replayed, gone).join('\n');
  expect(told).toContain('Left out: record 2 (member.register): the first line of segment-000009.jsonl');
  expect(told).not.toContain('No decision and no setting is lost');
});

test.each([
  ['no JSON', 'no JSON'],
  ['no object', '5'],
  ['nothing', 'null'],
  ['no record', '{"seq":3}'],
])('a line with a right hash that holds %s is a fault with its place', async (_, text) => {
  writeFileSync(segment(), `${readFileSync(segment(), 'utf8')}${digest(text)} ${text}\n`);
  await expect(restore()).rejects.toThrow(/segment-\d+\.jsonl: .*holds no record/);
  expect(journalState(made.ledger, folder)).toMatchObject({ isWhole: false });
  writeFileSync(segment(), `${digest(text)} ${text}\n`);
  await expect(restore()).rejects.toThrow(/the first line of segment-\d+\.jsonl holds no beginning of a segment/);
});

test('without the key nothing is made again unless it is accepted; a key that another has succeeded proves its records', async () => {
  await expect(restore(false, [])).rejects.toThrow('the journal key is not here');
  const former = keys();
  const both = addJournalKey(journalKeyFile(made.file));
  expect(both.map(({ id }) => id).slice(1)).toEqual(former.map(({ id }) => id));
  const again = await reopened();
  await register(again, 'later');
  await again.stop();
  await expect(restore(false, former)).rejects.toThrow('another journal key');
  expect(await restore(false, both)).toMatchObject({ replayed: { made: 2, unproved: [] } });
  expect(members()).toEqual(expect.arrayContaining(['honest', 'later']));
});

/** A ledger whose journal goes on under a newer key, with a record of that key or its first line alone. */
async function withNewerKey(...ids: string[]): Promise<void> {
  addJournalKey(journalKeyFile(made.file));
  const again = await reopened();
  for (const id of ids) await register(again, id);
  await again.stop();
}
const SUCCEEDED = 'it bears the MAC of a journal key that another had succeeded by then';

test.each([
  ['a record', ['later']],
  ['a first line', []],
])(
  'after %s of a newer key, a record that a former key seals is refused, and named where it is accepted',
  async (_, ids) => {
    const former = keys();
    await withNewerKey(...ids);
    const all = lines();
    const last = recordOf(all.at(-1) ?? '');
    const audit = last.audit.map((row) => ({ ...row }));
    const record = { ...last, audit, seq: last.seq + 1, prev: (all.at(-1) ?? '').slice(0, 64) };
    put([
      ...all.map((line) => JSON.parse(line.slice(65)) as object),
      sealed(unsealed(rehashed(asOther(record))), former),
    ]);
    await expect(restore()).rejects.toThrow(SUCCEEDED);
    expect(journalState(made.ledger, folder).said).toContain(SUCCEEDED);
    expect((await restore(true)).replayed?.unproved).toMatchObject([
      { seq: record.seq, why: expect.stringContaining(SUCCEEDED) as string },
    ]);
  },
);

test('after a newer key, a first line that a former key seals takes nothing out unseen', async () => {
  const former = keys();
  await withNewerKey('later');
  const [first = '', , one = ''] = lines();
  const header = JSON.parse(first.slice(65)) as DecisionRecord;
  const { seq, prev: hash } = recordOf(one);
  const branch = sealed(
    unsealed(Object.assign(header, { segment: 9, from: { seq: seq - 1, hash }, branch: true })),
    former,
  );
  const text = JSON.stringify(branch);
  writeFileSync(path.join(folder, 'segment-000009.jsonl'), `${digest(text)} ${text}\n`);
  await expect(restore()).rejects.toThrow(SUCCEEDED);
  const { replayed } = await restore(true);
  expect(replayed?.dropped).toMatchObject([{ seq, why: expect.stringContaining(SUCCEEDED) as string }]);
});

test('a first line that an administrator’s branch once wrote takes nothing out unseen in another file', async () => {
  await beginAnew(made.ledger, folder);
  const [head = ''] = lines();
  const again = await reopened();
  await register(again, 'later');
  await again.stop();
  writeFileSync(path.join(folder, 'segment-000900.jsonl'), `${head}\n`);
  const said = /the first line of segment-000900\.jsonl: it is that of segment-000002\.jsonl/;
  await expect(restore()).rejects.toThrow(said);
  expect(journalState(made.ledger, folder).said).toMatch(said);
  expect((await restore(true)).replayed?.dropped).toMatchObject([{ actions: ['member.register'] }]);
});

/** A copy of a backup, which says that it stands at the record of a line. */
function standingAt(name: string, honest: string, line: string | undefined): string {
  const file = path.join(path.dirname(made.file), name);
  copyFileSync(honest, file);
  changeOnDisk(file, 'DELETE FROM decision_outbox');
  const record = line?.slice(65) ?? '';
  const forged = openLedger(file);
  forged.write((tx) => keepPlace(tx, { seq: recordOf(line ?? '').seq, hash: digest(record), record }));
  forged.close();
  return file;
}

test('a backup whose place in the journal its own log does not tell is refused, and one of a restored ledger is not', async () => {
  const honest = backup;
  backup = standingAt('forged.sqlite', honest, lines().at(-1));
  await expect(restore()).rejects.toThrow('the audit log lacks rows of record 2 of the decision journal');
  backup = honest;
  await restore();
  backup = path.join(path.dirname(made.file), 'again.sqlite');
  const restored = openLedger(lost);
  await backupLedger(restored, backup);
  restored.close();
  expect(await restore()).toMatchObject({ replayed: { made: 0, lacking: null } });
  expect(members()).toContain('honest');
  // Before what it holds: the former decision would be made again on top of what came after it.
  backup = standingAt('before.sqlite', backup, lines().at(-2));
  await expect(restore()).rejects.toThrow('Record 2 of the decision journal cannot be made again: the backup holds it');
  rmSync(lost);
  const { replayed } = await restore(false, keys(), 'EXPOSED');
  expect(replayed).toMatchObject({ made: 0, unmade: [{ seq: 2, actions: ['member.register'] }] });
});

test('a place behind acts that count as no member’s is refused, though its own row was appended', async () => {
  const again = await reopened();
  const write = (work: (tx: LedgerTransaction) => void): Promise<void> =>
    again.write((begin) => Promise.resolve(made.ledger.write((tx) => (begin(), work(tx)))));
  backup = path.join(path.dirname(made.file), 'later.sqlite');
  await backupLedger(made.ledger, backup);
  // As single sign-on does, and a command on the host behind it.
  await write((tx) => void changeRole(tx, { id: 'honest', role: 'READ_ONLY', actor: { kind: 'SYSTEM' }, at }));
  await write((tx) => confirmKeyCopy(tx, 'key', at));
  await again.stop();
  const last = lines().at(-1);
  const sound = backup;
  backup = standingAt('forged.sqlite', sound, last);
  const forged = openLedger(backup);
  for (const row of recordOf(last ?? '').audit) forged.write((tx) => appendRow(tx, row));
  forged.close();
  await expect(restore()).rejects.toThrow('the audit log lacks rows of record 4 of the decision journal');
  backup = sound;
  expect(await restore()).toMatchObject({ replayed: { made: 2, lacking: null } });
  backup = path.join(path.dirname(made.file), 'again.sqlite');
  const restored = openLedger(lost);
  await backupLedger(restored, backup);
  restored.close();
  expect(await restore()).toMatchObject({ replayed: { made: 0, lacking: null } });
});

test('a backup ahead of the folder is restored where its own outbox has what the folder lacks, each record proved', async () => {
  made.ledger.close();
  made.ledger = openLedger(made.file);
  captureDecisions(made.ledger);
  made.ledger.write((tx) => void changeRole(tx, { id: 'honest', role: 'READ_ONLY', actor: { kind: 'SYSTEM' }, at }));
  backup = path.join(path.dirname(made.file), 'ahead.sqlite');
  await backupLedger(made.ledger, backup);
  const honest = backup;
  const record = JSON.parse(outboxAfter(made.ledger, 2)[0]?.record ?? '') as DecisionRecord;
  /** The same backup with another last record. */
  const saying = (told: object): string => {
    const [file, text] = [`${honest}.forged`, JSON.stringify(told)];
    copyFileSync(honest, file);
    changeOnDisk(file, `UPDATE decision_outbox SET hash = '${digest(text)}', record = '${text}' WHERE seq = 3`);
    return file;
  };
  backup = saying({ ...unsealed(record), acts: 0 });
  for (const accepts of [false, true])
    await expect(restore(accepts)).rejects.toThrow('is not proved: record 3: it bears no MAC');
  backup = saying({ ...record, prev: '0'.repeat(64) });
  await expect(restore()).rejects.toThrow('ends at record 2, and the backup holds record 3');
  backup = honest;
  const [kept, all] = [segment(), readFileSync(segment(), 'utf8')];
  // Where the disk of the folder is not mounted, nobody knows what came after it.
  rmSync(kept);
  await expect(restore()).rejects.toThrow('ends at record 0, and the backup holds record 3');
  writeFileSync(kept, all);
  expect(await restore()).toMatchObject({ replayed: { made: 0, lacking: null } });
  copyFileSync(journalKeyFile(made.file), journalKeyFile(lost));
  const ledger = openLedger(lost);
  await (await DecisionJournal.open({ ledger, folder, mode: 'require', log })).stop();
  expect(journalState(ledger, folder)).toMatchObject({ isWhole: true });
  expect(recordOf(lines().at(-1) ?? '').seq).toBe(3);
  ledger.close();
  // Behind a damaged line may lie later records.
  writeFileSync(segment(), readFileSync(segment(), 'utf8').replace('READ_ONLY', 'READ-ONLY'));
  rmSync(lost);
  await expect(restore()).rejects.toThrow('is damaged');
});

test('a decision that was cut off the log is missed by its own record, until an administrator accepts the loss', async () => {
  const cut = (table: string, where: string): string =>
    `DROP TRIGGER IF EXISTS ${table}_is_never_deleted; DELETE FROM ${table} WHERE ${where};`;
  const last = 'seq = (SELECT max(seq) FROM console_action_log)';
  changeOnDisk(made.file, `${cut('console_action_log', last)} ${cut('member', "id = 'honest'")}`);
  const said = 'the audit log lacks rows of record 2 of the decision journal';
  await expect(reopened()).rejects.toThrow(said);
  expect(journalState(made.ledger, folder).isWhole).toBe(false);
  expect(journalState(made.ledger, folder).said).toContain(said);
  expect(verifyLedger(made.ledger).findings.join()).toContain(said);
  await beginAnew(made.ledger, folder);
  await (await reopened()).stop();
  expect(journalState(made.ledger, folder)).toMatchObject({ isWhole: true });
  expect(verifyLedger(made.ledger).findings).toEqual([]);
});

test.each([
  ['before the console API starts', false],
  ['while it runs', true],
])('nor does a further record without a seal vouch for the end that was cut off: %s', async (_, isRunning) => {
  const running = isRunning ? await reopened() : null;
  const last = lines().at(-1) ?? '';
  const [{ seq, prev_hash: hash }] = recordOf(last).audit as [ConsoleActionLogTable];
  const none = { auditEnd: { seq: seq - 1, hash }, acts: 0, audit: [], changes: [] };
  const text = JSON.stringify(unsealed({ ...recordOf(last), ...none, seq: 3, prev: last.slice(0, 64) }));
  changeOnDisk(
    made.file,
    `DROP TRIGGER console_action_log_is_never_deleted; DROP TRIGGER IF EXISTS member_is_never_deleted;
     DELETE FROM console_action_log WHERE seq >= ${seq}; DELETE FROM member WHERE id = 'honest';
     DELETE FROM decision_outbox; INSERT INTO decision_outbox VALUES (3, '${digest(text)}', '${text}')`,
  );
  const said = 'record 3 in the outbox: it bears no MAC of the journal key';
  if (running === null) await expect(reopened()).rejects.toThrow(said);
  else {
    await running.flush();
    expect(running.failure?.message).toContain(said);
    await running.stop();
  }
  expect(lines().join()).not.toContain('"seq":3,"prev"');
});

test.each<[string, (bytes: string) => string]>([
  ['the first line', (bytes) => bytes.replace('"segment"', '"sEgment"')],
  ['a line with a whole one behind it', (bytes) => bytes.replace('later', 'lAter')],
  ['the last line', (bytes) => bytes.replace('latest', 'lAtest')],
  ['the end of the last line', (bytes) => `${bytes.slice(0, -1)}x`],
])('%s that is damaged is not taken for the torn end of a journal', async (_, change) => {
  const kept = await reopened();
  await register(kept, 'later');
  await register(kept, 'latest');
  await kept.stop();
  writeFileSync(segment(), change(readFileSync(segment(), 'utf8')));
  expect(journalState(made.ledger, folder)).toMatchObject({ isWhole: false });
  await expect(restore()).rejects.toThrow('is damaged');
});

test('a damaged line whose record the outbox still has is written again', async () => {
  writeFileSync(segment(), readFileSync(segment(), 'utf8').replace('honest', 'hOnest'));
  await (await reopened()).stop();
  expect(journalState(made.ledger, folder)).toMatchObject({ isWhole: true });
  expect(await restore()).toMatchObject({ replayed: { made: 1, lacking: null } });
});

test('a console API does not start beside records without their key', async () => {
  rmSync(journalKeyFile(made.file));
  const opened = DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
  await expect(opened).rejects.toThrow('put the copy there that was kept apart');
});
