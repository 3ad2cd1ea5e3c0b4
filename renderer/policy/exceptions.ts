import type { NewWord } from '../api/client.ts';

/**
 * Exceptions as they are typed, one a line. One that begins with `?` is legitimate only after a person has
 * looked (REVIEW); any other clears the word.
 */
export function readExceptions(typed: string): NewWord['exceptions'] {
  const lines = typed.split('\n').map((line) => line.trim());
  return lines.flatMap((line) => {
    const text = line.replace(/^\?\s*/, '');
    return text === '' ? [] : [{ text, becomes: line.startsWith('?') ? ('REVIEW' as const) : ('CLEAR' as const) }];
  });
}
