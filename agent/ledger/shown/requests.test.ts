/** The requests of each span: exact where the state on record names the span, within bounds where only times are known. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addChannel } from '../serving/channels.ts';
import { addServed, type AnsweredState } from '../serving/served.ts';
import { exposedExplanation } from '../serving/visibility.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { publishPolicy } from '../policy/versions.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { servedBandOf } from './requests.ts';
import { readShownFacts } from './shown-facts.ts';

const PERSON = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
/** 10:00 in Korea. */
const START = Date.parse('2026-11-20T01:00:00.000Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const TICKER = '069500';
const at = (ms: number): string => new Date(START + ms).toISOString();

let ledger: Ledger;
let id: string;
beforeEach(() => {
  ledger = openLedger(':memory:');
  id = ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at: at(0) });
    publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: PERSON, at: at(0) });
    return receive(tx, newEntry('a', { summary: '문장', explanation_as_of: at(-MINUTE) }), 'AUTO_PUBLISHED', at(0));
  });
});
afterEach(() => ledger.close());

const correct = (ms: number, editedSummary: string): unknown =>
  ledger.write((tx) =>
    applyMove(tx, { id, move: 'correct', actor: PERSON, at: at(ms), reason: '정정', editedSummary }),
  );
/** What a request that is answered now would be counted with. */
function stateNow(ms: number): AnsweredState {
  const exposed = exposedExplanation(ledger, TICKER, 'MTS', new Date(START + ms));
  if (exposed === undefined) throw new Error('nothing is exposed');
  return { afterMove: exposed.afterMove, afterFact: exposed.afterFact };
}
const count = (state: AnsweredState, times: number, first: number, last = first): void =>
  ledger.write((tx) => {
    const of = { firstAt: new Date(START + first), lastAt: new Date(START + last) };
    addServed(tx, [{ id, channel: 'MTS', ...state, times, ...of }]);
  });
function band(from: number, to: number, now = to) {
  const span = { from: at(from), to: at(to) };
  const facts = readShownFacts(ledger, TICKER, span, new Date(START + now));
  return servedBandOf(facts, span.from, span.to).map(({ from: began, requests }) => [
    began,
    ...requests.map(({ times, most }) => (times === most ? times : `${times}-${most}`)),
  ]);
}

test('a request that is answered while a change is being committed is counted with the text that it was served', () => {
  const before = stateNow(0);
  correct(MINUTE, '고침');
  count(before, 5, 1, MINUTE + 60);
  count(stateNow(MINUTE + 61), 3, MINUTE + 61, 2 * MINUTE);
  expect(band(0, 3 * MINUTE)).toEqual([
    [at(0), 5],
    [at(MINUTE), 3],
  ]);
});

test('days of one state are counted apart, and a day ends with its last instant', () => {
  const state = stateNow(0);
  const midnight = 14 * 60 * MINUTE;
  count(state, 2, MINUTE, midnight - 1);
  count(state, 4, midnight, midnight + DAY - 1);
  count(state, 8, midnight + DAY);
  expect(band(midnight, midnight + DAY, midnight + 2 * DAY)).toEqual([[at(midnight), 4]]);
  expect(band(0, midnight + 2 * DAY)).toEqual([[at(0), 14]]);
});

test('a state that the clock was set back over gives bounds', () => {
  const state = stateNow(0);
  count(state, 5, 1, 10);
  correct(-MINUTE, '고침');
  count(stateNow(-MINUTE), 3, -MINUTE + 1);
  // The text of these five was not exposed at the last occurrence of any moment.
  expect(band(0, 2 * MINUTE)).toEqual([[at(0), '0-5']]);
});
