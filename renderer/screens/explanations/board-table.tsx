import type { ReactNode, RefObject } from 'react';
import { Link } from 'wouter';
import { CodedName, ListRow, ListTable } from '../../../shared/ui/list/list-screen.tsx';
import { WindowedRows, type PageWindow } from '../../../shared/ui/list/windowed-rows.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { KstShortTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { AllTick, RowTick } from '../../components/actions/bulk-button.tsx';
import type { Ticks } from '../../components/actions/use-ticks.ts';
import { isHeld, VisibilityBadge, StatusBadge } from '../../components/domain/status-badge.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './explanations.module.css';

export interface BoardTableProps {
  window: PageWindow<ExplanationItem>;
  total: number;
  scroller: RefObject<HTMLDivElement | null>;
  /** The rows ticked for a bulk action; null where none is allowed. */
  ticks?: Ticks<ExplanationItem> | null;
  selectedId: string | null;
  hrefOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** One row per explanation, for any number of them. The name is the link; a click anywhere in the row follows it. */
export function BoardTable({
  window,
  total,
  scroller,
  ticks = null,
  selectedId,
  hrefOf,
  onOpen,
}: BoardTableProps): ReactNode {
  const text = useText();
  return (
    <ListTable label={text('board.table')} rows={total + 1}>
      <thead>
        <tr>
          {ticks !== null && (
            <th scope="col" className={classes['tick']}>
              <AllTick ticks={ticks} label={false} />
            </th>
          )}
          <th scope="col" className={classes['status']}>
            {text('field.status')}
          </th>
          <th scope="col">{text('field.instrument')}</th>
          <th scope="col" data-leaves="third" style={{ width: '6.5rem' }}>
            {text('field.tradeDate')}
          </th>
          <th scope="col" data-number className={classes['return']}>
            {text('return.label')}
          </th>
          <th scope="col" data-leaves="second" className={classes['exposed']}>
            {text('field.exposed')}
          </th>
          <th scope="col" data-leaves="first" style={{ width: '6rem' }}>
            {text('field.confidence')}
          </th>
          <th scope="col" data-leaves="first" style={{ width: '4.5rem' }}>
            {text('field.engine')}
          </th>
          <th scope="col" data-leaves="first" style={{ width: '8rem' }}>
            {text('field.explainedAtZone')}
          </th>
          <th scope="col" data-leaves="first" style={{ width: '8rem' }}>
            {text('field.receivedAtZone')}
          </th>
        </tr>
      </thead>
      <WindowedRows
        window={window}
        total={total}
        columns={ticks === null ? 9 : 10}
        scroller={scroller}
        idOf={(item) => item.id}
        openId={selectedId}
      >
        {(item, rowIndex, key) => (
          <ListRow key={key} rowIndex={rowIndex} isOpen={item.id === selectedId} onOpen={() => onOpen(item.id)}>
            {ticks !== null && (
              <td>
                <RowTick item={item} isTicked={ticks.has(item.id)} onToggle={ticks.toggle} />
              </td>
            )}
            <td>
              <StatusOf item={item} />
            </td>
            <th scope="row">
              <Link href={hrefOf(item.id)}>
                <CodedName code={item.etf_ticker} name={item.etf_name} />
              </Link>
            </th>
            <td data-leaves="third">{item.trade_date}</td>
            <td data-number>
              <ReturnValue ratio={item.observed_return} />
            </td>
            <td data-leaves="second">
              <VisibilityBadge item={item} />
            </td>
            <td data-leaves="first">
              {item.confidence_level === null ? <NoValue /> : text(`confidence.${item.confidence_level}`)}
            </td>
            <td data-leaves="first">{item.analysis_engine}</td>
            <td data-leaves="first">
              <KstShortTime at={item.explanation_as_of} />
            </td>
            <td data-leaves="first">
              <KstShortTime at={item.receivedAt} />
            </td>
          </ListRow>
        )}
      </WindowedRows>
    </ListTable>
  );
}

/** Where the column of exposure has left, a held text is called held in place of its status: approved would read as exposed. */
function StatusOf({ item }: { item: ExplanationItem }): ReactNode {
  const status = <StatusBadge status={item.status} />;
  if (!isHeld(item.obstacle)) return status;
  return (
    <>
      <span data-leaves="second">{status}</span>
      <span data-instead="second">
        <VisibilityBadge item={item} />
      </span>
    </>
  );
}
