/**
 * The quarantine: answers that violate the envelope (D33), and raw bundles that an operator truncated. Truncated bundles
 * stay for good. Every poll may bring another violating body, because each has its own bundle id, so only the newest
 * are kept, within bounds, and the dropped ones are counted.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { commandActor, recordAction } from '../audit/audit.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';

/** The most violating bodies that are kept: after one cursor, and in all. */
const MOST_PER_CURSOR = 20;
const MOST = 200;
/** Most bytes of all of them: twice the largest body that is read. */
const MOST_BYTES = 128 * 1024 ** 2;

interface Found {
  after: number;
  /** A sentence. */
  reason: string;
  body: Uint8Array;
  /** The header of the vendor's statement, as received. */
  statement: string | null;
  receivedAt: string;
}

const knownBody = prepared((after: number, sha256: Uint8Array) =>
  sqlite.selectFrom('quarantined_bundle').select('id').where('after_cursor', '=', after).where('sha256', '=', sha256),
);
const keep = prepared(({ after, reason, body, statement, receivedAt }: Found, sha256: Uint8Array) =>
  sqlite
    .insertInto('quarantined_bundle')
    .values({ after_cursor: after, reason, body, sha256, statement, received_at: receivedAt }),
);

/** Keeps a body that violates the envelope; the same one after the same cursor once. */
export function quarantine(tx: LedgerTransaction, found: Found): void {
  const sha256 = hash('sha256', found.body, 'buffer');
  if (tx.first(knownBody(found.after, sha256)) !== undefined) return;
  tx.run(keep(found, sha256));
  while (isTooMany(tx, found.after)) drop(tx, found.after);
  while (isTooMany(tx, null)) drop(tx, null);
}

/** Without a cursor: after any. */
type Scope = number | null;

const amount = prepared(
  (after: Scope) => sql<{ bodies: number; bytes: number }>`
  SELECT count(*) AS bodies, coalesce(sum(length(body)), 0) AS bytes FROM quarantined_bundle
  WHERE cursor_to IS NULL AND (${after} IS NULL OR after_cursor = ${after})`,
);

function isTooMany(reader: LedgerReader, after: Scope): boolean {
  const now = reader.first(amount(after));
  if (now === undefined) return false;
  return after === null ? now.bodies > MOST || now.bytes > MOST_BYTES : now.bodies > MOST_PER_CURSOR;
}

// The oldest body among those that break the same rule as another one; where every rule is broken once, the oldest.
const leastTelling = prepared(
  (after: Scope) => sql`
  DELETE FROM quarantined_bundle WHERE id = (
    SELECT id FROM quarantined_bundle AS one WHERE cursor_to IS NULL AND (${after} IS NULL OR after_cursor = ${after})
    ORDER BY EXISTS (SELECT 1 FROM quarantined_bundle AS other WHERE other.cursor_to IS NULL AND other.id > one.id
      AND other.reason = one.reason AND (${after} IS NULL OR other.after_cursor = ${after})) DESC, id LIMIT 1)`,
);
const countDropped = prepared(() =>
  sqlite.updateTable('sync_state').set({ quarantine_dropped: sql`quarantine_dropped + 1` }),
);

function drop(tx: LedgerTransaction, after: Scope): void {
  tx.run(leastTelling(after));
  tx.run(countDropped());
}

export interface Quarantine {
  /** Bodies that are kept, of either kind. */
  kept: number;
  /** Violating ones that are not acknowledged. */
  unseen: number;
  /** Violating bodies that were dropped. */
  dropped: number;
}

const now = prepared(
  () => sql<Quarantine>`
  SELECT quarantine_dropped AS dropped, (SELECT count(*) FROM quarantined_bundle) AS kept,
    (SELECT count(*) FROM quarantined_bundle WHERE cursor_to IS NULL AND id > quarantine_seen) AS unseen
  FROM sync_state WHERE id = 1`,
);

export function quarantineNow(reader: LedgerReader): Quarantine {
  return reader.first(now()) ?? { kept: 0, unseen: 0, dropped: 0 };
}

const seeAll = prepared(() =>
  sqlite.updateTable('sync_state').set({ quarantine_seen: sql`(SELECT coalesce(max(id), 0) FROM quarantined_bundle)` }),
);

/** Records the acknowledgement of the quarantine. Returns the number of newly acknowledged bodies. */
export function acknowledgeQuarantine(tx: LedgerTransaction, at: string): number {
  const { unseen, dropped } = quarantineNow(tx);
  if (unseen === 0) return 0;
  tx.run(seeAll());
  recordAction(tx, {
    at,
    actor: commandActor(),
    action: 'quarantine.acknowledge',
    targetType: 'ledger',
    targetId: null,
    detail: { bundles: unseen, dropped },
  });
  return unseen;
}
