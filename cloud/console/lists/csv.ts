/** A list as a CSV that a spreadsheet opens: all of its rows, whatever the screen shows of them. Pure. */
import { kstText } from '../../../shared/ui/time/format.ts';
import { CSV_MARK, csvLine } from '../../../shared/wire/csv.ts';

export type CsvCell = string | number | boolean | null | undefined;

/** A heading, and the cell of a row: a number as it was measured, null where there is none. */
export type CsvColumn<Row> = readonly [head: string, cellOf: (row: Row) => CsvCell];

/** Cells that a spreadsheet would take for a formula are escaped (`shared/wire/csv.ts`). */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = rows.map((row) => csvLine(columns.map(([, cellOf]) => textOf(cellOf(row)))));
  return [CSV_MARK, csvLine(columns.map(([head]) => head)), ...lines].join('');
}

/** A number stays one: a negative one is no formula. */
const textOf = (value: CsvCell): string | number | null =>
  typeof value === 'boolean' ? String(value) : (value ?? null);

/** Korean time with seconds, under a heading that names the zone. */
export const timeCell = (at: string | null | undefined): string | null =>
  at === null || at === undefined ? null : (kstText(at, 'second') ?? at);

/** The most rows of a list that is read page by page; a file that ends there says so in its name. */
export const MOST_ROWS = 5_000;
const PAGE = 100;

export interface Pages<Row> {
  items: readonly Row[];
  total: number;
  /** Whether there are more than `total`, which was not counted to its end. */
  more?: boolean;
}

/** Every row of a paged list up to `MOST_ROWS`, whatever its count stops at. @throws what a page throws */
export async function allOf<Row>(pageOf: (page: number, size: number) => Promise<Pages<Row>>): Promise<Pages<Row>> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total, more = false } = await pageOf(page, PAGE);
    rows.push(...items);
    if (items.length < PAGE) return { items: rows, total: rows.length };
    if (!more && rows.length >= total) return { items: rows, total };
    if (rows.length >= MOST_ROWS) {
      // Of a list without a whole count, the next row tells whether it ends here.
      const rest = more ? (await pageOf(rows.length + 1, 1)).items.length : total - rows.length;
      return { items: rows, total: rows.length + rest, more: more && rest > 0 };
    }
  }
}

/** The name of the file of a list; one that lacks rows of the list says so. */
export function csvNameOf(name: string, { items, total, more = false }: Pages<unknown>): string {
  const cut = more ? `-first-${items.length}` : items.length < total ? `-${items.length}-of-${total}` : '';
  return `causeway-${name}${cut}.csv`;
}
