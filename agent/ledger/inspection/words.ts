/** What the words of a request mean: the search asks by it in SQL, and a verifier of the archive in plain texts. */
import { REASON_WORDS } from '../../../shared/wire/console/audit-words.ts';

/** Hangul in pieces, as some systems paste it, and full-width letters are the same words. */
const FORMS = ['NFC', 'NFD', 'NFKC'] as const;

/** Each form in which a text may have been typed. */
export const formsOf = (text: string): string[] => [...new Set([text, ...FORMS.map((form) => text.normalize(form))])];

/** The reasons of the taxonomy whose words hold the text: people read those, and the ledger has the code. */
export function codesOf(text: string): string[] {
  const wanted = text.normalize('NFKC').toLowerCase();
  return Object.entries(REASON_WORDS)
    .filter(([, words]) => words.some((word) => word.toLowerCase().includes(wanted)))
    .map(([code]) => code);
}
