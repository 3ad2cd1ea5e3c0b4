/** Rows of a CSV (RFC 4180) that people open in a spreadsheet. */
import { INVISIBLE } from './invisible.ts';

/** Spreadsheets recognise UTF-8 only by this mark, at the beginning of the file. */
export const CSV_MARK = '\u{feff}';

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * Characters that start a formula in a spreadsheet, also in their full-width forms (Asian keyboards), after any white
 * space or invisible characters that it ignores.
 */
const FORMULA = new RegExp(String.raw`^[\s${INVISIBLE}]*[=+\-@＝＋－＠﹦﹢﹣﹫−]|^[\t\r\n]`, 'u');

/** The text of a cell before it was escaped, but for one that began with an apostrophe and such a sign by itself. */
export const unescaped = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;

/** A text that a spreadsheet would read as a formula is escaped. */
function cell(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
