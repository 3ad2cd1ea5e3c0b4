/**
 * Invisible characters, in one place for both sides: a character that one check overlooked and another removed would
 * bypass both. Cf alone would miss the Hangul fillers, Default_Ignorable alone the control characters.
 */

/** Inside a class of a regular expression with the flag `u`. */
export const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;

const SOME_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'u');
/** The empty Braille pattern is a blank of another name. */
const SEEN = new RegExp(String.raw`[^\s\u2800${INVISIBLE}]`, 'u');
const UNSEEN = new RegExp(`[\\s${INVISIBLE}]`, 'gu');
const INVISIBLE_RUN = new RegExp(`[${INVISIBLE}]+`, 'gu');
const OBEYED = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv;
const STRAY_CONTROL = /[\p{Cc}--[\t\n\r]]/v;

/**
 * Whether a name holds an invisible character, by which two names that look alike could differ or the writing direction
 * turns.
 */
export const holdsInvisible = (text: string): boolean => SOME_INVISIBLE.test(text);

/** Whether a text has no visible character: white space and invisible characters alone are no text. */
export const isBlank = (text: string): boolean => !SEEN.test(text);

/** The visible part of a text, without its white space. */
export const seenOf = (text: string): string => text.replaceAll(UNSEEN, '');

/**
 * Control characters other than tab and line ends. NUL truncates texts in places that we do not control, and PostgreSQL
 * cannot store it.
 */
export const holdsStrayControl = (text: string): boolean => STRAY_CONTROL.test(text);

/** Text from outside as one line, without characters that a terminal or a log reader would misread. */
export const oneLine = (text: string): string => text.replaceAll(INVISIBLE_RUN, ' ').trim();

/** For a terminal: escapes control characters and those that turn the writing direction. */
export const printable = (text: string): string =>
  text.replaceAll(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text that can be stored and shown. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !holdsStrayControl(text);
