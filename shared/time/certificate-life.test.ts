import { expect, test } from 'vitest';
import { isRenewalDue, renewalOf } from './certificate-life.ts';

const FROM = new Date('2026-01-01T00:00:00Z');
const TO = new Date('2026-04-01T00:00:00Z');
const at = (text: string): string => renewalOf(FROM, TO, new Date(text)).state;

test('renewal is due from two thirds of the life on, to the millisecond', () => {
  expect(renewalOf(FROM, TO, FROM).dueFrom).toEqual(new Date('2026-03-02T00:00:00Z'));
  expect([
    at('2025-12-31T23:59:59.999Z'),
    at('2026-01-01T00:00:00Z'),
    at('2026-03-01T23:59:59.999Z'),
    at('2026-03-02T00:00:00Z'),
    at('2026-03-31T23:59:59.999Z'),
    at('2026-04-01T00:00:00Z'),
  ]).toEqual(['NOT_YET', 'GOOD', 'GOOD', 'DUE', 'DUE', 'EXPIRED']);
});

test('remaining days are whole, and negative after expiry', () => {
  expect(renewalOf(FROM, TO, new Date('2026-03-30T12:00:00Z')).daysLeft).toBe(1);
  expect(renewalOf(FROM, TO, new Date('2026-04-01T00:00:01Z')).daysLeft).toBe(-1);
});

test.each([
  [31, false],
  [30, true],
  [-1, true],
])('with %d days left of ninety: %s', (days, due) => {
  expect(isRenewalDue(FROM.toISOString(), TO.toISOString(), days)).toBe(due);
});
