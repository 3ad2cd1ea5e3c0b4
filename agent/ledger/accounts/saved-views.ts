/** Named views of a list: the filter as it appears in the address. They follow the account. */
import { recordAction, type Actor } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import type { SavedView, SavedViewScreen } from '../../../shared/wire/console/saved-views.ts';

/** The most views that a person keeps of one screen. */
export const MOST_VIEWS = 30;

/** The person has the most views of the screen already (409). */
export class TooManyViewsError extends Error {
  override name = 'TooManyViewsError';
  constructor() {
    super(`You keep ${MOST_VIEWS} views of this screen: remove one of them first.`);
  }
}

/** The person has no such view (404). */
export class UnknownViewError extends Error {
  override name = 'UnknownViewError';
}

type Person = Extract<Actor, { kind: 'MEMBER' }>;

/** One person's views, by screen, the latest first. */
export function viewsOf(reader: LedgerReader, memberId: string): SavedView[] {
  return reader.all(
    sqlite
      .selectFrom('saved_view')
      .select(['id', 'screen', 'name', 'search'])
      .where('member_id', '=', memberId)
      .orderBy('screen')
      .orderBy('saved_at', 'desc')
      .orderBy('name'),
  );
}

/** Saves a view; replaces an earlier one of the same name and screen. @throws TooManyViewsError */
export function saveView(
  tx: LedgerTransaction,
  view: { id: string; screen: SavedViewScreen; name: string; search: string; actor: Person; at: string },
): void {
  const { id, screen, name, search, actor, at } = view;
  const kept = viewsOf(tx, actor.id).filter((one) => one.screen === screen);
  if (kept.length >= MOST_VIEWS && !kept.some((one) => one.name === name)) throw new TooManyViewsError();
  tx.run(
    sqlite
      .insertInto('saved_view')
      .values({ id, member_id: actor.id, screen, name, search, saved_at: at })
      .onConflict((conflict) =>
        conflict.columns(['member_id', 'screen', 'name']).doUpdateSet({ search, saved_at: at }),
      ),
  );
  record(tx, 'profile.view-saved', { actor, at, detail: { screen, name } });
}

/** @throws UnknownViewError */
export function removeView(tx: LedgerTransaction, { id, actor, at }: { id: string; actor: Person; at: string }): void {
  const view = viewsOf(tx, actor.id).find((one) => one.id === id);
  if (view === undefined) throw new UnknownViewError(`You have no view ${id}.`);
  tx.run(sqlite.deleteFrom('saved_view').where('id', '=', id));
  record(tx, 'profile.view-removed', { actor, at, detail: { screen: view.screen, name: view.name } });
}

function record(
  tx: LedgerTransaction,
  action: string,
  { actor, at, detail }: { actor: Person; at: string; detail: Record<string, unknown> },
): void {
  recordAction(tx, { at, actor, action, targetType: 'member', targetId: actor.id, detail });
}
