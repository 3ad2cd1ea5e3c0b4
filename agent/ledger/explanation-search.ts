/**
 * Finding words inside texts, in a language that writes them together. The trigram index answers terms of
 * three characters and more. A shorter term is the beginning of trigrams, which `explanation_term` lists: of all
 * that hold it, because every text ends in marks of its own in the index.
 */
import type { Condition } from './explanation-lists.ts';
import { statement, type LedgerReader } from './ledger.ts';

/** Rows of the newest that a short term is looked for in before the index is asked for it. */
const SAMPLE = 1_000;
/** Hits in the sample from which on a term counts as one that is everywhere. */
const FREQUENT = 10;
/** Trigrams that are looked up at a time. */
const TERMS_AT_ONCE = 400;

const matching = statement<[match: string, most: number], { number: number }>(
  'SELECT rowid AS number FROM explanation_search WHERE explanation_search MATCH ? LIMIT ?',
);
const termsFrom = statement<[{ from: string; before: string; most: number }], { term: string }>(
  'SELECT term FROM explanation_term WHERE term > @from AND term < @before LIMIT @most',
);
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

function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * Numbers of the explanations that hold the term, and more than `cap` where that many do. Null for a short
 * term that is everywhere: then the texts themselves tell sooner.
 */
export function searchCandidates(reader: LedgerReader, q: string, cap: number): number[] | null {
  if ([...q].length >= 3) return reader.all(matching(phrase(q), cap + 1)).map(({ number }) => number);
  if ((reader.first(inSample({ part: likePart(q), sample: SAMPLE }))?.n ?? 0) >= FREQUENT) return null;
  // The index keeps its trigrams in lower case; each of those meant is longer than the term.
  const beginning = q.toLowerCase();
  const found = new Set<number>();
  for (let from: string | undefined = beginning; from !== undefined && found.size <= cap;) {
    const terms: { term: string }[] = reader.all(
      termsFrom({ from, before: `${beginning}\u{10ffff}`, most: TERMS_AT_ONCE }),
    );
    from = terms.at(-1)?.term;
    if (terms.length === 0) break;
    const any = terms.map(({ term }) => phrase(term)).join(' OR ');
    for (const { number } of reader.all(matching(any, cap + 1))) found.add(number);
  }
  return found.size > cap ? null : [...found];
}
