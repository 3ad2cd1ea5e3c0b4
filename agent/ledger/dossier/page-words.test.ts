/** The page says what the screen says: reservations, and that every channel was excluded. */
import { expect, test } from 'vitest';
import type { Showing } from '../../../shared/wire/console/shown.ts';
import { stateInWords } from './page-words.ts';

const given: Extract<Showing, { state: 'GIVEN' }> = {
  ...{ state: 'GIVEN', id: 'a', etf_name: 'KODEX 200', trade_date: '2026-11-20', explanation_as_of: '15:30' },
  ...{ content_as_of: null, text: '문장', disclaimer: null, disclaimerVersion: null, policyVersion: 1 },
  ...{ since: '2026-11-20T07:00:00.000Z', move: 'approve', actor: '심사자', authors: [], approvalNumber: null },
  ...{ channels: [{ channel: 'MTS', inside: true }], corrected: false, repeated: false },
};

test.each([
  [{}, '제공 / Given: MTS'],
  [{ corrected: true }, '정정됨, 실제와 다를 수 있음 / rows corrected later, may have differed; 제공 / Given: MTS'],
  [{ repeated: true }, '시계가 되돌려져 반복된 시각 / time repeated, the clock was set back; 제공 / Given: MTS'],
  [
    { channels: [{ channel: 'MTS', inside: false }] },
    '제공 안 함 / Nothing given: 모든 채널 제외 / every channel excluded',
  ],
])('%o', (change, words) => {
  expect(stateInWords({ ...given, ...change })).toContain(words);
});

test('nothing given carries reservations, too', () => {
  const { channels, repeated } = given;
  const nothing = { state: 'NOTHING', reason: 'STATE', id: 'a', status: 'STOPPED', scope: null } as const;
  expect(stateInWords({ ...nothing, channels, repeated, corrected: true })).toMatch(/정정됨.*Nothing given/);
});
