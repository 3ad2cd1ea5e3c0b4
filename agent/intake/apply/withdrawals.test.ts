/** Withdrawals of a backlog go ahead of it (D169), and the end is the one of cursor order. */
import { beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { openChannel } from '../../ledger/serving/channels.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { historyOf } from '../../ledger/explanations/history.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { recordPull } from '../../ledger/inbox/sync-state.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { truncateAfter } from '../maintenance/truncate.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import { runs } from '../../../test/support/runs.ts';
import {
  changeOnDisk,
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  takeIn,
  withParts,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { applyNext, withdrawAhead } from './apply.ts';
import { RawBundleDamagedError } from './committed-entries.ts';
import type { RawEntry } from './entry.ts';
import { BatchSize } from './batch-size.ts';
import { WaitingWithdrawals } from './withdrawals.ts';

const NOW = '2026-11-20T08:00:30.000Z';
const CLEAN = '반도체 수출 증가 소식에 지수가 올랐습니다.';

let ledger: Ledger;
let parts: WholeParts & { withdrawals: WaitingWithdrawals };
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = { ...partsOn(ledger, NOW), batch: new BatchSize(), withdrawals: new WaitingWithdrawals() };
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
});

const exposedText = (ticker = '069500') => exposedExplanation(ledger, ticker, 'MTS', new Date(NOW))?.text;
/** So many other texts, after a cursor, in bundles of 200. */
function others(after: number, count: number): void {
  for (let done = 0; done < count; done += 200)
    commitEntries(
      ledger,
      Array.from({ length: Math.min(200, count - done) }, (_, index) =>
        newAt(after + done + index + 1, `other-${after + done + index}`, { summary: CLEAN, etf_ticker: '102110' }),
      ),
      NOW,
    );
}

test('the text of a withdrawal that waits behind 800 others is off before the first of them', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  expect(exposedText()).toBe(CLEAN);
  others(1, 800);
  commitEntries(ledger, [invalidationAt(802, 'a', '출처 오류')], NOW);
  expect(applyNext(parts)).toBe(true);
  expect(readCursors(ledger).applied).toBeLessThan(802);
  expect(exposedText()).toBeUndefined();
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
  while (applyNext(parts));
  expect(readCursors(ledger).applied).toBe(802);
  expect(historyOf(ledger, explanationId('a')).map(({ move, reason }) => [move, reason])).toEqual([
    ['receive', null],
    ['invalidate', '출처 오류'],
  ]);
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
});

test('a text of the backlog that a later bundle withdraws is exposed at no commit', () => {
  commitEntries(ledger, [newAt(1, 'a', { summary: CLEAN })], NOW);
  others(1, 1_000);
  commitEntries(ledger, [invalidationAt(1_002, 'a')], NOW);
  while (applyNext(parts)) {
    expect(exposedText()).toBeUndefined();
    expect(explanationRow(ledger, 'a')?.status).toBe('INVALIDATED');
  }
  expect(ledger.all(sqlite.selectFrom('held_invalidation').selectAll())).toEqual([]);
  expect(verifyLedger(ledger).findings).toEqual([]);
});

test('a backlog of few entries that takes several batches by its bytes lets its withdrawals go ahead as well', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  const large = (cursor: number): RawEntry => ({ cursor, delivery_type: 'NONE', filled: 'x'.repeat(9 * 2 ** 20) });
  commitEntries(ledger, [newAt(2, 'b', { summary: CLEAN, etf_ticker: '229200' }), large(3)], NOW);
  commitEntries(ledger, [large(4)], NOW);
  commitEntries(ledger, [invalidationAt(5, 'a'), invalidationAt(6, 'b')], NOW);
  expect(applyNext(parts)).toBe(true);
  expect(readCursors(ledger).applied).toBe(3);
  expect([exposedText(), exposedText('229200')]).toEqual([undefined, undefined]);
});

test('a withdrawal is held in memory until its place has come', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  commitEntries(ledger, [invalidationAt(2, 'a'), invalidationAt(3, 'unknown')], NOW);
  withdrawAhead(parts);
  expect(parts.withdrawals.size).toBe(2);
  while (applyNext(parts));
  withdrawAhead(parts);
  expect(parts.withdrawals.size).toBe(0);
});

describe('a damaged bundle', () => {
  const onDisk = (body: string, cursorFrom: number): void =>
    changeOnDisk(
      ledger.file,
      `DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = CAST(${body} AS BLOB) WHERE cursor_from = ${cursorFrom}`,
    );
  const isStopped = (): void =>
    expect(() => {
      while (applyNext(parts));
    }).toThrow(RawBundleDamagedError);

  test.each(['of others', 'with a withdrawal of its own'])('%s holds no later withdrawal up', (what) => {
    takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
    takeIn(parts, newAt(2, 'b', { summary: CLEAN, etf_ticker: '229200' }));
    const own = what === 'of others' ? newAt(3, 'other') : invalidationAt(3, 'b');
    commitEntries(ledger, [own], NOW);
    commitEntries(ledger, [invalidationAt(4, 'a')], NOW);
    onDisk("body || ' '", 2);
    isStopped();
    expect([exposedText(), exposedText('229200')]).toEqual([undefined, CLEAN]);
    commitEntries(ledger, [invalidationAt(5, 'b')], NOW);
    isStopped();
    expect([exposedText('229200'), readCursors(ledger).applied]).toEqual([undefined, 2]);
  });

  test('between a text of the backlog and its withdrawal lets it be exposed at no commit', () => {
    commitEntries(ledger, [newAt(1, 'a', { summary: CLEAN })], NOW);
    for (const entry of [newAt(2, 'other'), invalidationAt(3, 'a')]) commitEntries(ledger, [entry], NOW);
    onDisk("body || ' '", 1);
    expect(applyNext(parts)).toBe(true);
    expect([exposedText(), readCursors(ledger).applied]).toEqual([undefined, 1]);
  });

  test('takes no text off, and gives its withdrawals once it is mended', () => {
    takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
    commitEntries(ledger, [newAt(2, 'b', { summary: CLEAN, etf_ticker: '229200' })], NOW);
    commitEntries(ledger, [invalidationAt(3, 'a'), invalidationAt(4, 'b')], NOW);
    commitEntries(ledger, [invalidationAt(5, 'a', 'a later reason')], NOW);
    onDisk("body || ' '", 2);
    parts.withdrawals.goAhead(parts, () => undefined);
    expect(exposedText()).toBe(CLEAN);
    onDisk('trim(body)', 2);
    withdrawAhead(parts);
    expect(exposedText()).toBeUndefined();
    expect(explanationRow(ledger, 'a')?.ended_position).toBe('0000000000000003');
    while (applyNext(parts)) expect(exposedText('229200')).toBeUndefined();
    expect(readCursors(ledger).applied).toBe(5);
    expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
  });

  test('with an earlier withdrawal and a change of the same text leaves a sound ledger once it is mended', () => {
    takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
    const changed = newAt(2, 'a', { summary: `${CLEAN} 지금은 매수 시점입니다.` });
    commitEntries(ledger, [changed, invalidationAt(3, 'a')], NOW);
    commitEntries(ledger, [invalidationAt(4, 'a')], NOW);
    onDisk("body || ' '", 1);
    isStopped();
    expect(exposedText()).toBeUndefined();
    onDisk('trim(body)', 1);
    while (applyNext(parts));
    expect(explanationRow(ledger, 'a')).toMatchObject({ cursor: 2, status: 'INVALIDATED' });
    expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
    expect(rebuildLedger(parts).corrected).toBe(0);
  });
});

test('a cloud that has lost records holds no withdrawal up that it had given', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  commitEntries(ledger, [newAt(2, 'b'), invalidationAt(3, 'a')], NOW);
  ledger.write((tx) => recordPull(tx, { at: NOW, head: 2 }));
  expect(applyNext(parts)).toBe(false);
  expect([exposedText(), readCursors(ledger).applied]).toEqual([undefined, 1]);
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
  truncateAfter(parts, 1);
  expect(exposedText()).toBeUndefined();
  expect(verifyLedger(ledger)).toMatchObject({ findings: [] });
});

test('a withdrawal that overtakes a change that leads to review: what came after the change is a new statement', () => {
  const changed = { summary: `${CLEAN} 지금은 매수 시점입니다.` };
  const early = '2026-11-20T05:00:00.000Z';
  takeIn(parts, newAt(1, 'a', { summary: CLEAN, explanation_as_of: '2026-11-20T06:00:00.000Z' }));
  const change = newAt(2, 'a', { explanation_as_of: '2026-11-20T06:00:00.000Z', ...changed });
  const next = newAt(3, 'b', { summary: `${CLEAN} 새로운 설명입니다.`, explanation_as_of: early });
  for (const entry of [change, next, invalidationAt(4, 'a')]) commitEntries(ledger, [entry], NOW);
  withdrawAhead(parts);
  expect([exposedText(), explanationRow(ledger, 'a')?.cursor]).toEqual([undefined, 1]);
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
  while (applyNext(parts));
  expect(exposedText()).toContain('새로운 설명');
  expect(explanationRow(ledger, 'a')).toMatchObject({ cursor: 2, version: 4, ended_position: '0000000000000002' });
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
});

test('a withdrawal overtakes no change of its date, which is rejected in its place (D37)', () => {
  const own = { summary: CLEAN, explanation_as_of: '2026-11-20T06:00:00.000Z' };
  takeIn(parts, newAt(1, 'a', own));
  const change = newAt(2, 'a', { ...own, explanation_as_of: '2026-11-20T10:00:00.000Z' });
  for (const entry of [change, invalidationAt(3, 'a')]) commitEntries(ledger, [entry], NOW);
  withdrawAhead(parts);
  const off = { cursor: 1, status: 'INVALIDATED', ended_position: '0000000000000003' };
  expect(explanationRow(ledger, 'a')).toMatchObject(off);
  while (applyNext(parts));
  expect(explanationRow(ledger, 'a')).toMatchObject(off);
  expect(ledger.all(sqlite.selectFrom('rejected_entry').select('cursor'))).toEqual([{ cursor: 2 }]);
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
});

test('a withdrawal that overtakes a text which was set aside and is sent again: all ends as one by one', () => {
  const dated = (cursor: number, id: string, minute: number): RawEntry =>
    newAt(cursor, id, { summary: `${CLEAN}${id}`, explanation_as_of: `2026-11-20T06:${minute}:00.000Z` });
  const again = [dated(2, 'b', 10), dated(3, 'a', 30), invalidationAt(4, 'a'), dated(5, 'c', 20)];
  const end = (isAhead: boolean, upTo: number) =>
    withParts((own) => {
      const together = { ...own, withdrawals: new WaitingWithdrawals() };
      own.ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
      takeIn(own, dated(1, 'base', 11));
      takeIn(own, dated(2, 'a', 30));
      truncateAfter(own, 1);
      for (const entry of again.slice(0, upTo))
        if (isAhead) commitEntries(own.ledger, [entry], NOW);
        else takeIn(own, entry);
      if (isAhead) withdrawAhead(together);
      expect(verifyLedger(own.ledger)).toMatchObject({ findings: [], notices: [] });
      while (applyNext(together));
      expect(verifyLedger(own.ledger)).toMatchObject({ findings: [], notices: [] });
      const exposed = exposedExplanation(own.ledger, '069500', 'MTS', new Date(NOW))?.text;
      return [exposed, ...own.ledger.all(rows), ...own.ledger.all(moves)];
    }, NOW);
  for (const [upTo, exposed] of [
    [3, undefined],
    [4, `${CLEAN}c`],
  ] as const) {
    const told = end(false, upTo);
    expect(told[0]).toBe(exposed);
    expect(end(true, upTo)).toEqual(told);
  }
});

test.each(['a"b', '"', 'a\\', 'a\\"b\\\\', '가"나', 'res-1/é'])(
  'a change of a text with the id %j comes along with its early withdrawal',
  (id) => {
    const early = '2026-11-20T05:00:00.000Z';
    const own = { summary: CLEAN, explanation_as_of: '2026-11-20T06:00:00.000Z' };
    takeIn(parts, newAt(1, id, own));
    const change = newAt(2, id, { ...own, summary: `${CLEAN} 지금은 매수 시점입니다.` });
    const next = newAt(3, 'other', { summary: `${CLEAN} 새로운 설명입니다.`, explanation_as_of: early });
    for (const entry of [change, next, invalidationAt(4, id)]) commitEntries(ledger, [entry], NOW);
    withdrawAhead(parts);
    while (applyNext(parts));
    expect(exposedText()).toContain('새로운 설명');
    expect(explanationRow(ledger, id)).toMatchObject({ cursor: 2, version: 4, ended_position: '0000000000000002' });
    expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });
  },
);

test('on a full disk the text is taken off without the changes that go along', () => {
  takeIn(parts, newAt(1, 'a', { summary: CLEAN }));
  commitEntries(ledger, [newAt(2, 'a', { summary: `${CLEAN} 또.` }), invalidationAt(3, 'a')], NOW);
  parts.withdrawals.tryAhead(parts, () => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  });
  expect([exposedText(), explanationRow(ledger, 'a')?.status]).toEqual([undefined, 'INVALIDATED']);
});

/** One that comes later may be dated earlier. */
const asOf: Readonly<Record<string, string>> = Object.fromEntries(
  ['c', 'a', 'd', 'b'].map((id, n) => [id, `2026-11-20T06:0${n}:00.000Z`]),
);
const AHEAD = '2026-11-20T10:00:00.000Z';

/** NEW and INVALIDATION of four texts, some with another text or date under the same id. */
const backlog = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    withdraws: fc.boolean(),
    text: fc.constantFrom('', ' 또.', ' 지금은 매수 시점입니다.', ' 확정 수익을 드립니다.'),
    liesAhead: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

test('property: ahead, in order or one by one, and rebuilt, all ends as in the order of cursors', () => {
  fc.assert(
    fc.property(backlog, fc.nat(11), (plan, first) => {
      const entries: RawEntry[] = plan.map(({ id, withdraws, text, liesAhead }, index) =>
        withdraws
          ? invalidationAt(index + 1, id)
          : newAt(index + 1, id, {
              summary: `${CLEAN}${text}${id}`,
              explanation_as_of: liesAhead ? AHEAD : (asOf[id] ?? ''),
            }),
      );
      const end = (how: 'ahead' | 'in order' | 'one by one') =>
        withParts((own) => {
          own.ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
          const ahead = how === 'ahead';
          const together = ahead ? { ...own, withdrawals: new WaitingWithdrawals() } : own;
          const [one, rest] = [entries.slice(0, first), entries.slice(first)];
          if (one.length > 0) takeIn(together, ...one);
          for (const entry of rest)
            if (how === 'one by one') takeIn(own, entry);
            else commitEntries(own.ledger, [entry], NOW);
          if (ahead) withdrawAhead(together);
          while (applyNext(together));
          expect(verifyLedger(own.ledger).findings).toEqual([]);
          const exposed = () =>
            [NOW, '2026-11-20T11:00:00.000Z'].map(
              (at) => exposedExplanation(own.ledger, '069500', 'MTS', new Date(at))?.text,
            );
          const before = exposed();
          const told = [before, ...own.ledger.all(rows), ...own.ledger.all(moves)];
          own.ledger.write((tx) =>
            tx.run(sqlite.updateTable('explanation').set({ stated_position: '9', version: 99 })),
          );
          rebuildLedger(own);
          expect(exposed()).toEqual(before);
          return told;
        }, NOW);
      const told = end('one by one');
      expect(end('ahead')).toEqual(told);
      expect(end('in order')).toEqual(told);
    }),
    { numRuns: runs(10, 200) },
  );
});

const rows = sqlite
  .selectFrom('explanation')
  .select(['explanation_result_id', 'status', 'summary', 'cursor', 'published_summary', 'version'])
  .select(['stated_position', 'ended_position', 'held_until', 'published_before'])
  .orderBy('explanation_result_id');
const moves = sqlite
  .selectFrom('state_history')
  .select(['explanation_id', 'move', 'from_status', 'to_status', 'position', 'held_until', 'during_hold'])
  .orderBy('explanation_id')
  .orderBy('id');
