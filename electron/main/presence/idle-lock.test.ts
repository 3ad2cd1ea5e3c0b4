import { expect, test } from 'vitest';
import { HandSchedule } from '../../../test/support/desktop/main.ts';
import { IdleLock } from './idle-lock.ts';

/** A computer whose user and sleep the test decides. */
function computer(minutes: number) {
  const hand = new HandSchedule();
  let now = 0;
  const state = { idle: 0, locks: 0 };
  const lock = new IdleLock({
    idleSeconds: () => state.idle,
    minutes: () => minutes,
    lock: () => (state.locks += 1),
    clock: { now: () => new Date(now) },
    schedule: hand.schedule,
  });
  lock.look();
  return {
    state,
    /** Awake for some seconds, each with input or each without. */
    pass: (seconds: number, isUsed: boolean) => {
      for (let second = 0; second < seconds; second += 1) {
        now += 1_000;
        state.idle = isUsed ? 0 : state.idle + 1;
        hand.pass(1_000);
      }
    },
    /** Asleep: no timer runs, and the input that wakes it ends the idle time. */
    sleep: (seconds: number) => {
      now += seconds * 1_000;
      state.idle = 0;
      lock.look();
    },
  };
}

test('locks once when nobody has used the computer for the limit, and again in the next absence', () => {
  const { state, pass } = computer(15);
  pass(15 * 60 - 10, false);
  expect(state.locks).toBe(0);
  pass(20, false);
  expect(state.locks).toBe(1);
  pass(60 * 60, false);
  expect(state.locks).toBe(1);
  pass(20, true);
  pass(16 * 60, false);
  expect(state.locks).toBe(2);
});

test('time asleep is time away', () => {
  const { state, pass, sleep } = computer(15);
  pass(60, true);
  sleep(10 * 60);
  expect(state.locks).toBe(0);
  sleep(16 * 60);
  expect(state.locks).toBe(1);
});

test('a limit of 0 never locks', () => {
  const { state, pass, sleep } = computer(0);
  pass(3_600, false);
  sleep(3_600);
  expect(state.locks).toBe(0);
});
