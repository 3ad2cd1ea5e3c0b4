/** What no decision exposes any more is what each item says of itself, whatever was received and moved. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { laterOf } from '../serving/candidate.ts';
import { sqlite } from '../storage/query.ts';
import { newEntry, receive, temporaryLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { splitCounts, splitNumbers } from './splits.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const AT = NOW.toISOString();
const beholder = { memberId: 'm', now: NOW };

const entry = fc.record({
  ticker: fc.constantFrom('T1', 'T2'),
  minute: fc.nat(5),
  status: fc.constantFrom('PENDING_REVIEW' as const, 'AUTO_PUBLISHED' as const),
  isStopped: fc.boolean(),
});

test('superseded items, and the person’s turn without them', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
      const { ledger, dispose } = temporaryLedger();
      ledger.write((tx) => {
        for (const [n, { ticker, minute, status, isStopped }] of entries.entries()) {
          const asOf = `2026-11-20T0${minute}:00:00.000Z`;
          const fields = { etf_ticker: ticker, trade_date: '2026-11-20', explanation_as_of: asOf };
          const id = receive(tx, newEntry(`x-${n}`, fields, { cursor: n + 1 }), status, AT);
          if (isStopped && status === 'AUTO_PUBLISHED')
            applyMove(tx, {
              id,
              move: 'stop',
              actor: { kind: 'MEMBER', id: 'm', displayName: 'm', role: 'OPERATOR' },
              at: AT,
            });
        }
      });
      const waiting = ledger.all(sqlite.selectFrom('explanation').selectAll().where('status', '=', 'PENDING_REVIEW'));
      const wanted = waiting.filter((row) => laterOf(ledger, row, NOW)?.replaces === 1).map(({ number }) => number);
      const found = splitNumbers(ledger, 'SUPERSEDED', beholder) ?? [];
      expect(found.toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b));
      const counts = { ALL: waiting.length, MY_TURN: waiting.length - wanted.length, SUPERSEDED: wanted.length };
      expect(splitCounts(ledger, beholder)).toEqual({ ...counts, SECOND_PERSON: 0, OPINION: 0 });
      const mine = splitNumbers(ledger, 'MY_TURN', beholder);
      expect(mine?.length ?? waiting.length).toBe(counts.MY_TURN);
      dispose();
    }),
    { numRuns: runs(25, 500) },
  );
});
