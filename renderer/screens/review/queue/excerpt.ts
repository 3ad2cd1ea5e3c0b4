/** The words of a text for one line of a row: those around its first hit, else its beginning. */
import type { CheckResult, WordHit } from '../../../../shared/wire/console/console.ts';

export interface Excerpt {
  before: string;
  /** Null without a hit in the text. */
  hit: (Pick<WordHit, 'severity'> & { text: string }) | null;
  after: string;
}

/** UTF-16 units before a hit at most; the row cuts what follows. */
const BEFORE = 10;
const MOST = 120;

export function excerptOf(text: string, reasons: readonly Pick<CheckResult, 'hits'>[]): Excerpt {
  const [first] = reasons
    .flatMap(({ hits }) => hits)
    .filter(({ start, end }) => start < end && end <= text.length)
    .toSorted((one, other) => one.start - other.start);
  if (first === undefined) return { before: '', hit: null, after: oneLine(text.slice(0, MOST)) };
  const { start, end, severity } = first;
  // From a space on, which never divides a sign.
  const space = text.slice(start - Math.min(start, BEFORE), start).search(/\s/);
  const from = start <= BEFORE ? 0 : space < 0 ? start : start - BEFORE + space + 1;
  return {
    before: `${from > 0 ? '…' : ''}${oneLine(text.slice(from, start))}`,
    hit: { severity, text: oneLine(text.slice(start, end)) },
    after: oneLine(text.slice(end, end + MOST)),
  };
}

const oneLine = (part: string): string => part.replaceAll(/\s+/g, ' ');
