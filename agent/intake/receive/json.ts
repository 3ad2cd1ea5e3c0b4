/**
 * Reads JSON so that no two readers can understand it differently (D33, fault 37): valid UTF-8 only, no name twice in
 * one object, bounded depth. `JSON.parse` alone would repair the first and keep the last of the second; the third would
 * overflow the stack of a function that walks the value.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_BODY_DEPTH } from '../../../shared/wire/bundle-endpoint.ts';
import { countNames, parseJson } from '../../../shared/wire/json.ts';

/** Why a body cannot be read as JSON; the message is a sentence. */
export class JsonError extends Error {
  override name = 'JsonError';
}

/** @throws JsonError */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new JsonError('The body is empty.');
  if (!isUtf8(bytes)) throw new JsonError('The body is not valid UTF-8.');
  const { depth, colons } = survey(bytes);
  if (depth > MAX_BODY_DEPTH) throw new JsonError(`The body nests deeper than ${MAX_BODY_DEPTH} levels.`);
  let value: unknown;
  try {
    value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    throw new JsonError(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  // Each name of valid JSON is followed by one colon; a repeated name makes one member fewer in the value.
  if (countNames(value) !== colons) throw new JsonError('An object in the body has the same name twice.');
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The nesting depth of a text, and the number of colons outside its strings. Does not check the grammar. */
function survey(bytes: Uint8Array): { depth: number; colons: number } {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
        break;
      case COLON:
        colons++;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        deepest = Math.max(deepest, ++depth);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      default:
    }
  }
  return { depth: deepest, colons };
}

/**
 * Why a text inside a value cannot be stored unchanged, or null: half of a surrogate pair is no character, and no store
 * of either side holds U+0000.
 */
export function badText(value: unknown): string | null {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) return 'a text holds half of a surrogate pair';
    return value.includes('\0') ? 'a text holds the character U+0000' : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const found = badText(name) ?? badText(item);
    if (found !== null) return found;
  }
  return null;
}
