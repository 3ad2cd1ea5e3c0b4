import { beforeEach, describe, expect, test } from 'vitest';
import { EXPLANATION_STATUSES } from '../../../shared/wire/console/console.ts';
import { addChannel } from './channels.ts';
import { listExplanations } from '../explanations/lists.ts';
import { findExplanation } from '../explanations/explanations.ts';
import { exposedExplanation, scopeObjections, type ScopeType } from './visibility.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { applyMove } from '../transitions.ts';
import { publishPolicy } from '../policy/versions.ts';
import { UNKNOWN_MARKET } from '../../screening/findings.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { scopeSnapshot } from './scope-rules.ts';
import { findStock } from './scope.ts';
import { forceStatus, newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: 'now' });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: 'now' });
  });
});

let cursor = 0;
function put(id: string, at: string, tradeDate = at.slice(0, 10)): string {
  return ledger.write((tx) =>
    receive(
      tx,
      newEntry(id, { explanation_as_of: at, trade_date: tradeDate, summary: `문장 ${id}` }, { cursor: (cursor += 1) }),
      'AUTO_PUBLISHED',
    ),
  );
}
function switchScope(type: ScopeType, key: string, enabled: 0 | 1): void {
  ledger.write((tx) =>
    tx.run(
      sqlite
        .insertInto('serving_scope')
        .values({ scope_type: type, scope_key: key, enabled, changed_by: 'x', changed_at: 'now' })
        .onConflict((conflict) => conflict.columns(['scope_type', 'scope_key']).doUpdateSet({ enabled })),
    ),
  );
}
const NOW = new Date('2026-11-20T12:00:00.000Z');
const obstacle = (id: string) => findExplanation(ledger, id, NOW)?.obstacle;
const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', NOW)?.text;
/** The console must agree with the provision API. */
const exposedInConsole = () =>
  listExplanations(ledger, { sort: 'newest', page: 1, size: 100 }, NOW)
    .rows.filter((row) => row.obstacle === null)
    .map((row) => row.published_summary);

describe('which snapshot is exposed', () => {
  test('the latest of the latest trade date, in any order of receipt', () => {
    put('b', '2026-11-20T05:00:00.000Z');
    put('a', '2026-11-20T02:00:00.000Z');
    put('c', '2026-11-19T23:00:00.000Z', '2026-11-19');
    expect(exposedText()).toBe('문장 b');
    expect(exposedInConsole()).toEqual(['문장 b']);
  });
  test.each(['STOPPED', 'INVALIDATED', 'PENDING_REVIEW'] as const)(
    'none, once the latest is %s: no earlier text comes back',
    (status) => {
      put('a', '2026-11-20T02:00:00.000Z');
      const late = put('b', '2026-11-20T05:00:00.000Z');
      ledger.write((tx) => forceStatus(tx, late, status));
      expect(exposedText()).toBeUndefined();
      expect(exposedInConsole()).toEqual([]);
    },
  );
  test('the earlier one, while a later one has never been exposed', () => {
    put('a', '2026-11-20T02:00:00.000Z');
    const later = newEntry('b', { explanation_as_of: '2026-11-20T05:00:00.000Z' });
    ledger.write((tx) => receive(tx, later, 'PENDING_REVIEW'));
    expect(exposedText()).toBe('문장 a');
    expect(exposedInConsole()).toEqual(['문장 a']);
  });
  test.each(EXPLANATION_STATUSES)('state %s', (status) => {
    const id = put('a', '2026-11-20T02:00:00.000Z');
    ledger.write((tx) => forceStatus(tx, id, status));
    const exposed = status === 'AUTO_PUBLISHED' || status === 'PUBLISHED';
    expect(exposedText()).toBe(exposed ? '문장 a' : undefined);
    expect(obstacle(id)).toBe(exposed ? null : 'STATE');
  });
  describe('an earlier one that a person approves (D60)', () => {
    const LATE = '2026-11-20T05:00:00.000Z';
    const decide = (id: string, move: 'approve' | 'stop' | 'move-to-review'): void => {
      const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
      ledger.write((tx) => applyMove(tx, { id, move, actor, at: '2026-11-20T08:00:00.000Z', reason: 'x' }));
    };
    const again = (id: string): void => {
      decide(id, 'move-to-review');
      decide(id, 'approve');
    };

    test('is exposed where the later one is off, and is replaced by any text exposed after it', () => {
      const [early, late] = [put('a', '2026-11-20T02:00:00.000Z'), put('b', LATE)];
      decide(late, 'stop');
      expect([exposedText(), obstacle(early)]).toEqual([undefined, 'REPLACED']);
      again(early);
      expect([exposedText(), obstacle(early), obstacle(late)]).toEqual(['문장 a', null, 'STATE']);
      // A stopped explanation stays off, and no other comes back in its place.
      decide(early, 'stop');
      expect(exposedText()).toBeUndefined();
      again(early);
      again(late);
      expect([exposedText(), obstacle(early)]).toEqual(['문장 b', 'REPLACED']);
      decide(late, 'stop');
      expect(exposedText()).toBeUndefined();
      again(early);
      put('c', '2026-11-20T06:00:00.000Z');
      expect([exposedText(), obstacle(early)]).toEqual(['문장 c', 'REPLACED']);
    });

    test('changes nothing while a later one is exposed', () => {
      const early = put('a', '2026-11-20T02:00:00.000Z');
      put('b', LATE);
      again(early);
      expect([exposedText(), obstacle(early)]).toEqual(['문장 b', 'REPLACED']);
    });

    test('brings back nothing between the two, before or after further entries', () => {
      const [early, between, late] = [
        put('a', '2026-11-20T02:00:00.000Z'),
        put('b', '2026-11-20T03:00:00.000Z'),
        put('c', LATE),
      ];
      decide(late, 'stop');
      again(early);
      expect([exposedText(), obstacle(between)]).toEqual(['문장 a', 'REPLACED']);
      decide(early, 'stop');
      expect([exposedText(), obstacle(between)]).toEqual([undefined, 'REPLACED']);
      again(early);
      expect(exposedText()).toBe('문장 a');
      // What comes after the stops is a new statement, and later than the approved one.
      const after = put('d', '2026-11-20T04:00:00.000Z');
      expect([exposedText(), obstacle(early)]).toEqual(['문장 d', 'REPLACED']);
      decide(after, 'stop');
      expect(exposedText()).toBeUndefined();
    });

    test('is not needed for one that came after the withdrawal of a later one, and is for one that came before (D202)', () => {
      const [before, late] = [put('a', '2026-11-20T02:00:00.000Z'), put('b', LATE)];
      const withdrawal = (cursor += 1);
      const after = put('c', '2026-11-20T01:00:00.000Z');
      ledger.write((tx) => {
        const actor = { kind: 'SYSTEM' } as const;
        applyMove(tx, { id: late, move: 'invalidate', actor, at: '2026-11-20T09:00:00.000Z', cursor: withdrawal });
      });
      expect([exposedText(), obstacle(before), obstacle(after)]).toEqual(['문장 c', 'REPLACED', null]);
      decide(after, 'stop');
      expect([exposedText(), obstacle(before)]).toEqual([undefined, 'REPLACED']);
      // Received before the stop.
      const known = newEntry('e', { explanation_as_of: '2026-11-20T00:30:00.000Z', summary: '문장 e' }, { cursor });
      ledger.write((tx) => receive(tx, known, 'AUTO_PUBLISHED'));
      expect(exposedText()).toBeUndefined();
      put('d', '2026-11-20T00:45:00.000Z');
      expect(exposedText()).toBe('문장 d');
    });

    test('is replaced by a new one with the moment of the one that is off', () => {
      const [early, late] = [put('a', '2026-11-20T02:00:00.000Z'), put('b', LATE)];
      decide(late, 'stop');
      again(early);
      put('c', LATE);
      expect(exposedText()).toBe('문장 c');
    });
  });
  test('other tickers are independent', () => {
    put('a', '2026-11-20T02:00:00.000Z');
    expect(exposedExplanation(ledger, '102110', 'MTS', NOW)).toBeUndefined();
  });
});

describe('the serving scope', () => {
  test.each([
    ['MARKET', 'KRX'],
    ['INSTRUMENT', '069500'],
    ['SECTOR', '반도체'],
    ['CHANNEL', 'MTS'],
  ] as const)('%s switched off hides it at once, and on shows it again', (type, key) => {
    const id = put('a', '2026-11-20T02:00:00.000Z');
    ledger.write((tx) => tx.run(sqlite.updateTable('instrument').set({ sector: '반도체' })));
    switchScope(type, key, 0);
    expect(exposedText()).toBeUndefined();
    expect(obstacle(id)).toBe('SCOPE');
    expect(scopeObjections(ledger, { ticker: '069500', market: 'KRX' })).toHaveLength(type === 'CHANNEL' ? 0 : 1);
    switchScope(type, key, 1);
    expect(exposedText()).toBe('문장 a');
    expect(obstacle(id)).toBeNull();
  });

  test('a switched-off market applies to a later explanation that names none', () => {
    put('a', '2026-11-20T02:00:00.000Z');
    const silent = newEntry('b', { explanation_as_of: '2026-11-20T05:00:00.000Z', market: null, summary: '문장 b' });
    const id = ledger.write((tx) => receive(tx, silent, 'AUTO_PUBLISHED'));
    expect(exposedText()).toBe('문장 b');
    switchScope('MARKET', 'KRX', 0);
    expect(exposedText()).toBeUndefined();
    expect(obstacle(id)).toBe('SCOPE');
    expect(scopeObjections(ledger, { ticker: '069500', market: null })).toEqual([{ type: 'MARKET', key: 'KRX' }]);
    expect(scopeSnapshot(ledger)({ ticker: '069500', market: null })).toEqual([{ type: 'MARKET', key: 'KRX' }]);
    expect(findStock(ledger, '069500')?.market).toBe('KRX');
  });

  test('an unknown market is outside while any market is switched off (D64)', () => {
    const nowhere = newEntry('a', { etf_ticker: '114800', market: null, summary: '문장 a' });
    const id = ledger.write((tx) => receive(tx, nowhere, 'AUTO_PUBLISHED'));
    const exposedText = () => exposedExplanation(ledger, '114800', 'MTS', NOW)?.text;
    expect([exposedText(), obstacle(id)]).toEqual(['문장 a', null]);
    switchScope('MARKET', 'KOSDAQ', 0);
    switchScope('MARKET', 'KRX', 0);
    expect([exposedText(), obstacle(id)]).toEqual([undefined, 'SCOPE']);
    const unknown = [{ type: 'MARKET', key: UNKNOWN_MARKET }];
    expect(scopeObjections(ledger, { ticker: '114800', market: null })).toEqual(unknown);
    expect(scopeSnapshot(ledger)({ ticker: '114800', market: null })).toEqual(unknown);
    switchScope('MARKET', 'KOSDAQ', 1);
    switchScope('MARKET', 'KRX', 1);
    expect([exposedText(), obstacle(id)]).toEqual(['문장 a', null]);
    expect(scopeObjections(ledger, { ticker: '114800', market: null })).toEqual([]);
    expect(scopeSnapshot(ledger)({ ticker: '114800', market: null })).toEqual([]);
  });
});

test('without a policy v2 alone is exposed, and the console says the same (D61)', () => {
  const { ledger: bare } = testLedger();
  const ids = bare.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: 'now' });
    const second = newEntry('b', { etf_ticker: '102110', analysis_engine: 'v2' }, { cursor: 2 });
    return [newEntry('a'), second].map((entry) => receive(tx, entry, 'AUTO_PUBLISHED'));
  });
  expect(ids.map((id) => findExplanation(bare, id, NOW)?.obstacle)).toEqual(['SCOPE', null]);
});
