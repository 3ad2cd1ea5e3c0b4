/**
 * Samples: a person reviews a share of what the program exposed or blocked by itself (D89, D209). The id alone
 * determines the draw, which can be verified: none was chosen or left out by hand.
 */
import { sql } from 'kysely';
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
import { prepared, sqlite } from '../storage/query.ts';
import { isInShare } from './share.ts';

/** There is no such sample, or it is closed (409). */
export class NotSampledError extends Error {
  override name = 'NotSampledError';
}

/** Whether an explanation belongs to a share in percent: a larger share holds every smaller one. */
export function isSampled(id: string, share: number): boolean {
  return isInShare(`sample ${id}`, share);
}

const shareNow = prepared(() =>
  sqlite
    .selectFrom('policy_in_force')
    .innerJoin('policy_version', 'policy_version.version', 'policy_in_force.version')
    .select(['policy_in_force.version', 'sample_share as share']),
);

const keepSample = prepared(
  ({ id, at, version, share, kind }: { id: string; at: string; version: number; share: number; kind: SampleKind }) => {
    const drawn = { sampled_at: at, policy_version: version, share, outcome: 'OPEN', kind } as const;
    const unseen = { seen_by_id: null, seen_by: null, seen_at: null };
    return sqlite
      .insertInto('review_sample')
      .values({ explanation_id: id, ...drawn })
      .onConflict((conflict) => conflict.column('explanation_id').doUpdateSet({ ...drawn, ...unseen }));
  },
);

/** Draws a text that was just exposed or blocked without a review. Another text of the same explanation is reviewed again. */
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

const close = prepared(
  (id: string, outcome: SampleOutcome, seen_by_id: string | null, seen_by: string, seen_at: string) =>
    sqlite
      .updateTable('review_sample')
      .set({ outcome, seen_by_id, seen_by, seen_at })
      .where('explanation_id', '=', id)
      .where('outcome', '=', 'OPEN'),
);

/**
 * Closes an open sample; returns whether there was one. A stop, a correction or a return to review counts as a review
 * (`ACTED`).
 */
function closeSample(
  tx: LedgerTransaction,
  { id, outcome, actor, at }: { id: string; outcome: SampleOutcome; actor: Actor; at: string },
): boolean {
  const by_id = actor.kind === 'MEMBER' ? actor.id : null;
  return tx.run(close(id, outcome, by_id, actorName(actor), at)) === 1;
}

/**
 * A person's move closes an open sample; that of a block ends by the move that reverses it alone, since any other is
 * about a later text. What the program exposes or blocks may become a sample; a drawn one stays.
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

const sampleRow = prepared((id: string) =>
  sqlite.selectFrom('review_sample').selectAll().where('explanation_id', '=', id),
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

type Within = { from: string; before: string; kind: SampleKind };
const drawnWithin = prepared(
  ({ from, before, kind }: Within) => sql<OutcomeCount>`
  SELECT outcome, count(*) AS n FROM review_sample INDEXED BY review_sample_by_outcome
  WHERE outcome IN (${sql.join(SAMPLE_OUTCOMES.map((outcome) => sql.lit(outcome)))})
    AND sampled_at >= ${from} AND sampled_at < ${before} AND kind = ${kind}
  GROUP BY outcome`,
);

/** The same for samples of a kind that were drawn from the one instant on and before the other. */
export function sampleCountsWithin(reader: LedgerReader, within: Within): SampleCounts {
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
