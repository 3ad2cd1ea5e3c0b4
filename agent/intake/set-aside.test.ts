/**
 * `set-aside`: whatever came that must not count, and whatever was decided about it, the ledger is sound
 * afterwards, shows nothing that only those records tell, and takes in what the cloud then sends.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explanationId } from '../ledger/explanations.ts';
import { openLedger, sqlite, type Ledger } from '../ledger/ledger.ts';
import { applyMove, historyOf } from '../ledger/moves.ts';
import { publishPolicy } from '../ledger/policy-versions.ts';
import { commitBundle, readCursors } from '../ledger/raw-bundles.ts';
import { SEED_POLICY } from '../screening/seed-policy.ts';
import { applyNext, type ApplyParts } from './apply.ts';
import type { RawEntry } from './entry.ts';
import { rebuildLedger } from './rebuild.ts';
import { createEntryScreening } from './screening.ts';
import { setAsideAfter } from './set-aside.ts';
import { bodyOf, bundleOf, invalidationAt, newAt, readableLog, TENANT } from './testing.ts';
import { verifyLedger } from './verify.ts';

const { log } = readableLog();
const CLEAN = '반도체 수출이 늘었습니다.';
const REVIEWED = '지금은 매수 시점입니다.';
const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

type Parts = ApplyParts & { ledger: Ledger };

function withLedger(work: (parts: Parts) => void): void {
  const ledger = openLedger(':memory:');
  let minute = 0;
  const now = (): Date => new Date(Date.UTC(2026, 10, 20, 0, (minute += 1)));
  try {
    ledger.write((tx) =>
      publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: now().toISOString() }),
    );
    work({ ledger, log, clock: { now }, screenEntry: createEntryScreening(log) });
  } finally {
    ledger.close();
  }
}

function take(parts: Parts, ...entries: RawEntry[]): void {
  const { ledger, clock } = parts;
  const cursorFrom = readCursors(ledger).committed;
  ledger.write((tx) =>
    commitBundle(tx, {
      cursorFrom,
      cursorTo: entries.at(-1)?.cursor ?? 0,
      bundleId: crypto.randomUUID(),
      entryCount: entries.length,
      tenantId: TENANT,
      body: bodyOf(bundleOf(cursorFrom, entries)),
      signature: null,
      receivedAt: clock.now().toISOString(),
    }),
  );
  while (applyNext(parts));
}

const rowOf = ({ ledger }: Parts, id: string) =>
  ledger.first(sqlite.selectFrom('explanation').selectAll().where('explanation_result_id', '=', id));
const decide = ({ ledger, clock }: Parts, id: string, move: 'approve' | 'stop'): void =>
  void ledger.write((tx) =>
    applyMove(tx, { id: explanationId(id), move, actor: reviewer, at: clock.now().toISOString(), reason: null }),
  );
const isSound = ({ ledger }: Parts): void => expect(verifyLedger(ledger).findings).toEqual([]);

describe('what only the records tell that were set aside', () => {
  test('is hidden at once, is nobody’s to show, and comes back when the cloud sends it again', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'kept'));
      take(parts, newAt(500, 'a', { summary: '가짜 본문' }), newAt(501, 'never'));
      expect(setAsideAfter(parts, 1)).toEqual({ committed: 1, bundles: 1, hidden: 2, takenBack: 0 });
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
  test('goes to a person again where a person had decided', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      decide(parts, 'a', 'approve');
      setAsideAfter(parts, 0);
      take(parts, newAt(1, 'a', { summary: REVIEWED }));
      expect(rowOf(parts, 'a')).toMatchObject({ status: 'PENDING_REVIEW', decided: 1 });
      isSound(parts);
    }));
  test('a withdrawal that waits for its original waits again when the original was set aside', () =>
    withLedger((parts) => {
      take(parts, invalidationAt(1, 'a'));
      take(parts, newAt(2, 'a'));
      setAsideAfter(parts, 1);
      isSound(parts);
      take(parts, newAt(3, 'a'));
      expect(rowOf(parts, 'a')?.status).toBe('INVALIDATED');
      isSound(parts);
    }));
  test('what they withdrew stays withdrawn, and verify says so', () =>
    withLedger((parts) => {
      take(parts, newAt(1, 'a'));
      take(parts, invalidationAt(2, 'a'));
      setAsideAfter(parts, 1);
      expect(rowOf(parts, 'a')?.status).toBe('INVALIDATED');
      expect(verifyLedger(parts.ledger).findings).toEqual([
        'The explanation a says that it was withdrawn, and was not.',
      ]);
    }));
});

test('what they had changed says again what it said, screened anew', () =>
  withLedger((parts) => {
    take(parts, newAt(1, 'a', { summary: REVIEWED }));
    take(parts, newAt(2, 'a', { summary: CLEAN }));
    expect(rowOf(parts, 'a')?.status).toBe('AUTO_PUBLISHED');
    expect(setAsideAfter(parts, 1)).toMatchObject({ hidden: 0, takenBack: 1 });
    expect(rowOf(parts, 'a')).toMatchObject({ status: 'PENDING_REVIEW', summary: REVIEWED, cursor: 1 });
    isSound(parts);
  }));

test('a bundle that only reaches beyond the cursor goes as a whole; none beyond it changes nothing', () =>
  withLedger((parts) => {
    take(parts, newAt(1, 'a'), newAt(2, 'b'));
    take(parts, newAt(3, 'c'));
    expect(setAsideAfter(parts, 3)).toMatchObject({ committed: 3, bundles: 0 });
    expect(setAsideAfter(parts, 1)).toMatchObject({ committed: 0, bundles: 2, hidden: 3 });
    const kept = parts.ledger.all(sqlite.selectFrom('quarantined_bundle').selectAll());
    expect(kept.map(({ after_cursor, cursor_to, entry_count }) => [after_cursor, cursor_to, entry_count])).toEqual([
      [0, 2, 2],
      [2, 3, 1],
    ]);
    expect(() => parts.ledger.write((tx) => tx.run(sqlite.deleteFrom('quarantined_bundle')))).toThrow('never deleted');
  }));

test('in any order of entries and decisions: sound, nothing of them on show, and the same as if they had never come', () => {
  const some = fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom(CLEAN, REVIEWED, 'misfit', 'stop', 'approve'),
    }),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(some, some, some, (before, aside, after) =>
      withLedger((parts) => {
        const play = (steps: typeof before, from: number): number => {
          let cursor = from;
          for (const { id, what } of steps) {
            if (what === 'stop' || what === 'approve') {
              try {
                decide(parts, id, what);
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
        setAsideAfter(parts, end);
        isSound(parts);
        expect(readCursors(parts.ledger)).toMatchObject({ committed: end, applied: end });
        play(after, end);
        isSound(parts);
        const entries = [...before, ...after].filter(({ what }) => what === CLEAN || what === REVIEWED);
        const last = new Map<string, string>(entries.map(({ id, what }) => [id, what]));
        for (const id of ['a', 'b', 'c']) {
          const row = rowOf(parts, id);
          const text = last.get(id);
          if (text === undefined) expect(row?.status ?? 'BLOCKED').toBe('BLOCKED');
          else expect(row?.summary).toBe(text);
          if (row?.status === 'AUTO_PUBLISHED') expect(row.published_summary).toBe(CLEAN);
        }
      }),
    ),
    { numRuns: 60 },
  );
});
