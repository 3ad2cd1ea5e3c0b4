/** Texts that lie ahead, as the Intake takes them in (D203), and withdrawals by their cursors (D202). */
import { beforeEach, describe, expect, test } from 'vitest';
import { openChannel } from '../../ledger/serving/channels.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { truncateAfter } from '../maintenance/truncate.ts';
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
} from '../../../test/support/agent/intake.ts';
import { applyNext } from './apply.ts';
import { OTHER_GRAIN } from './entry.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 17:00 in Korea. */
const START = Date.parse('2026-11-20T08:00:00.000Z');

let ledger: Ledger;
let parts: WholeParts;
let now: number;
beforeEach(() => {
  ({ ledger } = testLedger());
  now = START;
  parts = { ...partsOn(ledger, at()), clock: { now: () => new Date(now) } };
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: at() }));
});

const at = (ms = now): string => new Date(ms).toISOString();
const exposedText = () => exposedExplanation(ledger, '069500', 'MTS', new Date(now))?.text;
const text = (cursor: number, id: string, asOf: number, day = '2026-11-20') =>
  newAt(cursor, id, { explanation_as_of: at(asOf), trade_date: day, summary: `지수가 올랐습니다. ${id}` });
const told = (id: string) => `지수가 올랐습니다. ${id}`;
const isSound = (): void => expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [] });

test('after the withdrawal of a text that was dated ahead every text that comes is exposed, also on its date', () => {
  takeIn(parts, text(1, 'a', START - 2 * MINUTE), text(2, 'ahead', START - MINUTE, '2026-11-25'));
  expect(exposedText()).toBe(told('a'));
  takeIn(parts, invalidationAt(3, 'ahead'));
  expect(exposedText()).toBe(told('a'));
  takeIn(parts, text(4, 'b', START - MINUTE));
  now += 5 * DAY;
  expect(exposedText()).toBe(told('b'));
  isSound();
  changeOnDisk(ledger.file, "UPDATE explanation SET stated_position = '9', ended_position = NULL, held_until = NULL");
  expect(verifyLedger(ledger).findings).toHaveLength(3);
  rebuildLedger(parts);
  expect(exposedText()).toBe(told('b'));
  isSound();
});

test('a text that came after a withdrawal is exposed, though it is dated before the withdrawn one; one that came before is not', () => {
  takeIn(parts, text(1, 'early', START - 5 * MINUTE), text(2, 'late', START - MINUTE));
  takeIn(parts, invalidationAt(3, 'late'));
  expect(exposedText()).toBeUndefined();
  takeIn(parts, text(4, 'next', START - 6 * MINUTE));
  expect(exposedText()).toBe(told('next'));
  isSound();
});

test('a withdrawal that came before the time of its text is applied late with the same effect', () => {
  takeIn(parts, text(1, 'a', START - MINUTE), text(2, 'ahead', START + 5 * MINUTE));
  now = START + MINUTE;
  commitEntries(ledger, [invalidationAt(3, 'ahead')], at());
  now = START + 10 * MINUTE;
  expect(exposedText()).toBe(told('ahead'));
  while (applyNext(parts));
  expect(exposedText()).toBe(told('a'));
  isSound();
});

test('a text that lay ahead when it came, and its withdrawal before its time, are applied late with the same effect', () => {
  commitEntries(ledger, [text(1, 'right', START - MINUTE), text(2, 'ahead', START + 9 * MINUTE)], at());
  now = START + 5 * MINUTE;
  commitEntries(ledger, [invalidationAt(3, 'ahead')], at());
  now = START + 10 * MINUTE;
  while (applyNext(parts));
  expect(exposedText()).toBe(told('right'));
  isSound();
  rebuildLedger(parts);
  expect(exposedText()).toBe(told('right'));
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

describe('a text that the vendor dates again (D37)', () => {
  const isRejected = (): void => {
    const rejected = ledger.all(sqlite.selectFrom('rejected_entry').select('reason'));
    expect(rejected).toEqual([{ reason: OTHER_GRAIN }]);
    isSound();
    rebuildLedger(parts);
    isSound();
  };

  test.each([
    ['to ahead', START - MINUTE, START + DAY],
    ['from ahead', START + DAY, START - MINUTE],
  ])('%s is rejected and stays where it was', (_, first, then) => {
    takeIn(parts, text(1, 'early', START - 2 * MINUTE), text(2, 'a', first));
    const [before, row] = [exposedText(), explanationRow(ledger, 'a')];
    takeIn(parts, text(3, 'a', then));
    expect([exposedText(), explanationRow(ledger, 'a')]).toEqual([before, row]);
    isRejected();
  });

  test.each([
    ['later', START - MINUTE],
    ['ahead', START + 5 * DAY],
  ])('%s after it was withdrawn takes no other off', (_, then) => {
    takeIn(parts, text(1, 'off', START - 3 * MINUTE), text(2, 'right', START - 2 * MINUTE), invalidationAt(3, 'off'));
    takeIn(parts, text(4, 'off', then));
    expect(exposedText()).toBe(told('right'));
    isRejected();
  });

  test.each([
    ['earlier', { explanation_as_of: at(START - 9 * MINUTE) }],
    ['on an earlier day', { trade_date: '2026-11-19' }],
    ['under another ticker', { etf_ticker: '111111' }],
    ['of another instrument', { etf_instrument_id: 'KRX:111111', etf_ticker: '111111' }],
    ['earlier with another text', { explanation_as_of: at(START - 9 * MINUTE), summary: '지수가 내렸습니다.' }],
  ])('%s after it was withdrawn brings no other back', (_, more) => {
    takeIn(parts, text(1, 'early', START - 2 * MINUTE), text(2, 'off', START - MINUTE), invalidationAt(3, 'off'));
    const present = { explanation_as_of: at(START - MINUTE), trade_date: '2026-11-20', summary: told('off') };
    takeIn(parts, newAt(4, 'off', { ...present, ...more }));
    expect(exposedText()).toBeUndefined();
    isRejected();
  });

  test.each([
    ['later', START - 3 * MINUTE, START - MINUTE, 'right'],
    ['earlier', START - MINUTE, START - 9 * MINUTE, undefined],
  ])('%s after its records were set aside changes nothing for others', (_, first, then, shown) => {
    takeIn(parts, text(1, 'right', START - 2 * MINUTE));
    takeIn(parts, text(2, 'off', first), invalidationAt(3, 'off'));
    const isUnchanged = (): void => {
      expect(exposedText()).toBe(shown === undefined ? undefined : told(shown));
      expect(verifyLedger(ledger).findings).toEqual([]);
    };
    isUnchanged();
    truncateAfter(parts, 1);
    isUnchanged();
    takeIn(parts, text(2, 'off', then));
    isUnchanged();
    rebuildLedger(parts);
    isUnchanged();
  });

  test('is told apart from one that is spelled otherwise', () => {
    takeIn(parts, text(1, 'a', START - MINUTE));
    const spelled = at(START - MINUTE).replace('Z', '+00:00');
    takeIn(parts, newAt(2, 'a', { explanation_as_of: spelled, summary: told('a'), trade_date: '2026-11-20' }));
    expect(ledger.all(sqlite.selectFrom('rejected_entry').select('cursor'))).toEqual([]);
  });
});
