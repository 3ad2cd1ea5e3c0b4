/** The exceptions of a rule as typed, in two fields by effect, and as the policy stores them. */
import { seenOf } from '../../../shared/wire/invisible.ts';
import type { WordException } from '../../../shared/wire/console/console.ts';

/** One expression per line, or separated by commas. */
export interface TypedExceptions {
  /** Exceptions that let a text pass. */
  passing: string;
  /** Exceptions that send it to review. */
  reviewing: string;
}

/**
 * Why a list is refused: an expression without a letter or digit, one that begins with `?` (the former mark for
 * review), a duplicate, one that is too long, or too many.
 */
export interface ListProblem {
  kind: 'SIGN' | 'MARK' | 'TWICE' | 'LONG' | 'MANY';
  text: string;
}

/** The most characters of an expression, in UTF-16 units. */
export const LONGEST = 200;
const MOST_EXCEPTIONS = 100;

/** A comma inside a number separates nothing. */
const BETWEEN = /[\n\r]+|(?<!\d)[,，、]|[,，、](?!\d)/u;

/** The expressions of a field, without blanks. */
export function readList(typed: string): string[] {
  return typed
    .split(BETWEEN)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

export function writeList(expressions: readonly string[]): string {
  return expressions.join('\n');
}

export function readExceptions({ passing, reviewing }: TypedExceptions): WordException[] {
  return [
    ...readList(passing).map((text) => ({ text, becomes: 'CLEAR' as const })),
    ...readList(reviewing).map((text) => ({ text, becomes: 'REVIEW' as const })),
  ];
}

export function writeExceptions(exceptions: readonly WordException[]): TypedExceptions {
  const of = (becomes: WordException['becomes']): string =>
    writeList(exceptions.filter((one) => one.becomes === becomes).map(({ text }) => text));
  return { passing: of('CLEAR'), reviewing: of('REVIEW') };
}

/** The faults for which the API would refuse a list, shown beside its field. */
export function problemsOf(expressions: readonly string[], most = MOST_EXCEPTIONS): ListProblem[] {
  const known = new Set<string>();
  const problems = expressions.flatMap((text): ListProblem[] => {
    const same = known.has(alike(text));
    known.add(alike(text));
    if (!/[\p{L}\p{N}]/u.test(text)) return [{ kind: 'SIGN', text }];
    if (text.startsWith('?')) return [{ kind: 'MARK', text }];
    if (text.length > LONGEST) return [{ kind: 'LONG', text: `${text.slice(0, 20)}…` }];
    return same ? [{ kind: 'TWICE', text }] : [];
  });
  return expressions.length > most ? [...problems, { kind: 'MANY', text: String(most) }] : problems;
}

/** Whether an exception contains its word: a passing exception without it could never cover a hit. */
export function holdsWord(word: string, exception: string): boolean {
  return alike(exception).includes(alike(word));
}

export interface Excepted {
  word: string;
  /** The word of the policy whose exception it is. */
  of: string;
  becomes: WordException['becomes'];
}

/** The new words that the policy knows as an exception of another word, which they would find nevertheless. */
export function exceptedBy(
  policy: readonly { word: string; exceptions: readonly WordException[] }[],
  words: readonly string[],
): Excepted[] {
  const known = new Map(words.map((word) => [alike(word), word]));
  return policy.flatMap(({ word: of, exceptions }) =>
    exceptions.flatMap(({ text, becomes }) => {
      const word = known.get(alike(text));
      return word === undefined ? [] : [{ word, of, becomes }];
    }),
  );
}

/** Approximates the screening's folding (D15): white space, invisible characters and case make no difference. */
export function alike(text: string): string {
  return seenOf(text.normalize('NFKC').toLowerCase());
}
