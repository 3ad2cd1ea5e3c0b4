/** Brings a restored ledger up to the cloud's head before any process reads it. */
import { type ApplyParts, applyNext } from '../apply/apply.ts';
import { pullOnce, type ReceptionParts } from '../receive/reception.ts';
import type { Between } from './journal/beyond.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';

/**
 * Receives and applies until the cloud has nothing new.
 *
 * @param between decisions to replay at their places among the entries; behind the last of them a policy version that is
 * due starts (D212), because nothing tells where it had started
 * @returns null, or why the end was not reached; bundles received until then stay
 */
export async function catchUp(
  reception: ReceptionParts,
  application: ApplyParts,
  between: Between | null = null,
): Promise<string | null> {
  for (;;) {
    const next = await pullOnce(reception, new AbortController().signal);
    applyAll(application, between);
    const { state, lastError, committedCursor, head } = syncStatus(application.ledger, application.clock.now());
    if (state !== 'OK') return lastError?.message ?? `The sync status is ${state}.`;
    if (next.when === 'AT_ONCE') continue;
    if (head === null || head <= committedCursor) return null;
    // The cloud gave nothing beside a higher head, and would answer the same again (fault 18).
    return `The cloud reports records up to cursor ${head} and sends none after ${committedCursor}.`;
  }
}

function applyAll(application: ApplyParts, between: Between | null): void {
  for (;;) {
    const { applied, committed } = readCursors(application.ledger);
    between?.makeUpTo(applied);
    const next = between?.next() ?? null;
    if (applyNext({ ...application, ...(next === null ? { startsPolicies: true } : { upTo: next }) })) continue;
    if (next === null || committed < next) return;
    // The cloud is beyond that cursor and has removed the record at it.
    between?.makeUpTo(next);
  }
}
