/** A text that lies ahead is kept until its time, and until then changes nothing for customers (D203). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { findExplanation } from '../explanations/explanations.ts';
import { recordPull, syncStatus } from '../inbox/sync-state.ts';
import { publishPolicy } from '../policy/versions.ts';
import { readShownFacts } from '../shown/shown-facts.ts';
import { shownAt } from '../shown/shown-at.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { moveCursors, newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { comesAt } from './ahead.ts';
import { laterOf } from './candidate.ts';
import { addChannel } from './channels.ts';
import { addServed } from './served.ts';
import { exposedExplanation } from './visibility.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 10:00 in Korea. */
const START = Date.parse('2026-11-20T01:00:00.000Z');
const PERSON = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

let ledger: Ledger;
let now: number;
let cursor = 0;
beforeEach(() => {
  now = START;
  ledger = openLedger(':memory:');
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: at() });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: PERSON, at: at() });
  });
});
afterEach(() => ledger.close());

const at = (ms = now): string => new Date(ms).toISOString();
const put = (
  name: string,
  asOf: number,
  day = '2026-11-20',
  outcome: 'AUTO_PUBLISHED' | 'PENDING_REVIEW' = 'AUTO_PUBLISHED',
) =>
  ledger.write((tx) => {
    const fields = { explanation_as_of: at(asOf), trade_date: day, summary: name };
    return receive(tx, newEntry(name, fields, { cursor: (cursor += 1) }), outcome, at());
  });
const withdraw = (id: string): void =>
  ledger.write((tx) => {
    const actor = { kind: 'SYSTEM' } as const;
    applyMove(tx, { id, move: 'invalidate', actor, at: at(), cursor: (cursor += 1), reason: '철회' });
  });
const decide = (id: string, move: 'approve' | 'stop' | 'move-to-review'): void =>
  ledger.write((tx) => void applyMove(tx, { id, move, actor: PERSON, at: at(), reason: 'x' }));
const pull = (statedAt: number): void =>
  ledger.write((tx) => recordPull(tx, { at: at(), head: null, statedAt: at(statedAt) }));
const row = (id: string) => findExplanation(ledger, id, new Date(now));
const obstacle = (id: string) => row(id)?.obstacle;
const exposedText = (): string | undefined => exposedExplanation(ledger, '069500', 'MTS', new Date(now))?.text;
const told = () => {
  const facts = readShownFacts(ledger, '069500', { from: at(), to: at() }, new Date(now));
  const showing = shownAt(facts, at());
  return showing.state === 'GIVEN' ? showing.text : showing.state === 'NOTHING' ? showing.reason : showing.state;
};

/** The first instant of the trade date in Korea, or `explanation_as_of`. */
const CASES = [
  ['a trade date five days ahead', '2026-11-25', START - MINUTE, Date.parse('2026-11-24T15:00:00.000Z')],
  ['an explanation_as_of two days ahead', '2026-11-20', START + 2 * DAY, START + 2 * DAY],
] as const;

describe.each(CASES)('%s', (_, day, asOf, comes) => {
  test('is not exposed and replaces nothing until its time; then it does', () => {
    const today = put('오늘', START - MINUTE);
    const ahead = put('앞선', asOf, day);
    expect([exposedText(), told(), obstacle(today)]).toEqual(['오늘', '오늘', null]);
    expect(row(ahead)).toMatchObject({
      status: 'AUTO_PUBLISHED',
      obstacle: 'AHEAD',
      ahead_until: at(comes),
      held_until: at(comes),
    });
    now = comes - 1;
    expect([exposedText(), told()]).toEqual(['오늘', '오늘']);
    now = comes;
    expect([exposedText(), told(), obstacle(today), obstacle(ahead)]).toEqual(['앞선', '앞선', 'REPLACED', null]);
    expect(row(ahead)?.ahead_until).toBeNull();
  });

  test('alone it is told as what is kept', () => {
    put('앞선', asOf, day);
    expect([exposedText(), told()]).toEqual([undefined, 'AHEAD']);
  });

  test.each(['withdrawn', 'stopped'] as const)('%s before its time it hides nothing, then and later', (how) => {
    put('오늘', START - MINUTE);
    const ahead = put('앞선', asOf, day);
    if (how === 'withdrawn') withdraw(ahead);
    else decide(ahead, 'stop');
    expect([exposedText(), told()]).toEqual(['오늘', '오늘']);
    now += MINUTE;
    put('다음', START);
    expect([exposedText(), told()]).toEqual(['다음', '다음']);
    now = comes + DAY;
    expect([exposedText(), told()]).toEqual(['다음', '다음']);
  });

  test('waiting for its review it says when it goes out, and approved it waits until then', () => {
    const today = put('오늘', START - MINUTE, '2026-11-20', 'PENDING_REVIEW');
    const ahead = put('앞선', asOf, day, 'PENDING_REVIEW');
    expect(row(ahead)).toMatchObject({ obstacle: 'STATE', ahead_until: at(comes) });
    decide(ahead, 'approve');
    expect(row(ahead)).toMatchObject({ obstacle: 'AHEAD', held_until: at(comes) });
    // It keeps no earlier one from being approved.
    const later = { ...(row(today) ?? { etf_ticker: '', trade_date: '', explanation_as_of: '', cursor: 0 }) };
    expect(laterOf(ledger, later, new Date(now))).toBeUndefined();
    decide(today, 'approve');
    now += MINUTE;
    expect([exposedText(), told()]).toEqual(['오늘', '오늘']);
    now = comes;
    expect([exposedText(), told()]).toEqual(['앞선', '앞선']);
  });
});

describe('a host whose clock is slow', () => {
  const SLOW = 3 * MINUTE;
  test('keeps no right text back, and one that lies ahead as long as the vendor’s clock says', () => {
    pull(START + SLOW);
    const right = put('지금', START + SLOW - 1);
    expect([exposedText(), told(), obstacle(right), row(right)?.ahead_until]).toEqual(['지금', '지금', null, null]);
    const ahead = put('앞선', START + 10 * MINUTE);
    expect(obstacle(ahead)).toBe('AHEAD');
    now = START + 7 * MINUTE - 1;
    expect([exposedText(), told()]).toEqual(['지금', '지금']);
    now += 1;
    expect([exposedText(), told()]).toEqual(['앞선', '앞선']);
  });

  test.each([
    [2 * MINUTE, false],
    [2 * MINUTE + 1, true],
    [-2 * MINUTE - 1, true],
  ])('by %d ms: an alarm beyond two minutes', (apart, isOn) => {
    pull(START + apart);
    expect(syncStatus(ledger, new Date(now)).alarms.includes('CLOCK_OFF')).toBe(isOn);
    // A cloud whose clock was set right is told by its next newer statement.
    now = START + 3 * MINUTE;
    pull(now);
    expect(syncStatus(ledger, new Date(now)).alarms).not.toContain('CLOCK_OFF');
  });
});

test('a statement that came later than now lets nothing out', () => {
  const ahead = put('앞선', START + DAY, '2026-11-20', 'PENDING_REVIEW');
  now = START + 2 * DAY;
  pull(now);
  now = START;
  expect(row(ahead)?.ahead_until).toBe(at(START + DAY));
  decide(ahead, 'approve');
  expect([exposedText(), obstacle(ahead), row(ahead)?.held_until]).toEqual([undefined, 'AHEAD', at(START + DAY)]);
});

test('a clock that is set back takes no text back that a channel was served at its time (D101)', () => {
  put('오늘', START - MINUTE);
  put('앞선', START + MINUTE);
  now = START + MINUTE;
  const { id = '', afterMove = 0, afterFact = 0 } = exposedExplanation(ledger, '069500', 'MTS', new Date(now)) ?? {};
  now = START;
  expect(exposedText()).toBe('오늘');
  const count = { times: 1, firstAt: new Date(START + MINUTE), lastAt: new Date(START + MINUTE) };
  ledger.write((tx) => addServed(tx, [{ id, channel: 'MTS', afterMove, afterFact, ...count }]));
  expect([exposedText(), told()]).toEqual(['앞선', '앞선']);
});

test('a ticker is told as dark where a text came after the one that keeps it back', () => {
  const dark = () => syncStatus(ledger, new Date(now)).darkTickers;
  put('이른', START - 3 * MINUTE);
  const off = put('나중', START - MINUTE);
  decide(off, 'stop');
  // Only earlier ones are kept back, as a stop means it.
  expect([exposedText(), dark()]).toEqual([undefined, []]);
  decide(off, 'move-to-review');
  decide(off, 'approve');
  now += MINUTE;
  const between = put('사이', START - 2 * MINUTE);
  expect([exposedText(), dark()]).toEqual(['나중', []]);
  withdraw(off);
  expect([exposedText(), obstacle(between), dark()]).toEqual([undefined, 'REPLACED', ['069500']]);
  expect(syncStatus(ledger, new Date(now)).alarms).toContain('DARK_TICKERS');
  put('새로', START - 90_000);
  expect([exposedText(), dark()]).toEqual(['새로', []]);
});

test('so is one of which an approved text came after its keeper, whatever else is off', () => {
  const dark = () => syncStatus(ledger, new Date(now)).darkTickers;
  const keeper = put('나중', START - 2 * MINUTE);
  const waits = put('이른', START - 3 * MINUTE, '2026-11-20', 'PENDING_REVIEW');
  const front = put('맨 뒤', START - MINUTE);
  withdraw(front);
  // Only the keeper, which came before the front, is up.
  expect([exposedText(), dark()]).toEqual([undefined, []]);
  ledger.write((tx) => moveCursors(tx, { committed: cursor, applied: cursor }));
  decide(waits, 'approve');
  now += MINUTE;
  expect([exposedText(), dark()]).toEqual(['이른', []]);
  withdraw(keeper);
  expect([exposedText(), obstacle(waits), dark()]).toEqual([undefined, 'REPLACED', ['069500']]);
});

test('a ticker whose last text is off is not dark, whatever else was withdrawn', () => {
  const keeper = put('나중', START - 2 * MINUTE);
  put('이른', START - 3 * MINUTE);
  withdraw(put('맨 뒤', START - MINUTE));
  withdraw(keeper);
  expect([exposedText(), syncStatus(ledger, new Date(now)).darkTickers]).toEqual([undefined, []]);
});

test('the time of a snapshot is the later of its trade date in Korea and its moment', () => {
  const dated = { trade_date: '2026-11-20', explanation_as_of: '2026-11-19T15:00:00.001Z' };
  expect(comesAt(dated)).toBe('2026-11-19T15:00:00.001Z');
  expect(comesAt({ ...dated, trade_date: '2026-11-21' })).toBe('2026-11-20T15:00:00.000Z');
});
