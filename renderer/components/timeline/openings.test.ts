import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../../shared/wire/console/console.ts';
import { rowsOf } from './openings.ts';

const look = (kind: 'CLAIMED' | 'RELEASED', minute: number, actor = '가'): TimelineEntry => ({
  ...{ kind, actor, at: `2026-11-20T07:${String(minute).padStart(2, '0')}:00.000Z`, authors: [] },
});
const note = (minute: number): TimelineEntry => ({
  kind: 'NOTE',
  actor: '가',
  at: look('CLAIMED', minute).at,
  text: '',
});

test('several looks of one person are one row, with the span from the first to the last', () => {
  const entries = [look('RELEASED', 9), look('CLAIMED', 8), look('RELEASED', 5), look('CLAIMED', 4), note(3)];
  const openings = { kind: 'OPENINGS', actor: '가', count: 2, from: look('CLAIMED', 4).at };
  expect(rowsOf(entries, 5)).toEqual([
    { key: 2, row: { ...openings, to: look('RELEASED', 9).at } },
    { key: 1, row: note(3) },
  ]);
  // The key stays when another look joins; the item is open now.
  expect(rowsOf([look('CLAIMED', 12), ...entries], 6)[0]).toEqual({ key: 2, row: { ...openings, count: 3, to: null } });
});

test('a note, another person and a single look keep their rows', () => {
  const entries = [
    look('CLAIMED', 9),
    note(8),
    look('RELEASED', 7, '나'),
    look('CLAIMED', 6, '나'),
    look('CLAIMED', 5),
  ];
  expect(rowsOf(entries, 5)).toEqual(entries.map((row, index) => ({ key: 5 - index, row })));
});
