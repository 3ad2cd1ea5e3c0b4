/** How the texts of a ledger are searched in SQL (`search-fold.ts` has the terms). */
import { SPACES } from '../../../shared/wire/search-fold.ts';

/** A column without white space. */
export const withoutSpaceSql = (column: string): string =>
  [...SPACES].reduce((sql, space) => `replace(${sql}, char(${space.codePointAt(0)}), '')`, column);

/** The pattern of LIKE for a text that holds a form, no character of which is a wildcard. */
export const likePart = (form: string): string => `%${form.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

/** The pattern of a text with the first two characters of a form, and anything between them. */
export function inOrder(form: string): string {
  const [first = '', second] = form;
  return likePart(first) + (second === undefined ? '' : likePart(second).slice(1));
}
