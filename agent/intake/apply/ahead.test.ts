/** Texts that lie ahead, as the Intake takes them in (D203), and withdrawals by their cursors (D202). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openChannel } from '../../ledger/serving/channels.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { historyOf } from '../../ledger/explanations/history.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { temporaryLedger } from '../../ledger/testing.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import {
  changeOnDisk,
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  takeIn,
  type WholeParts,
} from '../testing.ts';
import { applyNext } from './apply.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 17:00 in Korea. */
const START = Date.parse('2026-11-20T08:00:00.000Z');

let ledger: Ledger;
let dispose: () => void;
let parts: WholeParts;
let now: number;
beforeEach(() => {
  ({ ledger, dispose } = temporaryLedger());
  now = START;
  parts = { ...partsOn(ledger, at()), clock: { now: () => new Date(now) } };
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: at() }));
});
afterEach(() => dispose());

const at = (ms = now): string => new Date(ms).toISOString();
const given = () => exposedExplanation(ledger, '069500', 'MTS', new Date(now))?.text;
const text = (cursor: number, id: string, asOf: number, day = '2026-11-20') =>
  newAt(cursor, id, { explanation_as_of: at(asOf), trade_date: day, summary: `지수가 올랐습니다. ${id}` });
const told = (id: string) => `지수가 올랐습니다. ${id}`;
const isSound = (): void => expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });

test('after the withdrawal of a text that was dated ahead every text that comes is provided, also on its date', () => {
  takeIn(parts, text(1, 'a', START - 2 * MINUTE), text(2, 'ahead', START - MINUTE, '2026-11-25'));
  expect(given()).toBe(told('a'));
  takeIn(parts, invalidationAt(3, 'ahead'));
  expect(given()).toBe(told('a'));
  takeIn(parts, text(4, 'b', START - MINUTE));
  now += 5 * DAY;
  expect(given()).toBe(told('b'));
  isSound();
  changeOnDisk(ledger.file, "UPDATE explanation SET stated_position = '9', ended_position = NULL, held_until = NULL");
  expect(verifyLedger(ledger).findings).toHaveLength(3);
  rebuildLedger(parts);
  expect(given()).toBe(told('b'));
  isSound();
});

test('a text that came after a withdrawal is provided, though it is dated before the withdrawn one; one that came before is not', () => {
  takeIn(parts, text(1, 'early', START - 5 * MINUTE), text(2, 'late', START - MINUTE));
  takeIn(parts, invalidationAt(3, 'late'));
  expect(given()).toBeUndefined();
  takeIn(parts, text(4, 'next', START - 6 * MINUTE));
  expect(given()).toBe(told('next'));
  isSound();
});

test('a withdrawal that came before the time of its text is applied late with the same effect', () => {
  takeIn(parts, text(1, 'a', START - MINUTE), text(2, 'ahead', START + 5 * MINUTE));
  now = START + MINUTE;
  commitEntries(ledger, [invalidationAt(3, 'ahead')], at());
  now = START + 10 * MINUTE;
  expect(given()).toBe(told('ahead'));
  while (applyNext(parts));
  expect(given()).toBe(told('a'));
  isSound();
});

test('a text that lay ahead when it came, and its withdrawal before its time, are applied late with the same effect', () => {
  commitEntries(ledger, [text(1, 'right', START - MINUTE), text(2, 'ahead', START + 9 * MINUTE)], at());
  now = START + 5 * MINUTE;
  commitEntries(ledger, [invalidationAt(3, 'ahead')], at());
  now = START + 10 * MINUTE;
  while (applyNext(parts));
  expect(given()).toBe(told('right'));
  isSound();
  rebuildLedger(parts);
  expect(given()).toBe(told('right'));
});

test('a slow host goes by the statement of the bundle, also where the text is applied late', () => {
  const said = { v: 1, kid: '0'.repeat(16), tenant_id: 7, after: 0, head: 2, at: at(START + 3 * MINUTE), status: 200 };
  const statement = `${Buffer.from(JSON.stringify({ ...said, sha256: '0'.repeat(64) })).toString('base64url')}.${'A'.repeat(86)}`;
  commitEntries(ledger, [text(1, 'right', START + 3 * MINUTE), text(2, 'ahead', START + 9 * MINUTE)], at(), statement);
  now = START + 10 * MINUTE;
  while (applyNext(parts));
  expect(['right', 'ahead'].map((id) => explanationRow(ledger, id)?.held_until)).toEqual([
    null,
    at(START + 6 * MINUTE),
  ]);
});

test('a provided text that is dated ahead again, and withdrawn before that time, is applied late with the same effect', () => {
  takeIn(parts, text(1, 'early', START - 2 * MINUTE), text(2, 'a', START - MINUTE));
  commitEntries(ledger, [text(3, 'a', START + 9 * MINUTE), text(4, 'next', START - 3 * MINUTE)], at());
  now = START + 5 * MINUTE;
  commitEntries(ledger, [invalidationAt(5, 'a')], at());
  now = START + 10 * MINUTE;
  while (applyNext(parts));
  // What came after the vendor had dated it ahead is a new statement.
  expect(given()).toBe(told('next'));
  isSound();
});

test.each([
  ['to ahead', START - MINUTE, START + DAY],
  ['from ahead', START + DAY, START - MINUTE],
  ['further ahead', START + DAY, START + 2 * DAY],
])('a text that the vendor dates again %s goes by its new time', (_, first, then) => {
  takeIn(parts, text(1, 'early', START - 2 * MINUTE), text(2, 'a', first));
  takeIn(parts, text(3, 'a', then));
  const moves = historyOf(ledger, explanationId('a')).map(({ move, heldUntil }) => [move, heldUntil]);
  expect(moves.at(-1)).toEqual(['text-changed', then > START ? at(then) : null]);
  now = Math.max(START, then) - 1;
  // A text that was provided is taken off, so none that came before it comes back; what comes after is provided.
  const kept = first < START ? undefined : told('early');
  expect(given()).toBe(then > START ? kept : told('a'));
  takeIn(parts, text(4, 'next', START - 3 * MINUTE));
  expect(given()).toBe(then > START ? (kept ?? told('next')) : told('a'));
  now += 1;
  expect(given()).toBe(told('a'));
  expect(explanationRow(ledger, 'a')).toMatchObject({ status: 'AUTO_PUBLISHED' });
  isSound();
});
