/** The sentences of a text in which something was found, so that a hit is read where it stands. */
import type { TextRange } from '../../../shared/ui/text/segments.ts';

export interface MarkedSentence {
  /** Where it begins in the text. */
  start: number;
  text: string;
  /** Places in the sentence. */
  marks: TextRange[];
}

const sentences = new Intl.Segmenter('ko', { granularity: 'sentence' });

/** Those with a hit, in the order of the text; a hit that reaches over two stands in both. */
export function sentencesWith(text: string, hits: readonly TextRange[]): MarkedSentence[] {
  return [...sentences.segment(text)].flatMap(({ segment, index }) => {
    const end = index + segment.length;
    const marks = hits
      .filter((hit) => hit.start < end && hit.end > index)
      .map((hit) => ({ start: Math.max(0, hit.start - index), end: Math.min(segment.length, hit.end - index) }));
    return marks.length === 0 ? [] : [{ start: index, text: segment.trimEnd(), marks }];
  });
}
