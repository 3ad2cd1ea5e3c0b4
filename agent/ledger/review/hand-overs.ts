/**
 * Items that a reviewer has handed over (D236): to a person whose name the item's history or presence already shows, or
 * to any other reviewer, since only the Tenant Admin may see who the reviewers are (D70). It says whose turn it is, and
 * keeps nobody from deciding. It ends when somebody takes the item, with any move, and when the item waits for
 * somebody in another way.
 */
import { sql } from 'kysely';
import type { HandedOver } from '../../../shared/wire/console/console.ts';
import { recordAction, type Actor } from '../audit/audit.ts';
import { MoveNotAllowedError, type TransitionFeature } from '../explanations/transitions.ts';
import { isActiveReviewer } from '../policy/second-person.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { HandedOverItemTable } from '../storage/review-tables.ts';
import { itemNow, refuseStale } from './claims.ts';

/** No other reviewer of this name has to do with the item (409). */
export class RecipientError extends Error {
  override name = 'RecipientError';
}

interface Handing {
  id: string;
  actor: Extract<Actor, { kind: 'MEMBER' }>;
  at: string;
  expectedVersion?: number;
}

type NamedRecipient = { id: string; name: string; giver: string };
/** The people in the rows of an item, by the name that they had then or have now. */
const peopleNamed = prepared(
  ({ id, name, giver }: NamedRecipient) => sql<{ id: string }>`
  SELECT DISTINCT member.id FROM console_action_log AS said JOIN member ON member.id = said.actor_id
  WHERE said.target_id = ${id} AND said.actor_role IS NOT 'SYSTEM' AND said.target_type = 'explanation'
    AND (said.actor = ${name} OR member.display_name = ${name}) AND member.id <> ${giver}`,
);

/**
 * Hands a waiting item over; a further act replaces it. @param to a display name; null: any other reviewer
 *
 * @throws UnknownExplanationError, MoveNotAllowedError, VersionMismatchError, RecipientError
 */
export function handOver(tx: LedgerTransaction, { to, ...handing }: Handing & { to: string | null }): void {
  const { id, actor, at } = handing;
  const now = itemNow(tx, id);
  if (now.status !== 'PENDING_REVIEW') throw new MoveNotAllowedError('hand-over', now.status, now.version);
  refuseStale(handing, now);
  const given_to_id = to === null ? null : recipient(tx, { id, name: to, giver: actor.id });
  endHandOver(tx, id);
  const given = { given_by_id: actor.id, given_by: actor.displayName, given_to_id, given_to: to, given_at: at };
  tx.run(sqlite.insertInto('handed_over_item').values({ explanation_id: id, ...given }));
  record(tx, 'review.handed-over', handing, { handedTo: to, handedToId: given_to_id });
}

/** One refusal for all reasons: it tells nothing about who has which role. No two accounts ever have the same name. */
function recipient(reader: LedgerReader, asked: NamedRecipient): string {
  const found = reader.all(peopleNamed(asked)).find((person) => isActiveReviewer(reader, person.id));
  if (found === undefined)
    throw new RecipientError('The item cannot be handed over to a person of this name: hand it to any other reviewer.');
  return found.id;
}

/** Ends a hand-over, if there is one: the item is its taker's turn again. @throws UnknownExplanationError, VersionMismatchError */
export function takeItem(tx: LedgerTransaction, handing: Handing): void {
  const { id } = handing;
  refuseStale(handing, itemNow(tx, id));
  const given = tx.first(sqlite.selectFrom('handed_over_item').selectAll().where('explanation_id', '=', id));
  if (given === undefined) return;
  endHandOver(tx, id);
  record(tx, 'review.taken', handing, { handedBy: given.given_by, handedTo: given.given_to });
}

const dropHandOver = prepared((id: string) => sqlite.deleteFrom('handed_over_item').where('explanation_id', '=', id));

export function endHandOver(tx: LedgerTransaction, id: string): void {
  tx.run(dropHandOver(id));
}

export const handOvers: TransitionFeature = {
  before(tx, { id }) {
    endHandOver(tx, id);
    return undefined;
  },
};

/** Whether it counts: whoever may not decide any more cannot have a turn. */
function counts(reader: LedgerReader, { given_to_id }: Pick<HandedOverItemTable, 'given_to_id'>): boolean {
  return given_to_id === null || isActiveReviewer(reader, given_to_id);
}

function isTurnOf(memberId: string, { given_by_id, given_to_id }: HandedOverItemTable): boolean {
  return given_to_id === null ? given_by_id !== memberId : given_to_id === memberId;
}

/** The hand-overs that count, by explanation, as this person may see them. */
export function handOversFor(
  reader: LedgerReader,
  ids: readonly string[],
  memberId: string,
): ReadonlyMap<string, HandedOver> {
  const rows = reader.all(sqlite.selectFrom('handed_over_item').selectAll().where('explanation_id', 'in', ids));
  return new Map(
    rows
      .filter((row) => counts(reader, row))
      .map((row) => [
        row.explanation_id,
        { by: row.given_by, to: row.given_to, at: row.given_at, mine: isTurnOf(memberId, row) },
      ]),
  );
}

/** Few: people make them one by one. */
const waitingHandOvers = prepared(() =>
  sqlite
    .selectFrom('handed_over_item')
    .innerJoin('explanation', 'explanation.id', 'handed_over_item.explanation_id')
    .select('explanation.number')
    .selectAll('handed_over_item')
    .where('explanation.status', '=', sql.lit('PENDING_REVIEW')),
);

/** The numbers of the waiting items that are handed over to somebody else than this person. */
export function handedToOthers(reader: LedgerReader, memberId: string): number[] {
  return reader
    .all(waitingHandOvers())
    .flatMap((row) => (counts(reader, row) && !isTurnOf(memberId, row) ? [row.number] : []));
}

function record(
  tx: LedgerTransaction,
  action: 'review.handed-over' | 'review.taken',
  { id, actor, at }: Handing,
  detail: Record<string, unknown>,
): void {
  recordAction(tx, { at, actor, action, targetType: 'explanation', targetId: id, detail });
}
