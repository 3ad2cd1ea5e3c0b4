import { useId, type ReactNode } from 'react';
import { DetailPane, ListFoot } from '../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { ReturnValue } from '../../../shared/ui/parts/return-value.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { MinuteJudgments } from '../../../shared/wire/operator.ts';
import { GROUNDS_PAGE } from '../api/queries.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useLive } from '../live/refresh.tsx';
import { Quantity } from '../runs/quantity.tsx';
import classes from '../runs/runs.module.css';
import { clockOf } from './minutes.ts';

export interface GroundsPaneProps {
  sessionId: string;
  page: number;
  onPage: (page: number) => void;
  onClose: () => void;
}

/** The stored grounds of a session's price judgements, as they are; nothing is verified or computed again. */
export function GroundsPane({ sessionId, page, onPage, onClose }: GroundsPaneProps): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const headingId = useId();
  const grounds = useLive(queries.judgments(sessionId, page));
  return (
    <DetailPane
      headingId={headingId}
      label={text('grounds.title')}
      head={
        <h2 id={headingId} className={classes['laneTitle']}>
          {text('grounds.title')} <code>{sessionId}</code>
        </h2>
      }
      onClose={onClose}
      foot={
        grounds.data !== undefined && (
          <ListFoot
            count={text('grounds.total', { total: grounds.data.total })}
            pages={Math.ceil(grounds.data.total / GROUNDS_PAGE)}
            page={page}
            onPage={onPage}
          />
        )
      }
    >
      <Loaded query={grounds}>
        {({ items, notOffered }) => (
          <>
            <ul className={classes['codes']}>
              {notOffered.map((one) => (
                <li key={one} className={classes['unmeasured']}>
                  {text(`notOffered.${one}`)}
                </li>
              ))}
            </ul>
            {items.length === 0 ? <EmptyState title={text('grounds.empty')} /> : <GroundTable items={items} />}
          </>
        )}
      </Loaded>
    </DetailPane>
  );
}

function GroundTable({ items }: { items: MinuteJudgments['items'] }): ReactNode {
  const text = useText();
  return (
    <div className={classes['scroll']} role="region" aria-label={text('grounds.table')} tabIndex={0}>
      <table className={classes['tasks']} aria-label={text('grounds.table')}>
        <thead>
          <tr>
            <th scope="col">{text('minute.timeZone')}</th>
            <th scope="col">{text('field.instrument')}</th>
            <th scope="col">{text('grounds.judgment')}</th>
            <th scope="col" data-number>
              {text('grounds.price')}
            </th>
            <th scope="col" data-number>
              {text('field.changeRate')}
            </th>
            <th scope="col" data-number>
              {text('grounds.threshold')}
            </th>
            <th scope="col">{text('minute.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <tr key={`${one.minute} ${one.instrumentId} ${one.judgedAt} ${one.judgment}`}>
              <td>{clockOf(one.minute)}</td>
              <th scope="row">
                {one.ticker === null ? <code>{one.instrumentId}</code> : `${one.ticker} ${one.name ?? ''}`}
              </th>
              <td>
                <code>{one.judgment}</code>
              </td>
              <td data-number>
                <Quantity value={one.price} /> / <Quantity value={one.referencePrice} />
              </td>
              <td data-number>
                <ReturnValue ratio={one.changeRate} />
              </td>
              <td data-number>
                <ReturnValue ratio={one.threshold} />
              </td>
              <td className={classes['wide']}>
                {one.reason}
                {one.originalText !== null && (
                  <details>
                    <summary>{text('grounds.original')}</summary>
                    <p lang="ko">{one.originalText}</p>
                  </details>
                )}
                <p className={classes['quiet']}>
                  {text('grounds.judged')} <KstTime at={one.judgedAt} precision="second" />
                </p>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
