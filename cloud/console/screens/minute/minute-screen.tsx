import { useMemo, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { readDay, readPage, writeAddress, writePage } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import classes from '../../runs/runs.module.css';
import { DailyTable } from './daily-table.tsx';
import { GroundsPane } from './grounds-pane.tsx';
import { SessionMinutes } from './session-minutes.tsx';

const PLACE = '/minute';

/** Intraday 1-minute collection: the minutes of a day, the judgements of the last days, and their grounds. */
export function MinuteScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const sessionId = useOpenId();
  const addressed = useSearch();
  const { date, page } = useMemo(() => {
    const params = new URLSearchParams(addressed);
    return { date: readDay(params.get('date')), page: readPage(params.get('page')) };
  }, [addressed]);
  const minutes = useLive(queries.minutes(date));
  const daily = useLive(queries.minuteDaily);
  const hrefOf = (session: string | null, onPage = 1): string =>
    `${session === null ? PLACE : `${PLACE}/${encodeURIComponent(session)}`}${writeAddress({ date, page: writePage(onPage) })}`;

  return (
    <ListScreen
      title={text('nav.minute')}
      aside={<LiveBar query={minutes} asOf={minutes.data?.asOf} />}
      tools={
        <div className={classes['dayLine']}>
          <DayField
            label={text('minute.date')}
            value={date ?? minutes.data?.date ?? null}
            onChange={(day) => navigate(`${PLACE}${writeAddress({ date: day })}`)}
          />
          <span>{typeof minutes.data?.date === 'string' && text('minute.day', { date: minutes.data.date })}</span>
        </div>
      }
      tableLabel={text('minute.content')}
      foot={null}
      onClosePanel={() => navigate(hrefOf(null))}
      detail={
        sessionId === null ? null : (
          <GroundsPane
            key={sessionId}
            sessionId={sessionId}
            page={page}
            onPage={(next) => navigate(hrefOf(sessionId, next))}
            onClose={() => navigate(hrefOf(null))}
          />
        )
      }
    >
      <div className={classes['page']}>
        <Loaded query={minutes}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <EmptyState title={text('minute.noSession')} />
            ) : (
              sessions.map((session) => <SessionMinutes key={session.sessionId} session={session} />)
            )
          }
        </Loaded>
        <Panel
          level={2}
          title={text('minute.daily')}
          aside={
            daily.data !== undefined && (
              <CsvButton
                name="minute-days"
                rows={daily.data.days}
                columns={[
                  [text('minute.date'), ({ tradingDate }) => tradingDate],
                  [text('field.market'), ({ market }) => market],
                  [text('minute.verdict'), ({ judgment }) => judgment?.verdict],
                  [text('minute.csv.collected'), ({ judgment }) => judgment?.minutesCollected],
                  [text('minute.csv.expected'), ({ judgment }) => judgment?.minutesExpected],
                  [text('minute.judgedZone'), ({ judgment }) => timeCell(judgment?.judgedAt)],
                  [text('minute.reason'), ({ judgment }) => judgment?.reason],
                  [text('minute.grounds'), ({ grounds }) => grounds],
                ]}
              />
            )
          }
        >
          <Loaded query={daily}>
            {({ days }) => <DailyTable days={days} openId={sessionId} hrefOf={(session) => hrefOf(session)} />}
          </Loaded>
        </Panel>
      </div>
    </ListScreen>
  );
}
