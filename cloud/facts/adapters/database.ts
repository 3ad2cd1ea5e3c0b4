/**
 * Control plane and queues as tables of the cloud's store, for the embedded default and for tests (D26).
 *
 * One parameter holds any number of ids.
 */
import { sql } from 'kysely';
import { snapshot, type DatabaseClock } from '../../pipeline/snapshot.ts';
import type { Store } from '../../store/open.ts';
import type { QueueCounts, QueueAdapter, WorkflowAdapter } from './adapters.ts';

export function databaseWorkflows(store: Store, clock: DatabaseClock): WorkflowAdapter {
  return {
    read: (executionIds) =>
      snapshot(store, clock, async ({ trx, asOf }) => {
        const { rows } = await sql<{ id: string; status: string; stopped_at: Date | null }>`
          select execution_id as id, status, stopped_at from workflow_execution
          where execution_id in (select json_array_elements_text(${JSON.stringify(executionIds)}::json))`.execute(trx);
        return {
          at: asOf,
          executions: new Map(rows.map((row) => [row.id, { status: row.status, stoppedAt: row.stopped_at }])),
        };
      }),
  };
}

export function databaseQueues(store: Store): QueueAdapter {
  return {
    read: async () => {
      const { rows } = await sql<QueueCounts>`
        select queue_name as name, visible, in_flight as "inFlight", delayed,
          coalesce(dead_visible, 0) + coalesce(dead_in_flight, 0) + coalesce(dead_delayed, 0) as dlq
        from message_queue`.execute(store.db);
      return rows;
    },
  };
}
