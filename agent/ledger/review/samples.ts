/**
 * Samples: a person reviews a share of what the program provided or blocked by itself (D89, D209). The id alone
 * determines the draw, which can be verified: none was chosen or left out by hand.
 *
 * Written out: it runs for every incoming entry, and the counting index is named (`INDEXED BY`), which the builder
 * cannot say.
 */
import type { Selectable } from 'kysely';
import {
  SAMPLE_OUTCOMES,
  type Sample,
  type SampleCounts,
  type SampleKind,
  type SampleOutcome,
} from '../../../shared/wire/console/console.ts';
import { actorName, recordAction, type Actor } from '../audit/audit.ts';
import { isHuman } from '../explanations/transition-table.ts';
import type { TransitionFeature } from '../explanations/transitions.ts';
import { remembered, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import { sqlite, statement } from '../storage/query.ts';
import type { ReviewSampleTable } from '../storage/review-tables.ts';
import { isInShare } from './share.ts';

/** There is no such sample, or it is closed (409). */
export class NotSampledError extends Error {
  override name = 'NotSampledError';
}

/** Whether an explanation belongs to a share in percent: a larger share holds every smaller one. */
export function isSampled(id: string, share: number): boolean {
  return isInShare(`sample ${id}`, share);
}

const shareNow = statement<[], { version: number; share: number }>(
  'SELECT version, sample_share AS share FROM policy_in_force JOIN policy_version USING (version)',
);

const keepSample = statement<[{ id: string; at: string; version: number; share: number; kind: SampleKind }]>(`
  INSERT INTO review_sample (explanation_id, sampled_at, policy_version, share, outcome, kind)
  VALUES (@id, @at, @version, @share, 'OPEN', @kind)
  ON CONFLICT (explanation_id) DO UPDATE SET
    sampled_at = excluded.sampled_at, policy_version = excluded.policy_version, share = excluded.share,
    outcome = 'OPEN', kind = excluded.kind, seen_by_id = NULL, seen_by = NULL, seen_at = NULL`);

/** Draws a text that was just provided or blocked without a review. Another text of the same explanation is reviewed again. */
function draw(tx: LedgerTransaction, { id, at, kind }: { id: string; at: string; kind: SampleKind }): void {
  const now = remembered(tx, 'share of samples', () => tx.first(shareNow()));
  if (now !== undefined && isSampled(id, now.share)) tx.run(keepSample({ id, at, kind, ...now }));
}

/** A person's review of a sample. @throws NotSampledError */
export function markSample(
  tx: LedgerTransaction,
  {
    id,
    outcome,
    actor,
    at,
  }: { id: string; outcome: 'FINE' | 'MISSED'; actor: Extract<Actor, { kind: 'MEMBER' }>; at: string },
): void {
  if (!closeSample(tx, { id, outcome, actor, at })) {
    throw new NotSampledError('This explanation is not a sample that waits to be checked.');
  }
  const action = outcome === 'FINE' ? 'sample.fine' : 'sample.missed';
  recordAction(tx, { at, actor, action, targetType: 'explanation', targetId: id, detail: {} });
}

const close = statement<[{ id: string; outcome: SampleOutcome; by_id: string | null; by: string; at: string }]>(`
  UPDATE review_sample SET outcome = @outcome, seen_by_id = @by_id, seen_by = @by, seen_at = @at
  WHERE explanation_id = @id AND outcome = 'OPEN'`);

/**
 * Closes an open sample; returns whether there was one. A stop, a correction or a return to review counts as a review
 * (`ACTED`).
 */
function closeSample(
  tx: LedgerTransaction,
  { id, outcome, actor, at }: { id: string; outcome: SampleOutcome; actor: Actor; at: string },
): boolean {
  const by_id = actor.kind === 'MEMBER' ? actor.id : null;
  return tx.run(close({ id, outcome, by_id, by: actorName(actor), at })) === 1;
}

/**
 * A person's move closes an open sample; that of a block ends by the move that reverses it alone, since any other is
 * about a later text. What the program provides or blocks may become a sample; a drawn one stays.
 */
export const samples: TransitionFeature = {
  before(tx, { move, ...made }) {
    const isActed = move === 'unblock' || (isHuman(move) && sampleOf(tx, made.id)?.kind === 'PROVIDED');
    if (isActed) closeSample(tx, { ...made, outcome: 'ACTED' });
    return undefined;
  },
  after(tx, { id, move, to, at, screeningId = null }) {
    const kind = to === 'AUTO_PUBLISHED' ? 'PROVIDED' : to === 'BLOCKED' && screeningId !== null ? 'BLOCKED' : null;
    if (kind === null) return;
    if (move === 'text-changed' || (move === 'receive' && sampleOf(tx, id) === null)) draw(tx, { id, at, kind });
  },
};

const sampleRow = statement<[id: string], Selectable<ReviewSampleTable>>(
  'SELECT * FROM review_sample WHERE explanation_id = ?',
);

/** Null for an explanation that is no sample. */
export function sampleOf(reader: LedgerReader, id: string): Sample | null {
  const row = reader.first(sampleRow(id));
  if (row === undefined) return null;
  const { kind, sampled_at, policy_version, share, outcome, seen_by, seen_at } = row;
  return {
    kind,
    sampledAt: sampled_at,
    policyVersion: policy_version,
    share,
    outcome,
    seenBy: seen_by,
    seenAt: seen_at,
  };
}

/** The number of samples of each outcome. */
export function sampleCounts(reader: LedgerReader): SampleCounts {
  const found = reader.all(
    sqlite
      .selectFrom('review_sample')
      .select((eb) => ['outcome', eb.fn.countAll<number>().as('n')])
      .groupBy('outcome'),
  );
  return countsOf(found);
}

const drawnWithin = statement<[{ from: string; before: string; kind: SampleKind }], OutcomeCount>(`
  SELECT outcome, count(*) AS n FROM review_sample INDEXED BY review_sample_by_outcome
  WHERE outcome IN (${SAMPLE_OUTCOMES.map((outcome) => `'${outcome}'`).join(', ')})
    AND sampled_at >= @from AND sampled_at < @before AND kind = @kind
  GROUP BY outcome`);

/** The same for samples of a kind that were drawn from the one instant on and before the other. */
export function sampleCountsWithin(
  reader: LedgerReader,
  within: { from: string; before: string; kind: SampleKind },
): SampleCounts {
  return countsOf(reader.all(drawnWithin(within)));
}

interface OutcomeCount {
  outcome: SampleOutcome;
  n: number;
}

function countsOf(found: readonly OutcomeCount[]): SampleCounts {
  const counts = Object.fromEntries(SAMPLE_OUTCOMES.map((outcome) => [outcome, 0])) as SampleCounts;
  for (const { outcome, n } of found) counts[outcome] = n;
  return counts;
}
