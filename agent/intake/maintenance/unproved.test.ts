/** Traces of altered counts and times, which no row of the audit log tells (D199). */
import { expect, test } from 'vitest';
import { recordPull } from '../../ledger/inbox/sync-state.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { addServed } from '../../ledger/serving/served.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { newAt, takeIn, withParts } from '../../../test/support/agent/intake.ts';
import { unprovedNotices } from './unproved.ts';

const START = Date.parse('2026-11-20T08:00:00.000Z');
const DAY = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

test('verify names a text that is exposed, or was served, before its hold is over, and a newest statement that is off', () =>
  withParts((parts) => {
    const { ledger } = parts;
    const told = (now: number) => unprovedNotices(ledger, new Date(now));
    ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: iso(START) }));
    takeIn(parts, newAt(1, 'ahead', { summary: '지수가 올랐습니다.', explanation_as_of: iso(START + DAY) }));
    const exposedId = () => exposedExplanation(ledger, '069500', 'MTS', new Date(START))?.id;
    expect([told(START), exposedId()]).toEqual([[], undefined]);
    const move = ledger.first(sqlite.selectFrom('state_history').select(['id', 'explanation_id as of']));
    const { id: afterMove = 0, of: id = '' } = move ?? {};
    const count = { id, channel: 'MTS', afterMove, afterFact: 0, times: 1, lastAt: new Date(START + DAY) };
    ledger.write((tx) => addServed(tx, [{ ...count, firstAt: new Date(START + DAY) }]));
    expect([told(START), exposedId()]).toEqual([
      [expect.stringMatching(/^The text of ahead is provided before its hold is over/)],
      id,
    ]);
    expect(told(START + DAY)).toEqual([]);
    ledger.write((tx) => addServed(tx, [{ ...count, firstAt: new Date(START + DAY - 1) }]));
    ledger.write((tx) => recordPull(tx, { at: iso(START), head: null, statedAt: iso(START + 180_000) }));
    expect(told(START + DAY)).toEqual([
      expect.stringMatching(/^The text of ahead was given to MTS at 2026-11-21T07:59:59.999Z/),
      expect.stringMatching(/^The newest statement of the cloud is of 2026-11-20T08:03:00.000Z/),
    ]);
  }, iso(START)));
