import type { ReactNode } from 'react';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { PipelineTask } from '../../../shared/wire/operator.ts';
import { useText } from '../i18n/use-text.ts';
import { Quantity } from './quantity.tsx';
import { OutcomeWord } from './run-looks.tsx';
import classes from './runs.module.css';

/** The expected tasks of a run in stage order, with every count that the ledger has. */
export function TaskTable({ tasks }: { tasks: readonly PipelineTask[] }): ReactNode {
  const text = useText();
  if (tasks.length === 0) return <p className={classes['none']}>{text('run.noTasks')}</p>;
  return (
    <div className={classes['scroll']} role="region" aria-label={text('run.taskTable')} tabIndex={0}>
      <table className={classes['tasks']} aria-label={text('run.taskTable')}>
        <thead>
          <tr>
            <th scope="col">{text('field.stage')}</th>
            <th scope="col">{text('field.dataset')}</th>
            <th scope="col">{text('field.outcome')}</th>
            <th scope="col" data-number>
              {text('field.attempts')}
            </th>
            <th scope="col" data-number>
              {text('field.recordsOut')}
            </th>
            <th scope="col" data-number>
              {text('field.unsupported')}
            </th>
            <th scope="col" data-number>
              {text('field.failedRecords')}
            </th>
            <th scope="col" data-number>
              {text('field.completeness')}
            </th>
            <th scope="col">{text('field.freshness')}</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <TaskRow key={task.taskKey} task={task} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TaskRow({ task }: { task: PipelineTask }): ReactNode {
  const text = useText();
  return (
    <tr>
      <td>{task.stage}</td>
      <th scope="row">
        {task.dataset === null || task.dataset === '' ? <NoValue /> : <code>{task.dataset}</code>}
        {!task.required && <span className={classes['quiet']}> {text('defects.optional')}</span>}
        <code className={classes['taskKey']}>{task.taskKey}</code>
        <Attempts task={task} />
      </th>
      <td>
        {task.outcome === null ? (
          <>
            {text('task.notDue')} <code>{task.planStatus}</code>
          </>
        ) : (
          <OutcomeWord outcome={task.outcome} />
        )}
      </td>
      <td data-number>{task.attempts}</td>
      <td data-number>
        <Quantity value={task.recordsOut} />
      </td>
      <td data-number>
        <Quantity value={task.unsupportedRecords} />
      </td>
      <td data-number>
        <Quantity value={task.failedRecords} />
      </td>
      <td data-number>
        <Quantity value={task.completenessActual} /> / <Quantity value={task.completenessExpected} />
      </td>
      <td>
        <Freshness task={task} />
      </td>
    </tr>
  );
}

function Attempts({ task }: { task: PipelineTask }): ReactNode {
  const text = useText();
  if (task.attemptList.length === 0) return null;
  return (
    <details className={classes['attempts']}>
      <summary>{text('task.attempts', { count: task.attemptList.length })}</summary>
      <ol>
        {task.attemptList.map((attempt, index) => (
          <li key={index}>
            <code>{attempt.status}</code> <KstTime at={attempt.startedAt} precision="second" />
            {attempt.duplicateRetry && <span className={classes['quiet']}> {text('task.duplicateRetry')}</span>}
            {attempt.errorCode !== null && (
              <>
                {' '}
                <code>{attempt.errorCode}</code>
              </>
            )}
            {attempt.errorMessage !== null && <p>{attempt.errorMessage}</p>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Freshness stands only under a contract; without one there is nothing to be fresh by. */
function Freshness({ task }: { task: PipelineTask }): ReactNode {
  const text = useText();
  if (task.contractKey === null) return <span className={classes['quiet']}>{text('task.noContract')}</span>;
  return (
    <span className={classes['freshness']}>
      <code>{task.freshnessStatus ?? text('quantity.null')}</code>{' '}
      {text('task.asOf', {
        actual: task.actualAsOf ?? text('quantity.null'),
        expected: task.expectedAsOf ?? text('quantity.null'),
      })}
      {task.freshnessReason !== null && <> · {task.freshnessReason}</>}
    </span>
  );
}
