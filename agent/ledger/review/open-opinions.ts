/**
 * Open requests for a second opinion, and the effect of a move on them: a request never decides and never prolongs
 * exposure. Any move of the item ends it; only its author must confirm a decision to expose the text before the
 * opinion comes.
 */
import { sql } from 'kysely';
import type { Move } from '../../../shared/wire/console/console.ts';
import { actorName, type Actor } from '../audit/audit.ts';
import type { TransitionFeature } from '../explanations/transitions.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** The author of the request is about to expose the text without the opinion and has not confirmed that (409). */
export class OpinionAwaitedError extends Error {
  override name = 'OpinionAwaitedError';
  /** The id of the request. */
  readonly opinionId: number;
  constructor(opinionId: number) {
    super('Your request for a second opinion is still open: confirm that you decide without it.');
    this.opinionId = opinionId;
  }
}

const openOf = prepared((explanationId: string) =>
  sqlite
    .selectFrom('second_opinion')
    .select(['id', 'asked_by_id'])
    .where('explanation_id', '=', sql<string>`+${explanationId}`)
    .where('outcome', '=', sql.lit('OPEN')),
);

export function openOpinion(reader: LedgerReader, id: string): { id: number; asked_by_id: string } | undefined {
  return reader.first(openOf(id));
}

const overtake = prepared((opinionId: number, ended_by_id: string | null, ended_by: string, ended_at: string) =>
  sqlite
    .updateTable('second_opinion')
    .set({ outcome: 'OVERTAKEN', ended_by_id, ended_by, ended_at })
    .where('id', '=', opinionId),
);

/**
 * Ends the open request about an item that is about to be moved.
 *
 * @returns the id of the request, where its own author proceeds without it; otherwise undefined
 * @throws OpinionAwaitedError
 */
function overtakeOpinion(
  tx: LedgerTransaction,
  request: { id: string; move: Move; actor: Actor; at: string; withoutOpinion?: boolean },
): number | undefined {
  const { id, move, actor, at, withoutOpinion = false } = request;
  const open = openOpinion(tx, id);
  if (open === undefined) return undefined;
  const isAuthor = actor.kind === 'MEMBER' && actor.id === open.asked_by_id;
  const exposes = move === 'approve' || move === 'approve-edited';
  if (isAuthor && exposes && !withoutOpinion) throw new OpinionAwaitedError(open.id);
  tx.run(overtake(open.id, actor.kind === 'MEMBER' ? actor.id : null, actorName(actor), at));
  return isAuthor && exposes ? open.id : undefined;
}

/** A move ends the open request; the audit row records that its author proceeded without it. */
export const secondOpinions: TransitionFeature = {
  before(tx, transition) {
    const passedOver = overtakeOpinion(tx, transition);
    return passedOver === undefined ? undefined : { detail: { withoutOpinion: passedOver } };
  },
};
