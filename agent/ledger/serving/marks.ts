/**
 * The changes of what is exposed, as marks of a time: policy versions that took effect, and switches of the
 * serving scope, each with the number of its row in the audit log (D233).
 */
import { sql } from 'kysely';
import type { TrafficMark } from '../../../shared/wire/console/console.ts';
import { OF_SERVING } from '../audit/rows-about.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';
import type { ScopeType } from './visibility.ts';

interface Span {
  /** ISO instants, both included. */
  from: string;
  to: string;
}

const switches = prepared(
  ({ from, to }: Span) => sql<{ seq: number; at: string; kind: ScopeType; key: string; enabled: number }>`
    SELECT seq, at, detail ->> '$.scope_type' AS kind, target_id AS key, detail ->> '$.to' AS enabled
    FROM console_action_log INDEXED BY console_action_of_people_by_action
    WHERE action = 'scope.toggle' AND actor_role IS NOT 'SYSTEM' AND at BETWEEN ${from} AND ${to}`,
);

/** A version that was published for later takes effect with its start. */
const versions = prepared(
  ({ from, to }: Span) => sql<{ seq: number; at: string; version: number; automatic: number | null }>`
    SELECT seq, at, CAST(target_id AS INTEGER) AS version, (SELECT value ->> '$.to' FROM json_each(detail, '$.changes')
      WHERE value ->> '$.kind' = 'CRITERION' AND value ->> '$.criterion' = 'autoProvision') AS automatic
    FROM console_action_log INDEXED BY console_action_of_serving
    WHERE ${OF_SERVING} AND at BETWEEN ${from} AND ${to}
      AND (action = 'policy.start' OR action = 'policy.publish' AND detail ->> '$.startsAt' IS NULL)`,
);

/** The marks of a time, oldest first. */
export function marksWithin(reader: LedgerReader, span: Span): TrafficMark[] {
  return [
    ...reader.all(switches(span)).map((row) => ({ ...row, enabled: row.enabled === 1 })),
    ...reader.all(versions(span)).map(({ automatic, ...row }) => ({
      ...row,
      kind: 'POLICY' as const,
      autoProvision: automatic === null ? null : automatic === 1,
    })),
  ].toSorted((one, other) => one.seq - other.seq);
}
