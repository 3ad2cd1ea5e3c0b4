import { expect, test } from 'vitest';
import { nextCell } from './next-cell.ts';

test('an arrow goes to the next cell that holds something, and stays where there is none', () => {
  const holds = [
    [true, false, true],
    [false, false, true],
    [true, true, false],
  ];
  const at = (row: number, column: number) => ({ row, column });
  expect(nextCell(holds, at(0, 0), 'ArrowRight')).toEqual(at(0, 2));
  expect(nextCell(holds, at(0, 2), 'ArrowRight')).toBeNull();
  expect(nextCell(holds, at(0, 2), 'ArrowLeft')).toEqual(at(0, 0));
  expect(nextCell(holds, at(0, 0), 'ArrowDown')).toEqual(at(2, 0));
  expect(nextCell(holds, at(2, 1), 'ArrowUp')).toBeNull();
  for (const key of ['Enter', 'Tab', 'toString']) expect(nextCell(holds, at(0, 0), key)).toBeNull();
});
