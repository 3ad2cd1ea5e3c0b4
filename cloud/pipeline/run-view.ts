/** A judged run in the form of the wire. */
import type { PipelineRun, Recovery } from '../../shared/wire/operator/operator.ts';
import type { Judged } from './judge.ts';
import { openStateOf } from './recovery.ts';
import type { RunRow } from './runs.ts';

export function toRun(run: RunRow, verdict: Judged, recovery: Recovery | null): PipelineRun {
  const { state, counts, defects } = verdict;
  return {
    runKey: run.run_key,
    lane: run.lane,
    tradingDate: run.trading_date,
    date: run.run_date,
    status: run.status,
    skipReason: run.skip_reason,
    state,
    openState: openStateOf(verdict, recovery),
    deadline: run.deadline?.toISOString() ?? null,
    executionId: run.execution_id,
    createdAt: run.created_at.toISOString(),
    updatedAt: run.updated_at.toISOString(),
    tasks: counts,
    defectCount: defects.length,
    recovery,
  };
}
