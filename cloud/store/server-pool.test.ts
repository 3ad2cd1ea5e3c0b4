/** The silence of a database. Hanging and changing hosts are in `test/faults/cloud/failover.test.ts`. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Silence } from './server-pool.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a database without a request is not silent', () => {
  const silence = new Silence();
  vi.advanceTimersByTime(5_000);
  expect(silence.ms).toBe(0);
});

test('silence counts from the first request after the last answer, and continues after requests give up', () => {
  const silence = new Silence();
  silence.begins();
  vi.advanceTimersByTime(1_000);
  silence.begins();
  vi.advanceTimersByTime(1_000);
  expect(silence.ms).toBe(2_000);
  silence.ends(false);
  silence.ends(false);
  vi.advanceTimersByTime(1_000);
  expect(silence.ms).toBe(3_000);
});

test('any answer ends the silence; a still waiting request begins a new one', () => {
  const silence = new Silence();
  silence.begins();
  silence.begins();
  vi.advanceTimersByTime(4_000);
  silence.ends(true);
  expect(silence.ms).toBe(0);
  vi.advanceTimersByTime(500);
  expect(silence.ms).toBe(500);
  silence.ends(true);
  vi.advanceTimersByTime(500);
  expect(silence.ms).toBe(0);
});
