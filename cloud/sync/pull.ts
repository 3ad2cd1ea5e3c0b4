/** A pull, from certificate to the text of the answer (sync protocol 4, D5, D28 to D32). */
import { FULL_BUNDLE_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { success } from '../../shared/wire/envelope.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import type { Store } from '../store/open.ts';
import { pullBatcher, type CertificateStatus } from './pull-batcher.ts';
import { CollectedBundle } from '../entries/collected-bundle.ts';
import type { ReplicaBundles } from './replica-bundles.ts';
import { STATUS_FOR_REPLICA } from './certificate-sql.ts';

export interface PullRequest {
  /** SHA-256 of the certificate that the connection proved, lower-case hexadecimal. */
  fingerprint: string;
  after: number;
  limit: number;
  /**
   * Called with the tenant and its highest cursor once the certificate has been found valid, before its bundle is asked
   * for; its error refuses the pull.
   */
  begin?: (tenantId: number, head: number) => void;
}

export type PullResult =
  | { standing: 'UNKNOWN' }
  | { standing: 'EXPIRED' | 'REVOKED'; tenantId: number }
  | { standing: 'GONE'; tenantId: number; floor: number }
  /** `body` is the whole answer; without entries it has no `result`. */
  | {
      standing: 'SERVED';
      tenantId: number;
      head: number;
      entries: number;
      to: number | null;
      body: Buffer;
    };

export interface PullParts {
  store: Store;
  clock: Clock;
  ids: Ids;
  /** Whether calculation evidences are delivered. */
  calculations: boolean;
  /** Gives bundles in place of the primary; absent: there is no read replica. */
  replica?: ReplicaBundles | undefined;
  /** For tests: another size at which a bundle is full. */
  fullBundleBytes?: number;
}

interface StatusRow extends CertificateStatus {
  /** With a replica, and where a bundle follows: the moment that it must hold. */
  origin?: string | null;
  snapshot?: string | null;
}

/** A delivery record without its body: the store has been tampered with, and the bundle would have a hole. */
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
/** One for all pulls: it is hashed and signed once. */
const NOTHING_NEW_BODY = Buffer.from(NOTHING_NEW);
/** The same, open for the field `result`. */
const BUNDLE_HEAD = `${NOTHING_NEW.slice(0, -1)},"result":`;

/**
 * Serves one pull: one small statement finds the tenant and whether records are new, another gives the bundle.
 *
 * @throws IncompleteBundleError
 */
export async function pull(parts: PullParts, request: PullRequest): Promise<PullResult> {
  const { fingerprint, after, limit, begin } = request;
  const known = await (parts.replica === undefined
    ? certificateStatus(parts, fingerprint)
    : statusForReplica(parts, fingerprint, after));
  if (known === null) return { standing: 'UNKNOWN' };
  const tenantId = known.tenant_id;
  if (known.standing !== 'VALID') return { standing: known.standing, tenantId };
  begin?.(tenantId, known.head);
  if (after < known.retention_floor) return { standing: 'GONE', tenantId, floor: known.retention_floor };
  if (after >= known.head) return nothingNew(tenantId, known.head);
  const bundle = await collected(parts, known, after, limit);
  const { retentionFloor: floor, entries, to } = bundle;
  if (floor === null || bundle.isIncomplete) throw new IncompleteBundleError(tenantId, after);
  if (after < floor) return { standing: 'GONE', tenantId, floor };
  // Records may have been issued between the two statements.
  const head = Math.max(known.head, bundle.head);
  if (to === null) return nothingNew(tenantId, head);
  return { standing: 'SERVED', tenantId, head, entries, to, body: bundle.body(headOf(parts, { tenantId, after, to })) };
}

/** The one place that asks the store for a bundle. */
async function collected(
  { store, calculations, replica, fullBundleBytes = FULL_BUNDLE_BYTES }: PullParts,
  { tenant_id: tenantId, head, origin, snapshot }: StatusRow,
  after: number,
  limit: number,
): Promise<CollectedBundle> {
  const how = { calculations, fullBundleBytes };
  if (replica !== undefined && origin && snapshot) {
    const bundle = new CollectedBundle();
    if (await replica.read({ head, origin, snapshot }, { tenantId, after, limit, bundle }, how)) return bundle;
  }
  const bundle = new CollectedBundle();
  await pullBatcher(store).bundle({ tenantId, after, limit, bundle }, Math.min(limit, head - after), how);
  return bundle;
}

function nothingNew(tenantId: number, head: number): PullResult {
  return { standing: 'SERVED', tenantId, head, entries: 0, to: null, body: NOTHING_NEW_BODY };
}

export type Identified =
  | { standing: 'UNKNOWN'; tenantId: null }
  | { standing: StatusRow['standing']; tenantId: number; head: number };

/** Identifies a certificate's tenant, for requests without a pull. */
export async function identify(parts: PullParts, fingerprint: string): Promise<Identified> {
  const row = await certificateStatus(parts, fingerprint);
  if (row === null) return { standing: 'UNKNOWN', tenantId: null };
  return { standing: row.standing, tenantId: row.tenant_id, head: row.head };
}

function certificateStatus({ store, clock }: PullParts, fingerprint: string): Promise<StatusRow | null> {
  return pullBatcher(store).standing({ fingerprint, at: clock.now() });
}

/** The same, with the moment that a replica must hold to give the bundle after the cursor. */
async function statusForReplica(
  { store, clock }: PullParts,
  fingerprint: string,
  after: number,
): Promise<StatusRow | null> {
  const { name, text } = STATUS_FOR_REPLICA;
  const [row] = await store.prepared<StatusRow>(name, text, [fingerprint, clock.now(), after]);
  return row ?? null;
}

/** The envelope and the bundle's own fields, up to its entries; id and time are new in every answer. */
function headOf(
  { ids, clock }: PullParts,
  { tenantId, after, to }: { tenantId: number; after: number; to: number },
): string {
  return (
    `${BUNDLE_HEAD}{"bundle_id":"${ids.uuid()}","tenant_id":${tenantId},"generated_at":"${clock.now().toISOString()}",` +
    `"cursor_from":${after},"cursor_to":${to},"entries":[`
  );
}
