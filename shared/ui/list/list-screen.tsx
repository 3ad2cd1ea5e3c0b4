/** A screen with a filtered, paged list and, beside it, what is open of it. */
import { Button, Pagination } from '@mantine/core';
import { useId, useRef, type ReactNode, type RefObject } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './list.module.css';
import { useEscape, useOpenedFocus } from './opened-focus.ts';

export interface ListScreenProps {
  title: string;
  /** Stands at the right of the title. */
  aside?: ReactNode;
  /** Between title and table: tiles, a `FilterBar`. */
  tools: ReactNode;
  tableLabel: string;
  /** The scrolling part around the table. */
  scroller?: RefObject<HTMLDivElement | null>;
  foot: ReactNode;
  /** The open row of the list; null for none. */
  detail: ReactNode;
  /** Makes what is open a panel: it takes the focus as it opens and gives it back, and Escape closes it. */
  onClosePanel?: () => void;
  /** Below the list, where wide tables stand in it or the list must keep its width. */
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

/** Search first, which grows; then whatever else narrows the list, and the way back to all of it. */
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

/** Cells with `data-number` stand right; columns with `data-leaves` go, first to third, as it gets narrow. */
export function ListTable({
  label,
  rows,
  children,
}: {
  label: string;
  /** How many rows there are with the head, where not all of them stand in the document. */
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
  /** `aria-rowindex`, where not all rows stand in the document. */
  rowIndex?: number;
  isOpen: boolean;
  onOpen: () => void;
  children: ReactNode;
}

/** A row whose heading holds a link; a click anywhere in the row does the same. */
export function ListRow({ rowIndex, isOpen, onOpen, children }: ListRowProps): ReactNode {
  return (
    <tr
      aria-rowindex={rowIndex}
      aria-current={isOpen ? 'true' : undefined}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a, input, label') === null) onOpen();
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
  /** How many there are, in words. */
  count: string;
} & (
  | { pages: number; page: number; onPage: (page: number) => void }
  /** A list that is shown whole. */
  | { pages?: never; page?: never; onPage?: never }
);

export function ListFoot({ count, pages, page, onPage }: ListFootProps): ReactNode {
  const text = useSharedText();
  return (
    <footer className={classes['foot']}>
      <span className={classes['count']}>{count}</span>
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
  /** Names the whole: the id of the heading inside `head`. */
  headingId: string;
  /** Names the part that scrolls. */
  label: string;
  /** The scrolling part. */
  scroller?: RefObject<HTMLDivElement | null>;
  head: ReactNode;
  /** Beside the way to close it; not printed. */
  tools?: ReactNode;
  onClose: () => void;
  /** Stays in view below: what can be done with it. */
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
