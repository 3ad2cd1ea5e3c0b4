import { useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ListFoot, ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import type { PlanningGap } from '../../../../shared/wire/operator/operator.ts';
import { writeAddress } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import classes from '../../runs/runs.module.css';
import { GapList } from '../../runs/gap-list.tsx';
import { useWaitingWithdrawals, WithdrawalsLine } from '../../verdicts/withdrawals-line.tsx';
import { calmOf, sourcesToTell } from './calm.ts';
import { CalmLine, OtherDaysLine, SourcesLine } from './calm-line.tsx';
import { LaneDetail } from './lane-detail.tsx';
import { LaneTable } from './lane-table.tsx';
import { StateTiles } from './state-tiles.tsx';
import { byUrgency, countStatuses, judgeLanes, readOverviewFilter, type OverviewFilter } from './overview-filter.ts';

const PLACE = '/overview';

/** Run Overview (operator API 1): every lane of the ledger, those that need attention first. */
export function OverviewScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const openLane = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readOverviewFilter(new URLSearchParams(addressed)), [addressed]);
  const overview = useLive(queries.overview(filter.date));
  // Only today is not calm while any withdrawal waits: a past day is judged by its runs.
  const isWaiting = useWaitingWithdrawals();

  const hrefOf = (lane: string | null, changes: Partial<OverviewFilter> = {}): string =>
    `${lane === null ? PLACE : `${PLACE}/${encodeURIComponent(lane)}`}${writeAddress({ ...filter, run: null, ...changes })}`;

  return (
    <ListScreen
      title={text('nav.overview')}
      aside={<LiveBar query={overview} asOf={overview.data?.asOf} />}
      tools={
        <>
          <div className={classes['dayLine']}>
            <DayField
              label={text('overview.lastDay')}
              value={filter.date ?? overview.data?.date ?? null}
              max={overview.data?.today}
              onChange={(date) => navigate(hrefOf(openLane, { date }))}
            />
            {overview.data !== undefined && overview.data.date < overview.data.today && (
              <>
                <strong>{text('overview.past', { day: overview.data.date })}</strong>
                <Link href={hrefOf(openLane, { date: null })}>{text('overview.toToday')}</Link>
              </>
            )}
          </div>
          <StateTiles
            counts={overview.data === undefined ? undefined : countStatuses(judgeLanes(overview.data))}
            selected={filter.state}
            onSelect={(state) => navigate(hrefOf(openLane, { state, run: filter.run }))}
          />
        </>
      }
      tableLabel={text('overview.table')}
      foot={
        overview.data !== undefined && (
          <ListFoot
            count={text('overview.total', { lanes: overview.data.lanes.length, day: overview.data.today })}
            tools={
              <CsvButton
                name={`lanes-${overview.data.date}`}
                rows={byUrgency(judgeLanes(overview.data))}
                columns={[
                  [text('field.lane'), ({ lane }) => lane],
                  [text('field.state'), ({ judged }) => text(`state.${judged}`)],
                  [text('overview.csv.runs'), ({ day }) => day.runCount],
                  [text('overview.csv.troubled'), ({ day }) => day.troubledCount],
                  [text('overview.csv.recovered'), ({ day }) => day.recoveredCount],
                  [text('overview.csv.latest'), ({ latestRun }) => latestRun?.runKey],
                  [text('overview.latestRunZone'), ({ latestRun }) => timeCell(latestRun?.createdAt)],
                ]}
              />
            }
          />
        )
      }
      isDetailBelow
      onClosePanel={() => navigate(hrefOf(null))}
      detail={
        openLane === null ? null : (
          <LaneDetail
            lane={openLane}
            overview={overview}
            runKey={filter.run}
            hrefOf={(run) => hrefOf(openLane, { run })}
            onClose={() => navigate(hrefOf(null))}
          />
        )
      }
    >
      <Loaded query={overview}>
        {(read) => {
          const { unreadableGaps, date, today } = read;
          const lanes = judgeLanes(read);
          const calm = calmOf(read);
          const { late, unknown } = sourcesToTell(read);
          const shown = byUrgency(lanes.filter(({ judged }) => filter.state === null || judged === filter.state));
          return (
            <>
              <WithdrawalsLine isShort={openLane !== null} isBesidePast={date < today} />
              {calm !== null && (date < today || !isWaiting) && <CalmLine calm={calm} />}
              <OtherDaysLine otherDays={read.otherDays} />
              <SourcesLine kind="overview.lateSources" sources={late} />
              <SourcesLine kind="overview.unknownSources" sources={unknown} />
              <UnreadableGaps gaps={unreadableGaps} />
              {shown.length === 0 ? (
                <EmptyState title={text(lanes.length === 0 ? 'overview.empty' : 'overview.emptyFiltered')} />
              ) : (
                <LaneTable
                  lanes={shown}
                  openLane={openLane}
                  openRun={filter.run}
                  hrefOf={(lane, run) => hrefOf(lane, { run })}
                  onOpen={(lane) => navigate(hrefOf(lane))}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </ListScreen>
  );
}

/** Planned slots with an unreadable lane: they stand above all lanes, not beside them. */
function UnreadableGaps({ gaps }: { gaps: readonly PlanningGap[] }): ReactNode {
  const text = useText();
  if (gaps.length === 0) return null;
  return (
    <section className={classes['unreadable']} data-tone="bad" aria-label={text('overview.unreadable')}>
      <strong>{text('overview.unreadable')}</strong>
      <GapList gaps={gaps} />
    </section>
  );
}
