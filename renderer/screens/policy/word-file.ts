/**
 * The word list as the rows of a file that people edit in a spreadsheet, and the change of the policy that an edited file
 * means. A word that the file lacks stays as it is; a policy never loses a word (D16). Headings and values are read in both
 * languages, and columns in any order; a file without headings is a plain list of new words.
 */
import {
  LONGEST_REPLACEMENT,
  MOST_APART,
  MOST_REPLACEMENTS,
  MOST_WORDS_AT_ONCE,
} from '../../../shared/wire/console/constants.ts';
import {
  REASON_CODES,
  SEVERITIES,
  type ForbiddenWord,
  type PolicyDraft,
  type ReasonCode,
} from '../../../shared/wire/console/console.ts';
import type { Language } from '../../../shared/ui/i18n/languages.ts';
import { REASON_WORDS } from '../../../shared/wire/console/audit-words.ts';
import {
  BY_LETTERS,
  IN_USE_WORDS,
  SEVERITY_WORDS,
  WORD_COLUMNS,
} from '../../../shared/wire/console/word-list-words.ts';
import { isBlank } from '../../../shared/wire/invisible.ts';
import { alike, LONGEST, problemsOf, readExceptions, writeExceptions } from './exceptions.ts';

type Severity = ForbiddenWord['severity'];
type Words = readonly [ko: string, en: string];
type Column = keyof typeof WORD_COLUMNS;
const COLUMNS = Object.keys(WORD_COLUMNS) as Column[];

const inLanguage = ([ko, en]: Words, language: Language): string => (language === 'ko' ? ko : en);

export const wordHeadings = (language: Language): string[] =>
  COLUMNS.map((column) => inLanguage(WORD_COLUMNS[column], language));

export const wordRows = (words: readonly ForbiddenWord[], language: Language): string[][] =>
  words.map(({ word, severity, reason, active, exceptions, apart, replacements = [] }) => {
    const { passing, reviewing } = writeExceptions(exceptions);
    return [
      word,
      inLanguage(SEVERITY_WORDS[severity], language),
      reason === undefined ? '' : inLanguage(REASON_WORDS[reason], language),
      inLanguage(IN_USE_WORDS[active ? 'on' : 'off'], language),
      passing,
      reviewing,
      apart === undefined ? '' : apart === null ? inLanguage(BY_LETTERS, language) : String(apart),
      replacements.join('\n'),
    ];
  });

/** Why a row cannot be taken; `row` counts from 1 with the heading, as a spreadsheet does. */
export interface RowProblem {
  row: number;
  kind: 'MISSING' | 'LONG' | 'TWICE' | 'VALUE' | 'EXCEPTIONS' | 'NEW_OFF';
  /** The value at fault. */
  text: string;
}

export interface ReadWords {
  draft: PolicyDraft;
  added: number;
  changed: number;
  switched: number;
  same: number;
  /** Words of the policy that the file lacks. */
  absent: number;
  problems: RowProblem[];
  /** Whether the file means more changes than one version takes. */
  isTooLong: boolean;
}

/** A column that the file lacks is undefined for the lists, which an empty cell removes. */
type Cells = Readonly<Record<Exclude<Column, Lists>, string> & Partial<Record<Lists, string>>>;
type Lists = 'passing' | 'reviewing' | 'replacing';

/** @param words every word of the policy in force */
export function readWords(table: readonly (readonly string[])[], words: readonly ForbiddenWord[]): ReadWords {
  const { columns, from } = columnsOf(table[0] ?? []);
  const known = new Map(words.map((word) => [alike(word.word), word]));
  const seen = new Set<string>();
  const problems: RowProblem[] = [];
  const read = { added: [], changed: [], switched: [], same: 0 } as {
    added: NonNullable<PolicyDraft['addWords']>;
    changed: NonNullable<PolicyDraft['changeWords']>;
    switched: string[];
    same: number;
  };
  for (const [index, row] of table.entries()) {
    if (index < from || row.every((cell) => cell.trim() === '')) continue;
    const cells = cellsOf(row, columns);
    const key = alike(cells.word);
    const old = known.get(key);
    const fault = faultOf(cells, old, seen.has(key));
    seen.add(key);
    if (fault !== null) problems.push({ row: index + 1, ...fault });
    else if (old === undefined) read.added.push({ word: cells.word, ...treatmentOf(cells, undefined) });
    else {
      const isSwitched = cells.active !== '' && isOn(cells.active) !== old.active;
      const treatment = treatmentOf(cells, old);
      const isChanged = Object.keys(treatment).length > 0;
      if (isChanged) read.changed.push({ id: old.id, ...treatment });
      if (isSwitched) read.switched.push(old.id);
      if (!isChanged && !isSwitched) read.same += 1;
    }
  }
  const { added, changed, switched, same } = read;
  return {
    draft: {
      ...(added.length === 0 ? {} : { addWords: added }),
      ...(changed.length === 0 ? {} : { changeWords: changed }),
      ...(switched.length === 0 ? {} : { toggleWords: switched }),
    },
    ...{ added: added.length, changed: changed.length, switched: switched.length, same },
    absent: [...known.keys()].filter((key) => !seen.has(key)).length,
    problems,
    isTooLong: [added, changed, switched].some((part) => part.length > MOST_WORDS_AT_ONCE),
  };
}

/** Where each column stands; a first row without the heading of the words is a row of a plain list. */
function columnsOf(first: readonly string[]): { columns: ReadonlyMap<Column, number>; from: number } {
  const found = first.flatMap((cell, at): [Column, number][] => {
    const column = COLUMNS.find((one) => says(cell, WORD_COLUMNS[one]));
    return column === undefined ? [] : [[column, at]];
  });
  const columns = new Map(found);
  return columns.has('word') ? { columns, from: 1 } : { columns: new Map([['word', 0]]), from: 0 };
}

function cellsOf(row: readonly string[], columns: ReadonlyMap<Column, number>): Cells {
  const cell = (column: Column): string => (row[columns.get(column) ?? -1] ?? '').trim();
  const list = (column: Lists) => (columns.has(column) ? { [column]: cell(column) } : {});
  return {
    ...{ word: cell('word'), severity: cell('severity'), reason: cell('reason'), active: cell('active') },
    ...{ apart: cell('apart'), ...list('passing'), ...list('reviewing'), ...list('replacing') },
  };
}

function faultOf(cells: Cells, old: ForbiddenWord | undefined, isTwice: boolean): Omit<RowProblem, 'row'> | null {
  const { word, severity, reason, active, apart } = cells;
  if (isBlank(word)) return { kind: 'MISSING', text: word };
  if (word.length > LONGEST) return { kind: 'LONG', text: `${word.slice(0, 20)}…` };
  if (isTwice) return { kind: 'TWICE', text: word };
  const unread = [
    severity !== '' && severityOf(severity) === undefined ? severity : null,
    reason !== '' && reasonOf(reason) === undefined ? reason : null,
    active !== '' && isOn(active) === undefined ? active : null,
    apart !== '' && apartOf(apart) === undefined ? apart : null,
    phrasesOf(cells).length > MOST_REPLACEMENTS ? (cells.replacing ?? '') : null,
    phrasesOf(cells).find((phrase) => phrase.length > LONGEST_REPLACEMENT) ?? null,
  ].find((value) => value !== null);
  if (unread !== undefined) return { kind: 'VALUE', text: unread.slice(0, 40) };
  if (old === undefined && active !== '' && isOn(active) === false) return { kind: 'NEW_OFF', text: word };
  const exceptions = exceptionsOf(cells, old) ?? [];
  return problemsOf(exceptions.map(({ text }) => text)).length > 0 ? { kind: 'EXCEPTIONS', text: word } : null;
}

/** What the row changes of a word, or gives a new one; an empty cell leaves what a known word has. */
function treatmentOf(cells: Cells, old: undefined): { severity: Severity };
function treatmentOf(cells: Cells, old: ForbiddenWord): Omit<NonNullable<PolicyDraft['changeWords']>[number], 'id'>;
function treatmentOf(cells: Cells, old: ForbiddenWord | undefined): object {
  const severity = severityOf(cells.severity) ?? old?.severity ?? 'REVIEW';
  const reason = reasonOf(cells.reason);
  const exceptions = exceptionsOf(cells, old);
  const apart = apartOf(cells.apart);
  const phrases = [...new Set(phrasesOf(cells))];
  const isSame = cells.replacing === undefined || phrases.join('\n') === (old?.replacements ?? []).join('\n');
  return {
    ...(severity === old?.severity ? {} : { severity }),
    ...(reason === undefined || reason === old?.reason ? {} : { reason }),
    ...(exceptions === undefined ? {} : { exceptions }),
    ...(apart === undefined || apart === old?.apart ? {} : { apart }),
    ...(isSame ? {} : { replacements: phrases }),
  };
}

/** The exceptions where they differ; compared as written, because an expression may hold a comma. */
function exceptionsOf(cells: Cells, old: ForbiddenWord | undefined): ForbiddenWord['exceptions'] | undefined {
  const before = writeExceptions(old?.exceptions ?? []);
  const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
  const { passing = before.passing, reviewing = before.reviewing } = cells;
  const after = { passing: lines(passing), reviewing: lines(reviewing) };
  const isSame = after.passing === before.passing && after.reviewing === before.reviewing;
  return isSame ? undefined : readExceptions(after);
}

/** A comma belongs to a phrase. */
const phrasesOf = ({ replacing = '' }: Cells): string[] =>
  replacing
    .split(/[\n\r]+/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const says = (value: string, words: Words): boolean => words.some((one) => alike(one) === alike(value));

const severityOf = (value: string): Severity | undefined =>
  SEVERITIES.find((one) => one === value.toUpperCase() || says(value, SEVERITY_WORDS[one]));

const reasonOf = (value: string): ReasonCode | undefined =>
  REASON_CODES.find((one) => one === value.toUpperCase() || says(value, REASON_WORDS[one]));

function isOn(value: string): boolean | undefined {
  if (says(value, IN_USE_WORDS.on)) return true;
  return says(value, IN_USE_WORDS.off) ? false : undefined;
}

function apartOf(value: string): number | null | undefined {
  if (says(value, BY_LETTERS)) return null;
  return /^\d{1,2}$/.test(value) && Number(value) <= MOST_APART ? Number(value) : undefined;
}
