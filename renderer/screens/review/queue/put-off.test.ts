import { expect, test } from 'vitest';
import { isPutOff } from './put-off.ts';

// A Friday.
const at = (time: string): string => `2026-11-20T${time}:00+09:00`;
const item = { postponedUntil: at('11:00'), waitingSince: at('09:30') };

test('an item is left out until the time to which it was put off', () => {
  expect(isPutOff(item, new Date(at('10:59')), null)).toBe(true);
  expect(isPutOff(item, new Date(at('11:00')), null)).toBe(false);
  expect(isPutOff({ ...item, postponedUntil: null }, new Date(at('10:00')), null)).toBe(false);
});

test('the target of the firm goes before it', () => {
  expect(isPutOff(item, new Date(at('10:30')), 60)).toBe(true);
  expect(isPutOff(item, new Date(at('10:31')), 60)).toBe(false);
});
