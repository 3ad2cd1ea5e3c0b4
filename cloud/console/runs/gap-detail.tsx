import type { ReactNode } from 'react';
import { Badge } from '../../../shared/ui/parts/badge.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { PipelineRun, PlanningGap } from '../../../shared/wire/operator/operator.ts';
import { useText } from '../i18n/use-text.ts';
import { runPlace } from '../navigation/places.ts';
import { GAP_LOOK, RunStrip } from './run-strip.tsx';
import classes from './runs.module.css';

/** A planned slot without a run, beside the runs that its lane had on that day. */
export function GapDetail({ gap, runs }: { gap: PlanningGap; runs: readonly PipelineRun[] }): ReactNode {
  const text = useText();
  const { slotKey, plannedFor, openedAt } = gap;
  return (
    <>
      <Panel
        title={
          <>
            {text('gap.title')} <code className={classes['key']}>{slotKey}</code>
          </>
        }
        aside={<Badge {...GAP_LOOK}>{text('defect.PLANNING_GAP')}</Badge>}
      >
        <Facts
          rows={[
            [text('gap.plannedFor'), <KstTime key="planned" at={plannedFor} precision="second" />],
            [
              text('gap.knownSince'),
              openedAt === null ? text('gap.unnoticed') : <KstTime key="known" at={openedAt} precision="second" />,
            ],
          ]}
        />
        <p className={classes['note']}>{text('gap.meaning')}</p>
      </Panel>
      {gap.lane !== null && (
        <Panel title={text('gap.ofDay')}>
          <RunStrip runs={runs} gaps={[gap]} label={text('gap.ofDay')} openKey={slotKey} hrefOf={runPlace} />
        </Panel>
      )}
    </>
  );
}
