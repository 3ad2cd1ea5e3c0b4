/**
 * Characters that nobody sees, in one place for both sides: what one check overlooked and another one removed would be a way
 * past both. Cf alone would miss the Hangul fillers, Default_Ignorable alone the control characters.
 */

/** Inside a class of a regular expression with the flag `u`. */
export const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;

const SOME_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'u');
const SEEN = new RegExp(`[^\\s${INVISIBLE}]`, 'u');
const UNSEEN = new RegExp(`[\\s${INVISIBLE}]`, 'gu');
const INVISIBLE_RUN = new RegExp(`[${INVISIBLE}]+`, 'gu');
const OBEYED = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv;
const STRAY_CONTROL = /[\p{Cc}--[\t\n\r]]/v;

/** Whether two names that look alike could differ in this one, or it turns the writing around. */
export const holdsInvisible = (text: string): boolean => SOME_INVISIBLE.test(text);

/** Whether nothing of a text can be seen: white space and invisible characters alone are no text. */
export const isBlank = (text: string): boolean => !SEEN.test(text);

/** The visible part of a text, without its white space. */
export const seenOf = (text: string): string => text.replaceAll(UNSEEN, '');

/** Other than tab and line ends. NUL cuts texts off in places that we do not control, and PostgreSQL cannot keep it. */
export const holdsStrayControl = (text: string): boolean => STRAY_CONTROL.test(text);

/** Words of somebody else as one line, without what a terminal or a reader of a log would take for something else. */
export const oneLine = (text: string): string => text.replaceAll(INVISIBLE_RUN, ' ').trim();

/** For a terminal: what it would obey is written out, and so is what turns the writing around. */
export const printable = (text: string): string =>
  text.replaceAll(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text that can be kept and shown. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !holdsStrayControl(text);
