import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ListRow, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { Badge, Tag } from '../../../../shared/ui/parts/badge.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import type { LaneDay, LaneOverview, PipelineRun } from '../../../../shared/wire/operator/operator.ts';
import type { Text } from '../../../../shared/ui/i18n/use-text.ts';
import { useText, type MessageId } from '../../i18n/use-text.ts';
import { DefectList } from '../../runs/defect-list.tsx';
import { minuteWords, type Quiet, type Silence } from '../../rules/reading/silence.ts';
import {
  IDLE_LOOK,
  LaneName,
  Outcomes,
  PAST_SILENCE_LOOK,
  RunBadge,
  SILENT_LOOK,
  StateBadge,
} from '../../runs/run-badges.tsx';
import { RunStrip } from '../../runs/run-strip.tsx';
import classes from '../../runs/runs.module.css';
import styles from './overview.module.css';
import type { JudgedLane } from './overview-filter.ts';

/** The most groups of defects in a row; the pane has them all. */
const DEFECTS_IN_ROW = 4;
/** The number of marks that fit in one line. */
const MARKS_IN_ROW = 12;

export interface LaneTableProps {
  lanes: readonly JudgedLane[];
  openLane: string | null;
  openRun: string | null;
  /** @param run null: the pane's default */
  hrefOf: (lane: string, run: string | null) => string;
  onOpen: (lane: string) => void;
}

export function LaneTable({ lanes, openLane, openRun, hrefOf, onOpen }: LaneTableProps): ReactNode {
  const text = useText();
  const place = useRef<HTMLDivElement>(null);
  // A panel that opens below takes height from the list.
  useEffect(() => {
    if (openLane !== null) place.current?.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [openLane]);
  return (
    <div ref={place} className={styles['lanes']}>
      <ListTable label={text('overview.table')}>
        <thead>
          <tr>
            <th scope="col">{text('field.lane')}</th>
            <th scope="col" data-worst>
              {text('overview.worst')}
            </th>
            <th scope="col" data-leaves="second">
              {text('overview.latestRunZone')}
            </th>
            <th scope="col">{text('overview.strip')}</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <ListRow key={lane.lane} isOpen={lane.lane === openLane} onOpen={() => onOpen(lane.lane)}>
              <th scope="row">
                <Link href={hrefOf(lane.lane, null)}>
                  <LaneName lane={lane.lane} />
                </Link>
              </th>
              <td data-worst>
                <WorstOfDay lane={lane} hrefOf={(run) => hrefOf(lane.lane, run)} />
              </td>
              <td data-leaves="second">
                {lane.latestRun === null ? (
                  <span className={classes['none']}>{text('overview.noRun')}</span>
                ) : (
                  <>
                    <RunLine run={lane.latestRun} href={hrefOf(lane.lane, lane.latestRun.runKey)} />
                    {lane.latestRun.tasks.required > 0 && <Outcomes tasks={lane.latestRun.tasks} />}
                  </>
                )}
              </td>
              <td>
                <RunStrip
                  runs={lane.recentRuns}
                  gaps={lane.recentGaps}
                  most={MARKS_IN_ROW}
                  label={text('overview.stripOf', { lane: lane.lane })}
                  openKey={lane.lane === openLane ? openRun : null}
                  hrefOf={(run) => hrefOf(lane.lane, run)}
                />
              </td>
            </ListRow>
          ))}
        </tbody>
      </ListTable>
    </div>
  );
}

function RunLine({ run, href }: { run: PipelineRun; href: string }): ReactNode {
  return (
    <p className={styles['runLine']}>
      <Link href={href}>
        <RunBadge run={run} /> <KstShortTime at={run.createdAt} />
      </Link>
    </p>
  );
}

/** The worst of the day with its defects; a day on which nothing counted is neutral, with the last run that did. */
export function WorstOfDay(props: {
  lane: JudgedLane;
  hrefOf: (runKey: string) => string;
  isWhole?: boolean;
}): ReactNode {
  const text = useText();
  const { silence, quiet } = props.lane;
  return (
    <>
      {silence !== null && (
        <p className={styles['runLine']}>
          <Badge {...(silence.until === null ? SILENT_LOOK : PAST_SILENCE_LOOK)}>{text('state.SILENT')}</Badge>{' '}
          <span>{silenceWords(text, silence)}</span>
        </p>
      )}
      {quiet?.isUnknown === true && <QuietLine quiet={quiet} />}
      <RunsOfDay {...props} />
      {quiet?.isUnknown === false && <QuietLine quiet={quiet} />}
    </>
  );
}

/** Why nobody knows whether the lane should have run. */
function QuietLine({ quiet: { since, isUnknown } }: { quiet: Quiet }): ReactNode {
  const text = useText();
  return (
    <p className={styles['runLine']}>
      {isUnknown && <StateBadge state="UNKNOWN" />}{' '}
      <span className={classes['quiet']}>
        {since === null ? text('day.quiet') : text('day.quietSince', { since: minuteWords(since) })}
      </span>
    </p>
  );
}

function silenceWords(text: Text<MessageId>, { since, missed, until }: Silence): string {
  const usual = minuteWords(missed.at);
  if (until !== null) return text('day.silentFrom', { from: usual, until: minuteWords(until) });
  return since === null ? text('day.silent', { usual }) : text('day.silentSince', { since: minuteWords(since), usual });
}

function RunsOfDay({
  lane: { day, lastCounted, latestRun, standing },
  hrefOf,
  isWhole = false,
}: {
  lane: LaneOverview;
  hrefOf: (runKey: string) => string;
  isWhole?: boolean;
}): ReactNode {
  const text = useText();
  if (day.state === null)
    return (
      <>
        <p className={styles['runLine']}>
          <Badge {...IDLE_LOOK}>{text('state.IDLE')}</Badge>{' '}
          <span className={classes['quiet']}>
            {day.course === 'SKIPPED'
              ? text('day.skipped', { reason: text('ledger.word', { word: latestRun?.skipReason ?? '' }) })
              : text('day.empty')}
          </span>
        </p>
        {lastCounted !== null && (
          <p className={styles['runLine']}>
            {text('day.lastCounted')}{' '}
            <Link href={hrefOf(lastCounted.runKey)}>
              <RunBadge run={lastCounted} /> <KstShortTime at={lastCounted.createdAt} />
            </Link>
            {standing !== null && standing !== lastCounted.state && <StateBadge state={standing} />}
          </p>
        )}
      </>
    );
  const worstKey = worstKeyOf(day);
  return (
    <>
      <p className={styles['runLine']}>
        {worstKey === null ? (
          <StateBadge state={day.state} />
        ) : (
          <Link href={hrefOf(worstKey)}>
            <StateBadge state={day.state} />
            {day.run?.runKey === worstKey && (
              <>
                {' '}
                <KstShortTime at={day.run.createdAt} />
              </>
            )}
          </Link>
        )}{' '}
        {day.runCount > 0 && (
          <span className={classes['quiet']}>
            {text('day.counts', { runs: day.runCount, troubled: day.troubledCount })}
            {day.recoveredCount > 0 && ` · ${text('day.recovered', { count: day.recoveredCount })}`}
          </span>
        )}
      </p>
      {day.recovered !== null && <RecoveredRun run={day.recovered} hrefOf={hrefOf} />}
      {day.defects.length > 0 && <DefectList defects={day.defects} {...(isWhole ? {} : { most: DEFECTS_IN_ROW })} />}
    </>
  );
}

/** The latest run of the day whose failures a later one has repaired: told, and not red (D216). */
function RecoveredRun({
  run: { runKey, recovery },
  hrefOf,
}: {
  run: PipelineRun;
  hrefOf: (runKey: string) => string;
}): ReactNode {
  const text = useText();
  if (recovery === null) return null;
  return (
    <p className={styles['runLine']}>
      <Tag tone="good" glyph="retrying">
        {text('failures.recovered')}
      </Tag>{' '}
      <KstShortTime at={recovery.at} /> <Link href={hrefOf(runKey)}>{runKey}</Link> {text('day.recoveredBy')}{' '}
      <Link href={hrefOf(recovery.runKey)}>{recovery.runKey}</Link>
    </p>
  );
}

/** The cause of the day's state: a run, or a slot without one; null where nothing counted. */
export function worstKeyOf(day: LaneDay): string | null {
  if (day.run !== null && day.run.openState === day.state) return day.run.runKey;
  return day.defects.find(({ kind }) => kind === 'PLANNING_GAP')?.runKey ?? null;
}
