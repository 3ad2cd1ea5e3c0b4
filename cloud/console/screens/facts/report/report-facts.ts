/**
 * The facts in a report, readable by people and by the console. Those of a large day are compressed: a report is sent by
 * mail, and its tables tell people what they need.
 */
import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
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

/** Longer facts are compressed, in characters. */
const MOST_PLAIN = 200_000;
const COMPRESSED = 'gzip,';

function heldOf(result: ReadFacts): string {
  const json = jsonOf(result);
  return json.length <= MOST_PLAIN
    ? json
    : `${COMPRESSED}${btoa(strFromU8(gzipSync(strToU8(JSON.stringify({ result }))), true))}`;
}

/** No larger file is opened, compressed or not. */
export const FACTS_BYTES = 32 * 1024 * 1024;

/** @throws an error of the compression, and `RangeError` where the facts are larger than any */
function plainOf(held: string): string {
  if (!held.startsWith(COMPRESSED)) return held;
  const bytes = strToU8(atob(held.slice(COMPRESSED.length)), true);
  // The last four bytes are the length that it is decompressed into, whatever the rest holds.
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 4, true);
  if (length > FACTS_BYTES) throw new RangeError('The facts are too large.');
  return strFromU8(gunzipSync(bytes));
}

/** @param titles as HTML: of the day's facts, and of the earlier ones */
export function writeReportFacts(
  { facts, previous }: ReportFacts,
  [own = '', earlier = '']: readonly string[],
): string {
  const part = (title: string, place: string, result: ReadFacts): string =>
    `<details><summary>${title}</summary><pre id="${place}" tabindex="0">${heldOf(result)}</pre></details>`;
  return part(own, PLACES.facts, facts) + (previous === null ? '' : `\n${part(earlier, PLACES.previous, previous)}`);
}

/** The JSON of the day's facts in a report; null: the text is no report. @throws where its facts cannot be decompressed */
export function findReportFacts(text: string): string | null {
  if (!/^\s*<!doctype html>/i.test(text)) return null;
  // Searched by a fixed text: a pattern would restart at each similar place that a manipulated file holds.
  const place = text.indexOf(`<pre id="${PLACES.facts}"`);
  const begin = place === -1 ? -1 : text.indexOf('>', place);
  const end = begin === -1 ? -1 : text.indexOf('<', begin);
  return end !== -1 && text.startsWith('</pre>', end) ? plainOf(text.slice(begin + 1, end)) : null;
}
