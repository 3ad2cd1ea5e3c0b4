import { useMemo, type ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { kstDate } from '../../../../shared/time/kst.ts';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { useOpenId } from '../../../../shared/ui/frame/open-id.ts';
import { ListFoot, ListRow, ListScreen, ListTable } from '../../../../shared/ui/list/list-screen.tsx';
import { EmptyState, Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import { runPlace } from '../../navigation/places.ts';
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
            count={text('failures.total', {
              total: failures.data.runs.reduce((sum, { tasks }) => sum + tasks.length, 0),
            })}
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
            <EmptyState title={text('failures.empty')} />
          ) : (
            <ListTable label={text('failures.table')}>
              <thead>
                <tr>
                  <th scope="col">{text('failures.task')}</th>
                  <th scope="col">{text('field.outcome')}</th>
                  <th scope="col">{text('failures.reason')}</th>
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
