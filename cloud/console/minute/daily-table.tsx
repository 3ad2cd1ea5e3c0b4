import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { KstShortTime } from '../../../shared/ui/time/times.tsx';
import type { MinuteDaily } from '../../../shared/wire/operator.ts';
import { useText } from '../i18n/use-text.ts';
import { Quantity } from '../runs/quantity.tsx';
import classes from '../runs/runs.module.css';

export interface DailyTableProps {
  days: MinuteDaily['days'];
  openId: string | null;
  hrefOf: (sessionId: string) => string;
}

/** What is stored as the judgement of each of the last sessions; a session without one has none, not a good one. */
export function DailyTable({ days, openId, hrefOf }: DailyTableProps): ReactNode {
  const text = useText();
  if (days.length === 0) return <p className={classes['none']}>{text('minute.noDaily')}</p>;
  return (
    <table className={classes['facts']} aria-label={text('minute.daily')}>
      <thead>
        <tr>
          <th scope="col">{text('minute.date')}</th>
          <th scope="col">{text('field.market')}</th>
          <th scope="col">{text('minute.verdict')}</th>
          <th scope="col" data-number>
            {text('minute.collectedMinutes')}
          </th>
          <th scope="col">{text('minute.judgedZone')}</th>
          <th scope="col">{text('minute.reason')}</th>
          <th scope="col" data-number>
            {text('minute.grounds')}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ sessionId, tradingDate, market, judgment, grounds }) => (
          <tr key={sessionId} aria-current={sessionId === openId ? 'true' : undefined}>
            <th scope="row">
              <Link href={hrefOf(sessionId)}>{tradingDate}</Link>
            </th>
            <td>{market}</td>
            {judgment === null ? (
              <td colSpan={4} className={classes['quiet']}>
                {text('minute.notJudged')}
              </td>
            ) : (
              <>
                <td>
                  <code>{judgment.verdict}</code>
                </td>
                <td data-number>
                  <Quantity value={judgment.minutesCollected} /> / <Quantity value={judgment.minutesExpected} />
                </td>
                <td>
                  <KstShortTime at={judgment.judgedAt} />
                </td>
                <td className={classes['wide']}>{judgment.reason}</td>
              </>
            )}
            <td data-number>{grounds}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
