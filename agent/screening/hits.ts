/** What a screening records of a word that it has found: place and cause. */
import { holdsHanja } from './reading/hanja.ts';
import type { ForbiddenWord } from './policy.ts';
import type { Reading } from './reading/reading.ts';
import type { RecordedHit } from './recorded.ts';

/** A word, or one of its REVIEW exceptions, at a place of a text as it is read. */
export interface Finding extends Pick<RecordedHit, 'pass' | 'grammar' | 'turnedBy'> {
  word: ForbiddenWord;
  /** The word or the exception as in the policy. */
  expression: string;
  isException: boolean;
  /** UTF-16 units, end exclusive. */
  start: number;
  end: number;
}

/** @param text as it was received. A finding that is not certain has the severity REVIEW. */
export function hitOf(text: string, reading: Reading, found: Finding): RecordedHit {
  const { word, expression, isException, pass, grammar, turnedBy } = found;
  const { start, end } = received(reading, found);
  const matched = text.slice(start, end);
  const how = howRead(matched, reading, found);
  const isCertain = pass === 'strict' && !isException && grammar === undefined;
  return {
    wordId: word.id,
    word: word.word,
    severity: isCertain ? word.severity : 'REVIEW',
    ...(word.reason === undefined ? {} : { reason: word.reason }),
    start,
    end,
    matched,
    pass,
    ...(grammar === undefined ? {} : { grammar }),
    ...(turnedBy === undefined ? {} : { turnedBy }),
    ...(how === undefined ? {} : { reading: how }),
    exception: isException ? expression : null,
    isExact: matched === expression,
  };
}

/** The place of a finding in the text as it was received. */
function received({ read }: Reading, { start, end }: Finding): { start: number; end: number } {
  return read === null ? { start, end } : { start: read.starts[start] ?? 0, end: read.ends[end - 1] ?? 0 };
}

/** How the letters were read; undefined where they were read as they are. */
function howRead(matched: string, { as, read, isSecond }: Reading, { start, end }: Finding): RecordedHit['reading'] {
  if (as === 'PLAIN' && isSecond) return 'SOURCE';
  if (read === null || read.text.slice(start, end) === matched) return undefined;
  return as === 'PAGE' && !holdsHanja(matched) ? 'PAGE' : 'HANJA';
}
