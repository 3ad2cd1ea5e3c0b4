import { useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { kstDate } from '../../../../shared/time/kst.ts';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { ListFoot, ListRow, ListScreen, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import type { FailedTask, Failures } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { CsvButton } from '../../lists/csv-button.tsx';
import { timeCell } from '../../lists/csv.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { daysPlace, runPlace } from '../../navigation/places.ts';
import { OutcomeWord } from '../../runs/run-badges.tsx';
import runs from '../../runs/runs.module.css';
import { readFailureFilter, writeFailureFilter, type FailureFilter } from './failure-filter.ts';
import { ImpactDetail } from './impact-detail.tsx';
import { Reason } from './reason.tsx';

const PLACE = '/failures';

/** The failed tasks of a day; one of them with its effects (D132). */
export function FailuresScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const openRun = useOpenId();
  const addressed = useSearch();
  const filter = useMemo(() => readFailureFilter(new URLSearchParams(addressed)), [addressed]);
  const failures = useLive(queries.failures(filter.date));
  const asOf = failures.data?.asOf;
  const placeOf = (run: string | null, changes: Partial<FailureFilter>): string =>
    `${run === null ? PLACE : `${PLACE}/${encodeURIComponent(run)}`}${writeFailureFilter({ ...filter, ...changes })}`;
  const close = (): void => navigate(placeOf(null, { task: null }));
  return (
    <ListScreen
      title={text('nav.failures')}
      aside={<LiveBar query={failures} asOf={asOf} />}
      tools={
        <div className={runs['dayLine']}>
          <DayField
            label={text('failures.date')}
            value={filter.date ?? failures.data?.date ?? null}
            max={asOf === undefined ? undefined : kstDate(new Date(asOf))}
            onChange={(date) => navigate(placeOf(null, { date, task: null }))}
          />
          {filter.date !== null && (
            <Link href={placeOf(null, { date: null, task: null })}>{text('failures.latest')}</Link>
          )}
        </div>
      }
      tableLabel={text('failures.table')}
      foot={
        failures.data !== undefined && (
          <ListFoot
            count={text('failures.counts', countsOf(failures.data))}
            tools={
              <CsvButton
                name={`failures-${failures.data.date}`}
                rows={failures.data.runs.flatMap((run) => run.tasks.map((task) => ({ run, task })))}
                columns={[
                  [text('field.lane'), ({ run }) => run.lane],
                  [text('run.title'), ({ run }) => run.runKey],
                  [text('failures.task'), ({ task }) => task.taskKey],
                  [text('facts.field.dataset'), ({ task }) => task.dataset],
                  [text('failures.required'), ({ task }) => task.required],
                  [text('field.outcome'), ({ task }) => text(`outcome.${task.outcome}`)],
                  [text('field.errorCode'), ({ task }) => task.errorCode],
                  [text('failures.reason'), ({ task }) => task.errorMessage],
                  [text('failures.atZone'), ({ task }) => timeCell(task.at)],
                  [text('failures.recoveredZone'), ({ task }) => timeCell(task.recovery?.at)],
                  [text('failures.recoveredBy'), ({ task }) => task.recovery?.runKey],
                ]}
              />
            }
          />
        )
      }
      onClosePanel={close}
      detail={
        openRun === null || filter.task === null ? null : (
          <ImpactDetail runKey={openRun} taskKey={filter.task} onClose={close} />
        )
      }
    >
      <Loaded query={failures}>
        {({ runs: failed }) =>
          failed.length === 0 ? (
            <NothingFailed date={filter.date} />
          ) : (
            <ListTable label={text('failures.table')}>
              <thead>
                <tr>
                  <th scope="col">{text('failures.task')}</th>
                  <th scope="col">{text('field.outcome')}</th>
                  <th scope="col">{text('failures.reason')}</th>
                  <th scope="col">{text('failures.recoveredZone')}</th>
                  <th scope="col" data-leaves="second">
                    {text('failures.atZone')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {failed.flatMap(({ runKey, tasks }) =>
                  tasks.map((task) => (
                    <ListRow
                      key={`${runKey} ${task.taskKey}`}
                      isOpen={runKey === openRun && task.taskKey === filter.task}
                      onOpen={() => navigate(placeOf(runKey, { task: task.taskKey }))}
                    >
                      <th scope="row" className={runs['targets']}>
                        <Link href={placeOf(runKey, { task: task.taskKey })}>{task.taskKey}</Link>
                        <div>
                          <Link href={runPlace(runKey)}>
                            <code>{runKey}</code>
                          </Link>
                        </div>
                      </th>
                      <td>
                        <OutcomeWord outcome={task.outcome} />
                        {!task.required && <div className={runs['quiet']}>{text('defects.optional')}</div>}
                      </td>
                      <td>
                        <Reason task={task} />
                      </td>
                      <td>
                        <RecoveryOf task={task} />
                      </td>
                      <td data-leaves="second">
                        <KstShortTime at={task.at} />
                      </td>
                    </ListRow>
                  )),
                )}
              </tbody>
            </ListTable>
          )
        }
      </Loaded>
    </ListScreen>
  );
}

/** No task failed; what was planned and never ran has none. */
function NothingFailed({ date }: { date: string | null }): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const grid = useLive(queries.history({ to: date, days: 1, lane: '' })).data;
  const missed =
    grid === undefined
      ? 0
      : grid.lanes.flatMap(({ days }) => days.flatMap(({ planningGaps }) => planningGaps)).length +
        grid.unreadableGaps.length;
  if (grid === undefined || missed === 0) return <EmptyState title={text('failures.empty')} />;
  return (
    <EmptyState title={text('failures.emptyMissed', { count: missed })}>
      <Link href={`${daysPlace(grid.to)}&days=1&only=failed`}>{text('failures.missed')}</Link>
    </EmptyState>
  );
}

/** The failed tasks of the day that are open, and those that a later run has repaired (D216). */
function countsOf({ runs: failed }: Failures): { open: number; recovered: number } {
  const tasks = failed.flatMap((run) => run.tasks);
  const open = tasks.filter(({ recovery }) => recovery === null).length;
  return { open, recovered: tasks.length - open };
}

function RecoveryOf({ task: { recovery } }: { task: FailedTask }): ReactNode {
  const text = useText();
  if (recovery === null) return <Tag tone="bad">{text('failures.open')}</Tag>;
  return (
    <>
      <Tag tone="good" glyph="retrying">
        {text('failures.recovered')}
      </Tag>{' '}
      <KstShortTime at={recovery.at} />
      <div>
        <Link href={runPlace(recovery.runKey)}>
          <code>{recovery.runKey}</code>
        </Link>
      </div>
    </>
  );
}
