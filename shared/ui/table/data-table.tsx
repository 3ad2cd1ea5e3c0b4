/** Rows of one kind under named columns: the common look of every table without an open item beside it. */
import type { ReactNode } from 'react';
import { ListFoot } from '../list/list-screen.tsx';
import classes from './table.module.css';

export interface Column<T> {
  id: string;
  head: ReactNode;
  render: (row: T) => ReactNode;
  /**
   * `name` is the row's accessible name; `number` aligns right; `short` never wraps; `wide` holds sentences and takes
   * the remaining width.
   */
  kind?: 'name' | 'number' | 'short' | 'wide';
  /** Language of the cells, where it is not the screen's. */
  lang?: 'ko';
  /** Marks the column of the current user. */
  isMarked?: boolean;
}

export interface DataTableProps<T> {
  label: string;
  /** Null for a column that this user may not see. */
  columns: readonly (Column<T> | null)[];
  rows: readonly T[];
  idOf: (row: T, index: number) => string | number;
  /** Rows that are switched off or gone are muted; a word in the row says so too. */
  isQuiet?: (row: T) => boolean;
  /** Marks the row that is open beside the table. */
  isCurrent?: (row: T) => boolean;
  /** The lights of a row (`use-lights.ts`). */
  lightOf?: (row: T) => string;
  /** Rows close together, for a table inside a text. */
  isDense?: boolean;
  /** The table is the scrolling part of a screen: it has the screen's margins, and its head stays visible. */
  isScreen?: boolean;
}

export function DataTable<T>({
  label,
  columns,
  rows,
  idOf,
  isQuiet,
  isCurrent,
  lightOf,
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
            data-light={lightOf?.(row)}
            aria-current={isCurrent?.(row) === true ? 'true' : undefined}
          >
            {shown.map(({ id, render, kind, lang }) =>
              kind === 'name' ? (
                <th key={id} scope="row" data-kind={kind} lang={lang}>
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
  /** The count in words. */
  count: string;
  onPage: (page: number) => void;
}

/** As above, page by page, with the total below. */
export function PagedTable<T>({ page, count, onPage, ...table }: PagedTableProps<T>): ReactNode {
  return (
    <div className={classes['paged']}>
      <DataTable {...table} rows={page.items} />
      <ListFoot count={count} pages={Math.ceil(page.total / page.size)} page={page.page} onPage={onPage} />
    </div>
  );
}
