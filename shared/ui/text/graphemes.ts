/**
 * Graphemes, the signs that a reader sees: a Hangul syllable, whether it is stored composed or as single jamo,
 * or an emoji made of several code points.
 */
const segmenter = new Intl.Segmenter('ko', { granularity: 'grapheme' });

/** The signs of a text in order; joined they are the text. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** UTF-16 positions at which a text may be cut without tearing a sign apart: 0, …, length. */
export function cutPositions(text: string): number[] {
  const positions = Array.from(segmenter.segment(text), ({ index }) => index);
  positions.push(text.length);
  return text.length === 0 ? [0] : positions;
}
