/**
 * The number waiting on the program's icon (D234): where the system draws no number itself, as on Windows, a picture of
 * it. Pure.
 */

/** Width and height in pixels: 16 at twice the density. */
export const BADGE = 32;
/** BGRA. */
const RED = [0x28, 0x28, 0xc6, 0xff] as const;
const WHITE = [0xff, 0xff, 0xff, 0xff] as const;
/** Five rows of three pixels for each digit, one bit each, from the left. */
const DIGITS = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 7, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 2, 2],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
] as const;
/** Screen pixels per pixel of a digit. */
const SCALE = 3;

/** A red disc with the number; from 100 on it shows 99. Rows of BGRA pixels from the top. */
export function badgePixels(count: number): Uint8Array {
  const pixels = new Uint8Array(BADGE * BADGE * 4);
  const paint = (x: number, y: number, colour: readonly number[]): void => pixels.set(colour, (y * BADGE + x) * 4);
  const middle = (BADGE - 1) / 2;
  for (let y = 0; y < BADGE; y += 1)
    for (let x = 0; x < BADGE; x += 1) if (Math.hypot(x - middle, y - middle) <= BADGE / 2) paint(x, y, RED);
  const digits = [...String(Math.min(count, 99))].map(Number);
  const left = Math.floor((BADGE - (digits.length * 4 - 1) * SCALE) / 2);
  const top = Math.floor((BADGE - 5 * SCALE) / 2);
  for (const [index, digit] of digits.entries())
    for (let y = 0; y < 5 * SCALE; y += 1)
      for (let x = 0; x < 3 * SCALE; x += 1) {
        const row = DIGITS[digit]?.[Math.floor(y / SCALE)] ?? 0;
        if (((row >> (2 - Math.floor(x / SCALE))) & 1) === 1) paint(left + index * 4 * SCALE + x, top + y, WHITE);
      }
  return pixels;
}
