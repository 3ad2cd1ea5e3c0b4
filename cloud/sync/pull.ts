/** A pull, from certificate to the text of the answer (sync protocol 4, D5, D28 to D32). */
import { FULL_BUNDLE_BYTES } from '../../shared/wire/bundle-endpoint.ts';
import { success } from '../../shared/wire/envelope.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import type { Store } from '../store/open.ts';
import { BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import type { EntrySubject, EntryTextRefill } from '../entries/entry-text.ts';
import type { ReadAhead } from './read-ahead.ts';
import { STANDING } from './standing-sql.ts';

export interface PullRequest {
  /** SHA-256 of the certificate that the connection proved, lower-case hexadecimal. */
  fingerprint: string;
  after: number;
  limit: number;
  /**
   * Called with the tenant and its highest cursor once the certificate has been found valid, before any assembly; its
   * error refuses the pull.
   */
  begin?: (tenantId: number, head: number) => void;
  /** Holds the answer prepared for a backlog's next pull; absent: no answer is prepared. */
  ahead?: ReadAhead<AssembledBundle>;
}

export type PullResult =
  | { standing: 'UNKNOWN' }
  | { standing: 'EXPIRED' | 'REVOKED'; tenantId: number }
  | { standing: 'GONE'; tenantId: number; floor: number }
  /** `body` is the whole answer; without entries it has no `result`. */
  | { standing: 'SERVED'; tenantId: number; head: number; entries: number; to: number | null; body: Buffer };

export interface PullParts {
  store: Store;
  clock: Clock;
  ids: Ids;
  /** Whether calculation evidences are delivered. */
  calculations: boolean;
  /** Told of the entries of which no text is kept; absent: nothing is kept again. */
  refill?: EntryTextRefill;
  /** Called with each bundle's body once it is whole, in a backlog before its pull. */
  whole?: (body: Buffer) => void;
  /** For tests: another size at which a bundle is full. */
  fullBundleBytes?: number;
}

interface StandingRow {
  tenant_id: number;
  standing: 'VALID' | 'REVOKED' | 'EXPIRED';
  retention_floor: number;
  head: number;
}

/** What the store gives for a pull. */
export interface AssembledBundle {
  retentionFloor: number;
  head: number;
  entries: number;
  /** The last cursor, and the whole answer; null without entries. */
  last: { to: number; body: Buffer } | null;
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
/** The same, open for the field `result`, and what closes a bundle. */
const BUNDLE_HEAD = `${NOTHING_NEW.slice(0, -1)},"result":`;
const BUNDLE_END = ']}}';
const COMMA = 0x2c;

/** Serves one pull: one small statement finds the tenant and whether records are new, another gives the bundle. */
export async function pull(parts: PullParts, request: PullRequest): Promise<PullResult> {
  const { fingerprint, after, limit, begin, ahead } = request;
  const known = await standingOf(parts, fingerprint);
  if (known === null) return { standing: 'UNKNOWN' };
  const tenantId = known.tenant_id;
  if (known.standing !== 'VALID') return { standing: known.standing, tenantId };
  begin?.(tenantId, known.head);
  if (after < known.retention_floor) return { standing: 'GONE', tenantId, floor: known.retention_floor };
  if (after >= known.head) return nothingNew(tenantId, known.head);
  const bundle = (await ahead?.take(tenantId, { after, limit })) ?? (await assemble(parts, tenantId, after, limit));
  if (after < bundle.retentionFloor) return { standing: 'GONE', tenantId, floor: bundle.retentionFloor };
  // An answer that was assembled beforehand knows an earlier head.
  const head = Math.max(known.head, bundle.head);
  if (bundle.last === null) return nothingNew(tenantId, head);
  const { entries } = bundle;
  const { to, body } = bundle.last;
  if (entries === limit && to < head) {
    ahead?.begin(tenantId, { after: to, limit }, () => assemble(parts, tenantId, to, limit));
  }
  return { standing: 'SERVED', tenantId, head, entries, to, body };
}

/** The one place that asks the store for a bundle. @throws IncompleteBundleError */
async function assemble(parts: PullParts, tenantId: number, after: number, limit: number): Promise<AssembledBundle> {
  const full = parts.fullBundleBytes ?? FULL_BUNDLE_BYTES;
  const [first, ...records] = await parts.store.rowsOf(BUNDLE_ENTRIES, [
    tenantId,
    after,
    limit,
    parts.calculations,
    full,
  ]);
  if (first === undefined) throw new IncompleteBundleError(tenantId, after);
  const entries: Buffer[] = [];
  const unkept: EntrySubject[] = [];
  let to: number | null = null;
  for (const [, , cursor, entry, resultId, analysisId] of records) {
    if (!entry) throw new IncompleteBundleError(tenantId, after);
    entries.push(entry);
    to = Number(cursor);
    if (resultId || analysisId)
      unkept.push({ resultId: resultId?.toString() ?? null, analysisId: analysisId?.toString() ?? null });
  }
  parts.refill?.ask(unkept);
  const last = to === null ? null : { to, body: bundleOf(parts, { tenantId, after, to, entries }) };
  if (last !== null) parts.whole?.(last.body);
  return { retentionFloor: Number(first[0]), head: Number(first[1]), entries: entries.length, last };
}

function nothingNew(tenantId: number, head: number): PullResult {
  return { standing: 'SERVED', tenantId, head, entries: 0, to: null, body: Buffer.from(NOTHING_NEW) };
}

export type Identified =
  | { standing: 'UNKNOWN'; tenantId: null }
  | { standing: StandingRow['standing']; tenantId: number; head: number };

/** Identifies a certificate's tenant, for requests without a pull. */
export async function identify(parts: PullParts, fingerprint: string): Promise<Identified> {
  const row = await standingOf(parts, fingerprint);
  if (row === null) return { standing: 'UNKNOWN', tenantId: null };
  return { standing: row.standing, tenantId: row.tenant_id, head: row.head };
}

async function standingOf({ store, clock }: PullParts, fingerprint: string): Promise<StandingRow | null> {
  const [row] = await store.prepared<StandingRow>(STANDING.name, STANDING.text, [fingerprint, clock.now()]);
  return row ?? null;
}

/** The envelope with its bundle; id and time are new in every answer. */
function bundleOf(
  { ids, clock }: PullParts,
  { tenantId, after, to, entries }: { tenantId: number; after: number; to: number; entries: readonly Buffer[] },
): Buffer {
  const head =
    `${BUNDLE_HEAD}{"bundle_id":"${ids.uuid()}","tenant_id":${tenantId},"generated_at":"${clock.now().toISOString()}",` +
    `"cursor_from":${after},"cursor_to":${to},"entries":[`;
  const commas = entries.length - 1;
  const size = entries.reduce((sum, { length }) => sum + length, head.length + commas + BUNDLE_END.length);
  const body = Buffer.allocUnsafeSlow(size);
  let at = body.write(head, 'latin1');
  for (const [index, entry] of entries.entries()) {
    if (index > 0) body[at++] = COMMA;
    at += entry.copy(body, at);
  }
  body.write(BUNDLE_END, at, 'latin1');
  return body;
}
