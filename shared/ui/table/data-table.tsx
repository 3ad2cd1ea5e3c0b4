/**
 * Rows of one kind under named columns: the one look of every table that is not a list with something open beside it.
 */
import type { ReactNode } from 'react';
import { ListFoot } from '../list/list-screen.tsx';
import classes from './table.module.css';

export interface Column<T> {
  id: string;
  head: ReactNode;
  render: (row: T) => ReactNode;
  /**
   * `name` names the row for assistive technology; `number` stands right; `short` is never broken into lines;
   * `wide` has sentences, and the room that is left.
   */
  kind?: 'name' | 'number' | 'short' | 'wide';
  /** Language of the cells, where it is not the screen's. */
  lang?: 'ko';
  /** Marks the column that concerns whoever looks. */
  isMarked?: boolean;
}

export interface DataTableProps<T> {
  label: string;
  /** Null for a column that this person does not see. */
  columns: readonly (Column<T> | null)[];
  rows: readonly T[];
  idOf: (row: T, index: number) => string | number;
  /** A row that is switched off or gone is drawn quietly; a word in it says so too. */
  isQuiet?: (row: T) => boolean;
  /** Marks the row that is open beside the table. */
  isCurrent?: (row: T) => boolean;
  /** Rows close together, for a table inside a text. */
  isDense?: boolean;
  /** The table is what scrolls of a screen: it has the screen's margins, and its head stays in view. */
  isScreen?: boolean;
}

export function DataTable<T>({
  label,
  columns,
  rows,
  idOf,
  isQuiet,
  isCurrent,
  isDense = false,
  isScreen = false,
}: DataTableProps<T>): ReactNode {
  const shown = columns.filter((column) => column !== null);
  return (
    <table
      className={classes['table']}
      aria-label={label}
      data-dense={isDense || undefined}
      data-screen={isScreen || undefined}
    >
      <thead>
        <tr>
          {shown.map(({ id, head, kind, isMarked }) => (
            <th key={id} scope="col" data-kind={kind} data-marked={isMarked}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            key={idOf(row, index)}
            data-quiet={isQuiet?.(row) === true || undefined}
            aria-current={isCurrent?.(row) === true ? 'true' : undefined}
          >
            {shown.map(({ id, render, kind, lang }) =>
              kind === 'name' ? (
                <th key={id} scope="row" lang={lang}>
                  {render(row)}
                </th>
              ) : (
                <td key={id} data-kind={kind} lang={lang}>
                  {render(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface PagedTableProps<T> extends Omit<DataTableProps<T>, 'rows'> {
  /** One page, as the APIs give it (D11). */
  page: { items: readonly T[]; page: number; size: number; total: number };
  /** How many there are, in words. */
  count: string;
  onPage: (page: number) => void;
}

/** The same page by page, with the number of all below. */
export function PagedTable<T>({ page, count, onPage, ...table }: PagedTableProps<T>): ReactNode {
  return (
    <div className={classes['paged']}>
      <DataTable {...table} rows={page.items} />
      <ListFoot count={count} pages={Math.ceil(page.total / page.size)} page={page.page} onPage={onPage} />
    </div>
  );
}
