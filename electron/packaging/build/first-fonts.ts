/**
 * Makes the fonts of the first text, by hand after an update of the font: `node electron/packaging/build/first-fonts.ts`. Of the whole
 * file of a weight they keep the 2,350 syllables of KS X 1001, in which nearly all Korean is written, and everything that is no
 * syllable.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import subsetFont from 'subset-font';
import { isFirst } from './first-letters.ts';
import { PROJECT } from './inputs.ts';

const SOURCE = '@fontsource/noto-sans-kr/files/noto-sans-kr-korean';
/** The Basic Multilingual Plane without its surrogates. */
const POINTS = Array.from({ length: 0x1_00_00 }, (_, point) => point).filter(
  (point) => point >= 0x20 && (point < 0xd8_00 || point > 0xdf_ff),
);
const kept = POINTS.map((point) => String.fromCodePoint(point))
  .filter(isFirst)
  .join('');

for (const weight of [400, 600]) {
  const source = createRequire(import.meta.url).resolve(`${SOURCE}-${weight}-normal.woff2`);
  const font = await subsetFont(readFileSync(source), kept, { targetFormat: 'woff2' });
  writeFileSync(path.join(PROJECT, 'shared/ui/theme/fonts', `noto-sans-kr-${weight}.woff2`), font);
}
