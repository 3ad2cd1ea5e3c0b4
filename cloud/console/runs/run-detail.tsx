import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { PipelineRun, RunGrid } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useLive } from '../live/refresh.tsx';
import { lanePlace, runPlace } from '../navigation/places.ts';
import { DefectList } from './defect-list.tsx';
import { GapDetail } from './gap-detail.tsx';
import { QuantityLegend } from './quantity.tsx';
import { LaneName, Outcomes, RunBadge } from './run-badges.tsx';
import { RawJson } from './raw-json.tsx';
import classes from './runs.module.css';
import { TaskTable } from './task-table.tsx';

/** One run with everything that the ledger has of it, down to the exact first defect. */
export function RunDetail({ runKey }: { runKey: string }): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  return (
    <Loaded query={useLive(queries.run(runKey))}>
      {({ detail, gap, lanes }) => {
        if (detail !== undefined) return <KnownRun detail={detail} />;
        if (gap !== undefined)
          return <GapDetail gap={gap} runs={lanes.flatMap(({ days }) => days.flatMap((day) => day.runs))} />;
        return text('run.missing');
      }}
    </Loaded>
  );
}

function KnownRun({ detail }: { detail: NonNullable<RunGrid['detail']> }): ReactNode {
  const text = useText();
  const { run, defects, tasks } = detail;
  return (
    <>
      <Panel title={<RunTitle run={run} />} aside={<RunBadge run={run} />}>
        <RunFacts run={run} />
      </Panel>
      <Panel title={text('overview.outcomes')}>
        <Outcomes tasks={run.tasks} />
      </Panel>
      <Panel title={text('overview.defectsCount', { count: defects.length })}>
        <DefectList defects={defects} />
        <p className={classes['note']}>{text('defects.order')}</p>
      </Panel>
      <Panel title={text('run.tasks', { count: tasks.length })}>
        <TaskTable tasks={tasks} run={run} />
        <QuantityLegend />
      </Panel>
      <RawJson of={detail} />
    </>
  );
}

function RunTitle({ run }: { run: PipelineRun }): ReactNode {
  const text = useText();
  return (
    <>
      {text('run.title')} <code className={classes['key']}>{run.runKey}</code>
    </>
  );
}

function RunFacts({ run }: { run: PipelineRun }): ReactNode {
  const text = useText();
  return (
    <Facts
      rows={[
        [text('field.ledgerStatus'), text('ledger.word', { word: run.status })],
        [
          text('field.lane'),
          <Link key="lane" href={lanePlace(run.lane, run.date)}>
            <LaneName lane={run.lane} />
          </Link>,
        ],
        ...(run.skipReason === null
          ? []
          : [[text('field.skipReason'), text('ledger.word', { word: run.skipReason })] as const]),
        ...(run.recovery === null
          ? []
          : [
              [
                text('failures.recovered'),
                <span key="recovery">
                  <KstTime at={run.recovery.at} precision="second" /> {text('day.recoveredBy')}{' '}
                  <Link href={runPlace(run.recovery.runKey)}>
                    <code>{run.recovery.runKey}</code>
                  </Link>
                </span>,
              ] as const,
            ]),
        [text('field.tradeDate'), run.tradingDate ?? <NoValue key="date" />],
        [text('field.deadline'), <KstTime key="deadline" at={run.deadline} precision="second" />],
        [text('field.createdAt'), <KstTime key="created" at={run.createdAt} precision="second" />],
        [text('field.updatedAt'), <KstTime key="updated" at={run.updatedAt} precision="second" />],
        [
          text('field.executionId'),
          run.executionId === null ? <NoValue key="none" /> : <code key="id">{run.executionId}</code>,
        ],
      ]}
    />
  );
}
