import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import type { MinuteDaily } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { LongText } from '../../runs/long-text.tsx';
import { Quantity } from '../../runs/quantity.tsx';
import classes from '../../runs/runs.module.css';

export interface DailyTableProps {
  days: MinuteDaily['days'];
  openId: string | null;
  hrefOf: (sessionId: string) => string;
}

/** The stored judgement of each of the last sessions; a session without one has none, not a good one. */
export function DailyTable({ days, openId, hrefOf }: DailyTableProps): ReactNode {
  const text = useText();
  if (days.length === 0) return <p className={classes['none']}>{text('minute.noDaily')}</p>;
  return (
    <DataTable
      label={text('minute.daily')}
      rows={days}
      idOf={({ sessionId }) => sessionId}
      isCurrent={({ sessionId }) => sessionId === openId}
      columns={[
        {
          id: 'date',
          head: text('minute.date'),
          kind: 'name',
          render: ({ sessionId, tradingDate }) => (
            <Link href={hrefOf(sessionId)}>
              <time dateTime={tradingDate}>{tradingDate}</time>
            </Link>
          ),
        },
        { id: 'market', head: text('field.market'), kind: 'short', render: ({ market }) => market },
        {
          id: 'verdict',
          head: text('minute.verdict'),
          kind: 'short',
          render: ({ judgment }) =>
            judgment === null ? (
              <span className={classes['quiet']}>{text('minute.notJudged')}</span>
            ) : (
              text('ledger.word', { word: judgment.verdict })
            ),
        },
        {
          id: 'minutes',
          head: text('minute.collectedMinutes'),
          kind: 'number',
          render: ({ judgment }) =>
            judgment === null ? (
              <NoValue />
            ) : (
              <>
                <Quantity value={judgment.minutesCollected} /> / <Quantity value={judgment.minutesExpected} />
              </>
            ),
        },
        {
          id: 'judged',
          head: text('minute.judgedZone'),
          render: ({ judgment }) => <KstShortTime at={judgment?.judgedAt ?? null} />,
        },
        {
          id: 'reason',
          head: text('minute.reason'),
          kind: 'wide',
          render: ({ judgment }) =>
            judgment !== null && judgment.reason !== null && <LongText lang="ko">{judgment.reason}</LongText>,
        },
        {
          id: 'grounds',
          head: text('minute.grounds'),
          kind: 'number',
          render: ({ grounds }) => <Quantity value={grounds} />,
        },
      ]}
    />
  );
}
