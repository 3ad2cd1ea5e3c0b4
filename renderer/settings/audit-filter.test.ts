import { expect, test } from 'vitest';
import { askedOf, PLAIN_FILTER } from './audit-filter.ts';

test('a day is a Korean day, and the last one counts whole', () => {
  expect(askedOf({ ...PLAIN_FILTER, subject: 'policy', from: '2026-11-20', to: '2026-11-20' })).toEqual({
    action: 'policy.*',
    from: '2026-11-19T15:00:00.000Z',
    to: '2026-11-20T15:00:00.000Z',
  });
});

test('nothing chosen asks for everything that people did', () => {
  expect(askedOf(PLAIN_FILTER)).toEqual({});
  expect(askedOf({ ...PLAIN_FILTER, system: true })).toEqual({ system: 'true' });
});
