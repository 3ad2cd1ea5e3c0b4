/**
 * The body of a table of any length: only the rows in view and a few around them stand in the document,
 * and only their pages are read. The rest is two rows of the right height.
 */
import { VisuallyHidden } from '@mantine/core';
import { useQueries, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './list.module.css';
import { pagesOf, shiftOf, type Anchor, type RowRange } from './page-window.ts';

/** Height of a row in CSS pixels; `list.module.css` gives rows of such tables the same. */
const ROW_HEIGHT = 33;
/** The head stays in view over the rows. */
const HEAD_HEIGHT = 27;
/** `aria-rowindex` of the first row, the head being row 1. */
const FIRST_ROW = 2;
/** Rows beyond the edges, so that the next one can take the focus before it is seen. */
const SPARE = 12;
/** A view that rushes past asks for nothing until it has come to rest for so long, in ms. */
const REST_MS = 80;

interface ListPage<T> {
  items: T[];
  page: number;
  size: number;
  total: number;
  /** A search with very many hits stops counting: there are more than `total`. */
  more?: boolean;
}

export interface PageWindow<T> {
  /** Null until the first answer. */
  total: number | null;
  more: boolean;
  itemAt: (index: number) => T | undefined;
  /** Indexes and items at hand. */
  items: ReadonlyMap<number, T>;
  failed: Pick<UseQueryResult, 'error' | 'refetch'> | null;
  onRange: (range: RowRange) => void;
}

/** Reads the pages of a list that the rows in view need. `queryOf` asks for one page of `WINDOW_PAGE` rows. */
export function usePageWindow<P extends ListPage<unknown>, Key extends readonly unknown[]>(
  queryOf: (page: number) => UseQueryOptions<P, Error, P, Key>,
): PageWindow<P['items'][number]> {
  const [range, setRange] = useState<RowRange>({ first: 0, last: 0 });
  const [wanted, setWanted] = useState(range);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(range), REST_MS);
    return () => clearTimeout(timer);
  }, [range]);
  const queries = useQueries({ queries: pagesOf(wanted).map(queryOf) });
  const items = new Map<number, P['items'][number]>();
  for (const { data } of queries) data?.items.forEach((item, at) => items.set((data.page - 1) * data.size + at, item));
  // How long the list is stays known while pages far away are read.
  const [total, setTotal] = useState<number | null>(null);
  const known = queries.find(({ data }) => data !== undefined)?.data?.total;
  if (known !== undefined && known !== total) setTotal(known);
  return {
    total,
    more: queries.some(({ data }) => data?.more === true),
    itemAt: (index) => items.get(index),
    items,
    failed: queries.find(({ data, isError }) => data === undefined && isError) ?? null,
    onRange: setRange,
  };
}

export interface WindowedRowsProps<T> {
  window: PageWindow<T>;
  total: number;
  columns: number;
  scroller: RefObject<HTMLDivElement | null>;
  idOf: (item: T) => string;
  /** The row that is open beside the list; it is kept in view when it opens. */
  openId: string | null;
  /** One `tr`; `rowIndex` is its `aria-rowindex`, the head being row 1. */
  children: (item: T, rowIndex: number, key: string) => ReactNode;
}

export function WindowedRows<T>({
  window: page,
  total,
  columns,
  scroller,
  idOf,
  openId,
  children,
}: WindowedRowsProps<T>): ReactNode {
  const rows: Rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: SPARE,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  const drawn = rows.getVirtualItems();
  const first = drawn[0]?.index ?? 0;
  const last = drawn.at(-1)?.index ?? -1;
  const { onRange } = page;
  useEffect(() => onRange({ first, last }), [onRange, first, last]);
  useHeldPlace(page, rows, idOf);
  useWalking(scroller, rows, total);
  useOpenInView(page, rows, openId, idOf);

  const seen = new Set<string>();
  const keyOf = (item: T, index: number): string => {
    // Two pages that were read at different moments may hold the same item.
    const id = idOf(item);
    if (seen.has(id)) return `${id} ${index}`;
    seen.add(id);
    return id;
  };
  return (
    <tbody className={classes['windowed']}>
      <Gap rows={first} />
      {drawn.map(({ index }) => {
        const item = page.itemAt(index);
        return item === undefined ? (
          <BlankRow key={index} rowIndex={index + FIRST_ROW} columns={columns} />
        ) : (
          children(item, index + FIRST_ROW, keyOf(item, index))
        );
      })}
      <Gap rows={total - 1 - last} />
    </tbody>
  );
}

/** A row that is still being read. */
function BlankRow({ rowIndex, columns }: { rowIndex: number; columns: number }): ReactNode {
  const text = useSharedText();
  return (
    <tr aria-rowindex={rowIndex} data-blank>
      <td colSpan={columns}>
        <VisuallyHidden>{text('state.loading')}</VisuallyHidden>
        <span className={classes['blank']} />
      </td>
    </tr>
  );
}

/** Room for rows that do not stand in the document. */
function Gap({ rows }: { rows: number }): ReactNode {
  return rows > 0 && <tr aria-hidden="true" data-gap style={{ height: rows * ROW_HEIGHT }} />;
}

type Rows = Virtualizer<HTMLDivElement, Element>;

/**
 * The list is narrower beside what opens, or hidden by it: the row of what is or was open is brought back into view.
 */
function useOpenInView<T>(page: PageWindow<T>, rows: Rows, openId: string | null, idOf: (item: T) => string): void {
  const height = rows.scrollRect?.height ?? 0;
  const lastId = useRef(openId);
  const bring = useEffectEvent(() => {
    for (const [index, item] of page.items) if (idOf(item) === lastId.current) rows.scrollToIndex(index);
  });
  useLayoutEffect(() => {
    lastId.current = openId ?? lastId.current;
  }, [openId]);
  useLayoutEffect(() => {
    if (height > 0) bring();
  }, [openId, height]);
}

/** Up and down walk from link to link, also to a row that is drawn or read only then. */
function useWalking(scroller: RefObject<HTMLDivElement | null>, rows: Rows, total: number): void {
  /** `aria-rowindex` of the row that the focus is to go to as soon as it has a link. */
  const wanted = useRef<number | null>(null);
  const take = (rowIndex: number): void => {
    const link = scroller.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${rowIndex}"] a`) ?? null;
    wanted.current = link === null ? rowIndex : null;
    link?.focus({ preventScroll: true });
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const row = event.target instanceof Element ? event.target.closest('tr') : null;
    if (step === 0 || row === null || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const next = (wanted.current ?? Number(row.ariaRowIndex)) + step;
    if (next < FIRST_ROW || next >= FIRST_ROW + total) return;
    event.preventDefault();
    rows.scrollToIndex(next - FIRST_ROW);
    take(next);
  });
  useEffect(() => {
    const place = scroller.current;
    place?.addEventListener('keydown', onKeyDown);
    return () => place?.removeEventListener('keydown', onKeyDown);
  }, [scroller]);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const { activeElement } = document;
    // A row that is scrolled out of the document leaves the focus to the body; anywhere else it was taken to.
    if (activeElement === document.body || scroller.current?.contains(activeElement) === true) take(wanted.current);
    else wanted.current = null;
  });
}

/** Keeps what somebody looks at in its place while rows come and go above it. At the very top, new rows are wanted. */
function useHeldPlace<T>(page: PageWindow<T>, rows: Rows, idOf: (item: T) => string): void {
  const anchor = useRef<Anchor | null>(null);
  useLayoutEffect(() => {
    const place = rows.scrollElement;
    if (place === null) return;
    const ids = new Map([...page.items].map(([index, item]) => [index, idOf(item)]));
    const shift = place.scrollTop === 0 ? 0 : shiftOf(anchor.current, ids);
    if (shift !== 0) place.scrollTop += shift * ROW_HEIGHT;
    const index = Math.round(place.scrollTop / ROW_HEIGHT);
    const id = ids.get(index);
    anchor.current = id === undefined ? null : { id, index };
  });
}
