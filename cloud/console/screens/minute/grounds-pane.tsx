import { useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import { DetailPane, ListFoot } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { ReturnValue } from '../../../../shared/ui/parts/return-value.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import type { MinuteJudgments } from '../../../../shared/wire/operator/operator.ts';
import { GROUNDS_PAGE } from '../../api/queries.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { etfPlace } from '../../navigation/places.ts';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { allOf, timeCell } from '../../lists/csv.ts';
import { useLive } from '../../live/refresh.tsx';
import { LongText } from '../../runs/long-text.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import classes from '../../runs/runs.module.css';
import { measuredText } from '../analyses/analysis-values.tsx';
import { clockOf } from './minutes.ts';
import styles from './minute.module.css';

export interface GroundsPaneProps {
  sessionId: string;
  page: number;
  onPage: (page: number) => void;
  onClose: () => void;
}

/** The stored grounds of a session's price judgements, as they are; nothing is verified or computed again. */
export function GroundsPane({ sessionId, page, onPage, onClose }: GroundsPaneProps): ReactNode {
  const text = useText();
  const { api, queries } = useOperator();
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
            tools={
              <CsvButton
                name={`grounds-${sessionId}`}
                rows={() => allOf((onPage, size) => api.judgments({ sessionId, page: onPage, size }))}
                columns={[
                  [text('minute.timeZone'), ({ minute }) => timeCell(minute)],
                  [text('field.ticker'), ({ ticker, instrumentId }) => ticker ?? instrumentId],
                  [text('field.instrument'), ({ name }) => name],
                  [text('grounds.price'), ({ price }) => price],
                  [text('grounds.csv.reference'), ({ referencePrice }) => referencePrice],
                  [text('analyses.csv.changeRate'), ({ changeRate }) => changeRate],
                  [text('grounds.threshold'), ({ threshold }) => threshold],
                  [text('grounds.judgment'), ({ judgment }) => judgment],
                  [text('minute.reason'), ({ reason }) => reason],
                  [text('grounds.original'), ({ originalText }) => originalText],
                  [text('minute.judgedZone'), ({ judgedAt }) => timeCell(judgedAt)],
                ]}
              />
            }
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

type StoredGround = MinuteJudgments['items'][number];

function GroundTable({ items }: { items: readonly StoredGround[] }): ReactNode {
  const text = useText();
  return (
    <div
      className={`${classes['scroll']} ${styles['grounds']}`}
      role="region"
      aria-label={text('grounds.table')}
      tabIndex={0}
    >
      <DataTable
        isDense
        label={text('grounds.table')}
        rows={items}
        idOf={({ minute, instrumentId, judgedAt, judgment }) => `${minute} ${instrumentId} ${judgedAt} ${judgment}`}
        columns={[
          { id: 'minute', head: text('minute.timeZone'), kind: 'short', render: ({ minute }) => clockOf(minute) },
          {
            id: 'instrument',
            head: text('field.instrument'),
            kind: 'name',
            render: ({ instrumentId, ticker, name }) =>
              ticker === null ? (
                <code>{instrumentId}</code>
              ) : (
                <Link href={etfPlace(ticker)}>
                  {ticker} {name}
                </Link>
              ),
          },
          {
            id: 'measured',
            head: (
              <>
                {text('grounds.price')}
                <br />
                {text('field.changeRate')} / {text('grounds.threshold')}
              </>
            ),
            kind: 'number',
            render: ({ price, referencePrice, changeRate, threshold }) => (
              <>
                <Quantity value={price} /> / <Quantity value={referencePrice} />
                <br />
                <ReturnValue ratio={changeRate} /> /{' '}
                {threshold === null ? <NoValue /> : measuredText(threshold, 'RATIO')}
              </>
            ),
          },
          { id: 'judgment', head: text('grounds.judgment'), kind: 'wide', render: (one) => <Ground ground={one} /> },
        ]}
      />
    </div>
  );
}

function Ground({ ground: { judgment, reason, originalText, judgedAt } }: { ground: StoredGround }): ReactNode {
  const text = useText();
  return (
    <>
      <LongText>
        {text('ledger.word', { word: judgment })}
        {reason !== null && <> · {text('ledger.word', { word: reason })}</>}
      </LongText>
      {originalText !== null && (
        <details>
          <summary>{text('grounds.original')}</summary>
          <LongText lang="ko">{originalText}</LongText>
        </details>
      )}
      <p className={classes['quiet']}>
        {text('grounds.judged')} <KstShortTime at={judgedAt} />
      </p>
    </>
  );
}
