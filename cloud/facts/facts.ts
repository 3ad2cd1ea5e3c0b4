/**
 * The facts of one day (operator API 2 and 4): every axis of the store from one snapshot, then workflows and queues.
 *
 * The planner's settings belong to one transaction.
 *
 * Before it: `cloud/facts/handlers.ts`. After it: `cloud/facts/boundary.ts`.
 */
import { sql } from 'kysely';
import type { Facts, QueueFact, RunFact } from '../../shared/wire/facts.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { passedSlots } from '../pipeline/gaps.ts';
import { readRhythm } from '../pipeline/rhythm.ts';
import { snapshot, type DatabaseClock } from '../pipeline/snapshot.ts';
import type { Store, Trx } from '../store/open.ts';
import { readBoundary } from './boundary.ts';
import { readChain } from './chain.ts';
import { foldDatasets, lacksDataset } from './datasets.ts';
import { findBaseline, latestDay } from './day.ts';
import { readEtfLedger } from './etf-ledger.ts';
import { byCodePoint } from '../store/code-point-order.ts';
import { readOutputs } from './outputs.ts';
import type { QueueAdapter, WorkflowReading, WorkflowAdapter } from './adapters/adapters.ts';
import { readRuns, type StoredRun } from './runs.ts';
import { readNavAsOf, readTasks } from './tasks.ts';

export interface FactsParts {
  store: Store;
  databaseClock: DatabaseClock;
  /** Null: this cloud has no such axis, and its keys are absent (D26). */
  workflows: WorkflowAdapter | null;
  queues: QueueAdapter | null;
}

/** Logs a fault that leaves the answer incomplete without failing it. */
export type Warn = (values: object, message: string) => void;

/**
 * @param asked a date that exists, or null for the latest day with something in it
 * @throws ApiError FACTS4001 for a day that has not begun in Korea by the database's clock (D44)
 */
export async function readFacts(parts: FactsParts, asked: string | null, warn: Warn): Promise<Facts> {
  const { runs, meta, ...axes } = await readStore(parts, asked, warn);
  // After the snapshot: the outside systems have their own clocks, and no transaction stays open for them.
  const [reading, queues] = await Promise.all([readWorkflows(parts, runs, warn), readQueues(parts, warn)]);
  return {
    runs: runs.map((run) => withExecution(run, reading)),
    meta: { ...meta, ...(reading === undefined ? {} : { cloud: reading?.at.toISOString() ?? null }) },
    ...axes,
    ...(queues === undefined ? {} : { queues }),
  };
}

/**
 * Every axis reaches the rows of its day by index look-ups. A plan that scans a table or sorts all years may be cheaper
 * today and grows with every day of history.
 */
async function useIndexLookups(trx: Trx): Promise<void> {
  await sql`select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`.execute(trx);
}

/** From here on statements select rows by lists of ids and join those few rows. */
async function allowJoins(trx: Trx): Promise<void> {
  await sql`select set_config('enable_hashjoin', 'on', true), set_config('enable_sort', 'on', true)`.execute(trx);
}

interface StoreFacts extends Omit<Facts, 'runs' | 'queues'> {
  runs: StoredRun[];
}

function readStore({ store, databaseClock }: FactsParts, asked: string | null, warn: Warn): Promise<StoreFacts> {
  return snapshot(store, databaseClock, async ({ trx, asOf, today }) => {
    await useIndexLookups(trx);
    if (asked !== null && asked > today) throw new ApiError('FACTS4001');
    const day = asked ?? (await latestDay(trx, today));
    const { runs, unreadableSlots } = await readRuns(trx, day);
    if (unreadableSlots.length > 0) warn({ slotKeys: unreadableSlots }, 'keys of planned slots cannot be read');
    const outputs = await readOutputs(trx, day, day === today, await findBaseline(trx, day));
    const boundary = await readBoundary(trx);
    await allowJoins(trx);
    const tasks = await readTasks(trx, day);
    const nameless = tasks.filter(lacksDataset).map(({ id }) => id);
    if (nameless.length > 0) warn({ expectedTaskIds: nameless }, 'tasks without a dataset count in no dataset');
    return {
      runs,
      meta: { db: asOf.toISOString(), today: day },
      tasks: tasks.map(({ fact }) => fact),
      datasets: foldDatasets(tasks, await readNavAsOf(trx, day)),
      outputs,
      boundary,
      chain: await readChain(trx, day),
      etfLedger: await readEtfLedger(trx, day),
      slots: (await passedSlots(trx, day, day, asOf)).map(({ slotKey, lane, plannedFor }) => ({
        id: slotKey,
        lane,
        plannedFor: plannedFor.toISOString(),
      })),
      rhythm: await readRhythm({ trx, asOf, today }, day),
    };
  });
}

/** Undefined: this cloud has no such axis. Null: a look-up failed, so the axis is not measured (D47). */
async function readWorkflows(
  { workflows }: FactsParts,
  runs: readonly StoredRun[],
  warn: Warn,
): Promise<WorkflowReading | null | undefined> {
  if (workflows === null) return undefined;
  const ids = runs.flatMap(({ executionId }) => (executionId === null ? [] : [executionId]));
  try {
    return await workflows.read(ids);
  } catch (error) {
    warn({ err: error }, 'the workflow control plane cannot be read');
    return null;
  }
}

function withExecution({ fact, executionId }: StoredRun, reading: WorkflowReading | null | undefined): RunFact {
  if (reading === undefined) return fact;
  const { planned, noRunRow, ...run } = fact;
  const execution = executionId === null ? undefined : reading?.executions.get(executionId);
  // The control plane may name a stop time for a running execution; it has not stopped.
  const stoppedAt = execution?.status === 'RUNNING' ? null : execution?.stoppedAt;
  return {
    ...run,
    cloudStatus: execution?.status ?? null,
    cloudStop: stoppedAt?.toISOString() ?? null,
    ...(planned === undefined ? {} : { planned }),
    ...(noRunRow === undefined ? {} : { noRunRow }),
  };
}

/** Sorted by name, without empty queues (D51). */
async function readQueues({ queues }: FactsParts, warn: Warn): Promise<QueueFact[] | null | undefined> {
  if (queues === null) return undefined;
  try {
    const seen = await queues.read();
    return seen
      .filter(({ visible, inFlight, delayed, dlq }) => visible + inFlight + delayed + dlq > 0)
      .map(({ name, visible, inFlight, dlq }) => ({ name, visible, inFlight, dlq }))
      .toSorted((a, b) => byCodePoint(a.name, b.name));
  } catch (error) {
    warn({ err: error }, 'the queues cannot be read');
    return null;
  }
}
