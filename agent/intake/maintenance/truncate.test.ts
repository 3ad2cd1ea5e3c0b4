/**
 * `set-aside`: for any truncated bundles, and any decisions about them, the ledger stays sound, exposes nothing that
 * only those records hold, and takes in the cloud's next records.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { firstCursorOf, positionOfEntry } from '../../ledger/explanations/position.ts';
import { saveDraft } from '../../ledger/review/drafts.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { historyOf } from '../../ledger/explanations/history.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { darkTickers } from '../../ledger/serving/dark.ts';
import { exposableIds } from '../../ledger/serving/visibility.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { rebuildLedger } from './rebuild.ts';
import { replayRejected } from './replay.ts';
import { truncateAfter } from './truncate.ts';
import type { RawEntry } from '../apply/entry.ts';
import {
  explanationRow,
  invalidationAt,
  newAt,
  reviewer,
  takeIn as take,
  withParts as withLedger,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from './verify.ts';
import { runs } from '../../../test/support/runs.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const CLEAN = '반도체 수출이 늘었습니다.';
const REVIEWED = '지금은 매수 시점입니다.';

const rowOf = ({ ledger }: WholeParts, id: string) => explanationRow(ledger, id);
const decide = (
  { ledger, clock }: WholeParts,
  id: string,
  move: 'approve' | 'approve-edited' | 'correct' | 'stop',
): void =>
  void ledger.write((tx) =>
    applyMove(tx, {
      id: explanationId(id),
      move,
      actor: reviewer,
      at: clock.now().toISOString(),
      reason: null,
      ...(move === 'approve-edited' || move === 'correct' ? { editedSummary: '고친 본문' } : {}),
    }),
  );
const draft = ({ ledger, clock }: WholeParts, id: string): void =>
  ledger.write((tx) =>
    saveDraft(tx, { id: explanationId(id), text: '쓰는 중', actor: reviewer, at: clock.now().toISOString() }),
  );
const isSound = ({ ledger }: WholeParts): void => expect(verifyLedger(ledger).findings).toEqual([]);

describe('an explanation of truncated records alone', () => {
  test('is hidden at once, cannot be exposed by a person, and returns when the cloud sends it again', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'kept'));
      take(parts, newAt(500, 'a', { summary: '가짜 본문' }), newAt(501, 'never'));
      expect(truncateAfter(parts, 1)).toEqual({ before: 501, committed: 1, bundles: 1, hidden: 2, reverted: 0 });
      expect([rowOf(parts, 'kept')?.status, rowOf(parts, 'a')?.status]).toEqual(['AUTO_PUBLISHED', 'BLOCKED']);
      expect(() => decide(parts, 'a', 'approve')).toThrow('not possible');
      isSound(parts);
      // A rebuild in between makes nothing final.
      rebuildLedger(parts);
      take(parts, newAt(2, 'a', { summary: CLEAN }));
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'AUTO_PUBLISHED', published_summary: CLEAN, cursor: 2 });
      expect(historyOf(parts.ledger, explanationId('a')).map(({ to }) => to)).toEqual([
        'AUTO_PUBLISHED',
        'BLOCKED',
        'AUTO_PUBLISHED',
      ]);
      expect(rowOf(parts, 'never')?.status).toBe('BLOCKED');
      isSound(parts);
    }));
  test('goes to a person again after a person’s decision', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      decide(parts, 'a', 'approve');
      truncateAfter(parts, 0);
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'PENDING_REVIEW', decided: 1 });
      isSound(parts);
    }));
  test('a withdrawal that waits for its original waits again when the original was truncated', () =>
    withLedger((parts) => {
      take(parts, invalidationAt(1, 'a'));
      take(parts, newAt(2, 'a'));
      truncateAfter(parts, 1);
      isSound(parts);
      take(parts, newAt(3, 'a'));
      expect(rowOf(parts, 'a')?.status).toBe('INVALIDATED');
      isSound(parts);
    }));
  test('stays withdrawn where they withdrew it: known, and no damage', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a'));
      take(parts, invalidationAt(2, 'a'));
      truncateAfter(parts, 1);
      expect(rowOf(parts, 'a')?.status).toBe('INVALIDATED');
      expect(verifyLedger(parts.ledger)).toMatchObject({
        findings: [],
        notices: ['The explanation a stays withdrawn, though no record withdraws it any more.'],
      });
      expect(rebuildLedger(parts)).toEqual({ restored: 0, corrected: 0, withdrawn: 0, left: 0 });
    }));
  test('a withdrawal that comes again finds it withdrawn, and waits for nothing', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      take(parts, invalidationAt(2, 'a'));
      truncateAfter(parts, 0);
      take(parts, invalidationAt(1, 'a'));
      expect(parts.ledger.all(sqlite.selectFrom('held_invalidation').selectAll())).toEqual([]);
      isSound(parts);
      expect(rebuildLedger(parts)).toMatchObject({ corrected: 0 });
      expect(parts.ledger.all(sqlite.selectFrom('held_invalidation').selectAll())).toEqual([]);
    }));
  test('keeps a person’s text beside it, through hiding, sending again and rebuilding', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      decide(parts, 'a', 'approve-edited');
      truncateAfter(parts, 0);
      const texts = { published_summary: '고친 본문', edited_summary: '고친 본문' };
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'BLOCKED', ...texts });
      isSound(parts);
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      isSound(parts);
      rebuildLedger(parts);
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'PENDING_REVIEW', ...texts });
    }));
  test('awaiting review awaits it again with any text when it is sent again', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      truncateAfter(parts, 0);
      expect(rowOf(parts, 'a')?.status).toBe('BLOCKED');
      take(parts, newAt(1, 'a', { summary: CLEAN }));
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'PENDING_REVIEW', summary: CLEAN });
      isSound(parts);
    }));
  test('an entry that one of them had overtaken is applied again', () =>
    withLedger((parts) => {
      const { ledger, log, clock } = parts;
      const breaks = {
        ledger,
        log,
        clock,
        screenEntry: () => {
          throw new Error('the screening breaks');
        },
      };
      take(breaks, newAt(1, 'a'));
      take(parts, newAt(2, 'a', { summary: CLEAN }));
      expect(replayRejected(parts).superseded).toEqual([1]);
      truncateAfter(parts, 1);
      isSound(parts);
      expect(replayRejected(parts).applied).toEqual([1]);
      expect(rowOf(parts, 'a')?.cursor).toBe(1);
      isSound(parts);
    }));
});

describe('what comes after a set-aside comes after all that was before (D202)', () => {
  const dated = (cursor: number, id: string, minute: number, fields: object = {}) =>
    newAt(cursor, id, { summary: CLEAN, explanation_as_of: `2026-11-20T01:${minute}:00.000Z`, ...fields });
  const exposedText = ({ ledger }: WholeParts): string | undefined =>
    ledger
      .all(sqlite.selectFrom('explanation').select(['id', 'explanation_result_id as result']))
      .find(({ id }) => exposableIds(ledger, NOW).includes(id))?.result;
  const positions = ({ ledger }: WholeParts): string[] =>
    ledger.all(sqlite.selectFrom('state_history').select('position').orderBy('id')).map(({ position }) => position);
  const isInOrder = (parts: WholeParts): void => expect(positions(parts)).toEqual(positions(parts).toSorted());

  test.each(['stop', 'withdrawal'])('a %s brings nothing back that a person approved beyond the end', (how) =>
    withLedger((parts) => {
      take(parts, dated(1, 'early', 10, { summary: REVIEWED }), dated(2, 'late', 20));
      take(parts, dated(5000, 'never', 30, { etf_ticker: '111111' }));
      decide(parts, 'early', 'approve');
      expect(exposedText(parts)).toBe('late');
      truncateAfter(parts, 2);
      take(parts, dated(3, 'other', 30, { etf_ticker: '111111' }));
      if (how === 'stop') decide(parts, 'late', 'stop');
      else take(parts, invalidationAt(4, 'late'));
      expect(exposableIds(parts.ledger, NOW)).toEqual([explanationId('other')]);
      isSound(parts);
      rebuildLedger(parts);
      expect(exposableIds(parts.ledger, NOW)).toEqual([explanationId('other')]);
    }),
  );
  test('a stop that a person made beyond the end darkens no later text', () =>
    withLedger((parts) => {
      take(parts, dated(1, 'late', 20));
      take(parts, dated(5000, 'never', 10));
      decide(parts, 'late', 'stop');
      truncateAfter(parts, 1);
      take(parts, dated(2, 'next', 15));
      expect(exposedText(parts)).toBe('next');
      isInOrder(parts);
      isSound(parts);
    }));
  test('nor does a text that one command hides in one of many transactions', () =>
    withLedger((parts) => {
      take(parts, dated(1, 'base', 10));
      // More than one transaction moves.
      const filled = (from: number): RawEntry[] =>
        Array.from({ length: 499 }, (_, n) => ({ cursor: from + n, delivery_type: 'CORRECTION' }));
      take(parts, ...filled(2), dated(501, 'never', 29));
      take(parts, ...filled(502), dated(1001, 'nor', 30));
      expect(truncateAfter(parts, 1)).toMatchObject({ bundles: 2, hidden: 2 });
      expect(exposedText(parts)).toBeUndefined();
      take(parts, dated(2, 'next', 20));
      expect(exposedText(parts)).toBe('next');
      isInOrder(parts);
    }));
  test('an entry has the same position whenever it is asked for', () =>
    withLedger((parts) => {
      const { ledger } = parts;
      const stated = (id: string) => rowOf(parts, id)?.stated_position;
      take(parts, dated(1, 'a', 10), dated(2, 'b', 11));
      take(parts, dated(9, 'never', 12));
      truncateAfter(parts, 2);
      take(parts, dated(3, 'c', 13));
      take(parts, dated(4, 'd', 14));
      truncateAfter(parts, 3);
      take(parts, dated(4, 'd', 14));
      expect(['a', 'b', 'c', 'd'].map(stated)).toEqual([
        '0000000000000001',
        '0000000000000002',
        'e000001:0000000000000003',
        'e000002:0000000000000004',
      ]);
      expect([1, 2, 3, 4].map((cursor) => positionOfEntry(ledger, cursor))).toEqual(['a', 'b', 'c', 'd'].map(stated));
      decide(parts, 'd', 'stop');
      expect(rowOf(parts, 'd')?.ended_position).toBe('e000002:0000000000000004+000000001');
      expect(firstCursorOf(ledger, explanationId('d'))).toBe(4);
      isInOrder(parts);
      isSound(parts);
    }));
  test('a ticker is dark by the order in which the texts were sent again', () =>
    withLedger((parts) => {
      take(parts, dated(1, 'early', 10), dated(2, 'late', 20));
      truncateAfter(parts, 0);
      take(parts, dated(1, 'late', 20), dated(2, 'early', 10), invalidationAt(3, 'late'));
      expect([exposedText(parts), darkTickers(parts.ledger, NOW)]).toEqual([undefined, ['069500']]);
    }));
  test('an entry with another grain than its id had is rejected for good, and no replay is asked for', () =>
    withLedger((parts) => {
      take(parts, dated(1, 'a', 10));
      truncateAfter(parts, 0);
      take(parts, dated(1, 'a', 20));
      expect(rowOf(parts, 'a')?.status).toBe('BLOCKED');
      expect(verifyLedger(parts.ledger)).toMatchObject({ findings: [], notices: [] });
      expect(replayRejected(parts).applied).toEqual([]);
      expect(rebuildLedger(parts)).toEqual({ restored: 0, corrected: 0, withdrawn: 0, left: 0 });
      take(parts, dated(2, 'a', 10));
      expect([rowOf(parts, 'a')?.cursor, exposedText(parts)]).toEqual([2, 'a']);
      isSound(parts);
    }));
});

test('an explanation that truncated records had changed gets its earlier text, screened again', () =>
  withLedger((parts) => {
    const OTHER = '외국인 매물에 지수가 내렸습니다.';
    take(parts, newAt(1, 'a', { summary: CLEAN }));
    take(parts, newAt(2, 'a', { summary: OTHER }));
    expect(rowOf(parts, 'a')?.published_summary).toBe(OTHER);
    expect(truncateAfter(parts, 1)).toMatchObject({ hidden: 0, reverted: 1 });
    expect(rowOf(parts, 'a')).toMatchObject({ status: 'AUTO_PUBLISHED', published_summary: CLEAN, cursor: 1 });
    isSound(parts);
  }));

test('a bundle across the cursor is truncated whole; without a later bundle nothing changes', () =>
  withLedger((parts) => {
    take(parts, newAt(1, 'a'), newAt(2, 'b'));
    take(parts, newAt(3, 'c'));
    expect(truncateAfter(parts, 3)).toMatchObject({ committed: 3, bundles: 0 });
    expect(truncateAfter(parts, 1)).toMatchObject({ committed: 0, bundles: 2, hidden: 3 });
    const kept = parts.ledger.all(sqlite.selectFrom('quarantined_bundle').selectAll());
    expect(kept.map(({ after_cursor, cursor_to, entry_count }) => [after_cursor, cursor_to, entry_count])).toEqual([
      [0, 2, 2],
      [2, 3, 1],
    ]);
    expect(() => parts.ledger.write((tx) => tx.run(sqlite.deleteFrom('quarantined_bundle')))).toThrow('never deleted');
  }));

describe('a committed cursor beyond the last raw bundle', () => {
  const onDisk = ({ ledger }: WholeParts, text: string): void => void ledger.write((tx) => tx.run(sql.raw(text)));

  test('falls to the end of the raw bundles, on record, and the cloud’s next bundle fits', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a'));
      onDisk(parts, 'UPDATE sync_state SET committed_cursor = 999');
      expect(truncateAfter(parts, 999)).toMatchObject({ before: 999, committed: 999 });
      expect(truncateAfter(parts, 500)).toEqual({ before: 999, committed: 1, bundles: 0, hidden: 0, reverted: 0 });
      isSound(parts);
      const [row] = parts.ledger.all(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq', 'desc'));
      expect([row?.action, row?.detail]).toEqual(['ledger.set-aside', expect.stringContaining('"bundles":0')]);
      take(parts, newAt(2, 'b'));
      isSound(parts);
    }));
  test('falls together with truncated bundles; explanations of a lost bundle are hidden', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a'));
      take(parts, newAt(2, 'b'));
      take(parts, newAt(3, 'c'));
      const guard = parts.ledger.first(
        sql<{ sql: string }>`SELECT sql FROM sqlite_schema WHERE name = 'raw_bundle_is_never_deleted'`,
      );
      onDisk(parts, 'DROP TRIGGER raw_bundle_is_never_deleted');
      onDisk(parts, 'DELETE FROM raw_bundle WHERE cursor_from = 2');
      onDisk(parts, guard?.sql ?? '');
      expect(truncateAfter(parts, 1)).toMatchObject({ before: 3, committed: 1, bundles: 1, hidden: 2 });
      expect(rowOf(parts, 'c')?.status).toBe('BLOCKED');
      isSound(parts);
    }));
});

const ACTS = ['stop', 'approve', 'approve-edited', 'correct', 'draft'] as const;

test('in any order of entries and decisions: sound, none of them exposed, and the same as if they had never come', () => {
  const some = fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom(CLEAN, CLEAN, REVIEWED, REVIEWED, 'misfit', ...ACTS),
    }),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(some, some, some, (before, aside, after) =>
      withLedger((parts) => {
        const play = (steps: typeof before, from: number): number => {
          let cursor = from;
          for (const { id, what } of steps) {
            const done = ACTS.find((each) => each === what);
            if (done !== undefined) {
              try {
                if (done === 'draft') draft(parts, id);
                else decide(parts, id, done);
              } catch {
                // A move that its state does not allow.
              }
              continue;
            }
            cursor += 1;
            take(
              parts,
              what === 'misfit' ? { cursor, delivery_type: 'CORRECTION' } : newAt(cursor, id, { summary: what }),
            );
          }
          return cursor;
        };
        const end = play(before, 0);
        play(aside, end + 100);
        truncateAfter(parts, end);
        isSound(parts);
        expect(readCursors(parts.ledger)).toMatchObject({ committed: end, applied: end });
        play(after, end);
        isSound(parts);
        const moves = parts.ledger.all(sqlite.selectFrom('state_history').select('position').orderBy('id'));
        expect(moves).toEqual(moves.toSorted((a, b) => (a.position < b.position ? -1 : 1)));
        expect(rebuildLedger(parts)).toEqual({ restored: 0, corrected: 0, withdrawn: 0, left: 0 });
        const entries = [...before, ...after].filter(({ what }) => what === CLEAN || what === REVIEWED);
        const last = new Map<string, string>(entries.map(({ id, what }) => [id, what]));
        for (const id of ['a', 'b', 'c']) {
          const row = rowOf(parts, id);
          const text = last.get(id);
          if (text === undefined) expect(row?.status ?? 'BLOCKED').toBe('BLOCKED');
          else expect(row?.summary).toBe(text);
          if (row?.status === 'AUTO_PUBLISHED') expect([CLEAN, '고친 본문']).toContain(row.published_summary);
        }
      }),
    ),
    { numRuns: runs(12, 60) },
  );
});
