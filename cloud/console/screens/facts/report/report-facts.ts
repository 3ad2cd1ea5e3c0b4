/** The facts in a report, readable by people and by the console. */
import type { ReadFacts } from '../../../rules/rule.ts';

export interface ReportFacts {
  facts: ReadFacts;
  /** The facts that the rules compared with; null: none. */
  previous: ReadFacts | null;
}

const PLACES = { facts: 'causeway-facts', previous: 'causeway-earlier' } as const;

/** The API's answer as JSON that a page holds unchanged: characters with a meaning in HTML are escaped. */
const jsonOf = (result: ReadFacts): string =>
  JSON.stringify({ result }, null, 1).replaceAll(
    /[<>&]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** @param titles as HTML: of the day's facts, and of the earlier ones */
export function writeReportFacts(
  { facts, previous }: ReportFacts,
  [own = '', earlier = '']: readonly string[],
): string {
  const part = (title: string, place: string, result: ReadFacts): string =>
    `<details><summary>${title}</summary><pre id="${place}" tabindex="0">${jsonOf(result)}</pre></details>`;
  return part(own, PLACES.facts, facts) + (previous === null ? '' : `\n${part(earlier, PLACES.previous, previous)}`);
}

/** The JSON of the day's facts in a report; null: the text is no report. */
export function findReportFacts(text: string): string | null {
  if (!/^\s*<!doctype html>/i.test(text)) return null;
  // Searched by a fixed text: a pattern would restart at each similar place that a manipulated file holds.
  const place = text.indexOf(`<pre id="${PLACES.facts}"`);
  const begin = place === -1 ? -1 : text.indexOf('>', place);
  const end = begin === -1 ? -1 : text.indexOf('<', begin);
  return end !== -1 && text.startsWith('</pre>', end) ? text.slice(begin + 1, end) : null;
}
