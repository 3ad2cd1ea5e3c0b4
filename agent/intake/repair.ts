/**
 * `intake repair`: raw bundles that were damaged on the disk are asked for again, range by range (document 3
 * section 4 lets the same range be asked for as often as one likes). Where they say what they said, nothing else
 * changes; another text is screened as the vendor's changes are (D37). The damaged bodies are kept in the quarantine.
 */
import { recordAction } from '../ledger/audit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  putBack,
  rawBundleAfter,
  readCursors,
  setAside,
  type RawBundle,
  type ReceivedBundle,
} from '../ledger/raw-bundles.ts';
import { recordApplyFault } from '../ledger/sync-state.ts';
import { judgeAnswer } from './answer.ts';
import { applyRepaired } from './apply.ts';
import { entriesOf, RawBundleDamagedError } from './committed.ts';
import { NoAnswerError, OversizedAnswerError, type Answer } from './pull.ts';
import type { ReceptionParts } from './reception.ts';
import type { ScreenEntry } from './screening.ts';

/** A range could not be had again; the message is the whole story. */
export class RepairError extends Error {
  override name = 'RepairError';
}

export type RepairParts = Pick<ReceptionParts, 'pull' | 'clock' | 'verifyKey'> & {
  ledger: Ledger;
  screenEntry: ScreenEntry;
};

/**
 * Replaces every damaged raw bundle, each in a transaction of its own. Returns the ranges that were.
 *
 * @throws RepairError with those that were repaired before it
 */
export async function repairRawBundles(parts: RepairParts): Promise<{ cursorFrom: number; cursorTo: number }[]> {
  const repaired: { cursorFrom: number; cursorTo: number }[] = [];
  for (const raw of damagedBundles(parts.ledger)) {
    const again = await askAgain(parts, raw);
    const { cursorFrom, cursorTo } = raw;
    parts.ledger.write((tx) => {
      setAside(tx, cursorFrom, 'The stored body did not fit its SHA-256; the cloud was asked for the range again.');
      for (const bundle of again) {
        putBack(tx, bundle);
        const stored = rawBundleAfter(tx, bundle.cursorFrom);
        if (stored !== undefined) for (const entry of entriesOf(stored)) applyRepaired(tx, parts, entry);
      }
      recordApplyFault(tx, null);
      recordAction(tx, {
        at: parts.clock.now().toISOString(),
        actor: { kind: 'SYSTEM' },
        action: 'ledger.repair',
        targetType: 'ledger',
        targetId: null,
        detail: { cursorFrom, cursorTo },
      });
    });
    repaired.push({ cursorFrom, cursorTo });
  }
  return repaired;
}

function damagedBundles(ledger: Ledger): RawBundle[] {
  const damaged: RawBundle[] = [];
  const { committed } = readCursors(ledger);
  for (let cursor = 0; cursor < committed;) {
    const raw = rawBundleAfter(ledger, cursor);
    if (raw?.cursorFrom !== cursor)
      throw new RepairError(`The raw bundle after cursor ${cursor} is missing: restore the ledger from a backup.`);
    try {
      entriesOf(raw);
    } catch (error) {
      if (!(error instanceof RawBundleDamagedError)) throw error;
      damaged.push(raw);
    }
    cursor = raw.cursorTo;
  }
  return damaged;
}

/** The same range as one or several bundles: the cloud may cut it otherwise than it did then. */
async function askAgain(parts: RepairParts, raw: RawBundle): Promise<ReceivedBundle[]> {
  const { tenantId } = readCursors(parts.ledger);
  const bundles: ReceivedBundle[] = [];
  for (let after = raw.cursorFrom, left = raw.entryCount; after < raw.cursorTo;) {
    const answer = await ask(parts, after, left);
    const now = parts.clock.now();
    const judged = judgeAnswer(answer, { after, tenantId, lastHead: null, verifyKey: parts.verifyKey, now });
    if (judged.kind === 'FAILED') throw notRepaired(raw, judged.message);
    if (judged.kind === 'NOTHING_NEW') throw notRepaired(raw, `The cloud has nothing after cursor ${after}.`);
    const { bundle, signature } = judged;
    left -= bundle.entries.length;
    if (left < 0 || (left === 0) !== (bundle.cursor_to === raw.cursorTo))
      throw notRepaired(raw, `The cloud has other records there now: they end at cursor ${bundle.cursor_to}.`);
    bundles.push({
      cursorFrom: after,
      cursorTo: bundle.cursor_to,
      bundleId: bundle.bundle_id,
      entryCount: bundle.entries.length,
      tenantId: bundle.tenant_id,
      body: answer.body,
      signature,
      // When the records came first: a ledger that is derived again keeps it.
      receivedAt: raw.receivedAt,
    });
    after = bundle.cursor_to;
  }
  return bundles;
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

function notRepaired({ cursorFrom, cursorTo }: RawBundle, why: string): RepairError {
  return new RepairError(
    `The raw bundle after cursor ${cursorFrom} (up to ${cursorTo}) could not be repaired: ${why} It is left as it is: ` +
      'restore the ledger from a backup, or set it and what follows aside with "set-aside".',
  );
}
