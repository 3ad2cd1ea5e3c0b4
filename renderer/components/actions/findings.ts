/** The findings in a text that is being edited, as places and as numbers, so that none lies out of view. */
import type { TextRange } from '../../../shared/ui/text/segments.ts';
import type { ReviewDetail } from '../../../shared/wire/console/console.ts';

/** The policy's findings in a text. */
export type FoundInEdit = Pick<NonNullable<ReviewDetail['draft']>, 'hits' | 'missing'>;

/** The policy's findings in a text of an item, if the server has screened exactly this text. */
export function foundIn(
  text: string,
  { draft, summary, underReview, hitsNow }: Pick<ReviewDetail, 'draft' | 'summary' | 'underReview' | 'hitsNow'>,
): FoundInEdit | null {
  if (draft?.text === text) return draft;
  if (underReview.text === text) return underReview;
  return summary === text ? { hits: hitsNow.summary, missing: hitsNow.missing.summary } : null;
}

/** The place after a selection, around the end of the text; null without any. A place that is selected is left. */
export function nextPlace<T extends TextRange>(places: readonly T[], selection: TextRange): T | null {
  const sorted = places.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const isAfter = ({ start }: T): boolean =>
    selection.start < selection.end ? start > selection.start : start >= selection.start;
  return sorted.find(isAfter) ?? sorted[0] ?? null;
}
