import { Button } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiProblem } from '../../../../shared/ui/http/request.ts';
import { DetailPane } from '../../../../shared/ui/list/list-screen.tsx';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { Facts, Panel } from '../../../../shared/ui/parts/panel.tsx';
import { DataTable, type Column } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime, KstTime, NoValue, useAge } from '../../../../shared/ui/time/times.tsx';
import type { TaskImpact } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { useLive } from '../../live/refresh.tsx';
import {
  analysisPlace,
  datasetTasksPlace,
  etfPlace,
  failurePlace,
  lanePlace,
  runPlace,
} from '../../navigation/places.ts';
import { OutcomeWord } from '../../runs/run-badges.tsx';
import runs from '../../runs/runs.module.css';
import { PublicationBadge } from '../analyses/analysis-values.tsx';
import { NeverConnected, TenantName } from '../tenants/tenant-name.tsx';
import { Reason } from './reason.tsx';

export interface ImpactDetailProps {
  runKey: string;
  taskKey: string;
  onClose: () => void;
}

/**
 * A failed source: the reason, the ETFs that depend on it, their analyses of the day, and the tenants that wait for
 * these.
 */
export function ImpactDetail({ runKey, taskKey, onClose }: ImpactDetailProps): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const headingId = useId();
  const impact = useLive(queries.taskImpact(runKey, taskKey));
  if (impact.error instanceof ApiProblem && impact.error.status === 404)
    return (
      <EmptyState title={text('impact.missing')}>
        <Button variant="default" onClick={onClose}>
          {text('list.closeDetail')}
        </Button>
      </EmptyState>
    );
  return (
    <DetailPane
      headingId={headingId}
      label={text('impact.detail')}
      head={
        <h2 id={headingId} className={runs['laneTitle']}>
          {taskKey}
        </h2>
      }
      onClose={onClose}
      foot={null}
    >
      <Loaded query={impact}>
        {(found) => (
          <>
            {found.task.outcome === 'SUCCEEDED' && <p className={runs['note']}>{text('impact.succeeded')}</p>}
            <Cause impact={found} />
            <Etfs impact={found} />
            <Analyses impact={found} />
            <Tenants impact={found} />
          </>
        )}
      </Loaded>
    </DetailPane>
  );
}

interface Part {
  impact: TaskImpact;
}

function Cause({ impact: { run, task, blocked } }: Part): ReactNode {
  const { recovery } = task;
  const text = useText();
  return (
    <Panel title={text('impact.failure')} aside={<OutcomeWord outcome={task.outcome} />}>
      <div className={runs['targets']}>
        <Facts
          rows={[
            [text('failures.reason'), <Reason key="reason" task={task} />],
            [
              text('run.title'),
              <Link key="run" href={runPlace(run.runKey)}>
                <code>{run.runKey}</code>
              </Link>,
            ],
            [
              text('field.lane'),
              <Link key="lane" href={lanePlace(run.lane, run.date)}>
                <code>{run.lane}</code>
              </Link>,
            ],
            [
              text('facts.field.dataset'),
              task.dataset === null || task.dataset === '' ? (
                <NoValue key="none" />
              ) : (
                <Link key="dataset" href={datasetTasksPlace(run.date, task.dataset)}>
                  <code>{task.dataset}</code>
                </Link>
              ),
            ],
            [text('failures.atZone'), <KstTime key="at" at={task.at} precision="second" />],
            [
              text('impact.recovery'),
              recovery === null ? (
                text('impact.recovery.none')
              ) : (
                <span key="recovery">
                  <Link href={runPlace(recovery.runKey)}>
                    <code>{recovery.runKey}</code>
                  </Link>{' '}
                  {text('impact.recovery.at')} <KstTime at={recovery.at} />
                </span>
              ),
            ],
            [
              text('impact.blocked'),
              blocked.length === 0
                ? text('impact.blocked.none')
                : blocked.map((key, index) => (
                    <span key={key}>
                      {index > 0 && ', '}
                      <Link href={failurePlace(run.runKey, key)}>
                        <code>{key}</code>
                      </Link>
                    </span>
                  )),
            ],
          ]}
        />
      </div>
    </Panel>
  );
}

function Etfs({ impact: { etfs, lineage } }: Part): ReactNode {
  const text = useText();
  const isBound = lineage.basis === 'NOT_RECORDED';
  return (
    <Panel title={text(isBound ? 'impact.etfsBound' : 'impact.etfs', { count: etfs.total })}>
      <p className={runs['note']}>{text(`impact.basis.${lineage.basis}`, { from: lineage.from, to: lineage.to })}</p>
      <Rows
        list={etfs}
        label={text('impact.etfsTable')}
        empty={text('impact.noEtfs')}
        idOf={({ instrumentId }) => instrumentId}
        columns={[
          {
            id: 'etf',
            head: text('field.instrument'),
            kind: 'name',
            render: ({ ticker, name }) => (
              <Link href={etfPlace(ticker)}>
                <code>{ticker}</code> {name}
              </Link>
            ),
          },
          isBound ? null : { id: 'uses', head: text('impact.uses'), kind: 'number', render: ({ uses }) => uses },
          { id: 'analyses', head: text('impact.ofDay'), kind: 'number', render: ({ analyses }) => analyses },
        ]}
      />
    </Panel>
  );
}

function Analyses({ impact: { analyses, task } }: Part): ReactNode {
  const { recovery } = task;
  const text = useText();
  return (
    <Panel title={text('impact.analyses', { count: analyses.total })}>
      {task.outcome !== 'SUCCEEDED' && (
        <p className={runs['note']}>{text('impact.without', { count: analyses.without })}</p>
      )}
      <Rows
        list={analyses}
        label={text('impact.analysesTable')}
        empty={text('impact.noAnalyses')}
        idOf={({ id }) => id}
        columns={[
          {
            id: 'analysis',
            head: text('field.instrument'),
            kind: 'name',
            render: ({ id, ticker, instrumentName }) => (
              <Link href={analysisPlace(id)}>
                <code>{ticker}</code> {instrumentName}
              </Link>
            ),
          },
          {
            id: 'started',
            head: text('impact.startedZone'),
            kind: 'short',
            render: ({ startedAt }) => <KstShortTime at={startedAt} />,
          },
          task.outcome === 'SUCCEEDED'
            ? null
            : {
                id: 'when',
                head: text('impact.when'),
                kind: 'short',
                render: ({ isWithout, startedAt }) =>
                  isWithout ? (
                    <Tag tone="wait" glyph="warning">
                      {text('impact.without.mark')}
                    </Tag>
                  ) : (
                    <span className={runs['quiet']}>
                      {text(
                        recovery !== null && startedAt >= recovery.at ? 'impact.afterRecovery' : 'impact.beforeFailure',
                      )}
                    </span>
                  ),
              },
          {
            id: 'state',
            head: text('field.publicationState'),
            kind: 'short',
            render: ({ publicationState }) => <PublicationBadge state={publicationState} />,
          },
        ]}
      />
    </Panel>
  );
}

function Tenants({ impact: { tenants } }: Part): ReactNode {
  const text = useText();
  const age = useAge();
  return (
    <Panel title={text('impact.tenants', { count: tenants.total })}>
      <p className={runs['note']}>{text('impact.tenants.note')}</p>
      <Rows
        list={tenants}
        label={text('impact.tenantsTable')}
        empty={text('impact.noTenants')}
        idOf={({ tenantId }) => tenantId}
        columns={[
          {
            id: 'tenant',
            head: text('field.tenant'),
            kind: 'name',
            render: (tenant) => <TenantName tenant={tenant} />,
          },
          { id: 'waiting', head: text('impact.waiting'), kind: 'number', render: ({ waiting }) => waiting },
          {
            id: 'since',
            head: text('impact.waitingSince'),
            render: ({ waitingSince }) => (waitingSince === null ? <NoValue /> : age(waitingSince)),
          },
        ]}
      />
      <NeverConnected count={tenants.neverConnected} />
    </Panel>
  );
}

/** A table of the listed rows, with the number of further ones. */
function Rows<T>({
  list,
  label,
  empty,
  idOf,
  columns,
}: {
  list: { items: readonly T[]; total: number };
  label: string;
  empty: string;
  idOf: (row: T) => string | number;
  columns: readonly (Column<T> | null)[];
}): ReactNode {
  const text = useText();
  const { items, total } = list;
  if (items.length === 0) return <p className={runs['none']}>{empty}</p>;
  return (
    <div className={runs['scroll']} role="region" aria-label={label} tabIndex={0}>
      <DataTable isDense label={label} rows={items} idOf={idOf} columns={columns} />
      {total > items.length && <p className={runs['note']}>{text('impact.capped', { shown: items.length, total })}</p>}
    </div>
  );
}
