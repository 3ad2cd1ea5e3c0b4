import type { PipelineRun } from '../../../shared/wire/operator/operator.ts';

/** Why a run was skipped; null for a run that counts. */
export const skippedFor = ({ state, skipReason }: Pick<PipelineRun, 'state' | 'skipReason'>): string | null =>
  state === 'READY' ? skipReason : null;
