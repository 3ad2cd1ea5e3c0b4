import type { UseQueryResult } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import { DetailPane } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import type { LaneLink, RunOverview } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { placeOf } from '../../navigation/places.ts';
import { RunDetail } from '../../runs/run-detail.tsx';
import { LaneName } from '../../runs/run-badges.tsx';
import { RunStrip } from '../../runs/run-strip.tsx';
import classes from '../../runs/runs.module.css';
import { worstKeyOf, WorstOfDay } from './lane-table.tsx';
import { judgeLanes, type JudgedLane } from './overview-filter.ts';

export interface LaneDetailProps {
  lane: string;
  overview: UseQueryResult<RunOverview>;
  /** Null: the worst of the day, else the last that counted. */
  runKey: string | null;
  hrefOf: (runKey: string) => string;
  onClose: () => void;
}

/** One lane, with one of its runs selected. */
export function LaneDetail({ lane, overview, runKey, hrefOf, onClose }: LaneDetailProps): ReactNode {
  const text = useText();
  const headingId = useId();
  return (
    <DetailPane
      headingId={headingId}
      label={text('lane.detail')}
      head={
        <h2 id={headingId} className={classes['laneTitle']}>
          <LaneName lane={lane} />
        </h2>
      }
      onClose={onClose}
      foot={null}
    >
      <Loaded query={overview}>
        {(read) => {
          const found = judgeLanes(read).find((one) => one.lane === lane);
          return found === undefined ? (
            <EmptyState title={text('lane.unknown')} />
          ) : (
            <KnownLane found={found} runKey={runKey} hrefOf={hrefOf} />
          );
        }}
      </Loaded>
    </DetailPane>
  );
}

function KnownLane({
  found,
  runKey,
  hrefOf,
}: {
  found: JudgedLane;
  runKey: string | null;
  hrefOf: (runKey: string) => string;
}): ReactNode {
  const text = useText();
  const { lane, latestRun, recentRuns, recentGaps, links, day } = found;
  const shown = runKey ?? worstKeyOf(day) ?? found.lastCounted?.runKey ?? latestRun?.runKey ?? null;
  return (
    <>
      <Panel title={text('overview.worst')}>
        <WorstOfDay lane={found} hrefOf={hrefOf} isWhole />
        {day.state !== null && <p className={classes['note']}>{text(`state.${day.state}.meaning`)}</p>}
      </Panel>
      <Links links={links} />
      <Panel title={text('overview.strip')}>
        <RunStrip
          runs={recentRuns}
          gaps={recentGaps}
          label={text('overview.stripOf', { lane })}
          openKey={shown}
          hrefOf={hrefOf}
        />
      </Panel>
      {shown === null ? <p className={classes['none']}>{text('overview.noRun')}</p> : <RunDetail runKey={shown} />}
    </>
  );
}

function Links({ links }: { links: readonly LaneLink[] }): ReactNode {
  const text = useText();
  return (
    <ul className={classes['links']} aria-label={text('lane.links')}>
      {links.map((link) => (
        <li key={link.rel}>
          <Link href={placeOf(link)}>{text(`link.${link.rel}`)}</Link>
        </li>
      ))}
    </ul>
  );
}
