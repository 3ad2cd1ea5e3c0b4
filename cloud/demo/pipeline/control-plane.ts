/**
 * The demo's data for the adapters of the kind `database` (D26): the executions of a day's runs in the control plane,
 * and the present queues.
 */
import { between, later, type Day } from './day.ts';
import type { LedgerRow } from './rows.ts';

/** The delay with which the control plane notes the end of an execution. */
const STOPS_MINUTES = -0.2;
/** The control plane sometimes contradicts the ledger about the end of a run. */
const DISAGREES = 0.03;
/** The control plane sometimes does not know an execution. */
const LOST = 0.03;

/** The control plane's words for the ledger's states. */
const WORDS: Readonly<Record<string, string>> = {
  PENDING: 'RUNNING',
  RUNNING: 'RUNNING',
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  TIMED_OUT: 'TIMED_OUT',
};

/** The execution of each run that has begun; a run that was skipped had none. */
export function generateExecutions(day: Day): void {
  for (const run of day.rows.get('pipeline_run') ?? []) {
    const word = WORDS[String(run['status'])];
    if (word === undefined || run['execution_id'] === null) continue;
    const random = day.random(`execution ${String(run['run_key'])}`);
    const [isLost, disagrees] = [random.next() < LOST, random.next() < DISAGREES];
    if (isLost) continue;
    const isOver = word !== 'RUNNING';
    day.add('workflow_execution', day.at('0000'), {
      execution_id: run['execution_id'] ?? null,
      status: isOver && disagrees ? 'ABORTED' : word,
      stopped_at: isOver ? later(new Date(String(run['updated_at'])), STOPS_MINUTES).toISOString() : null,
    });
  }
}

/** The messages of a queue of the pipeline in quiet times, and in busy ones. */
const QUEUES = [
  { name: 'document-structuring', quiet: 4, busy: 60, hasDead: true },
  { name: 'explanation-requests', quiet: 0, busy: 24, hasDead: true },
  { name: 'minute-collection', quiet: 2, busy: 12, hasDead: true },
  { name: 'tenant-fan-out', quiet: 0, busy: 3, hasDead: false },
] as const;
/** Messages of one queue wait longer and longer for so many minutes of each hour. */
const SWELLS_MINUTES = 20;
const MINUTE_MS = 60_000;

/** The queues at `now`, drawn from the minute: they rise and fall while people look. */
export function generateQueues(day: Day): LedgerRow[] {
  const minute = Math.floor(day.now.getTime() / MINUTE_MS);
  const isBusy = day.trading && day.now >= day.at('0850') && day.now < day.at('1600');
  // Unread dead letters stay for the whole day.
  const letters = day.random('dead letters');
  return QUEUES.map(({ name, quiet, busy, hasDead }) => {
    const random = day.random(`queue ${name} ${minute}`);
    const usual = isBusy ? busy : quiet;
    const swells = name === 'document-structuring' ? Math.max(0, (minute % 60) - (60 - SWELLS_MINUTES)) * 9 : 0;
    const dead = hasDead && letters.next() < 0.35 ? between(letters, 1, 4) : 0;
    return {
      queue_name: name,
      visible: Math.round(usual * (0.8 + 0.3 * random.next())) + swells,
      in_flight: between(random, 0, Math.ceil(usual / 4)),
      delayed: 0,
      dead_visible: hasDead ? dead : null,
      dead_in_flight: hasDead ? 0 : null,
      dead_delayed: hasDead ? 0 : null,
    };
  });
}
