import { expect, test } from 'vitest';
import { nextSlot } from './next-slot.ts';

const lane = (name: string, ...times: number[]) => times.map((at) => ({ key: `${name}${at}`, at }));
const rows = [lane('a', 1, 2, 20), [], lane('b', 9, 19), lane('c', 3)];

test.each([
  ['a1', 'ArrowRight', 'a2'],
  ['a2', 'ArrowRight', 'a20'],
  ['a20', 'ArrowRight', null],
  ['a1', 'ArrowLeft', null],
  ['b19', 'ArrowLeft', 'b9'],
  // A lane without a slot is passed over; the nearest in time of the next one is met.
  ['a20', 'ArrowDown', 'b19'],
  ['a1', 'ArrowDown', 'b9'],
  ['b9', 'ArrowDown', 'c3'],
  ['c3', 'ArrowDown', null],
  ['c3', 'ArrowUp', 'b9'],
  ['b9', 'ArrowUp', 'a2'],
  ['a2', 'Home', 'a1'],
  ['a2', 'End', 'a20'],
  ['b9', 'Control+Home', 'a1'],
  ['a1', 'Control+End', 'c3'],
  ['c3', 'End', null],
  ['a1', 'Enter', null],
  ['a1', 'toString', null],
  ['gone', 'ArrowRight', null],
])('from %s, %s leads to %s', (from, pressed, to) => {
  expect(nextSlot(rows, from, pressed)).toBe(to);
});
