/**
 * Withdrawals: each at its place in cursor order, and those of a backlog ahead of it (D169). After a full disk or a long
 * partition thousands of entries may wait, and a text that the vendor has taken back goes off show before them. Its
 * entry changes nothing more when its place comes.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../../shared/time/clock.ts';
import type { InvalidationEntry } from '../../../shared/wire/bundle.ts';
import { explanationId, statusOf } from '../../ledger/explanations/explanations.ts';
import { holdWithdrawal } from '../../ledger/inbox/entries.ts';
import { rawBundleAfter, readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import type { LedgerReader, LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import type { Store } from '../receive/reception.ts';
import { entriesOf, RawBundleDamagedError, readCommitted, type CommittedEntry } from './committed-entries.ts';
import { targetOf } from './entry.ts';
import type { InHand } from './in-hand.ts';
import type { Known } from './known.ts';

type Waiting = InvalidationEntry & { cameAt: string };

/** The effect of a withdrawal at its place. */
export function applyWithdrawal(
  tx: LedgerTransaction,
  entry: Waiting,
  at: string,
  known: Known | undefined,
): { outcome: 'HELD' | 'INVALIDATED' | 'NO_CHANGE' } {
  const target = targetOf(entry);
  const id = explanationId(target);
  switch (statusOf(tx, id)) {
    case undefined:
      known?.withdrawalHeld();
      holdWithdrawal(tx, { targetId: target, cursor: entry.cursor, reason: entry.reason, at });
      return { outcome: 'HELD' };
    case 'INVALIDATED':
      return { outcome: 'NO_CHANGE' };
    default:
      withdraw(tx, id, entry, at);
      return { outcome: 'INVALIDATED' };
  }
}

/** A withdrawing entry. */
export type Withdrawal = Pick<InvalidationEntry, 'cursor' | 'reason'> & {
  /** When its bundle came. */
  cameAt?: string;
};

export function withdraw(tx: LedgerTransaction, id: string, { cameAt, ...entry }: Withdrawal, at: string): void {
  applyMove(tx, {
    id,
    move: 'invalidate',
    actor: { kind: 'SYSTEM' },
    at,
    cameAt: cameAt ?? at,
    cursor: entry.cursor,
    reason: entry.reason,
  });
}

/** Most withdrawals of one transaction: a person's decision waits for its end. */
const BATCH = 100;
const MARK = '"INVALIDATION"';

interface Parts {
  ledger: Store;
  clock: Clock;
  log: Logger;
  hand?: InHand;
}

/** The withdrawals of the bundles that wait to be applied; one for each process that applies. */
export class WaitingWithdrawals {
  /** The bundles up to this cursor have been read. */
  #read = 0;
  /** By the vendor's id: the first withdrawal that waits. */
  readonly #waiting = new Map<string, Waiting>();
  /** Read, and not tried yet. A target that comes later is withdrawn in the transaction of its batch. */
  #untried: Waiting[] = [];

  /** How many are held in memory. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Withdraws what is known of the whole backlog, in transactions of its own. */
  goAhead({ ledger, clock, log, hand }: Parts): void {
    this.#readOn(ledger, hand);
    const found = this.#untried.filter((entry) => isShowable(ledger, targetOf(entry)));
    for (let start = 0; start < found.length; start += BATCH) {
      const some = found.slice(start, start + BATCH);
      ledger.write((tx) => this.#withdraw(tx, some, clock.now().toISOString()));
    }
    this.#untried = [];
    if (found.length > 0) log.info({ withdrawals: found.length }, 'withdrawals of the backlog went ahead');
  }

  /** The same after a batch found no room; without room for this either, the batch's own error is told. */
  tryAhead(parts: Parts): void {
    try {
      this.goAhead(parts);
    } catch (error) {
      if (!isLedgerFault(error)) throw error;
    }
  }

  /** In the transaction of a batch: what it brings and a later entry withdraws is never shown. */
  goWith(tx: LedgerTransaction, pending: readonly CommittedEntry[], at: string): void {
    if (this.#waiting.size === 0) return;
    const found = pending.flatMap(({ entry }) => {
      const result = entry['explanation_result'] as { explanation_result_id?: unknown } | undefined;
      return this.#waiting.get(String(result?.explanation_result_id)) ?? [];
    });
    this.#withdraw(tx, found, at);
  }

  #withdraw(tx: LedgerTransaction, entries: readonly Waiting[], at: string): void {
    for (const entry of entries) {
      const target = targetOf(entry);
      if (isShowable(tx, target)) withdraw(tx, explanationId(target), entry, at);
    }
  }

  #readOn(reader: LedgerReader, hand: InHand | undefined): void {
    const { applied } = readCursors(reader);
    for (const [target, { cursor }] of this.#waiting) if (cursor <= applied) this.#waiting.delete(target);
    this.#read = Math.max(this.#read, applied);
    for (const { entry, upTo } of withdrawalsAfter(reader, this.#read, hand)) {
      this.#read = upTo;
      if (entry === null || this.#waiting.has(targetOf(entry))) continue;
      this.#waiting.set(targetOf(entry), entry);
      this.#untried.push(entry);
    }
    hand?.release();
  }
}

function isShowable(reader: LedgerReader, target: string): boolean {
  const status = statusOf(reader, explanationId(target));
  return status !== undefined && status !== 'INVALIDATED';
}

/**
 * The withdrawals of the committed bundles after a cursor, and where each bundle ends. A damaged bundle ends the
 * reading: applying reports it. One at which two processes have ended is passed over: its withdrawals wait for their
 * place.
 */
export function* withdrawalsAfter(
  reader: LedgerReader,
  after: number,
  hand?: InHand,
): Generator<{ entry: Waiting | null; upTo: number }> {
  let raw = rawBundleAfter(reader, after);
  for (; raw !== undefined; raw = rawBundleAfter(reader, raw.cursorTo)) {
    const { body, cursorTo: upTo } = raw;
    const found: Waiting[] = [];
    // Parsing a bundle costs more than a look for the word, and few bundles hold one.
    const isMarked = Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(MARK);
    if (isMarked && hand?.isAccused('WITHDRAW', raw.cursorFrom) !== true) {
      hand?.take('WITHDRAW', raw.cursorFrom);
      try {
        for (const each of entriesOf(raw)) {
          const read = each.entry['delivery_type'] === 'INVALIDATION' ? readCommitted(each) : null;
          if (read?.kind === 'INVALIDATION' && each.entry.cursor > after)
            found.push({ ...read.entry, cameAt: raw.receivedAt });
        }
      } catch (error) {
        if (error instanceof RawBundleDamagedError) return;
        throw error;
      }
    }
    for (const entry of found) yield { entry, upTo };
    yield { entry: null, upTo };
  }
}
