/**
 * The body of a table of any length: it renders only the visible rows and a few around them, and reads only their
 * pages. Two rows of the right height fill the rest.
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
/** The head covers this much of the scrolling area. */
const HEAD_HEIGHT = 27;
/** `aria-rowindex` of the first row, the head being row 1. */
const FIRST_ROW = 2;
/** Rows rendered beyond the edges, so that the next row can take the focus before it is visible. */
const SPARE = 12;
/** Scrolling reads no page until it has rested for so long, in ms. */
const REST_MS = 80;

interface ListPage<T> {
  items: T[];
  page: number;
  size: number;
  total: number;
  /** Whether a search stopped counting: there are more than `total`. */
  more?: boolean;
}

export interface PageWindow<T> {
  /** Null until the first answer. */
  total: number | null;
  more: boolean;
  itemAt: (index: number) => T | undefined;
  /** Loaded items by index. */
  items: ReadonlyMap<number, T>;
  failed: Pick<UseQueryResult, 'error' | 'refetch'> | null;
  onRange: (range: RowRange) => void;
}

/** Reads the pages that the visible rows need. `queryOf` reads one page of `WINDOW_PAGE` rows. */
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
  // The total stays known while pages far away are read.
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
  /** The row that is open beside the list; scrolled into view when it opens. */
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
    // Two pages read at different moments may hold the same item.
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

/** A row that is still loading. */
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

/** Space for rows that are not rendered. */
function Gap({ rows }: { rows: number }): ReactNode {
  return rows > 0 && <tr aria-hidden="true" data-gap style={{ height: rows * ROW_HEIGHT }} />;
}

type Rows = Virtualizer<HTMLDivElement, Element>;

/** An opening item narrows or hides the list: the row of the item is scrolled into view again. */
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

/** The up and down keys walk from link to link, also to a row that is not yet rendered or read. */
function useWalking(scroller: RefObject<HTMLDivElement | null>, rows: Rows, total: number): void {
  /** `aria-rowindex` of the row that takes the focus once it has a link. */
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
    // A focused row that scrolls out of the document leaves the focus to the body; otherwise the user has moved the
    // focus.
    if (activeElement === document.body || scroller.current?.contains(activeElement) === true) take(wanted.current);
    else wanted.current = null;
  });
}

/** Keeps the row in view in place while rows are added or removed above it. At the very top, new rows scroll in. */
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
