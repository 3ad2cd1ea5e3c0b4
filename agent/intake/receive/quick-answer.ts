/**
 * Reads the envelope of an answer in one walk over its bytes, without making values of the entries' content. It accepts
 * only the plain case and gives null for every other answer, wrong or unusual: `readJson` reads that one and explains
 * faults. So it accepts nothing that `readJson` and the schema refuse (`quick-answer.test.ts`).
 */
import { isUtf8 } from 'node:buffer';
import { MAX_BODY_DEPTH } from '../../../shared/wire/bundle-endpoint.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Returned for every answer that is not plain. */
const NOT_PLAIN = -1;

/** 1: a stretch of a string ends here, at a quote, a backslash or a control character. */
const STOPS = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 0x20 || code === QUOTE || code === BACKSLASH ? 1 : 0,
);
/** 1: may follow a backslash, `u` apart. */
const ESCAPED = new Uint8Array(256);
for (const sign of '"\\/bfnrt') ESCAPED[sign.charCodeAt(0)] = 1;
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Most names of one object: each is compared with those before it. A calculation with more is read the other way. */
const MOST_NAMES = 32;

/** The objects on the way to the cursors, and all others. */
const ANSWER = 0;
const BUNDLE = 1;
const ENTRY = 2;
const OTHER = 3;
type Kind = typeof ANSWER | typeof BUNDLE | typeof ENTRY | typeof OTHER;

const RESULT = Buffer.from('result');
const ENTRIES = Buffer.from('entries');
const CURSOR = Buffer.from('cursor');

/** The positions and lengths of the names of all open objects; `count` of them. */
const names = {
  starts: new Int32Array((MAX_BODY_DEPTH + 1) * MOST_NAMES),
  sizes: new Int32Array((MAX_BODY_DEPTH + 1) * MOST_NAMES),
  count: 0,
};

interface Walk {
  bytes: Uint8Array;
  cursors: number[];
  /** The stretch inside the brackets of the list of entries; `listEnd` is 0 while none was found. */
  listStart: number;
  listEnd: number;
}

/**
 * The value of an answer with entries, as `readJson` gives it, except that the cursor alone is left of each entry.
 * Null where the answer is not plain.
 */
export function quickAnswer(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return null;
  const walk: Walk = { bytes, cursors: [], listStart: 0, listEnd: 0 };
  names.count = 0;
  const open = spaceEnd(bytes, 0);
  const end = bytes[open] === OPEN_OBJECT ? objectEnd(walk, open, 1, ANSWER) : NOT_PLAIN;
  if (end === NOT_PLAIN || walk.listEnd === 0 || spaceEnd(bytes, end) !== bytes.length) return null;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const around = body.toString('utf8', 0, walk.listStart) + body.toString('utf8', walk.listEnd);
  const value = JSON.parse(around) as { result: { entries: unknown } };
  value.result.entries = walk.cursors.map((cursor) => ({ cursor }));
  return value;
}

/** Behind the object that opens at a place. */
function objectEnd(walk: Walk, open: number, depth: number, kind: Kind): number {
  if (depth > MAX_BODY_DEPTH) return NOT_PLAIN;
  const { bytes } = walk;
  const first = names.count;
  let at = spaceEnd(bytes, open + 1);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    const name = at + 1;
    const nameEnd = bytes[at] === QUOTE ? stretchEnd(bytes, name) : NOT_PLAIN;
    // A name with an escape may be the same as another one.
    if (bytes[nameEnd] !== QUOTE || !isFirst(bytes, first, name, nameEnd - name)) return NOT_PLAIN;
    at = spaceEnd(bytes, nameEnd + 1);
    if (bytes[at] !== COLON) return NOT_PLAIN;
    at = spaceEnd(bytes, at + 1);
    at = kind === OTHER ? valueEnd(walk, at, depth) : memberEnd(walk, at, depth, kind, name, nameEnd - name);
    if (at === NOT_PLAIN) return NOT_PLAIN;
    at = spaceEnd(bytes, at);
    if (bytes[at] !== COMMA) break;
    at = spaceEnd(bytes, at + 1);
  }
  names.count = first;
  return bytes[at] === CLOSE_OBJECT ? at + 1 : NOT_PLAIN;
}

/** Remembers a name; false when the object has had it, or too many. */
function isFirst(bytes: Uint8Array, first: number, start: number, size: number): boolean {
  const { starts, sizes, count } = names;
  if (count - first >= MOST_NAMES) return false;
  for (let other = first; other < count; other += 1) {
    if (sizes[other] === size && isSame(bytes, starts[other] as number, start, size)) return false;
  }
  starts[count] = start;
  sizes[count] = size;
  names.count = count + 1;
  return true;
}

/** Behind the value of a member of an object on the way to the cursors. */
function memberEnd(walk: Walk, at: number, depth: number, kind: Kind, name: number, size: number): number {
  const { bytes } = walk;
  if (kind === ANSWER && isNamed(bytes, name, size, RESULT))
    return bytes[at] === OPEN_OBJECT ? objectEnd(walk, at, depth + 1, BUNDLE) : NOT_PLAIN;
  if (kind === BUNDLE && isNamed(bytes, name, size, ENTRIES))
    return bytes[at] === OPEN_ARRAY ? entriesEnd(walk, at, depth + 1) : NOT_PLAIN;
  if (kind === ENTRY && isNamed(bytes, name, size, CURSOR)) {
    const end = numberEnd(bytes, at);
    if (end !== NOT_PLAIN) walk.cursors.push(cursorOf(bytes, at, end));
    return end;
  }
  return valueEnd(walk, at, depth);
}

/** Behind the list of entries, each of which has a cursor; an empty one is not plain. */
function entriesEnd(walk: Walk, open: number, depth: number): number {
  const { bytes, cursors } = walk;
  walk.listStart = open + 1;
  for (let at = open; ;) {
    at = spaceEnd(bytes, at + 1);
    const count = cursors.length;
    if (bytes[at] !== OPEN_OBJECT) return NOT_PLAIN;
    at = objectEnd(walk, at, depth + 1, ENTRY);
    if (at === NOT_PLAIN || cursors.length !== count + 1) return NOT_PLAIN;
    at = spaceEnd(bytes, at);
    if (bytes[at] === COMMA) continue;
    walk.listEnd = at;
    return bytes[at] === CLOSE_ARRAY ? at + 1 : NOT_PLAIN;
  }
}

function valueEnd(walk: Walk, at: number, depth: number): number {
  const { bytes } = walk;
  switch (bytes[at]) {
    case QUOTE:
      return stringEnd(bytes, at);
    case OPEN_OBJECT:
      return objectEnd(walk, at, depth + 1, OTHER);
    case OPEN_ARRAY:
      return arrayEnd(walk, at, depth + 1);
    default: {
      const end = numberEnd(bytes, at);
      return end === NOT_PLAIN ? wordEnd(bytes, at) : end;
    }
  }
}

function arrayEnd(walk: Walk, open: number, depth: number): number {
  if (depth > MAX_BODY_DEPTH) return NOT_PLAIN;
  const { bytes } = walk;
  let at = spaceEnd(bytes, open + 1);
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    at = valueEnd(walk, at, depth);
    if (at === NOT_PLAIN) return NOT_PLAIN;
    at = spaceEnd(bytes, at);
    if (bytes[at] !== COMMA) return bytes[at] === CLOSE_ARRAY ? at + 1 : NOT_PLAIN;
    at = spaceEnd(bytes, at + 1);
  }
}

/** Behind the string that opens at a place. */
function stringEnd(bytes: Uint8Array, open: number): number {
  for (let at = open + 1; ; at += 1) {
    at = stretchEnd(bytes, at);
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] !== BACKSLASH) return NOT_PLAIN;
    at += 1;
    const code = bytes[at];
    if (code === undefined) return NOT_PLAIN;
    if (ESCAPED[code] === 1) continue;
    if (code !== LETTER_U) return NOT_PLAIN;
    for (let digit = 0; digit < 4; digit += 1) if (!isHexDigit(bytes[(at += 1)])) return NOT_PLAIN;
  }
}

/** The end of a run of ordinary string characters. */
function stretchEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (STOPS[bytes[at] as number] === 0) at += 1;
  return at;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (at !== NOT_PLAIN && bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if (at === NOT_PLAIN || ((bytes[at] as number) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  return digitsEnd(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

/** Behind one digit or more. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at === start ? NOT_PLAIN : at;
}

/** Behind `true`, `false` or `null`. */
function wordEnd(bytes: Uint8Array, at: number): number {
  const word = WORDS.find((each) => each[0] === bytes[at]);
  return word !== undefined && isNamed(bytes, at, word.length, word) ? at + word.length : NOT_PLAIN;
}

/** Few digits are added up; all others are read as JSON does. */
function cursorOf(bytes: Uint8Array, start: number, end: number): number {
  let cursor = 0;
  for (let at = start; at < end; at += 1) {
    if (!isDigit(bytes[at]) || end - start > 15)
      return Number(Buffer.from(bytes.subarray(start, end)).toString('latin1'));
    cursor = cursor * 10 + (bytes[at] as number) - ZERO;
  }
  return cursor;
}

function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let code = bytes[at]; code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;) code = bytes[(at += 1)];
  return at;
}

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= ZERO && code <= NINE;

const isHexDigit = (code: number | undefined): boolean =>
  isDigit(code) || (code !== undefined && (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

function isSame(bytes: Uint8Array, a: number, b: number, size: number): boolean {
  for (let at = 0; at < size; at += 1) if (bytes[a + at] !== bytes[b + at]) return false;
  return true;
}

function isNamed(bytes: Uint8Array, start: number, size: number, name: Buffer): boolean {
  if (size !== name.length) return false;
  for (let at = 0; at < size; at += 1) if (bytes[start + at] !== name[at]) return false;
  return true;
}
