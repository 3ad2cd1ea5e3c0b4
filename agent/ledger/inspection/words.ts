/** The reasons that the words of a request mean; `search-fold.ts` says how they are found in a text. */
import { REASON_WORDS } from '../../../shared/wire/console/audit-words.ts';

/** The reasons of the taxonomy whose words hold the text: people read those, and the ledger has the code. */
export function codesOf(text: string): string[] {
  const wanted = text.normalize('NFKC').toLowerCase();
  return Object.entries(REASON_WORDS)
    .filter(([, words]) => words.some((word) => word.toLowerCase().includes(wanted)))
    .map(([code]) => code);
}
