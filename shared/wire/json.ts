/**
 * `JSON.parse` for input from outside with names of any kind (a calculation's arguments and output).
 *
 * V8 of Node 24 now and then replaces a name with an escape (`"\""`, `"a\""`) by one that it met before and expects there:
 * it compares that one with as many letters of the text as it has, escapes unread, so that `a\"` is taken for a name of
 * an `a` and a backslash. Such names are lengthened for the reading, by letters that none ends with, and shortened again.
 */
type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown;

declare global {
  interface JSON {
    /** A number that `stringify` writes with these digits (ECMAScript 2026, in Node since 22). */
    rawJSON(digits: string): object;
    isRawJSON(value: unknown): boolean;
    parse(text: string, reviver: Reviver | undefined): unknown;
  }
}

/**
 * The value of a JSON text; `reviver` as in `JSON.parse`.
 *
 * @throws SyntaxError where the text is no JSON
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  const ends = endsOfEscapedNames(text);
  if (ends.length === 0) return JSON.parse(text, reviver);
  const mark = unusedMark(text);
  const restored = (name: string): string => (name.endsWith(mark) ? name.slice(0, -mark.length) : name);
  const marked = [0, ...ends].map((end, index) => text.slice(end, ends[index])).join(mark);
  try {
    return JSON.parse(marked, function (name, value, context) {
      const inside =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).map(([inner, item]) => [restored(inner), item as unknown]))
          : value;
      return reviver === undefined ? inside : reviver.call(this, restored(name), inside, context);
    });
  } catch (error) {
    // An error names the place in the original text; an error of the reviver passes unchanged.
    if (error instanceof SyntaxError) JSON.parse(text);
    throw error;
  }
}

/** Where the names that hold an escape end. A backslash stands in strings alone. */
function endsOfEscapedNames(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    const end = at;
    do at += 1;
    while (text.charCodeAt(at) <= SPACE);
    if (text.charCodeAt(at) === COLON) ends.push(end);
  }
  return ends;
}

const MARK = /one escape(\d{1,9});/g;
const ESCAPED_LETTER = /\\u([\dA-Fa-f]{4})/g;

/**
 * Letters that end no name of a text in any spelling: the first number that none of them ends with, so that it stays
 * short for any text and is found in one pass.
 */
function unusedMark(text: string): string {
  const plain = text.replace(ESCAPED_LETTER, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  const used = new Set(Array.from(`${text}\n${plain}`.matchAll(MARK), ([mark]) => mark));
  let number = 0;
  while (used.has(`one escape${number};`)) number += 1;
  return `one escape${number};`;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts the values of a JSON text, lists and objects included: its memory use depends on that too. */
export function countValues(text: string): number {
  let count = 1;
  let isOpened = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    // A list or object that is not closed at once has a first value, and each comma is followed by another one.
    if ((isOpened && code !== CLOSE_ARRAY && code !== CLOSE_OBJECT) || code === COMMA) count += 1;
    isOpened = code === OPEN_ARRAY || code === OPEN_OBJECT;
    if (code !== QUOTE) continue;
    for (at += 1; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1)
      if (text.charCodeAt(at) === BACKSLASH) at += 1;
  }
  return count;
}

/**
 * Whether an object of a JSON text has a name twice, of which `JSON.parse` keeps the last: each name is followed by one
 * colon, and a repeated one makes one member fewer in the value.
 */
export const hasNameTwice = (text: string, value: unknown): boolean => countColons(text) !== countNames(value);

function countColons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) count += 1;
    if (code !== QUOTE) continue;
    for (at += 1; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1)
      if (text.charCodeAt(at) === BACKSLASH) at += 1;
  }
  return count;
}

/** The number of members of all objects in a value whose depth is bounded. */
export function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  // A list of millions is walked in place: a copy would double the memory.
  if (Array.isArray(value)) for (const item of value) count += countNames(item);
  else for (const name of Object.keys(value)) count += 1 + countNames((value as Record<string, unknown>)[name]);
  return count;
}
