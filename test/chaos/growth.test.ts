/** What counts as growth of a process. */
import { expect, test } from 'vitest';
import { growthOf, isMemoryJudged, type Sample } from './growth.ts';

const MINUTE_MS = 60_000;
type Value = Exclude<keyof Sample, 'atMs'>;

/** Samples at equal distances over a life. */
function samplesOf(number: number, minutes: number, of: (share: number, index: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: number }, (_, index) => {
    const share = index / (number - 1);
    const atMs = 5_000 + share * minutes * MINUTE_MS;
    return { atMs, memoryMb: 100, files: 30, sockets: 15, ...of(share, index) };
  });
}

/** A value for each quarter of a life. */
const quarters =
  (what: Value, ...values: number[]) =>
  (share: number): Partial<Sample> => ({ [what]: values[Math.min(3, Math.floor(share * 4))] });

const grown = (
  what: Value,
  values: number[],
  { samples = 200, minutes = 10, hasPool = false }: { samples?: number; minutes?: number; hasPool?: boolean } = {},
): string[] => growthOf(samplesOf(samples, minutes, quarters(what, ...values)), hasPool);

test('memory may grow by a quarter and 30 MB from the second quarter to the last', () => {
  expect(grown('memoryMb', [10, 100, 900, 155])).toEqual([]);
  expect(grown('memoryMb', [10, 100, 100, 156])).toEqual(['grew from 100 to 156 MB']);
  expect(grown('memoryMb', [10, 100, 100, 50])).toEqual([]);
});

test('in a short life it may grow by 120 MB, while it settles', () => {
  expect(grown('memoryMb', [10, 100, 900, 245], { minutes: 2 })).toEqual([]);
  expect(grown('memoryMb', [10, 100, 100, 246], { minutes: 2 })).toEqual(['grew from 100 to 246 MB']);
  expect(grown('memoryMb', [10, 100, 100, 156], { minutes: 5 })).toEqual(['grew from 100 to 156 MB']);
});

test('memory of a minute is not judged', () => {
  for (const [samples, isJudged] of [
    [59, false],
    [60, true],
  ] as const) {
    expect(grown('memoryMb', [10, 100, 100, 900], { samples })).toHaveLength(isJudged ? 1 : 0);
    expect(isMemoryJudged(samplesOf(samples, 2, () => ({})))).toBe(isJudged);
  }
});

test('a process may have two files more', () => {
  expect(grown('files', [10, 30, 90, 32])).toEqual([]);
  expect(grown('files', [10, 30, 30, 33])).toEqual(['grew from 30 to 33 open files']);
  expect(grown('files', [10, 30, 30, 33], { samples: 24, minutes: 1 })).toHaveLength(1);
});

test('a process of eight minutes may have four connections more, with a pool ten, and a younger one twenty', () => {
  for (const [minutes, hasPool, free] of [
    [8, false, 4],
    [8, true, 10],
    [7.9, false, 20],
    [7.9, true, 20],
  ] as const) {
    expect(grown('sockets', [10, 15, 90, 15 + free], { minutes, hasPool })).toEqual([]);
    expect(grown('sockets', [10, 15, 15, 16 + free], { minutes, hasPool })).toEqual([
      `grew from 15 to ${16 + free} connections`,
    ]);
  }
});

test('one file or connection a minute is seen in ten minutes, also where connections come and go', () => {
  const leaking = (what: Value, perMinute: number): string[] =>
    growthOf(
      samplesOf(280, 10, (share, index) => {
        const leaked = Math.floor(share * 10 * perMinute);
        const cut = what === 'sockets' && index % 3 === 0 ? 10 : 0;
        return { [what]: 30 + leaked - cut };
      }),
      false,
    );
  for (const what of ['files', 'sockets'] as const) {
    expect(leaking(what, 0)).toEqual([]);
    expect(leaking(what, 1)).toHaveLength(1);
  }
});

test('connections that were cut most of the time are no growth when they come back, and a short peak is none', () => {
  const of = (each: (share: number, index: number) => Partial<Sample>): string[] =>
    growthOf(samplesOf(280, 10, each), false);
  expect(of((share, index) => ({ sockets: share < 0.5 && index % 3 > 0 ? 5 : 15 }))).toEqual([]);
  expect(of((share) => (share > 0.98 ? { memoryMb: 900, files: 90, sockets: 90 } : {}))).toEqual([]);
});

test('too few samples are not judged', () => {
  for (const what of ['files', 'sockets'] as const) {
    expect(grown(what, [10, 10, 10, 90], { samples: 23 })).toEqual([]);
    expect(grown(what, [10, 10, 10, 90], { samples: 24 })).toHaveLength(1);
  }
  expect(growthOf([], false)).toEqual([]);
});
