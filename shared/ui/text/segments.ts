/** Cuts a text where marked ranges begin and end, so that each segment knows every range that covers it. */
import { cutPositions } from './graphemes.ts';

export interface TextRange {
  /** UTF-16 positions, end exclusive. */
  start: number;
  end: number;
}

export interface Segment<R extends TextRange> {
  text: string;
  start: number;
  /** Every range that covers this stretch, in the order given; none for unmarked text. */
  ranges: R[];
}

/**
 * Segments in order; joined they are the text. Ranges may overlap, touch or nest. A range outside the text is clipped
 * to it, and one that would split a sign is widened to the whole sign.
 */
export function segmentsOf<R extends TextRange>(text: string, ranges: readonly R[]): Segment<R>[] {
  const cuts = cutPositions(text);
  const placed = ranges
    .map((range) => ({ range, start: lastAtOrBefore(cuts, range.start), end: firstAtOrAfter(cuts, range.end) }))
    .filter(({ range, start, end }) => range.end > range.start && end > start);
  const borders = [...new Set([0, text.length, ...placed.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );

  const segments: Segment<R>[] = [];
  for (let index = 0; index + 1 < borders.length; index += 1) {
    const start = borders[index] ?? 0;
    const end = borders[index + 1] ?? text.length;
    const covering = placed.filter((one) => one.start < end && one.end > start).map(({ range }) => range);
    segments.push({ text: text.slice(start, end), start, ranges: covering });
  }
  return segments;
}

function lastAtOrBefore(cuts: readonly number[], position: number): number {
  return cuts.findLast((cut) => cut <= position) ?? 0;
}

function firstAtOrAfter(cuts: readonly number[], position: number): number {
  return cuts.find((cut) => cut >= position) ?? cuts.at(-1) ?? 0;
}
