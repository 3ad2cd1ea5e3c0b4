/**
 * The decision journal (D139): each change by a person is in a segment before its answer, and replaying the segments
 * turns an older copy into the same ledger.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CAPTURED } from '../../../agent/ledger/journal/capture.ts';
import { captureDecisions, DecisionJournal, type JournalMode } from '../../../agent/ledger/journal/journal.ts';
import { digest, placeOf, recordIn, START } from '../../../agent/ledger/journal/records.ts';
import { makeAgain } from '../../../agent/ledger/journal/replay.ts';
import { readJournal } from '../../../agent/ledger/journal/segments.ts';
import { openChannel } from '../../../agent/ledger/serving/channels.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { runJournalCommand } from '../commands/journal.ts';
import { ACTIONS } from '../../../test/support/console-api/actions.ts';
import { memberId, TestConsole } from '../../../test/support/console-api/console.ts';
import { journalledWrite, Writer } from './writer.ts';

const CR = 'COMPLIANCE_REVIEWER';
const ADMIN = 'TENANT_ADMIN';

let console: TestConsole;
let folder: string;
let intake: Ledger;
let journals: DecisionJournal[];
beforeEach(() => {
  console = new TestConsole();
  folder = path.join(console.folder, 'journal');
  intake = openLedger(console.file);
  journals = [];
});
afterEach(async () => {
  for (const journal of journals) await journal.stop();
  intake.close();
  await console.close();
});

/** Another start of the console API on the same ledger and folder. */
async function begin(mode: JournalMode = 'require'): Promise<DecisionJournal> {
  for (const journal of journals.splice(0)) await journal.stop();
  const ledger = openLedger(console.file);
  const log = { info: () => undefined, error: () => undefined };
  const journal = await DecisionJournal.open({ ledger, folder, mode, log, patienceMs: 30_000 });
  console.context.write = journalledWrite(new Writer(ledger), journal);
  console.context.journal = journal;
  journals.push(journal);
  return journal;
}

let received = 0;
function waiting(outcome: 'PENDING_REVIEW' | 'AUTO_PUBLISHED' | 'BLOCKED' = 'PENDING_REVIEW'): string {
  received += 1;
  return intake.write((tx) => receive(tx, newEntry(`j-${received}`, {}, { cursor: received }), outcome));
}

const ask = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, as: string, body?: object) =>
  console.ask<{ id: string }>({ method, url: `/api/v1${url}`, as, ...(body === undefined ? {} : { body }) });
const stop = (id: string) => ask('POST', `/explanations/${id}/stop`, CR, { reason: '수치 불일치' });
const approve = (id: string) => ask('POST', `/review/items/${id}/approve`, CR, {});
const segments = (): string[] => readdirSync(folder).toSorted();
const held = () => readJournal(folder, 0, null);

/** Every row that people's decisions write. */
function decided(ledger: Ledger): Record<string, unknown[]> {
  const tables = [...Object.keys(CAPTURED), 'console_action_log'];
  const rows = (table: string) => ledger.all({ sql: `SELECT * FROM ${table} ORDER BY 1, 2`, parameters: [] });
  return Object.fromEntries(tables.map((table) => [table, rows(table)]));
}

test('every table is one that people write, or is known to be derived', () => {
  const others = [
    ...['raw_bundle', 'raw_archive', 'quarantined_bundle', 'archived_body', 'sync_state', 'sync_event', 'sync_day'],
    ...['rejected_entry', 'held_invalidation', 'screening', 'word_hit', 'held_ticker', 'served_period'],
    ...['traffic_minute', 'traffic_hour', 'session', 'review_claim', 'postponed_item', 'console_action_log'],
    ...['explanation_count', 'explanation_since', 'explanation_day', 'search_progress', 'sqlite_sequence'],
    ...['audit_block', 'audit_group', 'explanation_place', 'decision_outbox', 'handed_over_item'],
  ];
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'explanation_search*'";
  const names = intake.all<{ name: string }>({ sql, parameters: [] }).map(({ name }) => name);
  expect(names.filter((name) => !(name in CAPTURED) && !others.includes(name))).toEqual(['explanation_term']);
});

test('replaying the segments turns an older copy into the same ledger, row by row and hash by hash', async () => {
  const shown = Array.from({ length: 14 }, () => waiting('AUTO_PUBLISHED'));
  const items = Array.from({ length: 22 }, () => waiting());
  const blocked = waiting('BLOCKED');
  await begin();
  const copy = path.join(console.folder, 'copy.sqlite');
  await intake.copyTo(copy);
  for (const { method = 'POST', url, body, from } of ACTIONS) {
    const id = (from[0] === 'BLOCKED' ? [blocked] : from[0] === 'PENDING_REVIEW' ? items : shown).pop() ?? '';
    expect((await ask(method, url(id).replace('/api/v1', ''), CR, body)).status).toBe(200);
    console.pass(1_000);
  }
  const [first = '', second = '', third = '', fourth = ''] = items;
  const acts: Parameters<typeof ask>[] = [
    ['PUT', '/review/approval-numbers', CR, { pattern: '제{SEQ}호', validDays: 30, next: 7 }],
    ['PUT', `/review/items/${first}/draft`, CR, { edited_summary: '쓰고 있는 글입니다.', draftVersion: 0 }],
    ['PUT', `/review/items/${first}/draft`, CR, { edited_summary: '쓰고 있는 글 "둘"입니다.\n', draftVersion: 1 }],
    ['POST', `/review/items/${first}/notes`, CR, { text: '메모 "하나"\n=1+1 😀' }],
    ['POST', `/review/items/${second}/opinions`, CR, { question: '괜찮은가?' }],
    ['POST', `/bulk/stop`, CR, { items: shown.slice(0, 3).map((id) => ({ id, version: 1 })), reason: '일괄' }],
    ['POST', `/review/items/${third}/approve`, CR, {}],
    ['POST', `/explanations/${third}/move-to-review`, CR, {}],
    ['POST', '/screening/words', CR, { word: '떼돈', severity: 'REVIEW' }],
    ['PATCH', '/screening/criteria', CR, { minSources: 3 }],
    ['POST', '/screening/versions', CR, { criteria: { minSources: 4 }, startsAt: '2026-12-01T00:00:00Z' }],
    ['POST', '/scope/stocks/069500/toggle', CR],
    ['PUT', '/scope/stocks/069500/sector', CR, { sector: '지수' }],
    ['PUT', '/review/target', ADMIN, { minutes: 60 }],
    ['PATCH', `/members/${memberId('READ_ONLY')}/role`, ADMIN, { role: 'OPERATOR' }],
    ['POST', `/members/${memberId('READ_ONLY')}/deactivate`, ADMIN],
    ['PUT', '/session/views', CR, { screen: 'review', name: '내 것', search: '?size=20' }],
    ['POST', `/review/items/${fourth}/block`, CR, { reason: '끝' }],
    ['PUT', '/members/second-factor', ADMIN, { reviewers: true }],
  ];
  const answers = [];
  for (const act of acts) answers.push([act[0], act[1], (await ask(...act)).status]);
  expect(answers.filter(([, , status]) => status !== 200)).toEqual([]);
  const command = openLedger(console.file);
  captureDecisions(command);
  command.write((tx) => openChannel(tx, { channel: '지점', key: 'k'.repeat(43), at: console.now.toISOString() }));
  command.close();
  await journals[0]?.flush();

  const again = openLedger(copy);
  try {
    const { records } = readJournal(folder, placeOf(again).seq, null);
    expect(records.length).toBeGreaterThan(ACTIONS.length + acts.length - 3);
    again.write((tx) => records.forEach((kept) => makeAgain(tx, kept)));
    expect(decided(again)).toEqual(decided(intake));
    expect(placeOf(again)).toEqual(placeOf(intake));
  } finally {
    again.close();
  }
});

test('logins, logouts and reads make no record, and neither do the Intake’s writes', async () => {
  await begin();
  const before = held().end.seq;
  const id = waiting();
  await ask('POST', `/review/items/${id}/claim`, CR);
  await ask('POST', '/auth/logout', console.session(CR));
  await ask('POST', '/members', CR, {});
  expect(held().end.seq).toBe(before);
  await approve(id);
  expect(held().end.seq).toBe(before + 1);
});

test('answers that wait together share a sync, and each is in the journal', async () => {
  await begin();
  const ids = Array.from({ length: 30 }, () => waiting());
  expect((await Promise.all(ids.map(approve))).map(({ status }) => status)).toEqual(ids.map(() => 200));
  const told = held().records.flatMap((kept) => recordIn(kept).audit.map(({ target_id }) => target_id));
  expect(new Set(told)).toEqual(new Set(ids));
  expect(told).toHaveLength(ids.length);
  // Synced records leave the outbox, except the one that marks the position.
  await approve(waiting());
  const left = intake.all({ sql: 'SELECT seq FROM decision_outbox', parameters: [] });
  expect(left).toEqual([{ seq: held().end.seq }]);
});

/** Removes the folder, like a lost mount. */
const goneWhile = async (work: () => Promise<void>): Promise<void> => {
  renameSync(folder, `${folder}-gone`);
  writeFileSync(folder, '');
  try {
    await work();
  } finally {
    rmSync(folder);
    renameSync(`${folder}-gone`, folder);
  }
};

test('require: without its folder a decision is refused without a change, a stop is made, and the journal catches up later', async () => {
  const shown = waiting('AUTO_PUBLISHED');
  const [item, other] = [waiting(), waiting()];
  await begin();
  for (const each of [waiting(), waiting()]) expect((await approve(each)).status).toBe(200);
  await goneWhile(async () => expect((await approve(item)).status).toBe(200));
  // An open file can still be written to; a new start has none.
  await goneWhile(async () => {
    await begin();
    // The last record stays in the outbox, synced or not; earlier ones do not count again.
    expect(console.context.journal?.waiting).toBe(1);
    const refused = await approve(other);
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { code: 'COMMON503', message: expect.stringContaining('so nothing was changed') as string },
    ]);
    expect((await stop(shown)).status).toBe(200);
    expect((await ask('POST', '/scope/stocks/069500/toggle', CR)).status).toBe(200);
    expect((await ask('POST', '/scope/stocks/069500/toggle', CR)).status).toBe(503);
    expect((await console.ask({ method: 'GET', url: `/api/v1/explanations/${shown}`, as: CR })).status).toBe(200);
    expect(console.context.journal?.waiting).toBeGreaterThan(1);
  });
  expect((await approve(other)).status).toBe(200);
  expect([console.context.journal?.failure, console.context.journal?.waiting]).toEqual([null, 0]);
  const told = held().records.flatMap((kept) => recordIn(kept).audit.map(({ action }) => action));
  const approved = 'explanation.approve';
  expect(told).toEqual([approved, approved, approved, 'explanation.stop', 'scope.toggle', approved]);
});

test('warn: without its folder decisions are made, wait, and are written later', async () => {
  mkdirSync(path.dirname(folder), { recursive: true });
  writeFileSync(folder, '');
  const journal = await begin('warn');
  expect(journal.failure).not.toBeNull();
  expect((await approve(waiting())).status).toBe(200);
  expect(journal.waiting).toBe(2);
  rmSync(folder);
  expect((await approve(waiting())).status).toBe(200);
  await journal.flush();
  expect([journal.failure, journal.waiting, held().end.seq]).toEqual([null, 0, 3]);
});

test('decisions without the journal are noticed at the next start: no replay goes past them', async () => {
  await begin();
  await approve(waiting());
  for (const journal of journals.splice(0)) await journal.stop();
  console.context.write = (work) => new Writer(intake).write(work);
  await begin();
  expect(held().records.map((kept) => recordIn(kept).begin === true)).toEqual([true, false]);
  for (const journal of journals.splice(0)) await journal.stop();
  console.context.write = (work) => new Writer(intake).write(work);
  await approve(waiting());
  await begin();
  expect(held().records.map((kept) => recordIn(kept).begin === true)).toEqual([true, false, true]);
});

test('a console API does not start beside a journal that does not belong to its ledger', async () => {
  await begin();
  const copy = path.join(console.folder, 'copy.sqlite');
  await intake.copyTo(copy);
  await approve(waiting());
  for (const journal of journals.splice(0)) await journal.stop();
  const log = { info: () => undefined, error: () => undefined };
  const opened = async (file: string, named = folder): Promise<unknown> => {
    const ledger = openLedger(file);
    try {
      return await DecisionJournal.open({ ledger, folder: named, mode: 'warn', log }).then(
        (journal) => journal.stop(),
        (error: unknown) => (error as Error).message,
      );
    } finally {
      ledger.close();
    }
  };
  expect(await opened(copy)).toContain('the ledger is an older copy');
  expect(await opened(path.join(console.folder, 'other.sqlite'))).toContain('belongs to another ledger');
  expect(await opened(console.file, path.join(console.folder, 'empty'))).toContain('is empty');
  expect(await opened(console.file)).toBeUndefined();
});

test('a torn end is left as it is, and its lost records are written again; a changed or missing part is named', async () => {
  await begin();
  await approve(waiting());
  for (const journal of journals.splice(0)) await journal.stop();
  appendFileSync(path.join(folder, 'segment-000001.jsonl'), 'f'.repeat(64) + ' {"seq"');
  await begin();
  await approve(waiting());
  expect([segments().length, held().end.seq]).toEqual([2, 3]);
  await approve(waiting());
  for (const journal of journals.splice(0)) await journal.stop();
  const last = path.join(folder, 'segment-000002.jsonl');
  renameSync(last, `${last}.away`);
  await expect(begin()).rejects.toThrow('its end is missing');
  renameSync(`${last}.away`, last);
  const bytes = readFileSync(last, 'utf8');
  const lines = bytes.trimEnd().split('\n');
  writeFileSync(last, `${lines[0]}\n${lines.slice(2).join('\n')}\n`);
  expect(held().fault).toContain('it does not follow');
  // An administrator lets it continue from the ledger's state.
  await expect(begin()).rejects.toThrow('is not whole');
  const told: string[] = [];
  const command = (name: string) =>
    runJournalCommand([name], {
      env: { CAUSEWAY_LEDGER: console.file, CAUSEWAY_DECISION_JOURNAL: folder },
      clock: { now: () => console.now },
      print: (line) => told.push(line),
      complain: (line) => told.push(line),
    });
  expect([await command('verify'), told.join()]).toEqual([1, expect.stringContaining('it does not follow')]);
  expect(await command('begin')).toBe(0);
  expect(await command('verify')).toBe(0);
  await begin();
  expect((await approve(waiting())).status).toBe(200);
  expect(held()).toMatchObject({ fault: null, end: placeOf(intake) });
});

test.each([
  ['a column that the vendor writes', { table: 'explanation', op: 'put', row: { summary: '심은 글' } }],
  [
    'SQL in the name of a column',
    { table: 'explanation', op: 'put', row: { 'summary = upper(summary), status': 'X' } },
  ],
  ['SQL in the name of a key', { table: 'member', op: 'delete', key: { "id IS NOT NULL OR 'x'": 'x' } }],
  ['a table that no person writes', { table: 'session', op: 'put', row: { token_hash: 'x' } }],
  ['the end of an explanation', { table: 'explanation', op: 'delete' }],
])('a record that somebody has put into the folder is not made again with %s', (_what, change) => {
  const id = waiting();
  const told = { key: { id }, row: {}, ...change };
  const record = JSON.stringify({ seq: 1, prev: START.hash, applied: 0, audit: [], changes: [told], acts: 0 });
  const kept = { seq: 1, hash: digest(record), record };
  const before = decided(intake);
  expect(() => intake.write((tx) => makeAgain(tx, kept))).toThrow('which no decision changes');
  expect(decided(intake)).toEqual(before);
});

// Otherwise the console API of a new ledger would not start a second time.
test('a journal that a new ledger began before its first record remains that ledger’s own', async () => {
  const log = { info: () => undefined, error: () => undefined };
  const live = async (): Promise<void> => {
    const ledger = openLedger(path.join(console.folder, 'new.sqlite'));
    const life = await DecisionJournal.open({ ledger, folder, mode: 'require', log });
    const channel = `지점-${placeOf(ledger).seq}`;
    ledger.write((tx) => openChannel(tx, { channel, key: channel.padEnd(43, 'k'), at: console.now.toISOString() }));
    await life.stop();
    expect([life.failure, life.waiting]).toEqual([null, 0]);
    ledger.close();
  };
  await live();
  await live();
  expect(held().fault).toBeNull();
});
