import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { addMember } from '../../ledger/accounts/members.ts';
import { openSession } from '../../ledger/accounts/sessions.ts';
import { verifyChain } from '../../ledger/audit/audit.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { toggleScope } from '../../ledger/serving/scope.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { historyOf } from '../../ledger/explanations/history.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { lastChecks } from '../../ledger/explanations/screenings.ts';
import { recordPull, syncStatus } from '../../ledger/inbox/sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyNext, type ApplyParts } from './apply.ts';
import { BatchSize } from './batch-size.ts';
import { RawBundleDamagedError } from './committed-entries.ts';
import type { RawEntry } from './entry.ts';
import { createEntryScreening, V2_REASON, type MakeScreener } from './screening.ts';
import {
  bodyOf,
  bundleOf,
  commitEntries,
  invalidationAt,
  type LogLine,
  newAt,
  readableLog,
} from '../../../test/support/agent/intake.ts';

const NOW = '2026-11-20T08:00:30.000Z';
const RECEIVED = '2026-11-20T08:00:00.000Z';
const CLEAN = '반도체 수출 증가 소식에 지수가 올랐습니다.';
const BLOCKED = '이 상품은 확정 수익을 드립니다.';
const DOUBTFUL = '지금은 매수 시점입니다.';

let ledger: Ledger;
let file: string;
let parts: ApplyParts;
let lines: LogLine[];
beforeEach(() => {
  ({ ledger, file } = testLedger());
  ledger.write((tx) => {
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: NOW });
    openChannel(tx, { channel: 'MTS', key: 'k', at: NOW });
  });
  makeParts();
});

function makeParts(makeScreener?: MakeScreener): void {
  const readable = readableLog();
  ({ lines } = readable);
  parts = {
    ledger,
    log: readable.log,
    clock: { now: () => new Date(NOW) },
    screenEntry: createEntryScreening(readable.log, makeScreener),
  };
}

const commit = (...entries: RawEntry[]): void => commitEntries(ledger, entries, RECEIVED);
function receive(...entries: RawEntry[]): void {
  commit(...entries);
  while (applyNext(parts));
}
const rowOf = (id: string) =>
  ledger.first(sqlite.selectFrom('explanation').selectAll().where('explanation_result_id', '=', id));
const statusOf = (id: string): ExplanationStatus | undefined => rowOf(id)?.status;
const movesOf = (id: string) => historyOf(ledger, explanationId(id)).map(({ move, to }) => [move, to]);
const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', new Date(NOW))?.text;

describe('a NEW entry', () => {
  test.each<[string, Partial<NewEntry['explanation_result']>, ExplanationStatus, string[]]>([
    ['that passes every check', { summary: CLEAN }, 'AUTO_PUBLISHED', []],
    ['with a word that blocks', { summary: BLOCKED }, 'BLOCKED', ['FORBIDDEN_WORDS']],
    ['with a word for review', { summary: DOUBTFUL }, 'PENDING_REVIEW', ['FORBIDDEN_WORDS']],
    [
      'without a confirmed cause',
      { summary: CLEAN, explanation_type: 'UNCERTAIN' },
      'PENDING_REVIEW',
      ['EXPLANATION_TYPE'],
    ],
    ['of low confidence', { summary: CLEAN, confidence_level: 'LOW' }, 'PENDING_REVIEW', ['CONFIDENCE']],
  ])('%s', (_, result, status, failed) => {
    receive(newAt(1, 'a', result));
    expect(rowOf('a')).toMatchObject({
      status,
      policy_version: 1,
      cursor: 1,
      received_at: RECEIVED,
      status_since: NOW,
    });
    expect(JSON.parse(rowOf('a')?.failed_checks ?? '')).toEqual(failed);
    expect(lastChecks(ledger, explanationId('a'))).toHaveLength(5);
    expect(movesOf('a')).toEqual([['receive', status]]);
    expect(exposedText()).toBe(status === 'AUTO_PUBLISHED' ? CLEAN : undefined);
  });
  test('of v2 is exposed without a check, and none is on record (D14)', () => {
    receive(newAt(1, 'm', { analysis_engine: 'v2', summary: BLOCKED, explanation_type: null, confidence_level: null }));
    expect(rowOf('m')).toMatchObject({
      status: 'AUTO_PUBLISHED',
      published_summary: BLOCKED,
      policy_version: null,
      failed_checks: '[]',
    });
    expect(ledger.all(sqlite.selectFrom('screening').select('id'))).toEqual([]);
    expect(historyOf(ledger, explanationId('m'))).toMatchObject([
      { move: 'receive', reason: V2_REASON, actor: 'SYSTEM' },
    ]);
    expect(V2_REASON).toContain('v2 automatic exposure');
  });
  test('outside the serving scope waits for review', () => {
    ledger.write((tx) =>
      tx.run(
        sqlite
          .insertInto('serving_scope')
          .values({ scope_type: 'MARKET', scope_key: 'KRX', enabled: 0, changed_by: 'x', changed_at: NOW }),
      ),
    );
    receive(newAt(1, 'a', { summary: CLEAN }));
    expect(rowOf('a')).toMatchObject({ status: 'PENDING_REVIEW', failed_checks: '["SERVING_SCOPE"]' });
  });
  test('counts each source event once', () => {
    const source = { source_event_id: 's', source_class: 'NEWS', event_type_code: 'X', event_date: null };
    receive({ ...newAt(1, 'a', { summary: CLEAN }), source_events: [source, source] });
    expect(rowOf('a')?.failed_checks).toBe('["SOURCE_COUNT"]');
  });
});

describe('the policy', () => {
  test('that is active when the entry is applied counts, a new one from the next batch on', () => {
    const versions: (number | null)[] = [];
    makeParts((policy) => {
      versions.push(policy?.version ?? null);
      return {
        policyVersion: policy?.version ?? null,
        findWords: () => [],
        findWordsOfNotice: () => [],
        missingNotices: () => [],
        screen: () => ({ outcome: 'PENDING_REVIEW', checks: [], failures: [] }),
      };
    });
    receive(newAt(1, 'a'), newAt(2, 'b'));
    receive(newAt(3, 'c'));
    ledger.write((tx) => publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: NOW }));
    receive(newAt(4, 'd'));
    expect(['a', 'b', 'c', 'd'].map((id) => rowOf(id)?.policy_version)).toEqual([1, 1, 1, 2]);
    expect(versions).toEqual([null, 1, 2]);
  });
  test('is absent: v1 waits, v2 is exposed all the same', () => {
    ({ ledger, file } = testLedger());
    makeParts();
    receive(newAt(1, 'a', { summary: CLEAN }), newAt(2, 'm', { analysis_engine: 'v2' }));
    expect([statusOf('a'), statusOf('m')]).toEqual(['PENDING_REVIEW', 'AUTO_PUBLISHED']);
    expect(rowOf('a')?.policy_version).toBeNull();
  });
  test('cannot be read, or the screening breaks: everything of v1 waits and nothing stops', () => {
    for (const make of [
      () => {
        throw new Error('no screener');
      },
      () => ({
        policyVersion: 1,
        findWords: () => [],
        findWordsOfNotice: () => [],
        missingNotices: () => [],
        screen: () => {
          throw new Error('no screening');
        },
      }),
    ] satisfies (() => ReturnType<MakeScreener>)[]) {
      const after = readCursors(ledger).committed;
      const id = `after-${after}`;
      let first = true;
      makeParts((policy) => {
        // The screener for "no policy" is the refuge and is made first.
        if (!first) return make();
        first = false;
        return {
          policyVersion: policy?.version ?? null,
          findWords: () => [],
          findWordsOfNotice: () => [],
          missingNotices: () => [],
          screen: () => ({ outcome: 'PENDING_REVIEW', checks: [], failures: [] }),
        };
      });
      receive(newAt(after + 1, id, { summary: CLEAN }));
      expect(statusOf(id)).toBe('PENDING_REVIEW');
      expect(lines.filter((line) => line.level === 50)).toHaveLength(1);
    }
  });
});

describe('entries that do not fit (D34)', () => {
  test('one poison entry among a hundred is rejected and the others are applied', () => {
    const entries: RawEntry[] = Array.from({ length: 100 }, (_, i) => newAt(i + 1, `e${i + 1}`, { summary: CLEAN }));
    entries[49] = { cursor: 50, delivery_type: 'CORRECTION', explanation_result: { explanation_result_id: 'e50' } };
    entries[50] = newAt(51, 'e51', { confidence_level: 'CERTAIN' as never });
    receive(...entries);
    expect(readCursors(ledger)).toMatchObject({ committed: 100, applied: 100 });
    expect(ledger.all(sqlite.selectFrom('explanation').select('id'))).toHaveLength(98);
    const rejected = ledger.all(sqlite.selectFrom('rejected_entry').selectAll().orderBy('cursor'));
    expect(rejected).toMatchObject([
      { cursor: 50, cursor_from: 0, rejected_at: NOW, reason: 'The delivery_type "CORRECTION" is not known.' },
      { cursor: 51, reason: expect.stringContaining('confidence_level') as string },
    ]);
    expect(JSON.parse(rejected[0]?.entry ?? '')).toEqual(entries[49]);
    expect(syncStatus(ledger, new Date()).rejectedEntries).toBe(2);
    expect(lines.filter((line) => line.msg === 'entry rejected')).toMatchObject([{ cursor: 50 }, { cursor: 51 }]);
  });
  test('an entry that breaks half-way leaves nothing behind, and every other one is applied as if it were not there', () => {
    const entries = Array.from({ length: 100 }, (_, i) => newAt(i + 1, `e${i + 1}`, { summary: CLEAN }));
    // The audit row is the last that an entry writes: all others are there by then.
    const disk = new Database(file);
    disk.exec(`CREATE TRIGGER poison AFTER INSERT ON console_action_log WHEN NEW.target_id = '${explanationId('e50')}'
      BEGIN SELECT RAISE(ABORT, 'a bug that this entry wakes'); END`);
    disk.close();
    receive(...entries);
    expect(readCursors(ledger)).toMatchObject({ committed: 100, applied: 100 });
    expect(ledger.all(sqlite.selectFrom('explanation').select('id'))).toHaveLength(99);
    expect([statusOf('e49'), statusOf('e50'), statusOf('e51')]).toEqual([
      'AUTO_PUBLISHED',
      undefined,
      'AUTO_PUBLISHED',
    ]);
    expect(movesOf('e50')).toEqual([]);
    expect(ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason', 'entry']))).toEqual([
      {
        cursor: 50,
        reason: 'The entry could not be applied: a bug that this entry wakes',
        entry: JSON.stringify(entries[49]),
      },
    ]);
    expect(verifyChain(ledger)).toMatchObject({ ok: true });
  });
});

test('a bundle larger than the requested limit is applied in batches, one transaction each', () => {
  commit(...Array.from({ length: 2_200 }, (_, i) => invalidationAt(2 * i + 1, `x${i}`)));
  const positions: number[] = [];
  while (positions.length < 5 && applyNext(parts)) positions.push(readCursors(ledger).applied);
  expect(positions).toEqual([999, 1_999, 2_999, 3_999, 4_399]);
  expect(syncStatus(ledger, new Date()).heldInvalidations).toBe(2_200);
});

test('inside one batch each entry is screened by the scope that the entries before have left', () => {
  receive(newAt(1, 'x', { market: 'KRX' }));
  ledger.write((tx) => toggleScope(tx, { type: 'MARKET', key: 'KRX', actor: { kind: 'SYSTEM' }, at: NOW }));
  const of = (cursor: number, id: string, market: string | null) => newAt(cursor, id, { etf_ticker: '102110', market });
  receive(of(2, 'a', null), of(3, 'b', 'NYSE'), of(4, 'c', null), of(5, 'd', 'KRX'), of(6, 'e', null));
  expect(['a', 'd', 'e'].map(statusOf)).toEqual(Array(3).fill('PENDING_REVIEW'));
  expect(['b', 'c'].map(statusOf)).toEqual(Array(2).fill('AUTO_PUBLISHED'));
});

test('inside one batch a withdrawal meets the original that comes behind it (D35)', () => {
  receive(invalidationAt(1, 'a'), newAt(2, 'a'), newAt(3, 'a'));
  expect(movesOf('a').map(([move]) => move)).toEqual(['receive', 'invalidate']);
  expect(exposedText()).toBeUndefined();
});

test('a batch is as large as the write lock may be held, by the batches before', () => {
  commit(...Array.from({ length: 900 }, (_, i) => invalidationAt(i + 1, `x${i}`)));
  let ms = 0;
  const clock = { now: () => new Date(Date.parse(NOW) + (ms += 1)) };
  const batch = new BatchSize();
  const positions: number[] = [];
  while (applyNext({ ...parts, clock, batch })) positions.push(readCursors(ledger).applied);
  // The clock advances by a millisecond for each entry.
  expect(positions.slice(0, 2)).toEqual([500, 599]);
  expect(positions.at(-1)).toBe(900);
});

test.each([
  ['a person is at the console', 119_000, [99, 199, 299, 399, 499, 599]],
  ['the last one has been away for two minutes', 121_000, [599]],
])('%s: batches are short only for those who wait for them', (_, agoMs, expected) => {
  const at = new Date(Date.parse(NOW) - agoMs).toISOString();
  ledger.write((tx) => {
    addMember(tx, { id: 'm', username: 'u', displayName: 'U', role: 'COMPLIANCE_REVIEWER', passwordHash: 'x', at });
    openSession(tx, 'm', new Date(at), { idleMs: 1, absoluteMs: 1 });
  });
  commit(...Array.from({ length: 300 }, (__, i) => invalidationAt(2 * i + 1, `x${i}`)));
  const positions: number[] = [];
  while (applyNext(parts)) positions.push(readCursors(ledger).applied);
  expect(positions).toEqual(expected);
});

describe('applying stops at', () => {
  test('a head below the committed cursor, until it is no longer below (D31)', () => {
    commit(newAt(1, 'a'), newAt(5, 'b'));
    ledger.write((tx) => recordPull(tx, { at: NOW, head: 4 }));
    expect(applyNext(parts)).toBe(false);
    expect(readCursors(ledger).applied).toBe(0);
    ledger.write((tx) => recordPull(tx, { at: NOW, head: 5 }));
    expect(applyNext(parts)).toBe(true);
  });
  test('a raw bundle whose bytes have changed on the disk', () => {
    commit(newAt(1, 'a'));
    const disk = new Database(file);
    disk.exec('DROP TRIGGER raw_bundle_is_never_updated');
    disk.prepare('UPDATE raw_bundle SET body = ?').run(bodyOf(bundleOf(0, [newAt(1, 'forged')])));
    disk.close();
    expect(() => applyNext(parts)).toThrow(RawBundleDamagedError);
    expect(readCursors(ledger).applied).toBe(0);
    expect(statusOf('forged')).toBeUndefined();
  });
  test('bundles of very large entries are not held in memory together', () => {
    // An unknown field makes an entry large and costs the screening nothing.
    const large = { padding: 'x'.repeat(6 * 1024 * 1024) };
    for (const cursor of [1, 2, 3, 4]) commit({ ...newAt(cursor, `large-${cursor}`, { summary: CLEAN }), ...large });
    const positions: number[] = [];
    while (applyNext(parts)) positions.push(readCursors(ledger).applied);
    expect(positions).toEqual([2, 4]);
  });
  test('nothing to apply', () => expect(applyNext(parts)).toBe(false));
});
