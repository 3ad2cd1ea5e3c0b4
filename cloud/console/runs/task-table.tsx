import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime, NoValue } from '../../../shared/ui/time/times.tsx';
import type { PipelineRun, PipelineTask } from '../../../shared/wire/operator/operator.ts';
import { datasetTasksPlace, failurePlace } from '../navigation/places.ts';
import { useText } from '../i18n/use-text.ts';
import { CsvButton } from '../lists/csv-button.tsx';
import { timeCell } from '../lists/csv.ts';
import { Quantity } from './quantity.tsx';
import { OutcomeWord } from './run-badges.tsx';
import { LongText } from './long-text.tsx';
import classes from './runs.module.css';

/** The expected tasks of a run in stage order, with every count that the ledger has. */
export function TaskTable({ tasks, run }: { tasks: readonly PipelineTask[]; run: PipelineRun }): ReactNode {
  const text = useText();
  if (tasks.length === 0) return <p className={classes['none']}>{text('run.noTasks')}</p>;
  return (
    <div
      className={`${classes['scroll']} ${classes['targets']}`}
      role="region"
      aria-label={text('run.taskTable')}
      tabIndex={0}
    >
      <CsvButton
        name={`tasks-${run.runKey.replaceAll('/', '-')}`}
        rows={tasks}
        columns={[
          [text('field.stage'), ({ stage }) => stage],
          [text('failures.task'), ({ taskKey }) => taskKey],
          [text('field.dataset'), ({ dataset }) => dataset],
          [text('failures.required'), ({ required }) => required],
          [text('field.outcome'), ({ outcome }) => (outcome === null ? null : text(`outcome.${outcome}`))],
          [text('field.attempts'), ({ attempts }) => attempts],
          [text('field.recordsOut'), ({ recordsOut }) => recordsOut],
          [text('field.unsupported'), ({ unsupportedRecords }) => unsupportedRecords],
          [text('field.failedRecords'), ({ failedRecords }) => failedRecords],
          [text('facts.field.completenessExpected'), ({ completenessExpected }) => completenessExpected],
          [text('facts.field.completenessActual'), ({ completenessActual }) => completenessActual],
          [text('facts.field.collectedAt'), ({ collectedAt }) => timeCell(collectedAt)],
        ]}
      />
      <DataTable
        isDense
        label={text('run.taskTable')}
        rows={tasks}
        idOf={({ taskKey }) => taskKey}
        columns={[
          { id: 'stage', head: text('field.stage'), kind: 'short', render: ({ stage }) => stage },
          {
            id: 'dataset',
            head: text('field.dataset'),
            kind: 'name',
            render: (task) => <TaskName task={task} run={run} />,
          },
          { id: 'outcome', head: text('field.outcome'), kind: 'short', render: (task) => <TaskOutcome task={task} /> },
          { id: 'attempts', head: text('field.attempts'), kind: 'number', render: ({ attempts }) => attempts },
          {
            id: 'recordsOut',
            head: text('field.recordsOut'),
            kind: 'number',
            render: ({ recordsOut }) => <Quantity value={recordsOut} />,
          },
          {
            id: 'unsupported',
            head: text('field.unsupported'),
            kind: 'number',
            render: ({ unsupportedRecords }) => <Quantity value={unsupportedRecords} />,
          },
          {
            id: 'failed',
            head: text('field.failedRecords'),
            kind: 'number',
            render: ({ failedRecords }) => <Quantity value={failedRecords} />,
          },
          {
            id: 'completeness',
            head: text('field.completeness'),
            kind: 'number',
            render: ({ completenessActual, completenessExpected }) => (
              <>
                <Quantity value={completenessActual} /> / <Quantity value={completenessExpected} />
              </>
            ),
          },
          { id: 'freshness', head: text('field.freshness'), kind: 'wide', render: (task) => <Freshness task={task} /> },
        ]}
      />
    </div>
  );
}

function TaskName({ task, run }: { task: PipelineTask; run: PipelineRun }): ReactNode {
  const text = useText();
  const hasFailed = task.outcome !== null && task.outcome !== 'SUCCEEDED';
  return (
    <>
      {task.dataset === null || task.dataset === '' ? (
        <NoValue />
      ) : (
        <Link href={datasetTasksPlace(run.date, task.dataset)}>
          <code>{task.dataset}</code>
        </Link>
      )}
      {!task.required && <span className={classes['quiet']}> {text('defects.optional')}</span>}
      {hasFailed ? (
        <div>
          <Link href={failurePlace(run.runKey, task.taskKey)}>
            <code>{task.taskKey}</code>
          </Link>
        </div>
      ) : (
        <code className={classes['taskKey']}>{task.taskKey}</code>
      )}
      <Attempts task={task} />
    </>
  );
}

function TaskOutcome({ task }: { task: PipelineTask }): ReactNode {
  const text = useText();
  if (task.outcome !== null) return <OutcomeWord outcome={task.outcome} />;
  return (
    <>
      {text('task.notDue')}
      {task.planStatus !== 'NOT_DUE' && <> {text('ledger.word', { word: task.planStatus })}</>}
    </>
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
            {text('ledger.word', { word: attempt.status })} <KstTime at={attempt.startedAt} precision="second" />
            {attempt.duplicateRetry && <span className={classes['quiet']}> {text('task.duplicateRetry')}</span>}
            {attempt.errorCode !== null && <> · {text('ledger.word', { word: attempt.errorCode })}</>}
            {attempt.errorMessage !== null && (
              <p>
                <LongText>{attempt.errorMessage}</LongText>
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Freshness exists only under a contract. */
function Freshness({ task }: { task: PipelineTask }): ReactNode {
  const text = useText();
  if (task.contractKey === null) return <span className={classes['quiet']}>{text('task.noContract')}</span>;
  return (
    <>
      {task.freshnessStatus === null ? text('quantity.null') : text('ledger.word', { word: task.freshnessStatus })}{' '}
      {text('task.asOf', {
        actual: task.actualAsOf ?? text('quantity.null'),
        expected: task.expectedAsOf ?? text('quantity.null'),
      })}
      {task.freshnessReason !== null && <> · {text('ledger.word', { word: task.freshnessReason })}</>}
    </>
  );
}
