/** Lines of the log that sum up a tenant's pulls (D152). */
import { expect, test } from 'vitest';
import { HourlyPulls, type HourOfPulls } from './hourly-pulls.ts';

const at = (time: string): Date => new Date(`2026-11-20T${time}.000Z`);

function noted(...pulls: [tenantId: number, time: string, entries: number][]): {
  lines: HourOfPulls[];
  hourly: HourlyPulls;
} {
  const lines: HourOfPulls[] = [];
  const hourly = new HourlyPulls((hour) => lines.push(hour));
  for (const [tenantId, time, entries] of pulls)
    hourly.note({ tenantId, at: at(time), entries, bytes: entries * 10, from: '10.0.0.1' });
  return { lines, hourly };
}

test('an hour of a tenant is one line, written at its first pull of the next hour', () => {
  const { lines } = noted([1, '07:00:00', 2], [2, '07:10:00', 0], [1, '07:59:59', 3], [1, '08:00:00', 1]);
  expect(lines).toEqual([
    {
      tenantId: 1,
      first: '2026-11-20T07:00:00.000Z',
      last: '2026-11-20T07:59:59.000Z',
      pulls: 2,
      entries: 5,
      bytes: 50,
      from: '10.0.0.1',
    },
  ]);
});

test('the line of a tenant that asks no more is written when another asks two hours later', () => {
  const { lines } = noted([1, '07:00:00', 2], [2, '08:30:00', 0], [2, '09:00:00', 0]);
  expect(lines.map(({ tenantId, pulls }) => [tenantId, pulls])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test('no pull is lost when the process stops', () => {
  const { lines, hourly } = noted([1, '07:00:00', 2], [2, '07:10:00', 0]);
  hourly.flush();
  hourly.flush();
  expect(lines.map(({ tenantId, pulls, entries }) => [tenantId, pulls, entries])).toEqual([
    [1, 1, 2],
    [2, 1, 0],
  ]);
});
