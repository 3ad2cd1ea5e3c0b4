/** Entries that come again (D37) and withdrawals (D35), after any decision that a person made meanwhile. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { letEditWait } from '../../ledger/review/drafts.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { historyOf } from '../../ledger/explanations/history.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { setAppliedCursor } from '../../ledger/inbox/raw-bundles.ts';
import { applyNext, type ApplyParts } from './apply.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import type { RawEntry } from './entry.ts';
import {
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  reviewer,
  takeIn,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';

const NOW = '2026-11-20T08:00:30.000Z';
const CLEAN = '반도체 수출 증가 소식에 지수가 올랐습니다.';
const BLOCKED = '이 상품은 확정 수익을 드립니다.';
const V1 = { analysis_engine: 'v1', explanation_type: 'EVENT_SUPPORTED', confidence_level: 'HIGH' } as const;
const DOUBTFUL = '지금은 매수 시점입니다.';

let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger, NOW);
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
});

const receive = (...entries: RawEntry[]): void => takeIn(parts, ...entries);
const rowOf = (id: string) => explanationRow(ledger, id);
const statusOf = (id: string): ExplanationStatus | undefined => rowOf(id)?.status;
const movesOf = (id: string) => historyOf(ledger, explanationId(id)).map(({ move, to }) => [move, to]);
const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', new Date(NOW))?.text;
function decide(id: string, move: 'approve' | 'reject' | 'block' | 'stop'): void {
  ledger.write((tx) => applyMove(tx, { id: explanationId(id), move, actor: reviewer, at: NOW, reason: 'OTHER' }));
}

describe('the same id again (D37)', () => {
  test('with the same content changes nothing', () => {
    receive(newAt(1, 'a', { summary: CLEAN }));
    const before = rowOf('a');
    receive(newAt(2, 'a', { summary: CLEAN }));
    expect(rowOf('a')).toEqual(before);
    expect(movesOf('a')).toHaveLength(1);
  });
  test('with another name changes the vendor’s fields alone, and nothing that a person decided', () => {
    receive(newAt(1, 'a', { summary: DOUBTFUL }));
    decide('a', 'approve');
    receive(newAt(2, 'a', { summary: DOUBTFUL, etf_name: 'KODEX 200TR' }));
    expect(rowOf('a')).toMatchObject({
      status: 'PUBLISHED',
      etf_name: 'KODEX 200TR',
      published_summary: DOUBTFUL,
      cursor: 2,
      decided: 1,
    });
    expect(movesOf('a')).toHaveLength(2);
  });
  test.each<[string, ExplanationStatus]>([
    [CLEAN, 'AUTO_PUBLISHED'],
    [BLOCKED, 'BLOCKED'],
    [DOUBTFUL, 'PENDING_REVIEW'],
  ])('with another text and no decision goes where the screening says: %s', (summary, status) => {
    receive(newAt(1, 'a', { summary: '코스피가 약보합으로 마감했습니다.' }), newAt(2, 'a', { summary }));
    expect(rowOf('a')).toMatchObject({ status, summary });
    expect(movesOf('a')).toEqual([
      ['receive', 'AUTO_PUBLISHED'],
      ['text-changed', status],
    ]);
    expect(ledger.all(sqlite.selectFrom('screening').select('id'))).toHaveLength(2);
    expect(exposedText()).toBe(status === 'AUTO_PUBLISHED' ? summary : undefined);
  });
  test.each(['approve', 'reject', 'block'] as const)(
    'with another text after a person’s %s goes to review again',
    (move) => {
      receive(newAt(1, 'a', { summary: DOUBTFUL }));
      decide('a', move);
      for (const [cursor, summary] of [CLEAN, BLOCKED].entries()) {
        receive(newAt(2 + cursor, 'a', { summary }));
        expect(rowOf('a')).toMatchObject({ status: 'PENDING_REVIEW', summary });
        expect(exposedText()).toBeUndefined();
      }
    },
  );
  test.each<[string, string, ExplanationStatus]>([
    [DOUBTFUL, CLEAN, 'PENDING_REVIEW'],
    [DOUBTFUL, BLOCKED, 'PENDING_REVIEW'],
    [BLOCKED, CLEAN, 'PENDING_REVIEW'],
    [BLOCKED, DOUBTFUL, 'PENDING_REVIEW'],
    [BLOCKED, `${BLOCKED} 또.`, 'BLOCKED'],
  ])('only a person lets out an explanation kept back, whatever its new text: %s, %s', (held, summary, status) => {
    receive(newAt(1, 'a', { summary: held }), newAt(2, 'a', { summary }));
    expect(rowOf('a')).toMatchObject({ status, summary, published_summary: null, decided: 0 });
    receive(newAt(3, 'a', { summary: `${CLEAN} 또.` }));
    expect(rowOf('a')).toMatchObject({ status: 'PENDING_REVIEW', failed_checks: '[]' });
    expect(exposedText()).toBeUndefined();
    decide('a', 'approve');
    expect(exposedText()).toBe(`${CLEAN} 또.`);
  });
  test('with another text while an edit waits for a second person: the edit ends, on record', () => {
    receive(newAt(1, 'a', { summary: DOUBTFUL }));
    const id = explanationId('a');
    const acknowledgement = { matcherVersion: '1', wordsLetStand: [], figuresLetStand: [] };
    const approval = { id, actor: reviewer, at: NOW, text: '고친 글입니다.', comment: null, acknowledgement };
    ledger.write((tx) => letEditWait(tx, approval));
    receive(newAt(2, 'a', { summary: CLEAN }));
    expect(rowOf('a')).toMatchObject({ status: 'PENDING_REVIEW', edited_summary: null });
    expect(ledger.all(sqlite.selectFrom('waiting_edit').selectAll())).toEqual([]);
    const actions = ledger.all(sqlite.selectFrom('console_action_log').select(['action', 'actor']).orderBy('seq'));
    expect(actions.slice(-2)).toEqual([
      { action: 'review.edit-voided', actor: 'SYSTEM' },
      { action: 'explanation.text-changed', actor: 'SYSTEM' },
    ]);
  });
  test('of v2 with another text is exposed with it, or goes to review after a person’s decision', () => {
    const v2 = { analysis_engine: 'v2', explanation_type: null, confidence_level: null } as const;
    receive(newAt(1, 'm', { ...v2, summary: 'v2 첫째' }), newAt(2, 'm', { ...v2, summary: 'v2 둘째' }));
    expect(exposedText()).toBe('v2 둘째');
    decide('m', 'stop');
    receive(newAt(3, 'm', { ...v2, summary: 'v2 셋째' }));
    expect(statusOf('m')).toBe('PENDING_REVIEW');
  });
  describe('from the other engine, with the same text,', () => {
    const v2 = { analysis_engine: 'v2', explanation_type: null, confidence_level: null } as const;
    test.each<[string, ExplanationStatus]>([
      [BLOCKED, 'BLOCKED'],
      [DOUBTFUL, 'PENDING_REVIEW'],
      [CLEAN, 'AUTO_PUBLISHED'],
    ])('is screened when it was v2 and no check has seen it (D14): %s', (summary, status) => {
      receive(newAt(1, 'a', { ...v2, summary }));
      expect(exposedText()).toBe(summary);
      receive(newAt(2, 'a', { summary }));
      expect(rowOf('a')).toMatchObject({ status, analysis_engine: 'v1', summary });
      expect(verifyLedger(ledger).findings).toEqual([]);
      // A screened text keeps its state when another engine name comes with it.
      receive(newAt(3, 'a', { ...v2, summary }));
      expect(statusOf('a')).toBe(status);
      expect(exposedText()).toBe(status === 'AUTO_PUBLISHED' ? summary : undefined);
    });
    test('goes to a person again after a person’s decision', () => {
      receive(newAt(1, 'a', { ...v2, summary: CLEAN }));
      decide('a', 'stop');
      receive(newAt(2, 'a', { summary: CLEAN }));
      expect(statusOf('a')).toBe('PENDING_REVIEW');
    });
    test('is found and screened where an older program has let it pass', () => {
      receive(newAt(1, 'a', { ...v2, summary: BLOCKED }));
      commitEntries(ledger, [newAt(2, 'a', { summary: BLOCKED })], NOW);
      ledger.write((tx) => {
        tx.run(sqlite.updateTable('explanation').set({ ...V1, cursor: 2, version: 2 }));
        setAppliedCursor(tx, 2);
      });
      expect(verifyLedger(ledger).findings).toEqual(['The explanation a has a text that was never screened.']);
      rebuildLedger(parts);
      expect(rowOf('a')).toMatchObject({ status: 'BLOCKED', analysis_engine: 'v1' });
      expect(verifyLedger(ledger).findings).toEqual([]);
    });
  });
  test('after its withdrawal stays withdrawn', () => {
    receive(newAt(1, 'a', { summary: CLEAN }), invalidationAt(2, 'a'), newAt(3, 'a', { summary: '다른 본문입니다.' }));
    expect(rowOf('a')).toMatchObject({ status: 'INVALIDATED', summary: '다른 본문입니다.' });
    expect(movesOf('a').map(([move]) => move)).toEqual(['receive', 'invalidate']);
  });
});

describe('an INVALIDATION', () => {
  test('withdraws with the vendor’s reason; a repetition changes nothing', () => {
    receive(newAt(1, 'a', { summary: CLEAN }));
    expect(exposedText()).toBe(CLEAN);
    receive(invalidationAt(2, 'a', '출처가 철회되었습니다.'));
    expect(exposedText()).toBeUndefined();
    const before = rowOf('a');
    receive(invalidationAt(3, 'a', '다시'));
    expect(rowOf('a')).toEqual(before);
    expect(historyOf(ledger, explanationId('a')).at(-1)).toMatchObject({
      move: 'invalidate',
      to: 'INVALIDATED',
      reason: '출처가 철회되었습니다.',
      actor: 'SYSTEM',
    });
  });
  test('withdraws what people decided, too, and a v2 analysis by its own name', () => {
    receive(newAt(1, 'a', { summary: DOUBTFUL }), newAt(2, 'm', { analysis_engine: 'v2' }));
    decide('a', 'approve');
    receive(invalidationAt(3, 'a'), {
      cursor: 4,
      delivery_type: 'INVALIDATION',
      target_movement_analysis_id: 'm',
      reason: 'x',
    });
    expect([statusOf('a'), statusOf('m')]).toEqual(['INVALIDATED', 'INVALIDATED']);
  });
  test('before its original waits for it, and the original is never exposed (D35)', () => {
    receive(invalidationAt(1, 'a', '먼저 온 철회'), invalidationAt(2, 'a', '두 번째'));
    expect(syncStatus(ledger, new Date()).heldInvalidations).toBe(1);
    const other = openLedger(ledger.file);
    const seen: (ExplanationStatus | undefined)[] = [];
    commitEntries(ledger, [newAt(3, 'a', { summary: CLEAN })], NOW);
    const { write } = ledger;
    // A second connection reads after every write of the batch and sees no half-done batch.
    const watched: ApplyParts = {
      ...parts,
      ledger: {
        all: (query) => ledger.all(query),
        first: (query) => ledger.first(query),
        write: (work) => {
          const result = write.call(ledger, work) as ReturnType<typeof work>;
          seen.push(other.first(sqlite.selectFrom('explanation').select('status'))?.status);
          return result;
        },
      },
    };
    applyNext(watched);
    other.close();
    expect(seen).toEqual(['INVALIDATED']);
    expect(historyOf(ledger, explanationId('a'))).toMatchObject([
      {
        move: 'receive',
        to: 'PENDING_REVIEW',
        reason: expect.stringContaining('withdrawn by the vendor before') as string,
      },
      { move: 'invalidate', reason: '먼저 온 철회' },
    ]);
    // No record says that it was exposed.
    expect(ledger.first(sqlite.selectFrom('explanation').select('published_summary'))).toEqual({
      published_summary: null,
    });
    expect(syncStatus(ledger, new Date()).heldInvalidations).toBe(0);
  });
});
