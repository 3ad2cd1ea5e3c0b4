import { expect, test } from 'vitest';
import { blindHref, LISTED_STATES, readBlindView } from '../../components/domain/blind-address.ts';
import { spanOf } from './span.ts';

test('a span is shown in its two largest units', () => {
  expect([0, 59_400, 59_600, 3_599_000, 3_600_000, 86_399_000, 90_000_000].map(spanOf)).toEqual([
    { unit: 'seconds', seconds: 0 },
    { unit: 'seconds', seconds: 59 },
    { unit: 'minutes', minutes: 1, seconds: 0 },
    { unit: 'minutes', minutes: 59, seconds: 59 },
    { unit: 'hours', hours: 1, minutes: 0 },
    { unit: 'hours', hours: 23, minutes: 59 },
    { unit: 'days', days: 1, hours: 1 },
  ]);
});

test('an address holds the list and its open item', () => {
  for (const state of LISTED_STATES)
    for (const review of [null, '12'])
      expect(readBlindView(blindHref({ state, review }).split('?')[1] ?? '')).toEqual({ state, review });
  expect(readBlindView('?state=OVERTAKEN')).toEqual({ state: 'OPEN', review: null });
});
