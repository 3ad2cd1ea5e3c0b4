/** A value of the facts in a file. */
import { timeCell, type CsvCell } from '../../../lists/csv.ts';
import type { FieldKind } from './axes.ts';

/** As the axis has it: an absent value and null are both an empty cell. */
export function factCell(value: unknown, kind: FieldKind): CsvCell {
  switch (typeof value) {
    case 'string':
      return kind === 'instant' ? timeCell(value) : value;
    case 'number':
    case 'boolean':
    case 'undefined':
      return value;
    default:
      return value === null ? null : JSON.stringify(value);
  }
}
