/**
 * Step 2 of the Intake (D36): applies the entries of the raw bundles in cursor order, screens each new explanation
 * (`agent/screening/screen.ts`) and stores it in the resulting state. One transaction commits a batch together with the
 * applied cursor, so that after a crash the next process continues at the first entry that is not applied.
 *
 * Before it: `agent/intake/receive/reception.ts`. After it: `electron/console-api/review/review.ts`.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../../shared/time/clock.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { FULL_BUNDLE_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import type { Came } from '../../ledger/serving/ahead.ts';
import { rejectEntry, takeHeldWithdrawal } from '../../ledger/inbox/entries.ts';
import { asLedgerError, isLedgerFault, LedgerFullError } from '../../ledger/storage/errors.ts';
import {
  explanationId,
  knownExplanation,
  receivedAgain,
  rememberInstrument,
  sameGrain,
  statusOf,
  updateVendorFields,
  type KnownExplanation,
} from '../../ledger/explanations/explanations.ts';
import { insertExplanation } from '../../ledger/transitions.ts';
import { isOnRecord } from '../../ledger/explanations/history.ts';
import { type VendorFields, vendorFields } from '../../ledger/storage/vendor-fields.ts';
import { remembering, type LedgerReader, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { isPolicyDue, startDuePolicy } from '../../ledger/policy/start.ts';
import { hasActiveSession } from '../../ledger/accounts/sessions.ts';
import { rawBundleAfter, readCursors, setAppliedCursor } from '../../ledger/inbox/raw-bundles.ts';
import { indexedRowsOnly, indexReceived, isIndexBehind } from '../../ledger/explanations/search-index.ts';
import { RAW_DAMAGED, readHead, recordApplyFault } from '../../ledger/inbox/sync-state.ts';
import { alongWith } from './along.ts';
import { type BatchSize, FIRST_ENTRIES } from './batch-size.ts';
import { OTHER_GRAIN, rejectedText } from './entry.ts';
import { provedEntriesOf, RawBundleDamagedError, readCommitted, type CommittedEntry } from './committed-entries.ts';
import { NO_CURSOR } from './explanation-faults.ts';
import type { EntryLags } from './entry-lags.ts';
import { type InHand, POISON_REASON } from './in-hand.ts';
import { Known } from './known.ts';
import { firstFields, restoreExplanation, withdrawnBefore } from './restore-explanation.ts';
import type { Store } from '../receive/reception.ts';
import type { IsProved } from '../receive/proved.ts';
import { changed, isUnread, rescreen, SENT_AGAIN } from './rescreen.ts';
import type { ScreenEntry } from './screening.ts';
import { applyWithdrawal, withdraw, type WaitingWithdrawals, type Withdrawal } from './withdrawals.ts';

/** The outcome of applying one entry. */
export type Applied =
  | { outcome: 'INSERTED' | 'UPDATED' | 'INVALIDATED' | 'HELD' }
  /** The row of a known explanation had been lost and is written again; a rebuild restores the rest. */
  | { outcome: 'RESTORED' }
  /** It was applied before, or changes nothing. */
  | { outcome: 'NO_CHANGE' }
  | { outcome: 'REJECTED'; reason: string };

export interface ApplyParts {
  ledger: Store;
  screenEntry: ScreenEntry;
  clock: Clock;
  log: Logger;
  /** Absent: no verification key is configured, and whatever waits is applied. */
  isProved?: IsProved;
  /** Learns from batch to batch; absent: each is as large as a first one. */
  batch?: BatchSize;
  /** Withdrawals that go ahead of a backlog (D169); absent: each waits for its place. */
  withdrawals?: WaitingWithdrawals;
  /** Finds an entry that ends the process (D103); absent: nothing looks for one. */
  hand?: InHand;
  /** A policy version that waits starts at its time (D212); absent where a restore repeats what was. */
  startsPolicies?: boolean;
  /** Measures how long entries took (D235); absent where old ones are applied again. */
  lags?: Pick<EntryLags, 'applied'>;
  /** Entries beyond this cursor wait; a restore makes decisions in between. */
  upTo?: number;
}

/**
 * Most entries of one transaction while the console is in use: a person's decision waits for the end of a batch.
 */
const BATCH_BESIDE_PEOPLE = 50;
/** The console counts as in use for this long after its last request. */
const PRESENCE_MS = 120_000;
/** The code of the sync status while entries are applied at which another process has ended. */
const PROCESS_ENDED = 'PROCESS_ENDED';
/** Most bytes of several bundles in one transaction; a larger bundle is a batch by itself. */
const BATCH_BYTES = FULL_BUNDLE_BYTES;

/** Whether the console is in use. Batches are short meanwhile, to leave room for other writers. */
export function isConsoleInUse(reader: LedgerReader, now: Date): boolean {
  return hasActiveSession(reader, new Date(now.getTime() - PRESENCE_MS));
}

/** Whether a full batch waits. Cursors may have gaps, so the result may be true a little early. */
export function isBatchFull({ ledger, batch }: { ledger: LedgerReader; batch: BatchSize }): boolean {
  const { applied, committed } = readCursors(ledger);
  return committed - applied >= batch.entries;
}

/**
 * Applies the next batch. False when nothing is left, or when the cloud has lost records (D31): then, as after a damaged
 * bundle, withdrawals alone are applied.
 *
 * @throws RawBundleDamagedError
 */
export function applyNext(parts: ApplyParts): boolean {
  try {
    return applyPending(parts);
  } catch (error) {
    const isDamage = error instanceof RawBundleDamagedError;
    // Some bytes end the exposure of a text where a whole batch finds no room, and a damaged bundle holds no withdrawal up.
    if (isDamage || asLedgerError('', error) instanceof LedgerFullError)
      parts.withdrawals?.tryAhead(parts, alongWith(parts));
    if (isDamage) recordDamage(parts, error);
    throw error;
  }
}

/** Puts a damaged raw bundle into the sync status. */
function recordDamage({ ledger, clock }: ApplyParts, { message }: RawBundleDamagedError): void {
  ledger.write((tx) => recordApplyFault(tx, { at: clock.now().toISOString(), code: RAW_DAMAGED, message }));
}

/** Starts the policy version that is due: whatever screens does so first (D212). */
export function startPolicy({ ledger, clock, log }: Pick<ApplyParts, 'ledger' | 'clock' | 'log'>): void {
  const now = (): string => clock.now().toISOString();
  if (!isPolicyDue(ledger, now())) return;
  const policyVersion = ledger.write((tx) => startDuePolicy(tx, now()));
  log.info({ policyVersion }, 'a policy version took effect');
}

function applyPending(parts: ApplyParts): boolean {
  const { ledger, log, hand } = parts;
  // Also where there is nothing to apply: the disclaimer and the expiry change with the policy.
  if (parts.startsPolicies === true) startPolicy(parts);
  const { applied, committed } = readCursors(ledger);
  if (applied === committed && hand?.isWary === true) {
    hand.rest();
    ledger.write((tx) => recordApplyFault(tx, null));
  }
  // An interrupted rebuild may have left rows unindexed.
  if (applied === committed || applied >= (parts.upTo ?? committed))
    return isIndexBehind(ledger) && ledger.write(indexReceived);
  const head = readHead(ledger);
  const isLost = head !== null && head < committed;
  // Where the process before has ended in a batch, reading that batch may end this one too.
  if (isLost || hand?.isWary === true) withdrawAhead(parts);
  if (isLost) return false;
  const done = applyNow(parts, applied, committed);
  for (const entry of done) {
    if (entry.outcome === 'REJECTED') log.error(entry, 'entry rejected');
    if (entry.outcome === 'RESTORED') log.error(entry, 'an explanation was lost from the ledger: run "intake rebuild"');
  }
  log.info({ cursorFrom: applied, cursorTo: done.at(-1)?.cursor, ...tally(done) }, 'entries applied');
  return done.length > 0 || parts.upTo === undefined;
}

/** The most entries of the next batch. */
function mostOf({ ledger, clock, batch }: Pick<ApplyParts, 'ledger' | 'clock' | 'batch'>): number {
  return isConsoleInUse(ledger, clock.now()) ? BATCH_BESIDE_PEOPLE : (batch?.entries ?? FIRST_ENTRIES);
}

/**
 * Applies a batch, after the withdrawals of what it leaves. The entry at which the process before has ended is applied
 * alone, or rejected.
 */
function applyNow(parts: ApplyParts, after: number, committed: number): Done[] {
  const { hand } = parts;
  try {
    if (hand?.isWary === true) tellEnd(parts, hand);
    const pending = pendingAfter(parts, after);
    if (pending.length === 0 && parts.upTo !== undefined) return [];
    if (pending.length === 0) throw new RawBundleDamagedError(after, 'has no entry after the applied cursor');
    const taken = pending.at(-1)?.entry.cursor ?? after;
    if (taken < committed) {
      hand?.release();
      withdrawAhead(parts);
    }
    // Rejecting a withdrawal would leave a withdrawn text exposed, and a withdrawal is too small to end a process.
    const isWithdrawal = pending[0]?.entry['delivery_type'] === 'INVALIDATION';
    if (isWithdrawal || hand?.isAccused('APPLY', after) !== true) return applyBatch(parts, after, pending);
    const at = parts.clock.now().toISOString();
    return apply(parts, after, pending, (tx, each) => reject(tx, each, POISON_REASON, at));
  } finally {
    hand?.release();
  }
}

/** Puts the end of the process before into the sync status. */
function tellEnd({ ledger, clock, log }: ApplyParts, hand: InHand): void {
  const place = hand.tellFound();
  if (place === null) return;
  log.error(place, 'the process ended while it applied entries');
  const message =
    place.work === 'APPLY'
      ? `The program ended with the entry after cursor ${place.after} in hand. That one is applied alone; an entry at which it ends twice is rejected.`
      : `The program ended while it looked for withdrawals in the bundle after cursor ${place.after}. Where it ends twice, they wait for their turn.`;
  ledger.write((tx) => recordApplyFault(tx, { at: clock.now().toISOString(), code: PROCESS_ENDED, message }));
}

/** The entries of the next batch. */
function pendingAfter(parts: ApplyParts, after: number): CommittedEntry[] {
  const { hand, upTo = Infinity } = parts;
  const place = hand?.found ?? null;
  const most = mostOf(parts);
  if (place === null || place.work === 'WITHDRAW') return readAfter(parts, after, most, upTo);
  // Entries before the place are read without its bundle, and its entry without the bundles that follow.
  const before = readAfter(parts, after, most, Math.min(place.after, upTo));
  return before.length > 0 ? before : readAfter(parts, after, 1, upTo);
}

/** Reads as many whole bundles as fit, or a part of one, up to the cursor `upTo`; no bundle that begins there. */
function readAfter(parts: ApplyParts, after: number, most: number, upTo: number): CommittedEntry[] {
  const { ledger, hand, isProved } = parts;
  const pending: CommittedEntry[] = [];
  let bytes = 0;
  for (let cursor = after; cursor < upTo;) {
    const raw = rawBundleAfter(ledger, cursor);
    bytes += raw?.body.byteLength ?? 0;
    const fits = raw !== undefined && pending.length + raw.entryCount <= most && bytes <= BATCH_BYTES;
    if (pending.length > 0 && !fits) return pending;
    if (raw === undefined) throw new RawBundleDamagedError(after, 'is missing');
    try {
      hand?.take('APPLY', Math.max(after, raw.cursorFrom));
      pending.push(...provedEntriesOf(raw, isProved).filter(({ entry: { cursor: at } }) => at > after && at <= upTo));
    } catch (error) {
      // Entries before a damaged bundle are applied first.
      if (pending.length > 0) return pending;
      throw error;
    }
    if (pending.length >= most) return pending.slice(0, most);
    cursor = raw.cursorTo;
  }
  return pending;
}

type Done = Applied & { cursor: number };

/**
 * Applies a batch in one transaction with the applied cursor. A savepoint costs more than an entry, so entries get one
 * only after the batch has failed as a whole; then the entry that fails is rejected (D34).
 */
function applyBatch(parts: ApplyParts, after: number, pending: readonly CommittedEntry[]): Done[] {
  try {
    let memory: { tx: LedgerTransaction; known: Known } | undefined;
    return apply(parts, after, pending, (tx, each) => {
      memory ??= {
        tx: remembering(tx),
        known: new Known(
          tx,
          pending.map(({ entry }) => entry),
        ),
      };
      return applyEntry(memory.tx, parts, each, memory.known);
    });
  } catch (error) {
    if (isLedgerFault(error)) throw error;
    return apply(parts, after, pending, (tx, each) => applyOrReject(tx, parts, each));
  }
}

function apply(
  parts: ApplyParts,
  after: number,
  pending: readonly CommittedEntry[],
  one: (tx: LedgerTransaction, each: CommittedEntry) => Applied,
): Done[] {
  const { ledger, clock, batch, withdrawals, hand, isProved, startsPolicies } = parts;
  let lockedAt = 0;
  // Another program may hold the lock for minutes: whoever ends the process meanwhile accuses no entry.
  hand?.release();
  const applied = ledger.write((tx) => {
    lockedAt = clock.now().getTime();
    // Another process may have applied these entries since they were read.
    if (readCursors(tx).applied !== after) return [];
    // New rows may take the numbers of rows that were lost; the index must forget those first.
    indexedRowsOnly(tx);
    if (startsPolicies === true) startDuePolicy(tx, clock.now().toISOString());
    const done: Done[] = [];
    for (const each of pending) {
      hand?.take('APPLY', done.at(-1)?.cursor ?? after);
      done.push({ ...one(tx, each), cursor: each.entry.cursor });
    }
    hand?.release();
    withdrawals?.goWith(tx, pending, { at: clock.now().toISOString(), hand, isProved, along: alongWith(parts) });
    indexReceived(tx);
    const last = done.at(-1);
    if (last !== undefined) setAppliedCursor(tx, last.cursor);
    if (hand?.isWaryAfter(done.length) !== true) recordApplyFault(tx, null);
    return done;
  });
  parts.lags?.applied(
    pending.filter((_, index) => DONE.has(applied[index]?.outcome)),
    clock.now(),
  );
  const last = applied.at(-1);
  if (last !== undefined) hand?.applied(applied.length, last.cursor);
  batch?.held(applied.length, clock.now().getTime() - lockedAt);
  return applied;
}

/** Not those that a withdrawal ahead of the backlog, or an earlier copy, had applied before. */
const DONE: ReadonlySet<string | undefined> = new Set(['INSERTED', 'UPDATED', 'INVALIDATED']);

function reject(tx: LedgerTransaction, { raw, entry, text }: CommittedEntry, reason: string, at: string): Applied {
  const { cursor } = entry;
  rejectEntry(tx, { cursor, cursorFrom: raw.cursorFrom, reason, entry: rejectedText(text.whole), at });
  return { outcome: 'REJECTED', reason };
}

function applyEntry(
  tx: LedgerTransaction,
  { screenEntry, clock }: ApplyParts,
  pending: CommittedEntry,
  known?: Known,
): Applied {
  const { came } = pending;
  const at = clock.now().toISOString();
  const read = readCommitted(pending);
  switch (read.kind) {
    case 'NEW':
      return applyNew(tx, read.entry, { pending, at, came, screenEntry, known });
    case 'INVALIDATION':
      return applyWithdrawal(tx, { ...read.entry, cameAt: came.at }, at, known);
    case 'REJECTED':
      return reject(tx, pending, read.reason, at);
  }
}

/** How the reason of such an entry begins. */
export const NOT_APPLIED = 'The entry could not be applied: ';

/**
 * Rejects an entry that fails, so that it never holds up the others. A fault of the ledger itself (no space, a lock)
 * is thrown, and the whole batch is tried again.
 */
export function applyOrReject(tx: LedgerTransaction, parts: ApplyParts, pending: CommittedEntry): Applied {
  try {
    // A write inside a write is a savepoint: a broken entry leaves nothing behind.
    return parts.ledger.write((inner) => applyEntry(inner, parts, pending));
  } catch (error) {
    if (isLedgerFault(error)) throw error;
    const reason = `${NOT_APPLIED}${error instanceof Error ? error.message : String(error)}`;
    return reject(tx, pending, reason, parts.clock.now().toISOString());
  }
}

/** Withdraws what a later entry of the backlog withdraws (D169). */
export function withdrawAhead(parts: ApplyParts): void {
  parts.withdrawals?.goAhead(parts, alongWith(parts));
}

interface NewContext {
  pending: CommittedEntry;
  at: string;
  came: Came;
  screenEntry: ScreenEntry;
  known: Known | undefined;
}

function applyNew(tx: LedgerTransaction, entry: NewEntry, context: NewContext): Applied {
  const fields = vendorFields(entry, context.pending.text);
  const id = explanationId(fields.explanation_result_id);
  const isNew = context.known?.takeNew(id) === true;
  const known = isNew ? undefined : knownExplanation(tx, fields);
  if (known !== undefined) return applyAgain(tx, entry, fields, known, context);
  const held = context.known?.isAnyHeld === false ? undefined : takeHeldWithdrawal(tx, fields.explanation_result_id);
  if (!isNew && isOnRecord(tx, id)) return applyLost(tx, entry, fields, held, context);
  const { screened, reason } = context.screenEntry(tx, entry);
  insertExplanation(tx, fields, {
    cursor: entry.cursor,
    at: context.at,
    receivedAt: context.came.at,
    came: context.came,
    ...(held === undefined ? { screened, reason } : withdrawnBefore(screened)),
  });
  if (held === undefined) return { outcome: 'INSERTED' };
  // In the same transaction: at no moment was it exposed (D35).
  withdraw(tx, id, held, context.at);
  return { outcome: 'INVALIDATED' };
}

/** An explanation that has lost its row is not new: its history and the audit log give its state (D36). */
function applyLost(
  tx: LedgerTransaction,
  entry: NewEntry,
  fields: VendorFields,
  held: Withdrawal | undefined,
  context: NewContext,
): Applied {
  const id = explanationId(fields.explanation_result_id);
  const { cursor } = entry;
  const first = firstFields(tx, id);
  if (first !== undefined && !sameGrain(first, fields)) return reject(tx, context.pending, OTHER_GRAIN, context.at);
  restoreExplanation(
    tx,
    {
      entry,
      fields,
      cursor,
      firstCursor: cursor,
      receivedAt: context.came.at,
      came: context.came,
      // Only a rebuild knows the number of changes; it is never above the number of entries.
      changes: cursor,
      firstText: fields.summary,
      isWithdrawn: held !== undefined,
    },
    context,
  );
  rememberInstrument(tx, fields, context.at);
  if (held !== undefined && statusOf(tx, id) !== 'INVALIDATED') withdraw(tx, id, held, context.at);
  return { outcome: 'RESTORED' };
}

/** The same id again (D37). */
function applyAgain(
  tx: LedgerTransaction,
  entry: NewEntry,
  fields: VendorFields,
  known: KnownExplanation,
  context: NewContext,
): Applied {
  const isTruncated = known.cursor === NO_CURSOR;
  if (!isTruncated && (known.same || entry.cursor <= known.cursor)) return { outcome: 'NO_CHANGE' };
  // A text that is off keeps others back by its date: with another one it would darken or bring back a text.
  if (!known.sameGrain) return reject(tx, context.pending, OTHER_GRAIN, context.at);
  updateVendorFields(tx, known.id, fields, { cursor: entry.cursor, at: context.at });
  // After a truncation this entry counts as the first one.
  if (isTruncated) receivedAgain(tx, known.id, context.came.at);
  const held = isTruncated ? takeHeldWithdrawal(tx, fields.explanation_result_id) : undefined;
  if (known.status === 'INVALIDATED') return { outcome: 'UPDATED' };
  if (held !== undefined) {
    withdraw(tx, known.id, held, context.at);
    return { outcome: 'INVALIDATED' };
  }
  const { cursor } = entry;
  const reason = isTruncated ? SENT_AGAIN : isUnread(fields, known) ? changed(known).reason : null;
  if (reason !== null) rescreen(tx, entry, known, { ...context, cursor, reason });
  return { outcome: 'UPDATED' };
}

function tally(done: readonly Applied[]): Partial<Record<Applied['outcome'], number>> {
  const counts: Partial<Record<Applied['outcome'], number>> = {};
  for (const { outcome } of done) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
