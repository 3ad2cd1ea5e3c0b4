/** Compares two days, an axis field by field; rows are matched by their keys without the date. */
import { nameVerdicts, withoutDay, type NamedVerdict } from './values/verdict-keys.ts';
import type { ReadFacts, Verdict } from '../../rules/rule.ts';
import { fieldsOf, rowsOf, type AxisId, type AxisRow, type Field, type FieldName } from './values/axes.ts';

/** The axis of one side: its rows, null for "could not be read", undefined for "not measured". */
type Rows = readonly AxisRow[] | null | undefined;

export interface ComparedField {
  key: string;
  name: string;
  /** The rows themselves, where a day has one. */
  rows: { left: AxisRow | undefined; right: AxisRow | undefined };
  field: Field<FieldName>;
  /** `row: false`: that day has no such row, which is neither null nor an absent key. */
  left: Side;
  right: Side;
  isSame: boolean;
  /** Right less left, where both are numbers. */
  change: number | null;
}

export type Side = { row: true; value: unknown } | { row: false };

export interface Comparison {
  left: Rows;
  right: Rows;
  /** Empty when either side has no rows to compare. */
  fields: ComparedField[];
}

export function compareAxis(axis: AxisId, left: ReadFacts, right: ReadFacts): Comparison {
  const sides = { left: rowsOf(axis, left), right: rowsOf(axis, right) };
  if (!Array.isArray(sides.left) || !Array.isArray(sides.right)) return { ...sides, fields: [] };
  const lefts = byKey(sides.left, left.meta.today);
  const rights = byKey(sides.right, right.meta.today);
  const keys = [...lefts.keys(), ...[...rights.keys()].filter((key) => !lefts.has(key))];
  const compared = fieldsOf(axis).filter(({ kind }) => kind !== 'name');
  return {
    ...sides,
    fields: keys.flatMap((key) => {
      const [one, other] = [lefts.get(key), rights.get(key)];
      // The key names the row; the first field represents a row that only one day has.
      const fields = one === undefined || other === undefined ? compared.slice(0, 1) : compared;
      return fields.map((field) => compareField(key, field, [one, left.meta.today], [other, right.meta.today]));
    }),
  };
}

/** Rows of one name are distinguished by their order. */
function byKey(rows: readonly AxisRow[], day: string): Map<string, AxisRow> {
  const keyed = new Map<string, AxisRow>();
  for (const row of rows) {
    const name = withoutDay(row.name, day);
    let key = name;
    for (let times = 2; keyed.has(key); times += 1) key = `${name} #${times}`;
    keyed.set(key, row);
  }
  return keyed;
}

type Of = [row: AxisRow | undefined, day: string];

function compareField(key: string, field: Field<FieldName>, [one, day]: Of, [other, otherDay]: Of): ComparedField {
  const left = sideOf(one, field);
  const right = sideOf(other, field);
  const both = left.row && right.row;
  return {
    key,
    name: key,
    rows: { left: one, right: other },
    field,
    left,
    right,
    isSame: both && measure(left.value, field, day) === measure(right.value, field, otherDay),
    change: both && typeof left.value === 'number' && typeof right.value === 'number' ? right.value - left.value : null,
  };
}

const sideOf = (row: AxisRow | undefined, { name }: Field<FieldName>): Side =>
  row === undefined ? { row: false } : { row: true, value: row.cells[name] };

/**
 * The compared form of a value: a date as its distance from the day, an instant as its presence; other values unchanged.
 */
function measure(value: unknown, { kind }: Field, day: string): unknown {
  if (typeof value !== 'string') return value;
  if (kind === 'day') return daysApart(day, value);
  return kind === 'instant' ? true : value;
}

/** The number of days from the first date to the second. */
export function daysApart(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

export interface VerdictChanges {
  /** By key: whether the other day has it too. */
  onlyLeft: ReadonlySet<string>;
  onlyRight: NamedVerdict[];
}

/** Verdicts that only one day has, without good ones. */
export function compareVerdicts(
  left: readonly NamedVerdict[],
  right: readonly Verdict[],
  rightDay: string,
): VerdictChanges {
  const others = nameVerdicts(right, rightDay).filter(isNews);
  const otherKeys = new Set(others.map(({ key }) => key));
  const keys = new Set(left.filter(isNews).map(({ key }) => key));
  return {
    onlyLeft: new Set([...keys].filter((key) => !otherKeys.has(key))),
    onlyRight: others.filter(({ key }) => !keys.has(key)),
  };
}

const isNews = ({ verdict: { severity } }: NamedVerdict): boolean => severity !== 'GOOD' && severity !== 'NOT_MEASURED';
