/**
 * Finds the texts of a bundle's entries inside its body, so that the ledger keeps every entry byte for byte as
 * received: `JSON.parse` gives values, and a value no longer has its digits.
 *
 * Walks over JSON that `readJson` has accepted; on any other text the result is undefined.
 */
import type { GroundTexts } from '../../ledger/storage/vendor-fields.ts';

/** The texts of one entry; a list that the entry does not have is empty. */
export interface EntryText extends GroundTexts {
  whole: string;
}

/** The texts of the entries of an answer, in order. */
export function entryTexts(body: string): EntryText[] {
  const entries: EntryText[] = [];
  eachEntry(body, (start) => {
    const texts = { source_events: '', evidences: '' };
    const end = eachMember(body, start, (list, from) => {
      const to = skipValue(body, from);
      if (list === 'source_events' || list === 'evidences') texts[list] = body.slice(from, to);
      return to;
    });
    entries.push({ whole: body.slice(start, end), ...texts });
    return end;
  });
  return entries;
}

/** The body, with only the cursor left of each entry that `isTakenOut` selects. */
export function withCursorsOf(body: string, isTakenOut: (whole: string) => boolean): string {
  const pieces: string[] = [];
  let from = 0;
  eachEntry(body, (start) => {
    let cursor = '';
    const end = eachMember(body, start, (name, at) => {
      const to = skipValue(body, at);
      if (name === 'cursor') cursor = body.slice(at, to);
      return to;
    });
    if (isTakenOut(body.slice(start, end))) {
      pieces.push(body.slice(from, start), `{"cursor":${cursor}}`);
      from = end;
    }
    return end;
  });
  return [...pieces, body.slice(from)].join('');
}

/** Calls `found` with where each entry begins; `found` gives where it ends. */
function eachEntry(body: string, found: (start: number) => number): void {
  eachMember(body, skipSpace(body, 0), (field, result) => {
    if (field !== 'result') return skipValue(body, result);
    return eachMember(body, result, (name, at) =>
      name === 'entries' ? eachElement(body, at, found) : skipValue(body, at),
    );
  });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Calls `found` with each name and where its value begins; `found` gives where the value ends. Returns the end of the object. */
function eachMember(text: string, open: number, found: (name: string, at: number) => number): number {
  let at = skipSpace(text, open + 1);
  while (text.charCodeAt(at) !== CLOSE_OBJECT) {
    const end = skipString(text, at);
    const name = text.slice(at, end);
    const colon = skipSpace(text, end);
    // A name may be written with escapes.
    at = skipSpace(
      text,
      found(name.includes('\\') ? String(JSON.parse(name)) : name.slice(1, -1), skipSpace(text, colon + 1)),
    );
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

function eachElement(text: string, open: number, found: (at: number) => number): number {
  let at = skipSpace(text, open + 1);
  while (text.charCodeAt(at) !== CLOSE_ARRAY) {
    at = skipSpace(text, found(at));
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** The end of the value that begins at `start`. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = skipString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        at += 1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        at += 1;
        break;
      default:
        at = depth === 0 ? skipWord(text, at) : at + 1;
    }
  } while (depth > 0);
  return at;
}

function skipString(text: string, open: number): number {
  for (let at = open + 1; ; at += 1) {
    at = text.indexOf('"', at);
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
}

/** The end of a number, `true`, `false` or `null`: the next character that can follow one. */
function skipWord(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); !isSpace(code); code = text.charCodeAt(++at)) {
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) break;
  }
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
