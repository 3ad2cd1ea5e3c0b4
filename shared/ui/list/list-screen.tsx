/** A screen with a filtered, paged list and, beside it, the open item. */
import { Button, Pagination } from '@mantine/core';
import { useId, useRef, type ReactNode, type RefObject } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './list.module.css';
import { useEscape, useOpenedFocus } from './opened-focus.ts';

export interface ListScreenProps {
  title: string;
  /** At the right of the title. */
  aside?: ReactNode;
  /** Between title and table: tiles, a `FilterBar`. */
  tools: ReactNode;
  tableLabel: string;
  /** The scrolling part around the table. */
  scroller?: RefObject<HTMLDivElement | null>;
  foot: ReactNode;
  /** The open row of the list; null for none. */
  detail: ReactNode;
  /** Opens the item as a panel: it takes the focus, gives it back, and closes on Escape. */
  onClosePanel?: () => void;
  /** Places the item below the list, where the item has wide tables or the list must keep its width. */
  isDetailBelow?: boolean;
  children: ReactNode;
}

export function ListScreen({
  title,
  aside,
  tools,
  tableLabel,
  scroller,
  foot,
  detail,
  onClosePanel,
  isDetailBelow = false,
  children,
}: ListScreenProps): ReactNode {
  const titleId = useId();
  const screen = useRef<HTMLDivElement>(null);
  useOpenedFocus(screen, onClosePanel !== undefined);
  useEscape(screen, detail === null ? undefined : onClosePanel);
  return (
    <div
      ref={screen}
      className={classes['screen']}
      data-open={detail !== null || undefined}
      data-below={isDetailBelow || undefined}
    >
      <section className={classes['list']} aria-labelledby={titleId}>
        <header className={classes['head']}>
          <h1 id={titleId}>{title}</h1>
          {aside}
        </header>
        {tools}
        <div ref={scroller} className={classes['tablePlace']} role="region" aria-label={tableLabel} tabIndex={0}>
          {children}
        </div>
        {foot}
      </section>
      {detail !== null && (
        <div className={classes['detailPlace']} data-detail>
          {detail}
        </div>
      )}
    </div>
  );
}

export interface FilterBarProps {
  isNarrowed: boolean;
  onReset: () => void;
  children: ReactNode;
}

/** Search first, which grows; then the other filters, and a reset. */
export function FilterBar({ isNarrowed, onReset, children }: FilterBarProps): ReactNode {
  const text = useSharedText();
  return (
    <search className={classes['bar']}>
      {children}
      {isNarrowed && (
        <Button variant="subtle" onClick={onReset}>
          {text('list.reset')}
        </Button>
      )}
    </search>
  );
}

/**
 * Cells with `data-number` align right; columns with `data-leaves` are hidden, first to third, as the width shrinks;
 * `data-instead` shows what stands for the second ones then.
 */
export function ListTable({
  label,
  rows,
  children,
}: {
  label: string;
  /** Row count including the head, for tables that do not render every row. */
  rows?: number;
  children: ReactNode;
}): ReactNode {
  return (
    <table className={classes['table']} aria-label={label} aria-rowcount={rows}>
      {children}
    </table>
  );
}

export interface ListRowProps {
  /** `aria-rowindex`, for tables that do not render every row. */
  rowIndex?: number;
  isOpen: boolean;
  onOpen: () => void;
  children: ReactNode;
}

/** A row whose heading holds a link; a click anywhere in the row follows it. */
export function ListRow({ rowIndex, isOpen, onOpen, children }: ListRowProps): ReactNode {
  return (
    <tr
      aria-rowindex={rowIndex}
      aria-current={isOpen ? 'true' : undefined}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, button, input, label, summary') === null)
          onOpen();
      }}
    >
      {children}
    </tr>
  );
}

/** A name with its short code before it. */
export function CodedName({ code, name }: { code: string; name: string }): ReactNode {
  return (
    <>
      <span className={classes['code']}>{code}</span> {name}
    </>
  );
}

export type ListFootProps = {
  /** The count in words. */
  count: string;
  /** What can be done with the whole list. */
  tools?: ReactNode;
} & (
  | { pages: number; page: number; onPage: (page: number) => void }
  /** An unpaged list. */
  | { pages?: never; page?: never; onPage?: never }
);

export function ListFoot({ count, tools, pages, page, onPage }: ListFootProps): ReactNode {
  const text = useSharedText();
  return (
    <footer className={classes['foot']}>
      <span className={classes['count']}>{count}</span>
      {tools}
      {pages !== undefined && pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={onPage}
          getItemProps={(one) => ({ 'aria-label': text('list.page', { page: one }) })}
          getControlProps={(control) => (isStep(control) ? { 'aria-label': text(`list.page.${control}`) } : {})}
        />
      )}
    </footer>
  );
}

function isStep(control: string): control is 'previous' | 'next' {
  return control === 'previous' || control === 'next';
}

export interface DetailPaneProps {
  /** Accessible name of the whole: the id of the heading inside `head`. */
  headingId: string;
  /** Accessible name of the scrolling part. */
  label: string;
  /** The scrolling part. */
  scroller?: RefObject<HTMLDivElement | null>;
  head: ReactNode;
  /** Beside the close button; not printed. */
  tools?: ReactNode;
  onClose: () => void;
  /** Stays visible at the bottom: the actions on the item. */
  foot: ReactNode;
  children: ReactNode;
}

export function DetailPane({
  headingId,
  label,
  scroller,
  head,
  tools,
  onClose,
  foot,
  children,
}: DetailPaneProps): ReactNode {
  const text = useSharedText();
  return (
    <article className={classes['detail']} aria-labelledby={headingId}>
      <div ref={scroller} className={classes['scroll']} role="region" aria-label={label} tabIndex={0}>
        <div className={classes['detailHead']}>
          {head}
          <span className={classes['detailTools']}>
            {tools}
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              onClick={onClose}
              leftSection={<Glyph name="cross" size={10} />}
            >
              {text('list.closeDetail')}
            </Button>
          </span>
        </div>
        {children}
      </div>
      <div className={classes['detailFoot']}>{foot}</div>
    </article>
  );
}
