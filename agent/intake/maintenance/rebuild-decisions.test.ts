/**
 * For any damage to row, history or both, a rebuild exposes no text that row, history or audit log forbids. Where a
 * person had decided, a person decides again (D36, D37).
 */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { isExposable } from '../../ledger/explanations/transition-table.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { rebuildLedger } from './rebuild.ts';
import { neverBroken, step, take, TEXTS, withLedger, type Step } from '../../../test/support/agent/rebuild.ts';
import {
  explanationRow,
  invalidationAt,
  newAt,
  reviewer,
  takeIn,
  type WholeParts,
  changeOnDisk,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from './verify.ts';
import { runs } from '../../../test/support/runs.ts';

const [CLEAN = '', , FORBIDDEN = ''] = TEXTS;
const AT = '2026-11-20T09:00:00.000Z';
const NO_GUARDS = 'DROP TRIGGER IF EXISTS state_history_is_never_deleted;';

function stop(parts: WholeParts, id: string): void {
  parts.ledger.write((tx) =>
    applyMove(tx, { id: explanationId(id), move: 'stop', actor: reviewer, at: AT, reason: 'x' }),
  );
}

describe('a text that a person has stopped', () => {
  test.each([
    ['the history lost', 'DELETE FROM state_history'],
    ['the stop lost from the history', "DELETE FROM state_history WHERE move = 'stop'"],
    ['history and row lost', 'DELETE FROM state_history; DELETE FROM explanation'],
    [
      'the stop lost from history and row',
      "DELETE FROM state_history WHERE move = 'stop'; UPDATE explanation SET status = 'AUTO_PUBLISHED', decided = 0",
    ],
    [
      'what only the row knows',
      "DELETE FROM state_history WHERE move = 'stop'; DELETE FROM console_action_log WHERE target_type = 'explanation'",
    ],
    [
      'only the row left',
      "DELETE FROM state_history; DELETE FROM console_action_log WHERE target_type = 'explanation'",
    ],
  ])('goes to a person again, whatever was lost: %s', (_, sql) =>
    withLedger('file', [], (ledger, parts) => {
      takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
      stop(parts, 'a');
      changeOnDisk(ledger.file, `${NO_GUARDS} DROP TRIGGER console_action_log_is_never_deleted; ${sql}`);
      expect(verifyLedger(ledger).findings).not.toEqual([]);
      rebuildLedger(parts);
      expect(explanationRow(ledger, 'a')).toMatchObject({ status: 'PENDING_REVIEW', summary: CLEAN });
      expect(verifyLedger(ledger).findings).toEqual([]);
      // Another text of the vendor does not expose it either.
      if (sql.includes('console_action_log')) return;
      takeIn(parts, newAt(2, 'a', { summary: `${CLEAN} 지수도 올랐습니다.` }));
      expect(explanationRow(ledger, 'a')?.status).toBe('PENDING_REVIEW');
    }),
  );

  test.each([
    ['the same text', CLEAN, 'STOPPED'],
    ['another text', `${CLEAN} 지수도 올랐습니다.`, 'PENDING_REVIEW'],
  ])('is not new when its row was lost and the vendor sends %s', (_, summary, status) =>
    withLedger('file', [], (ledger, parts) => {
      takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
      stop(parts, 'a');
      changeOnDisk(ledger.file, 'DELETE FROM explanation');
      takeIn(parts, newAt(2, 'a', { summary }));
      expect(explanationRow(ledger, 'a')).toMatchObject({ status, decided: 1, summary });
      rebuildLedger(parts);
      expect(explanationRow(ledger, 'a')).toMatchObject({ status, decided: 1, summary });
      expect(verifyLedger(ledger).findings).toEqual([]);
    }),
  );

  test('is not new when its history was lost as well', () =>
    withLedger('file', [], (ledger, parts) => {
      takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
      stop(parts, 'a');
      changeOnDisk(ledger.file, `${NO_GUARDS} DELETE FROM state_history; DELETE FROM explanation`);
      takeIn(parts, newAt(2, 'a', { summary: CLEAN }));
      expect(explanationRow(ledger, 'a')?.status).toBe('PENDING_REVIEW');
    }));

  test('stays stopped when it comes again while a rebuild is at work', () =>
    withLedger('file', [], (ledger, parts) => {
      takeIn(parts, ...Array.from({ length: 12 }, (_, n) => newAt(n + 1, `r${n + 1}`, { summary: CLEAN })));
      stop(parts, 'r11');
      changeOnDisk(ledger.file, 'DELETE FROM explanation WHERE cursor > 5');
      const other = openLedger(ledger.file);
      const write = ledger.write.bind(ledger);
      let n = 0;
      const spy = vi.spyOn(ledger, 'write').mockImplementation((work) => {
        const done = write(work);
        n += 1;
        const later = [
          newAt(13, 'r11', { summary: CLEAN }),
          invalidationAt(14, 'r12'),
          newAt(15, 'n', { summary: CLEAN }),
        ];
        if (n === 3) takeIn({ ...parts, ledger: other }, ...later);
        return done;
      });
      rebuildLedger(parts, 4);
      spy.mockRestore();
      other.close();
      const stands = (id: string) => explanationRow(ledger, id)?.status;
      expect([stands('r11'), stands('r12'), stands('n')]).toEqual(['STOPPED', 'INVALIDATED', 'AUTO_PUBLISHED']);
      expect(verifyLedger(ledger).findings).toEqual([]);
    }));
});

test.each([
  ['row and history', 'DELETE FROM state_history; DELETE FROM explanation'],
  [
    'the history, with a row that says that it is exposed',
    "DELETE FROM state_history; UPDATE explanation SET status = 'AUTO_PUBLISHED', published_summary = summary",
  ],
  [
    'what the history said after the first text',
    "DELETE FROM state_history WHERE move <> 'receive'; DELETE FROM explanation",
  ],
])('a loss does not let out an explanation that a screening had held back: %s', (_, sql) =>
  withLedger('file', [], (ledger, parts) => {
    const texts = sql.includes('receive') ? [CLEAN, FORBIDDEN, CLEAN] : [FORBIDDEN, CLEAN];
    takeIn(parts, ...texts.map((summary, index) => newAt(index + 1, 'a', { summary })));
    expect(explanationRow(ledger, 'a')?.status).toBe('PENDING_REVIEW');
    changeOnDisk(ledger.file, `${NO_GUARDS} ${sql}`);
    rebuildLedger(parts);
    expect(explanationRow(ledger, 'a')).toMatchObject({ status: 'PENDING_REVIEW' });
    expect(verifyLedger(ledger).findings).toEqual([]);
  }),
);

/** The state and exposed text of every explanation. */
function standsOf(ledger: Ledger) {
  return ledger.all(
    sqlite
      .selectFrom('explanation')
      .select(['explanation_result_id as id', 'status', 'published_summary as exposed', 'decided', 'summary'])
      .orderBy('id'),
  );
}

const LOSSES = [
  "UPDATE explanation SET status = 'STOPPED', decided = 1 - decided WHERE status <> 'INVALIDATED'",
  "UPDATE explanation SET status = 'PUBLISHED', published_summary = 'forged' WHERE status <> 'INVALIDATED'",
  'DELETE FROM explanation',
  "DELETE FROM explanation WHERE explanation_result_id = 'a'",
  'DELETE FROM state_history',
  'DELETE FROM state_history WHERE id IN (SELECT max(id) FROM state_history GROUP BY explanation_id)',
  'DELETE FROM state_history WHERE id % 3 = 1',
];

/** Only one move of an explanation is left: a decision. */
const RECEPTION_LOST: Step[] = [
  {
    kind: 'NEW',
    id: 'b',
    summary: '지금은 매수 시점입니다.',
    ticker: '069500',
    engine: 'v1',
    breaks: false,
    market: 'KRX',
  },
  { kind: 'DECISION', id: 'b', move: 'approve', text: '반도체 수출이 늘었습니다.' },
  { kind: 'MISFIT' },
];

test('after any loss of rows and history a rebuild exposes nothing new, and of a decided explanation only its decided text', () => {
  fc.assert(
    fc.property(
      fc.array(step.map(neverBroken), { minLength: 1, maxLength: 15 }),
      fc.uniqueArray(fc.constantFrom(...LOSSES), { minLength: 1, maxLength: 3 }),
      (steps, losses) =>
        withLedger('file', steps, (ledger, parts) => {
          const before = new Map(standsOf(ledger).map((row) => [row.id, row]));
          for (const sql of losses) changeOnDisk(ledger.file, `${NO_GUARDS} ${sql}`);
          rebuildLedger(parts);
          for (const row of standsOf(ledger)) {
            const was = before.get(row.id);
            if (!isExposable(row.status)) continue;
            expect(was === undefined ? row.status : isExposable(was.status)).toBe(true);
            if (was?.decided === 1) expect(row.exposed).toBe(was.exposed);
          }
          expect(verifyLedger(ledger).findings).toEqual([]);
        }),
    ),
    { numRuns: runs(3, 12), examples: [[RECEPTION_LOST, ['DELETE FROM state_history WHERE id % 3 = 1']]] },
  );
});

const fromVendor = (each: Step): boolean => each.kind === 'NEW' || each.kind === 'WITHDRAWAL' || each.kind === 'MISFIT';

test('a rebuild restores rows, lost while further entries came, to their state without the loss', () => {
  fc.assert(
    fc.property(
      fc.array(step.map(neverBroken), { minLength: 1, maxLength: 12 }),
      fc.array(step.map(neverBroken).filter(fromVendor), { maxLength: 6 }),
      (steps, later) => {
        const end = (isLost: boolean) => {
          let stands: unknown;
          withLedger(isLost ? 'file' : 'memory', steps, (ledger, parts) => {
            if (isLost) changeOnDisk(ledger.file, 'DELETE FROM explanation');
            later.forEach((each, index) => take(parts, each, steps.length + index + 1));
            rebuildLedger(parts);
            expect(verifyLedger(ledger).findings).toEqual([]);
            stands = standsOf(ledger);
          });
          return stands;
        };
        expect(end(true)).toEqual(end(false));
      },
    ),
    { numRuns: runs(3, 12) },
  );
});
