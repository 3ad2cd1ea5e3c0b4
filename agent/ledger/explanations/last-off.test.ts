/** How long the vendor's last withdrawal took, from the rows that tell it (D235). */
import { beforeEach, expect, test } from 'vitest';
import { commandActor, recordAction } from '../audit/audit.ts';
import { explanationId } from './explanations.ts';
import { commitBundle, readCursors } from '../inbox/raw-bundles.ts';
import type { Ledger } from '../storage/ledger.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { lastWithdrawalOff } from './last-off.ts';
import { recordRestored } from '../serving/record.ts';
import { addServed } from '../serving/served.ts';

const START = Date.parse('2026-11-20T08:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
});

const last = (seconds = 100) => lastWithdrawalOff(ledger, new Date(at(seconds)));

/** A text that channels were served, or not. */
function text(id: string, { isServed = true } = {}): void {
  ledger.write((tx) => {
    const cursor = readCursors(tx).committed + 1;
    receive(tx, newEntry(id, { etf_ticker: id }, { cursor }), 'AUTO_PUBLISHED', at(-10));
    const served = { id: explanationId(id), channel: 'MTS', times: 1, afterMove: 1, afterFact: 0 };
    if (isServed) addServed(tx, [{ ...served, firstAt: new Date(at(-5)), lastAt: new Date(at(-5)) }]);
  });
}

/** Its withdrawal, which comes in a bundle and is applied. @param off seconds */
function withdrawn(id: string, off: number, issued: object): void {
  ledger.write((tx) => {
    const cursorFrom = readCursors(tx).committed;
    const cursor = cursorFrom + 1;
    const entry = { cursor, ...issued, delivery_type: 'INVALIDATION', target_explanation_result_id: id, reason: 'r' };
    const body = Buffer.from(JSON.stringify({ result: { entries: [entry] } }));
    const bundle = { bundleId: crypto.randomUUID(), entryCount: 1, tenantId: 7, signature: null, statement: null };
    commitBundle(tx, { ...bundle, cursorFrom, cursorTo: cursor, body, receivedAt: at(off) });
    const how = { actor: { kind: 'SYSTEM' }, reason: 'r', cursor, cameAt: at(off) } as const;
    applyMove(tx, { id: explanationId(id), move: 'invalidate', at: at(off), ...how });
  });
}

test('the last one counts from its issue to the move, never below zero, for thirty days', () => {
  expect(last()).toBeNull();
  text('a');
  text('b');
  withdrawn('a', 10.4, { issued_at: at(10) });
  expect(last()).toEqual({ id: explanationId('a'), at: at(10.4), ms: 400 });
  // The vendor's clock is ahead.
  withdrawn('b', 20, { issued_at: at(21) });
  expect(last()).toEqual({ id: explanationId('b'), at: at(20), ms: 0 });
  expect(last(30 * 86_400 + 20)?.ms).toBe(0);
  expect(last(30 * 86_400 + 21)).toBeNull();
});

test('nothing is said of a text that no channel was served, of one that a person had stopped, and without a time of issue', () => {
  text('unseen', { isServed: false });
  withdrawn('unseen', 10, { issued_at: at(9) });
  text('stopped');
  const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
  ledger.write((tx) =>
    applyMove(tx, { id: explanationId('stopped'), move: 'stop', at: at(5), reason: 'OTHER', actor }),
  );
  withdrawn('stopped', 11, { issued_at: at(9) });
  expect(last()).toBeNull();
  text('old');
  withdrawn('old', 12, {});
  expect(last()).toBeNull();
});

test('a ledger from a backup that applies a withdrawal again says nothing of it', () => {
  text('a');
  ledger.write((tx) => recordRestored(tx, at(50), at(0)));
  withdrawn('a', 60, { issued_at: at(10) });
  expect(last()).toBeNull();
});

test('after a set-aside nothing is said by the entry that stands at the same cursor now', () => {
  text('a');
  withdrawn('a', 10, { issued_at: at(9) });
  const detail = { committed: 0, epoch: 1 };
  const row = { action: 'ledger.set-aside', targetType: 'ledger', targetId: null, detail } as const;
  ledger.write((tx) => recordAction(tx, { ...row, at: at(15), actor: commandActor() }));
  expect(last()).toBeNull();
  text('b');
  withdrawn('b', 20, { issued_at: at(19) });
  expect(last()).toEqual({ id: explanationId('b'), at: at(20), ms: 1_000 });
});
