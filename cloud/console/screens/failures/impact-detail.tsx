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
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell, type CsvColumn } from '../../lists/csv.ts';
import { useLive } from '../../live/refresh.tsx';
import {
  analysisPlace,
  datasetTasksPlace,
  etfPlace,
  failurePlace,
  lanePlace,
  runPlace,
} from '../../navigation/places.ts';
import { Quantity } from '../../runs/quantity.tsx';
import { OutcomeWord } from '../../runs/run-badges.tsx';
import runs from '../../runs/runs.module.css';
import { PublicationBadge } from '../analyses/analysis-values.tsx';
import { NeverConnected, TenantName } from '../../verdicts/tenant-name.tsx';
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
                  {text('impact.recovery.at')} <KstTime at={recovery.at} precision="second" />
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
        csv={{
          name: 'impact-etfs',
          columns: [
            [text('field.ticker'), ({ ticker }) => ticker],
            [text('field.instrument'), ({ name }) => name],
            [text('impact.uses'), ({ uses }) => uses],
            [text('impact.ofDay'), ({ analyses }) => analyses],
          ],
        }}
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
          isBound
            ? null
            : {
                id: 'uses',
                head: text('impact.uses'),
                kind: 'number',
                render: ({ uses }) => <Quantity value={uses} />,
              },
          {
            id: 'analyses',
            head: text('impact.ofDay'),
            kind: 'number',
            render: ({ analyses }) => <Quantity value={analyses} />,
          },
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
        csv={{
          name: 'impact-analyses',
          columns: [
            [text('field.id'), ({ id }) => id],
            [text('field.ticker'), ({ ticker }) => ticker],
            [text('field.instrument'), ({ instrumentName }) => instrumentName],
            [text('impact.startedZone'), ({ startedAt }) => timeCell(startedAt)],
            [text('impact.without.mark'), ({ isWithout }) => isWithout],
            [text('field.publicationState'), ({ publicationState }) => text(`publication.${publicationState}`)],
          ],
        }}
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
        csv={{
          name: 'impact-tenants',
          columns: [
            [text('field.tenantId'), ({ tenantId }) => tenantId],
            [text('field.tenant'), ({ name }) => name],
            [text('impact.waiting'), ({ waiting }) => waiting],
            [text('tenants.csv.waitingSince'), ({ waitingSince }) => timeCell(waitingSince)],
          ],
        }}
        columns={[
          {
            id: 'tenant',
            head: text('field.tenant'),
            kind: 'name',
            render: (tenant) => <TenantName tenant={tenant} />,
          },
          {
            id: 'waiting',
            head: text('impact.waiting'),
            kind: 'number',
            render: ({ waiting }) => <Quantity value={waiting} />,
          },
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
  csv,
}: {
  list: { items: readonly T[]; total: number };
  label: string;
  empty: string;
  idOf: (row: T) => string | number;
  columns: readonly (Column<T> | null)[];
  csv: { name: string; columns: readonly CsvColumn<T>[] };
}): ReactNode {
  const text = useText();
  const { items, total } = list;
  if (items.length === 0) return <p className={runs['none']}>{empty}</p>;
  return (
    <div className={runs['scroll']} role="region" aria-label={label} tabIndex={0}>
      <DataTable isDense label={label} rows={items} idOf={idOf} columns={columns} />
      <p className={runs['note']}>
        <CsvButton {...csv} rows={() => Promise.resolve(list)} />{' '}
        {total > items.length && text('impact.capped', { shown: items.length, total })}
      </p>
    </div>
  );
}
