/**
 * The characters of texts, in one table (D198): what an id, a name, a title, an address and a text may hold. The engine's
 * door, the Intake, both APIs and so both consoles go by it. A character that no reader sees makes two names alike, or goes
 * to customers unseen.
 */
import type { z } from 'zod';
import { INVISIBLE, isBlank } from './invisible.ts';

export type TextKind = keyof typeof TABLE;

/**
 * Invisible, or in the place of a character that was lost, means nothing outside of one program or is none yet. A later
 * Unicode makes emoji of some of the last.
 */
const UNREAD = String.raw`${INVISIBLE}\p{Cs}\p{Co}\uFFFC\uFFFD[\p{Cn}--\p{Extended_Pictographic}]`;

/** The same where a blank of another name would make two names of one: the empty pattern of Braille is no white space. */
const UNREAD_IN_NAMES = String.raw`${UNREAD}\u2800`;

/** Seen by the character before them: the form of an emoji or of a Chinese character, and the joints of one emoji. */
const SHAPING = new RegExp(
  String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]|(?<=\p{Script=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]|` +
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  'gu',
);

interface Rule {
  /** A character that the kind never holds. */
  never: RegExp;
  /** Whether emoji may be in it, whose parts are invisible characters. */
  holdsEmoji: boolean;
  /** It names a thing: not blank, and no white space at its ends. */
  isName: boolean;
}

const TABLE = {
  id: { never: new RegExp(String.raw`[${UNREAD_IN_NAMES}[\s--\u0020]]`, 'v'), holdsEmoji: false, isName: true },
  /** Of one line. */
  name: { never: new RegExp(`[${UNREAD_IN_NAMES}]`, 'v'), holdsEmoji: false, isName: true },
  /** Of one line; it may be empty. */
  title: { never: new RegExp(`[${UNREAD_IN_NAMES}]`, 'v'), holdsEmoji: true, isName: false },
  address: { never: new RegExp(String.raw`[${UNREAD_IN_NAMES}\s]`, 'v'), holdsEmoji: true, isName: false },
  /** Of several lines. */
  text: { never: new RegExp(String.raw`[[${UNREAD}]--[\t\n\r]]`, 'v'), holdsEmoji: true, isName: false },
} satisfies Record<string, Rule>;

/** Why a text is none of its kind, as the end of a sentence; null where it is one. */
export function flawOf(kind: TextKind, text: string): string | null {
  const { isName } = TABLE[kind];
  const found = unreadIn(kind, text)?.character;
  if (found !== undefined)
    return `must not contain the character ${codeOf(found)}, which ${/\s/.test(found) ? `is no part of ${NAMED[kind]}` : 'no reader sees or reads'}`;
  if (isName && isBlank(text)) return 'must not be blank';
  // A client takes it out of the address that names the thing.
  if (kind === 'id' && (text === '.' || text === '..')) return 'must not be a dot or two, which addresses leave out';
  return isName && text !== text.trim() ? 'must not begin or end with white space' : null;
}

/** The check of a field by what names its flaw. */
export const checkBy =
  <T>(flawIn: (value: T) => string | null) =>
  ({ value, issues }: z.core.ParsePayload<T>): void => {
    const flaw = flawIn(value);
    if (flaw !== null) issues.push({ code: 'custom', message: flaw, input: value });
  };

/** The check that a field holds a text of a kind. */
export const checkOf = (kind: TextKind) => checkBy((text: string) => flawOf(kind, text));

/** The first flaw in the names and texts of a JSON value, whatever its depth; null where there is none. */
export function flawWithin(json: unknown): string | null {
  const left = [json];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    const flaw = typeof value === 'string' ? flawOf('text', value) : null;
    if (flaw !== null) return flaw;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inside] of Object.entries(value)) {
      const ofName = flawOf('title', name);
      if (ofName !== null) return ofName;
      left.push(inside);
    }
  }
  return null;
}

/** The first character that the kind never holds, and where it stands; null where there is none. */
export function unreadIn(kind: TextKind, text: string): { character: string; at: number } | null {
  const { never, holdsEmoji } = TABLE[kind];
  if (!never.test(text)) return null;
  // The characters that shape an emoji become as many dashes, none of which is refused.
  const read = holdsEmoji ? text.replaceAll(SHAPING, (parts) => '-'.repeat(parts.length)) : text;
  const found = never.exec(read);
  return found === null ? null : { character: found[0], at: found.index };
}

/** Whether a name holds a character by which two names that look alike could differ. */
export const holdsUnread = (name: string): boolean => TABLE.name.never.test(name);

const NAMED: Record<TextKind, string> = {
  id: 'an id',
  name: 'a name of one line',
  title: 'a title of one line',
  address: 'an address',
  text: 'a text',
};

export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
