/**
 * JSON as the vendor wrote it. A number is more than JavaScript can hold (`1e400`, twenty digits, `0.10`),
 * and sync protocol 2 wants the numbers of a calculation not converted: so they are kept as texts,
 * and read in a way that writes each one as it stood.
 */
import { parseJson } from '../../../shared/wire/json.ts';

/** Reads a JSON text so that `JSON.stringify` gives the same value back, digit for digit. Its numbers are opaque: some are kept as they stood. */
export function readExact(text: string): unknown {
  // Most texts say nothing that JavaScript would write in another way, and reading them with a reviver takes
  // many times as long.
  const plain = JSON.parse(text) as unknown;
  if (JSON.stringify(plain) === text) return plain;
  return parseJson(text, (_, value, { source }) => keptNumber(value, source));
}

/** Whether two JSON texts say the same: white space, escapes and the order of names do not count, digits do. */
export function sameJson(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(text: string): string {
  return JSON.stringify(
    parseJson(text, (_, value, { source }) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
        : keptNumber(value, source),
    ),
  );
}

function keptNumber(value: unknown, source: string | undefined): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}
