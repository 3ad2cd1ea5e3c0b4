/**
 * `JSON.parse` for what comes from outside with names of any kind (a calculation's arguments and output).
 *
 * V8 of Node 24 now and then takes a name that is one escape and nothing else (`"\""`, `"\\"`, `"\u0000"`)
 * for another one that it met before: it compares the first byte, the backslash. Longer names are read
 * rightly, so these are made longer for the reading and short again in the value.
 */
type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown;

declare global {
  interface JSON {
    /** A number that `stringify` writes with these digits (ECMAScript 2026, in Node since 22). */
    rawJSON(digits: string): object;
    parse(text: string, reviver: Reviver | undefined): unknown;
  }
}

const ONE_ESCAPE = /("\\(?:u[\dA-Fa-f]{4}|[^u]))"(?=[\t\n\r ]*:)/gu;

/**
 * The value of a JSON text; `reviver` as in `JSON.parse`.
 *
 * @throws SyntaxError where the text is no JSON
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  if (!text.includes('"\\') || text.search(ONE_ESCAPE) === -1) return JSON.parse(text, reviver);
  const mark = unusedMark(text);
  const restored = (name: string): string => (name.endsWith(mark) ? name.slice(0, -mark.length) : name);
  const marked = text.replace(ONE_ESCAPE, `$1${mark}"`);
  try {
    return JSON.parse(marked, function (name, value, context) {
      const inside =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).map(([inner, item]) => [restored(inner), item as unknown]))
          : value;
      return reviver === undefined ? inside : reviver.call(this, restored(name), inside, context);
    });
  } catch (error) {
    // An error names the place in the text as it came; one of the reviver stays what it is.
    if (error instanceof SyntaxError) JSON.parse(text);
    throw error;
  }
}

/** Letters that do not occur in a text. */
function unusedMark(text: string): string {
  let mark = 'one escape';
  while (text.includes(mark)) mark += '.';
  return mark;
}
