/** Searches the words of a policy as a text is searched for them (D15, D210): case, width, spaces and Hanja are alike. */
import { fold, foldedText, isWhole } from './letters/fold.ts';
import { readExpression } from './reading/reading.ts';

/** Whether a word holds the term, in whole characters; a term without a visible character is in every word. */
export function wordSearch(term: string): (word: string) => boolean {
  const part = foldedText(fold(readExpression(term)));
  return (word) => {
    const folded = fold(readExpression(word));
    const letters = foldedText(folded);
    for (let from = letters.indexOf(part); from >= 0; from = letters.indexOf(part, from + 1)) {
      const to = from + part.length;
      if (part === '' || isWhole(folded, from, to)) return true;
    }
    return false;
  };
}
