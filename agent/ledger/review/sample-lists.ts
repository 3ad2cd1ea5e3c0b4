/** Samples as they are listed. */
import type { SampleOutcome } from '../../../shared/wire/console/console.ts';
import { readRows } from '../explanations/pages.ts';
import type { ExplanationRow } from '../explanations/explanations.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { sampleCounts } from './samples.ts';

/** The samples with an outcome, those first that have waited longest (index `review_sample_by_outcome`). */
export function listSamples(
  reader: LedgerReader,
  { outcome, page, size }: { outcome: SampleOutcome; page: number; size: number },
  now: Date,
): { rows: ExplanationRow[]; total: number } {
  const ids = reader
    .all(
      sqlite
        .selectFrom('review_sample')
        .select('explanation_id')
        .where('outcome', '=', outcome)
        .orderBy('sampled_at')
        .orderBy('explanation_id')
        .limit(size)
        .offset((page - 1) * size),
    )
    .map(({ explanation_id }) => explanation_id);
  return { rows: readRows(reader, ids, now), total: sampleCounts(reader)[outcome] };
}
