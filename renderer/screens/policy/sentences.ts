/** The sentences of a text that contain hits, so that each hit is read in context. */
import type { TextRange } from '../../../shared/ui/text/segments.ts';

export interface MarkedSentence {
  /** Position of the sentence in the text. */
  start: number;
  text: string;
  /** Positions within the sentence. */
  marks: TextRange[];
}

const sentences = new Intl.Segmenter('ko', { granularity: 'sentence' });

/** The sentences with a hit, in the order of the text; a hit across two sentences appears in both. */
export function sentencesWith(text: string, hits: readonly TextRange[]): MarkedSentence[] {
  return [...sentences.segment(text)].flatMap(({ segment, index }) => {
    const end = index + segment.length;
    const marks = hits
      .filter((hit) => hit.start < end && hit.end > index)
      .map((hit) => ({ start: Math.max(0, hit.start - index), end: Math.min(segment.length, hit.end - index) }));
    return marks.length === 0 ? [] : [{ start: index, text: segment.trimEnd(), marks }];
  });
}
