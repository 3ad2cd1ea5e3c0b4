/** Where numbers end: a digit beside a place belongs to the number in it. */

/** Whether no number of the text goes on over an end of a place: `0%` is not in `10%`, nor in `1.0%`. */
export function isWholeNumber(text: string, { start, end }: { start: number; end: number }): boolean {
  if (DIGIT.test(text[start] ?? '') && /(?:\p{Nd}|\p{Nd}[.,])$/u.test(text.slice(Math.max(0, start - 2), start)))
    return false;
  return !DIGIT.test(text[end - 1] ?? '') || !/^[.,]?\p{Nd}/u.test(text.slice(end, end + 2));
}

const DIGIT = /\p{Nd}/u;
