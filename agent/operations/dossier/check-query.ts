/**
 * Whether an explanation of an archive is one that the request meant. The list was made before the dossiers: what the
 * vendor or a person has changed in between counts as it was, too.
 */
import { readAuthors } from '../../ledger/audit/authors.ts';
import type { DossierExplanation } from '../../ledger/dossier/contents.ts';
import { formsOf, withoutSpace } from '../../../shared/wire/search-fold.ts';
import { codesOf } from '../../ledger/inspection/words.ts';
import type { InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import type { ReadOne } from './check-received.ts';

/** @returns the condition that it has never met; null: it has met all */
export function unmet(
  { fields, history }: Pick<DossierExplanation, 'fields' | 'history'>,
  entries: readonly ReadOne[],
  { from, to, ticker, person, outcomes, word, reason }: InspectionQuery,
): string | null {
  const versions = [fields, ...entries.flatMap((one) => (one.kind === 'NEW' ? [one.fields] : []))];
  const isOf = (one: { trade_date: string; etf_ticker: string }): boolean =>
    from <= one.trade_date && one.trade_date <= to && (ticker === undefined || one.etf_ticker === ticker);
  if (!versions.some(isOf)) return `of ${ticker ?? 'a ticker'} from ${from} to ${to}`;
  const hasActed = history.some(
    ({ actor, actor_id, authors }) =>
      (actor === person && actor_id !== null) || readAuthors(authors).some(({ name }) => name === person),
  );
  if (person !== undefined && !hasActed) return `by ${person}`;
  if (outcomes !== undefined && !history.some(({ to_status }) => outcomes.includes(to_status)))
    return `in state ${outcomes.join(' or ')}`;
  const texts = [...versions.map(({ summary }) => summary), ...history.map((move) => move.published_summary)];
  if (word !== undefined && !texts.some((text) => holds(text, word))) return `with the word ${word}`;
  if (reason !== undefined && !history.some((move) => isFor(move.reason, reason))) return `for the reason ${reason}`;
  return null;
}

/** As SQLite's LIKE: capitals of ASCII are like small letters. */
const holds = (text: string | null, part: string): boolean =>
  formsOf(part).some((one) => folded(withoutSpace(text ?? '')).includes(folded(one)));

const isFor = (told: string | null, part: string): boolean =>
  holds(told, part) || codesOf(part).some((code) => told === code || told?.startsWith(`${code}:`) === true);

const folded = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
