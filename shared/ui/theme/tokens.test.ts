/** Contrast of the tokens in both schemes (WCAG 1.4.3, 1.4.11): axe sees only those that a screen happens to show. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');

/** The colours that a block of rules sets, by name. */
function tokensOf(selector: string): Map<string, string> {
  const [, block = ''] = css.split(`${selector} {`);
  const [rules = ''] = block.split('\n}');
  return new Map(
    Array.from(rules.matchAll(/(--cw-[\w-]+): (#[0-9a-f]{6});/gu), ([, name = '', value = '']) => [name, value]),
  );
}

/** The relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const GROUNDS = ['frame', 'surface', 'sunken', 'hover', 'selected'];
const TONES = ['good', 'info', 'wait', 'bad', 'stop', 'neutral'];
const TEXT = 4.5;
/** Rings and lines of controls. */
const GRAPHICS = 3;
const PAIRS = [
  ...['ink', 'muted'].flatMap((text) => GROUNDS.map((ground) => [text, ground, TEXT] as const)),
  ...TONES.map((tone) => [tone, `${tone}-ground`, TEXT] as const),
  ...TONES.map((tone) => [tone, 'surface', TEXT] as const),
  ...['accent', 'focus', 'line-strong'].map((line) => [line, 'surface', GRAPHICS] as const),
];

test.each([
  ['light', ':root'],
  ['dark', ":root[data-mantine-color-scheme='dark']"],
])('in the %s scheme every text stands out from its ground', (_scheme, selector) => {
  const tokens = tokensOf(selector);
  const weak = PAIRS.flatMap(([text, ground, least]) => {
    const [darker = 0, lighter = 0] = [text, ground]
      .map((name) => luminance(tokens.get(`--cw-${name}`) ?? ''))
      .toSorted((a, b) => a - b);
    const ratio = (lighter + 0.05) / (darker + 0.05);
    return ratio >= least ? [] : [`${text} on ${ground}: ${ratio.toFixed(2)}`];
  });
  expect(weak).toEqual([]);
});
