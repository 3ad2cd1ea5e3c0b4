import { expect, test } from 'vitest';
import { BADGE, badgePixels } from './badge.ts';

/** The white pixels as a text of one row per digit's row. */
function written(count: number): string[] {
  const pixels = badgePixels(count);
  const rows = [];
  for (let y = 9; y < 23; y += 3) {
    let row = '';
    for (let x = 0; x < BADGE; x += 1) row += pixels[(y * BADGE + x) * 4] === 0xff ? '#' : ' ';
    rows.push(row.trim());
  }
  return rows;
}

test('shows the number, and 99 for more', () => {
  expect(written(7)).toEqual(['#########', '###', '###', '###', '###']);
  expect(written(14)).toEqual([
    '###      ###   ###',
    '######      ###   ###',
    '###      #########',
    '###            ###',
    '#########         ###',
  ]);
  expect(badgePixels(1_200)).toEqual(badgePixels(99));
  expect(badgePixels(98)).not.toEqual(badgePixels(99));
});
