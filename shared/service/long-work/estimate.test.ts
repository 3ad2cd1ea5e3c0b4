/** How long the stages take, and what is said of them and when. */
import { describe, expect, test } from 'vitest';
import { placeText, planText, Reporter, secondsLeft, secondsOf, timeText, type Stage } from './estimate.ts';

const STAGES: Stage[] = [
  { name: 'MB to copy', units: 1_000, perSecond: 100 },
  { name: 'records', units: 60_000, perSecond: 1_000 },
  { name: 'texts', units: 2_000, perSecond: 100 },
];

test('the time of the stages is that of their units at the measured rates', () => {
  expect(secondsOf(STAGES)).toBe(10 + 60 + 20);
  expect(secondsOf([])).toBe(0);
});

test.each([
  [0.2, '1 second'],
  [89, '89 seconds'],
  [90, '2 minutes'],
  [720, '12 minutes'],
  [5_399, '90 minutes'],
  [9_000, '2.5 hours'],
])('%d seconds are told as %s', (seconds, told) => {
  expect(timeText(seconds)).toBe(told);
});

describe('the time that is left', () => {
  test('is that of the plan at the beginning', () => {
    expect(secondsLeft(STAGES, { stage: 0, done: 0, begunAt: [0] }, 0)).toBe(90);
  });

  test('follows the pace of the stage, once enough of it is done', () => {
    // A third of the records took 40 seconds instead of 20, and so will the texts; the copy took its time.
    const place = { stage: 1, done: 20_000, begunAt: [0, 10_000] };
    expect(secondsLeft(STAGES, place, 50_000)).toBeCloseTo(80 + 40);
  });

  test('of a stage that tells nothing runs down, and never below zero', () => {
    const place = { stage: 2, done: 0, begunAt: [0, 10_000, 70_000] };
    expect(secondsLeft(STAGES, place, 75_000)).toBe(15);
    expect(secondsLeft(STAGES, place, 170_000)).toBe(0);
  });

  test('takes a machine that was half as fast so far for half as fast to the end', () => {
    const place = { stage: 1, done: 0, begunAt: [0, 20_000] };
    expect(secondsLeft(STAGES, place, 20_000)).toBe(2 * 80);
  });

  test('is nothing after the last unit', () => {
    expect(secondsLeft(STAGES, { stage: 2, done: 2_000, begunAt: [0, 1, 2] }, 3)).toBe(0);
    expect(secondsLeft([], { stage: 0, done: 0, begunAt: [] }, 3)).toBe(0);
  });
});

test('the plan names what there is, the progress how far it is', () => {
  expect(planText([...STAGES, { name: 'archives', units: 0, perSecond: 1 }])).toBe(
    'This takes about 2 minutes: 1,000 MB to copy, 60,000 records, 2,000 texts.',
  );
  const told = (stage: number, done: number) => placeText(STAGES, { stage, done, begunAt: [0, 10_000] }, 40_000);
  expect(told(1, 30_000)).toBe('30,000 of 60,000 records; about 50 seconds left.');
  expect(told(1, 0)).toBe('at the 60,000 records; about 50 seconds left.');
});

describe('the reporter', () => {
  const reporter = () => {
    const made = new Reporter(10_000);
    expect(made.plan(STAGES, 0)).toContain('This takes about 2 minutes');
    return made;
  };

  test('says a line at each interval of the clock, and none in between', () => {
    const told = reporter();
    const times = [0, 5_000, 9_999, 10_000, 10_001, 19_999, 20_000, 45_000, 50_000].filter(
      (now) => told.at(0, 100, now) !== null,
    );
    expect(times).toEqual([10_000, 20_000, 45_000]);
  });

  test('says nothing of a plan that is done before the first line', () => {
    const made = new Reporter(91_000);
    expect(made.plan(STAGES, 0)).toBeNull();
    expect(made.at(1, 5, 90_999)).toBeNull();
    // It has taken longer than it should.
    expect(made.at(1, 30_000, 91_000)).toContain('30,000 of 60,000 records');
  });

  test('says nothing without a plan', () => {
    expect(new Reporter(1).at(0, 0, 1_000_000)).toBeNull();
  });

  test('names the place of a stop', () => {
    expect(reporter().stoppedAt(1, 41)).toBe('at 41 of 60,000 records');
    expect(new Reporter(1).stoppedAt(0, 0)).toBe('before it began');
  });
});
