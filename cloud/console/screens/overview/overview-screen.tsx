import { useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ListFoot, ListRow, ListScreen, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { KstShortTime, NoValue } from '../../../../shared/ui/time/times.tsx';
import type { LaneOverview, PipelineRun, PlanningGap } from '../../../../shared/wire/operator/operator.ts';
import { writeAddress } from '../../navigation/address.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { DefectList } from '../../runs/defect-list.tsx';
import { LaneName, Outcomes, StateBadge } from '../../runs/run-badges.tsx';
import { RunStrip } from '../../runs/run-strip.tsx';
import classes from '../../runs/runs.module.css';
import { GapList } from '../../runs/gap-list.tsx';
import { LaneDetail } from './lane-detail.tsx';
import { StateTiles } from './state-tiles.tsx';
import { countStates, readOverviewFilter, type OverviewFilter } from './overview-filter.ts';

const PLACE = '/overview';
/** So many groups of defects stand in a row; the pane has them all. */
const DEFECTS_IN_ROW = 3;

/** Run Overview (operator API 1): every lane that the ledger knows, with its latest run. */
export function OverviewScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const openLane = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readOverviewFilter(new URLSearchParams(addressed)), [addressed]);
  const overview = useLive(queries.overview(filter.date));

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
            counts={overview.data === undefined ? undefined : countStates(overview.data.lanes)}
            selected={filter.state}
            onSelect={(state) => navigate(hrefOf(openLane, { state, run: filter.run }))}
          />
        </>
      }
      tableLabel={text('overview.table')}
      foot={
        overview.data !== undefined && (
          <ListFoot count={text('overview.total', { lanes: overview.data.lanes.length, day: overview.data.today })} />
        )
      }
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
        {({ lanes, unreadableGaps }) => {
          const shown = lanes.filter(({ state }) => filter.state === null || state === filter.state);
          return (
            <>
              <UnreadableGaps gaps={unreadableGaps} />
              {shown.length === 0 ? (
                <EmptyState title={text(lanes.length === 0 ? 'overview.empty' : 'overview.emptyFiltered')} />
              ) : (
                <LaneTable
                  lanes={shown}
                  openLane={openLane}
                  openRun={filter.run}
                  hrefOf={hrefOf}
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

/** Planned slots of which not even the lane can be read: they stand above all lanes, not beside them. */
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

interface LaneTableProps {
  lanes: readonly LaneOverview[];
  openLane: string | null;
  openRun: string | null;
  hrefOf: (lane: string, changes?: Partial<OverviewFilter>) => string;
  onOpen: (lane: string) => void;
}

function LaneTable({ lanes, openLane, openRun, hrefOf, onOpen }: LaneTableProps): ReactNode {
  const text = useText();
  return (
    <div className={classes['lanes']}>
      <ListTable label={text('overview.table')}>
        <thead>
          <tr>
            <th scope="col">{text('field.lane')}</th>
            <th scope="col">{text('field.state')}</th>
            <th scope="col" data-leaves="first">
              {text('overview.latestRunZone')}
            </th>
            <th scope="col" data-leaves="second">
              {text('overview.outcomes')}
            </th>
            <th scope="col">{text('overview.strip')}</th>
            <th scope="col" data-defects>
              {text('overview.defects')}
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ lane, state, latestRun, recentRuns, defects }) => (
            <ListRow key={lane} isOpen={lane === openLane} onOpen={() => onOpen(lane)}>
              <th scope="row">
                <Link href={hrefOf(lane)}>
                  <LaneName lane={lane} />
                </Link>
              </th>
              <td>
                <StateBadge state={state} />
                {defects.length > 0 && (
                  <p className={classes['note']}>{text('overview.defectsCount', { count: defects.length })}</p>
                )}
              </td>
              <td data-leaves="first">
                <LatestRun run={latestRun} />
              </td>
              <td data-leaves="second">{latestRun === null ? <NoValue /> : <Outcomes tasks={latestRun.tasks} />}</td>
              <td>
                <RunStrip
                  runs={recentRuns}
                  label={text('overview.stripOf', { lane })}
                  openKey={lane === openLane ? openRun : null}
                  hrefOf={(run) => hrefOf(lane, { run: run.runKey })}
                />
              </td>
              <td data-defects>
                <DefectList defects={defects} most={DEFECTS_IN_ROW} />
              </td>
            </ListRow>
          ))}
        </tbody>
      </ListTable>
    </div>
  );
}

/** A lane that only planned slots are known of has no run. */
function LatestRun({ run }: { run: PipelineRun | null }): ReactNode {
  const text = useText();
  if (run === null) return <span className={classes['none']}>{text('overview.noRun')}</span>;
  return (
    <dl className={classes['latest']}>
      <div>
        <dt>{text('overview.ledger')}</dt>
        <dd>
          <code>{run.status}</code>
          {run.skipReason !== null && (
            <>
              {' '}
              <code>{run.skipReason}</code>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>{text('overview.day')}</dt>
        <dd>{run.date}</dd>
      </div>
      <div>
        <dt>{text('overview.updated')}</dt>
        <dd>
          <KstShortTime at={run.updatedAt} />
        </dd>
      </div>
      <div>
        <dt>{text('field.deadline')}</dt>
        <dd>
          <KstShortTime at={run.deadline} />
        </dd>
      </div>
    </dl>
  );
}
