/** Words of the seed policy: how they are written down. */
import type { ReasonCode } from '../../../shared/wire/console/console.ts';
import type { ForbiddenWord, WordException } from '../policy.ts';

export const clear = (text: string): WordException => ({ text, becomes: 'CLEAR' });
export const review = (text: string): WordException => ({ text, becomes: 'REVIEW' });

interface More {
  exceptions?: WordException[];
  /** Found by its letters alone: its parts stand near each other in many harmless sentences. */
  lettersOnly?: true;
}

export function word(
  id: string,
  text: string,
  severity: ForbiddenWord['severity'],
  reason: ReasonCode,
  { exceptions = [], lettersOnly }: More = {},
): ForbiddenWord {
  return { id, word: text, severity, reason, active: true, exceptions, ...(lettersOnly ? { apart: null } : {}) };
}

/** Several words of one kind. */
export const words = (
  severity: ForbiddenWord['severity'],
  reason: ReasonCode,
  each: Readonly<Record<string, string>>,
  more: More = {},
): ForbiddenWord[] => Object.entries(each).map(([id, text]) => word(`word-${id}`, text, severity, reason, more));

/** Every expression of a kind with every one of another: `투자하` and `시기 바랍니다`. */
export const pairs = (
  reason: ReasonCode,
  firsts: Readonly<Record<string, string>>,
  seconds: Readonly<Record<string, string>>,
  more: More = {},
): ForbiddenWord[] =>
  Object.entries(firsts).flatMap(([a, first]) =>
    words(
      'REVIEW',
      reason,
      Object.fromEntries(Object.entries(seconds).map(([b, second]) => [`${a}-${b}`, first + second])),
      more,
    ),
  );
