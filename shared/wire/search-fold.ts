/**
 * How a search of texts is read, by the lists of the console and by an inspector's request: white space counts nowhere, so
 * that `KODEX200` finds `KODEX 200`, and a term stands for each form of Unicode in which it may have been typed.
 *
 * SQLite knows no forms of Unicode, so the term is folded into all of them and the text into none.
 */

/** Tab, line ends, space, no-break space, zero-width space and ideographic space; the index leaves out the same. */
export const SPACES = '\t\n\r \u00a0\u200b\u3000';
const SPACE = new RegExp(`[${SPACES}]`, 'g');

/** Hangul in pieces, as some systems paste it, and full-width letters are the same words. */
const FORMS = ['NFC', 'NFD', 'NFKC'] as const;

export const withoutSpace = (text: string): string => text.replace(SPACE, '');

/** Each form of a term; none where it is only white space. */
export const formsOf = (term: string): string[] =>
  [...new Set([term, ...FORMS.map((form) => term.normalize(form))].map(withoutSpace))].filter((form) => form !== '');
