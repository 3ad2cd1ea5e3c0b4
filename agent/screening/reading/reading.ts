/**
 * The step before the words: what a reader makes of the letters of a text. A text is read as plain text, as it is meant to
 * be, and where it holds markup also as the page that a browser would make of it. In both, Chinese characters are read in
 * Korean. Most texts hold neither and are read as they are.
 */
import { holdsHanja, readHanja } from './hanja.ts';
import { holdsMarkup, readPage } from './page.ts';
import { asReceived, type ReadText } from './read-text.ts';

export interface Reading {
  as: 'PLAIN' | 'PAGE';
  /** Null where every letter is read as it is. */
  read: ReadText | null;
  /** Whether the text is read as a page first. */
  isSecond: boolean;
}

/** At least one. */
export type Readings = readonly [Reading, ...Reading[]];

const AS_IT_IS: Readings = [{ as: 'PLAIN', read: null, isSecond: false }];

const SPECIAL = /[<&\]*_~`\u4e00-\u9fff\uf900-\ufaff]/;

/**
 * The ways to read a text. The first one counts: the page, or else the plain text. Another may find words that the first
 * hides: the source of the page, or Chinese characters with initial sounds inside of a word (`營業利益`).
 */
export function readingsOf(text: string): Readings {
  if (!SPECIAL.test(text)) return AS_IT_IS;
  const page = holdsMarkup(text) ? readPage(text) : null;
  if (page === null || page.text === text) return readingsAs('PLAIN', text, null, false);
  return [...readingsAs('PAGE', text, page, false), ...readingsAs('PLAIN', text, null, true)];
}

function readingsAs(as: Reading['as'], text: string, page: ReadText | null, isSecond: boolean): Readings {
  if (!holdsHanja(page?.text ?? text)) return [{ as, read: page, isSecond }];
  const from = page ?? asReceived(text);
  const [usual, other] = [readHanja(from, 'where a word begins'), readHanja(from, 'everywhere')];
  const first: Reading = { as, read: usual, isSecond };
  return other.text === usual.text ? [first] : [first, { as, read: other, isSecond }];
}

/** An expression of a policy as its letters are read. */
export const readExpression = (text: string): string =>
  holdsHanja(text) ? readHanja(asReceived(text), 'where a word begins').text : text;
