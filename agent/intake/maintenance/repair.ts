/**
 * `intake repair`: asks the cloud again, range by range, for raw bundles that are damaged or missing on the disk, or wait
 * to be applied and are not proved to be the vendor's (sync protocol 4 allows any number of requests for a range). Where
 * the entries are the same as before, nothing else changes; a changed text is screened like the vendor's changes (D37).
 * The quarantine keeps the damaged bodies.
 */
import { commandActor, recordAction } from '../../ledger/audit/audit.ts';
import { isRejected } from '../../ledger/inbox/entries.ts';
import { knownExplanation, receivedAgain, updateVendorFields } from '../../ledger/explanations/explanations.ts';
import { vendorFields } from '../../ledger/storage/vendor-fields.ts';
import type { Ledger, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import {
  insertAgain,
  rawBundleAfter,
  readCursors,
  moveToQuarantine,
  type RawBundle,
  type ReceivedBundle,
} from '../../ledger/inbox/raw-bundles.ts';
import { isIntact } from '../../ledger/inbox/raw-archive.ts';
import { otherBundles } from '../../ledger/inbox/told-bundles.ts';
import { recordApplyFault } from '../../ledger/inbox/sync-state.ts';
import { classifyResponse, type Classification } from '../receive/classify-response.ts';
import {
  CommittedEntries,
  entriesOf,
  provedEntriesOf,
  RawBundleDamagedError,
  readCommitted,
} from '../apply/committed-entries.ts';
import { deriveReadable, lastChange } from '../apply/projection.ts';
import { instrumentFaults } from './domain-faults.ts';
import { NoAnswerError, OversizedAnswerError, type Answer } from '../receive/pull.ts';
import type { ReceptionParts } from '../receive/reception.ts';
import { provedBy, type IsProved } from '../receive/proved.ts';
import { changed, isUnread, rescreen } from '../apply/rescreen.ts';
import type { ScreenEntry } from '../apply/screening.ts';
import { unprovedBundles } from './unproved-texts.ts';

/** A range could not be received again; the message is complete. */
export class RepairError extends Error {
  override name = 'RepairError';
}

/** Most entries of one bundle (sync protocol 4). */
const MOST_ENTRIES = 500;

export type RepairParts = Pick<ReceptionParts, 'pull' | 'clock' | 'verification'> & {
  ledger: Ledger;
  screenEntry: ScreenEntry;
};

/** An unreadable or unproved place: a stored bundle, or a range without one. */
interface Damage {
  cursorFrom: number;
  cursorTo: number;
  /** Null where no stored bundle gives it, or one whose bytes are right and tell otherwise. */
  entryCount: number | null;
  receivedAt: string;
  isStored: boolean;
}

/**
 * Replaces every damaged raw bundle and fills every hole, each in a transaction of its own. Returns the repaired
 * ranges.
 *
 * @throws RepairError with the ranges that were repaired before it
 */
export async function repairRawBundles(parts: RepairParts): Promise<{ cursorFrom: number; cursorTo: number }[]> {
  const repaired: { cursorFrom: number; cursorTo: number }[] = [];
  let areNamesOpen = false;
  for (const damage of damagesOf(parts)) {
    const again = await askAgain(parts, damage);
    const { cursorFrom, cursorTo } = damage;
    parts.ledger.write((tx) => {
      if (damage.isStored)
        moveToQuarantine(
          tx,
          cursorFrom,
          'The stored body did not fit its SHA-256, or the audit log, or waited to be applied and no verification key at hand had signed it; the cloud was asked for the range again.',
        );
      const bundleIds = again.map((bundle) => insertAgain(tx, bundle));
      const ids = again.flatMap((bundle) => namedOtherwise(tx, bundle.cursorFrom));
      if (ids.length > 0 || areNamesOpen) areNamesOpen = !followDerived(tx, parts, ids);
      recordApplyFault(tx, null);
      recordAction(tx, {
        at: parts.clock.now().toISOString(),
        actor: commandActor(),
        action: 'ledger.repair',
        targetType: 'ledger',
        targetId: null,
        detail: { cursorFrom, cursorTo, bundleIds },
      });
    });
    repaired.push({ cursorFrom, cursorTo });
  }
  return repaired;
}

/**
 * The vendor ids of applied entries of a repaired bundle whose content may differ from that at the time of applying.
 */
function namedOtherwise(tx: LedgerTransaction, cursorFrom: number): string[] {
  const raw = rawBundleAfter(tx, cursorFrom);
  if (raw === undefined) return [];
  const { applied } = readCursors(tx);
  const ids: string[] = [];
  for (const each of entriesOf(raw)) {
    const { entry, text } = each;
    if (entry.cursor > applied || isRejected(tx, entry.cursor)) continue;
    const read = readCommitted(each);
    if (read.kind !== 'NEW') continue;
    const fields = vendorFields(read.entry, text);
    const known = knownExplanation(tx, fields);
    // The explanation does not give its content before a later entry that changed it.
    if (known !== undefined && !(known.same && entry.cursor >= known.cursor)) ids.push(fields.explanation_result_id);
  }
  return ids;
}

/**
 * Gives explanations the content that `rebuild` would derive from the raw bundles: the entries of one id build on each
 * other, so another text of one entry changes the effect of the later ones. A changed text is screened as any change is
 * (D37).
 *
 * @returns whether instruments have the names of all entries, those of bundles that are still damaged included
 */
function followDerived(tx: LedgerTransaction, parts: RepairParts, ids: readonly string[]): boolean {
  const { derived, isWhole } = deriveReadable(tx);
  const committed = new CommittedEntries(tx);
  const at = parts.clock.now().toISOString();
  const unproved = unprovedBundles(tx, provedBy(tx, parts.verification), readCursors(tx).applied);
  for (const id of new Set(ids)) {
    const expected = derived.explanations.get(id);
    if (expected === undefined) continue;
    const { raw, entry, fields, came } = committed.newAt(lastChange(expected));
    // A later bundle may be nobody's: its words would be screened, and the log would name it. "verify" tells of it.
    if (unproved.has(raw.cursorFrom)) continue;
    const known = knownExplanation(tx, fields);
    if (known === undefined) continue;
    updateVendorFields(tx, known.id, fields, {
      cursor: lastChange(expected),
      at,
      changes: Math.max(1, expected.changes.length - 1),
    });
    receivedAgain(tx, known.id, expected.receivedAt);
    if (known.status === 'INVALIDATED' || !isUnread(fields, known)) continue;
    rescreen(tx, entry, known, { at, came, screenEntry: parts.screenEntry, ...changed(known) });
  }
  if (isWhole) for (const fault of instrumentFaults(tx, derived)) fault.mend(tx, at);
  return isWhole;
}

function damagesOf({ ledger, clock, verification }: RepairParts): Damage[] {
  const damages: Damage[] = [];
  const { applied, committed } = readCursors(ledger);
  const isProved = provedBy(ledger, verification);
  const isTaken: IsProved = (raw) => raw.cursorTo <= applied || isProved(raw);
  const others = otherBundles(ledger);
  for (let cursor = 0; cursor < committed;) {
    const raw = rawBundleAfter(ledger, cursor);
    const damage =
      raw?.cursorFrom === cursor ? damageOf(raw, others, isTaken) : holeAfter(ledger, cursor, committed, clock.now());
    if (damage !== null) damages.push(damage);
    cursor = damage?.cursorTo ?? raw?.cursorTo ?? committed;
  }
  return damages;
}

function damageOf(raw: RawBundle, others: ReadonlyMap<number, number>, isProved: IsProved): Damage | null {
  const stored = { ...raw, isStored: true };
  try {
    provedEntriesOf(raw, isProved);
    return others.has(raw.cursorFrom) ? stored : null;
  } catch (error) {
    if (!(error instanceof RawBundleDamagedError)) throw error;
    return isIntact(raw) && isProved(raw) ? { ...stored, entryCount: null } : stored;
  }
}

/** The hole from a cursor to the next stored bundle. Its time of receipt comes from its explanations, if any. */
function holeAfter(ledger: Ledger, cursor: number, committed: number, now: Date): Damage {
  const next = ledger.first(
    sqlite
      .selectFrom('raw_bundle')
      .select('cursor_from')
      .where('cursor_from', '>', cursor)
      .orderBy('cursor_from')
      .limit(1),
  );
  const cursorTo = next?.cursor_from ?? committed;
  const came = ledger.first(
    sqlite
      .selectFrom('explanation')
      .select('received_at')
      .where('cursor', '>', cursor)
      .where('cursor', '<=', cursorTo)
      .orderBy('received_at')
      .limit(1),
  );
  const receivedAt = came?.received_at ?? now.toISOString();
  return { cursorFrom: cursor, cursorTo, entryCount: null, receivedAt, isStored: false };
}

/** Requests the same range as one or several bundles: the cloud may cut it differently now. */
async function askAgain(parts: RepairParts, damage: Damage): Promise<ReceivedBundle[]> {
  const { cursorFrom, cursorTo, receivedAt } = damage;
  const bundles: ReceivedBundle[] = [];
  let left = damage.entryCount;
  for (let after = cursorFrom; after < cursorTo;) {
    let told = await askFor(parts, damage, after, left ?? Math.min(MOST_ENTRIES, cursorTo - after));
    // The filling of a hole ends where the next bundle begins; only the answer gives the number of entries up to there.
    const within = told.bundle.entries.filter(({ cursor }) => cursor <= cursorTo).length;
    if (left === null && within > 0 && told.bundle.cursor_to > cursorTo)
      told = await askFor(parts, damage, after, within);
    const { bundle, signature, statement, body } = told;
    if (left !== null) left -= bundle.entries.length;
    const isOther =
      bundle.cursor_to > cursorTo || (left !== null && (left < 0 || (left === 0) !== (bundle.cursor_to === cursorTo)));
    if (isOther)
      throw notRepaired(damage, `The cloud has other records there now: they end at cursor ${bundle.cursor_to}.`);
    bundles.push({
      cursorFrom: after,
      cursorTo: bundle.cursor_to,
      bundleId: bundle.bundle_id,
      entryCount: bundle.entries.length,
      tenantId: bundle.tenant_id,
      body,
      signature,
      statement,
      // When the records came first: a ledger that is derived again keeps it.
      receivedAt,
    });
    after = bundle.cursor_to;
  }
  return bundles;
}

async function askFor(
  parts: RepairParts,
  damage: Damage,
  after: number,
  limit: number,
): Promise<
  Pick<Extract<Classification, { kind: 'BUNDLE' }>, 'bundle' | 'signature' | 'statement'> & { body: Uint8Array }
> {
  const { tenantId } = readCursors(parts.ledger);
  const answer = await ask(parts, after, limit);
  const { verification, clock } = parts;
  const classified = classifyResponse(answer, { after, tenantId, lastHead: null, verification, now: clock.now() });
  if (classified.kind === 'FAILED') throw notRepaired(damage, classified.message);
  if (classified.kind === 'NOTHING_NEW') throw notRepaired(damage, `The cloud has nothing after cursor ${after}.`);
  return { ...classified, body: answer.body };
}

async function ask({ pull }: RepairParts, after: number, limit: number): Promise<Answer> {
  try {
    return await pull({ after, limit }, new AbortController().signal);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof OversizedAnswerError)
      throw new RepairError(`No answer from ${error.message}. Nothing was changed; try again.`);
    throw error;
  }
}

function notRepaired({ cursorFrom, cursorTo }: Damage, why: string): RepairError {
  return new RepairError(
    `The raw bundle after cursor ${cursorFrom} (up to ${cursorTo}) could not be repaired: ${why} It is left as it is: ` +
      'restore the ledger from a backup, or set it and what follows aside with "set-aside".',
  );
}
