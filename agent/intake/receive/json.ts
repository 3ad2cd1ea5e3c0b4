/**
 * Reads JSON so that no two readers can understand it differently (D33, faults 37): UTF-8 without
 * exception, no name twice in one object, bounded depth. `JSON.parse` alone would repair the first,
 * keep the last of the second, and leave the third to the stack of whoever walks the value.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_BODY_DEPTH } from '../../../shared/wire/bundle-endpoint.ts';
import { parseJson } from '../../../shared/wire/json.ts';

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
  // Each name of valid JSON has one colon behind it; a name that came twice is one fewer in the value.
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

/** How deep a text nests and how many colons stand outside its strings. Says nothing about its grammar. */
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

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  // A list of millions is walked where it lies: a copy of it would cost as much again.
  if (Array.isArray(value)) for (const item of value) count += countNames(item);
  else for (const name of Object.keys(value)) count += 1 + countNames((value as Record<string, unknown>)[name]);
  return count;
}

/**
 * Why a text inside a value cannot be kept as it is, or null: half of a surrogate pair is no
 * character, and U+0000 is one that no store of either side holds.
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
