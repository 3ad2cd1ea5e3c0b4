/**
 * Rows as a workbook (XLSX), beside the same rows as a CSV. Every text is a text cell: a spreadsheet keeps `069500` and
 * `-a1` as they are, and reckons with no `=1+1`. The rows are written as they come, so that a long list never lies in
 * memory.
 */
import { writeXlsxStream } from 'hucre/xlsx';

export interface SheetColumn {
  heading: string;
  /** Whether its values are numbers; any other column has the format of a text, also for what people add to it. */
  isNumber?: boolean;
}

export interface Sheet {
  /** At most 31 characters, none of `[]:*?/\`. */
  name: string;
  columns: readonly SheetColumn[];
  rows: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;
}

const TEXT_FORMAT = '@';
/** Excel repairs a file with a longer cell; the CSV has the whole text. */
const LONGEST_CELL = 32_767;
/** Letters of a usual column. */
const WIDTH = 20;

/** The bytes of the workbook, made as they are read. An error of the rows ends them. */
export function workbook({ name, columns, rows }: Sheet): ReadableStream<Uint8Array> {
  return writeXlsxStream(cellsOf(rows), {
    name,
    columns: columns.map(({ heading, isNumber = false }) => ({
      header: heading,
      width: WIDTH,
      ...(isNumber ? {} : { numFmt: TEXT_FORMAT }),
    })),
    freezePane: { rows: 1 },
  });
}

async function* cellsOf(rows: Sheet['rows']): AsyncGenerator<(string | number | null)[]> {
  for await (const row of rows) yield row.map(cell);
}

function cell(value: unknown): string | number | null {
  if (value === null || value === '') return null;
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const whole = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
  // The format reads `_x0041_` as the letter of that number.
  return whole.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_');
}
