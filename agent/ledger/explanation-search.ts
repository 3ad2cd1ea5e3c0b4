/**
 * Finding words inside texts (issue of a language that writes them together): the trigram index answers
 * terms of three characters and more. A shorter term is found as the beginning of a trigram, and where it
 * ends a name by the instruments; a text that ends with it, without a full stop, is found only where all
 * texts of the filter are read.
 */
import type { Condition } from './explanation-lists.ts';
import { statement, type LedgerReader } from './ledger.ts';

/** Hits that are looked at in full; a term with more is everywhere, and a page is found by walking. */
export const SEARCH_CAP = 5_000;
/** Rows of the newest that a short term is looked for in before the index is asked for it. */
const SAMPLE = 5_000;
/** Hits in the sample from which on a term counts as one that is everywhere. */
const FREQUENT = 50;

const matching = statement<[match: string, most: number], { number: number }>(
  'SELECT rowid AS number FROM explanation_search WHERE explanation_search MATCH ? ORDER BY rowid DESC LIMIT ?',
);
const ofInstruments = statement<[{ part: string; most: number }], { number: number }>(`
  SELECT number FROM explanation WHERE etf_ticker IN
    (SELECT etf_ticker FROM instrument WHERE etf_ticker LIKE @part ESCAPE '\\' OR etf_name LIKE @part ESCAPE '\\')
  LIMIT @most`);
const inSample = statement<[{ part: string; sample: number }], { n: number }>(`
  SELECT count(*) AS n FROM (SELECT etf_ticker, etf_name, summary, published_summary FROM explanation
    ORDER BY number DESC LIMIT @sample)
  WHERE etf_ticker LIKE @part ESCAPE '\\' OR etf_name LIKE @part ESCAPE '\\' OR summary LIKE @part ESCAPE '\\'
    OR published_summary LIKE @part ESCAPE '\\'`);

/** That a text holds the term: case does not matter, and no character of it is a wildcard. */
export function textCondition(q: string): Condition {
  const part = likePart(q);
  return {
    sql: `(etf_ticker LIKE ? ESCAPE '\\' OR etf_name LIKE ? ESCAPE '\\'
      OR summary LIKE ? ESCAPE '\\' OR published_summary LIKE ? ESCAPE '\\')`,
    values: [part, part, part, part],
  };
}

function likePart(q: string): string {
  return `%${q.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
}

/** Numbers of the explanations that may hold the term, more than `SEARCH_CAP` for one that is everywhere; null where only walking can tell. */
export function searchCandidates(reader: LedgerReader, q: string): number[] | null {
  const quoted = `"${q.replaceAll('"', '""')}"`;
  const most = SEARCH_CAP + 1;
  if ([...q].length >= 3) return reader.all(matching(quoted, most)).map(({ number }) => number);
  const part = likePart(q);
  if ((reader.first(inSample({ part, sample: SAMPLE }))?.n ?? 0) >= FREQUENT) return null;
  const found = new Set(reader.all(ofInstruments({ part, most })).map(({ number }) => number));
  if (found.size < most) for (const { number } of reader.all(matching(`${quoted}*`, most))) found.add(number);
  return [...found];
}
