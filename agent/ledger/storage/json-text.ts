/**
 * JSON as the vendor wrote it. A number may exceed JavaScript's (`1e400`, twenty digits, `0.10`), and sync protocol 2
 * forbids converting the numbers of a calculation: so they are stored as texts, and read so that each is written back
 * unchanged.
 */
import { parseJson } from '../../../shared/wire/json.ts';

/**
 * Reads a JSON text so that `JSON.stringify` gives the same value back, digit for digit. Its numbers are opaque: some
 * keep their text.
 */
export function readExact(text: string): unknown {
  // Most texts hold nothing that JavaScript would write differently, and reading with a reviver takes many times as
  // long.
  const plain = JSON.parse(text) as unknown;
  if (JSON.stringify(plain) === text) return plain;
  return parseJson(text, (_, value, { source }) => exactNumber(value, source));
}

/**
 * Whether two JSON texts have the same content: white space, escapes and the order of names do not count, digits do.
 */
export function sameJson(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(text: string): string {
  return JSON.stringify(
    parseJson(text, (_, value, { source }) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
        : exactNumber(value, source),
    ),
  );
}

function exactNumber(value: unknown, source: string | undefined): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}
