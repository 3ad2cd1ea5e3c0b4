/**
 * The hold of a text. An approved one goes to no channel for the seconds that the active policy says, so that the
 * reviewer can undo a slip before any customer has seen it; one that lies ahead goes to none until its time (`ahead.ts`).
 * The end of the hold is a time in the ledger, which `visibility.ts` compares with the clock at each request: no process
 * has to act when it passes.
 *
 * The policy holds approvals alone. An auto-provided text has no reviewer who could undo it. A correction replaces a
 * wrong text that customers are reading, so it takes effect at once; a text that is on hold stays on hold when it is
 * corrected.
 */
import { sql } from 'kysely';
import type { Move } from '../../../shared/wire/console/console.ts';
import { cameNow, heldAhead, type Came, type Dated } from './ahead.ts';
import { momentOf } from './visibility.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ExplanationTable } from '../storage/tables.ts';

const timing = sqlite
  .selectFrom('policy_in_force')
  .innerJoin('policy_timing', 'policy_timing.version', 'policy_in_force.version');
const newestHold = prepared(() => timing.select('hold_seconds as seconds'));

const lastServed = prepared(
  (id: string) => sql<{ at: string | null }>`SELECT max(last_at) AS at FROM served_period WHERE explanation_id = ${id}`,
);

/**
 * How long the commit of a move may take, in ms. With less than that left of a hold, a channel may get the text while
 * the move is being written. A text on hold counts as exposed, so that no older one returns.
 */
const COMMIT_MS = 500;

/** The row's columns about its hold and its texts. */
type Held = Pick<ExplanationTable, 'held_until' | 'published_before'>;

export interface HoldChange extends Held {
  /** The text that has been exposed so far; null where none has. */
  exposed: string | null;
  /** 1 where the move ends a hold before its time. */
  during_hold: 0 | 1;
}

interface Moving {
  id: string;
  move: Move;
  at: string;
  isLetOut: boolean;
  cameAt?: string;
  came?: Came;
}

/**
 * The effect of a move on the hold of a row.
 *
 * @param reader the transaction of the move; `at` must have been read inside it, after any waiting for its lock
 * @param isLetOut whether its target state lets the text be exposed
 * @param now its `held_until` is that of the history
 * @param cameAt when the entry came that causes the move: applied late, it ends the same hold (D202)
 * @param came when the text came that the move lets out; absent: a person lets it out now
 */
export function holdAfterMove(
  reader: LedgerReader,
  { id, move, at, isLetOut, cameAt = at, came }: Moving,
  now: Held & Dated & Pick<ExplanationTable, 'published_summary'>,
): HoldChange {
  const committed = new Date(Date.parse(cameAt) + COMMIT_MS).toISOString();
  const { held_until: until } = now;
  const isHeld = until !== null && until > committed && until > (reader.first(lastServed(id))?.at ?? '');
  const exposed = isHeld ? now.published_before : now.published_summary;
  const byPolicy = holdAfter(reader, { id, move, at }, isHeld ? until : null);
  // A correction takes effect at once where customers are reading the text.
  const ahead = isLetOut && (move !== 'correct' || isHeld) ? heldAhead(now, came ?? cameNow(reader, at)) : null;
  const heldNow = byPolicy !== null && ahead !== null && byPolicy > ahead ? byPolicy : (ahead ?? byPolicy);
  return {
    held_until: heldNow,
    published_before: heldNow === null ? null : exposed,
    exposed,
    during_hold: isHeld ? 1 : 0,
  };
}

function holdAfter(
  reader: LedgerReader,
  { id, move, at }: { id: string; move: Move; at: string },
  heldUntil: string | null,
): string | null {
  const isApproval = move === 'approve' || move === 'approve-edited';
  if (!isApproval && !(move === 'correct' && heldUntil !== null)) return null;
  const seconds = reader.first(newestHold())?.seconds ?? 0;
  if (seconds === 0) return heldUntil;
  // `last_at` of a served text proves that its hold has passed, so a new hold must end after it.
  const from = Math.max(Date.parse(at), Date.parse(reader.first(lastServed(id))?.at ?? at));
  const until = new Date(from + seconds * 1_000).toISOString();
  return heldUntil !== null && heldUntil > until ? heldUntil : until;
}

const newlyEnded = prepared(
  (after: string, upTo: string) => sql<{ ticker: string }>`
    SELECT etf_ticker AS ticker FROM explanation WHERE held_until > ${after} AND held_until <= ${upTo}
    UNION SELECT etf_ticker FROM explanation WHERE valid_until > ${after} AND valid_until <= ${upTo}`,
);
const newlyExpired = prepared((after: string, upTo: string) =>
  timing.select('policy_timing.version').where(
    sql<boolean>`substr(${upTo}, 1, 11) || expires_at <= ${upTo} AND substr(${upTo}, 1, 11) || expires_at > ${after}
      OR expires_at IS NOT NULL AND substr(${upTo}, 1, 10) <> substr(${after}, 1, 10)`,
  ),
);

/** The tickers whose exposure may have changed; `UNKNOWN`: what was exposed before cannot be told. */
export type ChangedTickers = ReadonlySet<string> | 'ALL' | 'UNKNOWN';

/**
 * What time alone may have changed since an earlier moment: holds and approvals that have ended; `ALL` where texts have
 * expired, `UNKNOWN` where the clock was set back.
 */
export function changedByTime(reader: LedgerReader, since: Date, until: Date): ChangedTickers {
  const [before, now] = [momentOf(since), momentOf(until)];
  if (now.now < before.now) return 'UNKNOWN';
  if (now.minute !== before.minute && reader.first(newlyExpired(before.minute, now.minute)) !== undefined) return 'ALL';
  return new Set(reader.all(newlyEnded(before.now, now.now)).map(({ ticker }) => ticker));
}

/** Whether time alone has changed the exposure since an earlier moment. */
export function hasChangedByTime(reader: LedgerReader, since: Date, until: Date): boolean {
  const changed = changedByTime(reader, since, until);
  return typeof changed === 'string' || changed.size > 0;
}
