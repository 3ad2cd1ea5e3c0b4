/** A pull, from certificate to the text of the answer (document 3 section 4, D5, D28 to D32). */
import { FULL_BUNDLE_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { success } from '../../shared/wire/envelope.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import type { Store } from '../store/open.ts';
import { PULL_SQL, PULL_STATEMENT } from './bundle-sql.ts';

export interface PullRequest {
  /** SHA-256 of the certificate that the connection proved, lower-case hexadecimal. */
  fingerprint: string;
  after: number;
  limit: number;
}

export type PullResult =
  | { standing: 'UNKNOWN' | 'EXPIRED' }
  | { standing: 'REVOKED'; tenantId: number }
  | { standing: 'GONE'; tenantId: number; floor: number }
  /** `body` is the whole answer; without entries it has no `result`. */
  | { standing: 'SERVED'; tenantId: number; head: number; entries: number; to: number | null; body: string };

export interface PullParts {
  store: Store;
  clock: Clock;
  ids: Ids;
  /** Whether calculation evidences are delivered. */
  calculations: boolean;
  /** For tests: another size at which a bundle is full. */
  fullBundleBytes?: number;
}

interface PullRow {
  tenant_id: number;
  standing: 'VALID' | 'REVOKED' | 'EXPIRED';
  retention_floor: number;
  head: number;
  picked_count: number;
  cursor_to: number | null;
  entry_count: number;
  entries: string | null;
}

/** A delivery record whose body is gone: the store has been tampered with, and the bundle would have a hole. */
export class IncompleteBundleError extends Error {
  constructor(tenantId: number, after: number) {
    super(
      `A delivery record of tenant ${tenantId} after cursor ${after} refers to rows that are not there; the bundle is not sent.`,
    );
    this.name = 'IncompleteBundleError';
  }
}

/** The answer of a pull with nothing new: the envelope without `result`, never an empty bundle. */
const NOTHING_NEW = JSON.stringify(success());
/** The same, open for the field `result`. */
const BUNDLE_HEAD = `${NOTHING_NEW.slice(0, -1)},"result":`;

/** Serves one pull by one statement. */
export async function pull(parts: PullParts, request: PullRequest): Promise<PullResult> {
  const row = await ask(parts, request.fingerprint, request.after, request.limit);
  if (row === null) return { standing: 'UNKNOWN' };
  if (row.standing === 'REVOKED') return { standing: 'REVOKED', tenantId: row.tenant_id };
  if (row.standing === 'EXPIRED') return { standing: 'EXPIRED' };
  const tenantId = row.tenant_id;
  if (request.after < row.retention_floor) return { standing: 'GONE', tenantId, floor: row.retention_floor };
  if (row.entry_count !== row.picked_count) throw new IncompleteBundleError(tenantId, request.after);
  const body =
    row.entries === null || row.cursor_to === null
      ? NOTHING_NEW
      : assembleBundle(parts, tenantId, request.after, row.cursor_to, row.entries);
  return { standing: 'SERVED', tenantId, head: row.head, entries: row.entry_count, to: row.cursor_to, body };
}

/** Whose certificate it is, for requests that pull nothing. */
export async function identify(
  parts: PullParts,
  fingerprint: string,
): Promise<{ standing: 'UNKNOWN' | 'EXPIRED' | 'REVOKED' | 'VALID'; tenantId: number | null }> {
  const row = await ask(parts, fingerprint, null, 0);
  return row === null ? { standing: 'UNKNOWN', tenantId: null } : { standing: row.standing, tenantId: row.tenant_id };
}

async function ask(
  parts: PullParts,
  fingerprint: string,
  after: number | null,
  limit: number,
): Promise<PullRow | null> {
  const rows = await parts.store.prepared<PullRow>(PULL_STATEMENT, PULL_SQL, [
    fingerprint,
    parts.clock.now(),
    after,
    limit,
    parts.calculations,
    parts.fullBundleBytes ?? FULL_BUNDLE_BYTES,
  ]);
  return rows[0] ?? null;
}

/** The envelope with its bundle; id and time are new in every answer. */
function assembleBundle(parts: PullParts, tenantId: number, after: number, to: number, entries: string): string {
  return (
    `${BUNDLE_HEAD}{"bundle_id":"${parts.ids.uuid()}","tenant_id":${tenantId},"generated_at":"${parts.clock.now().toISOString()}",` +
    `"cursor_from":${after},"cursor_to":${to},"entries":[${entries}]}}`
  );
}
