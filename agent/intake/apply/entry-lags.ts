/**
 * How long entries take from their issue to their application, and how long the oldest waits to be applied (D235). Only what
 * was issued since this process began counts as news: a backlog, a restore, a rebuild and a replay apply what is older.
 */
import { issuedAtIn, lagSeconds } from '../../../shared/service/lag.ts';
import { rawBundleAfter, readCursors } from '../../ledger/inbox/raw-bundles.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import type { CommittedEntry } from './committed-entries.ts';
import { targetOf } from './entry.ts';
import { isShowable, withdrawalsAfter } from './withdrawals.ts';

export type EntryKind = 'NEW' | 'INVALIDATION';

/** Takes what was measured, in seconds; `issuedToCommitted` is null where the cloud does not tell when it issued. */
export type Measured = (kind: EntryKind, lag: { issuedToCommitted: number | null; committedToApplied: number }) => void;

export class EntryLags {
  readonly #began: Date;
  readonly #measured: Measured;

  constructor(began: Date, measured: Measured) {
    this.#began = began;
    this.#measured = measured;
  }

  applied(entries: readonly Pick<CommittedEntry, 'entry' | 'raw'>[], at: Date): void {
    for (const { entry, raw } of entries) {
      const issuedAt = issuedAtIn(entry['issued_at']);
      const committedAt = new Date(raw.receivedAt);
      if ((issuedAt ?? committedAt) < this.#began) continue;
      this.#measured(entry['delivery_type'] === 'INVALIDATION' ? 'INVALIDATION' : 'NEW', {
        issuedToCommitted: issuedAt === null ? null : lagSeconds(issuedAt, committedAt),
        committedToApplied: lagSeconds(committedAt, at),
      });
    }
  }
}

/** Seconds since their bundle was committed; 0: none waits. */
export interface Unapplied {
  /** The oldest entry that is not applied. */
  entry: number;
  /** The oldest withdrawal of a text that is still there. */
  withdrawal: number;
}

/** Looks for what waits; one for each process, so that each bundle of a backlog is searched once. */
export class OldestUnapplied {
  #searchedTo = 0;
  #found: { cursor: number; target: string; cameAt: string } | null = null;

  at(reader: LedgerReader, now: Date): Unapplied {
    const { applied, committed } = readCursors(reader);
    if (applied >= committed) return { entry: 0, withdrawal: 0 };
    const since = (at: string | undefined): number => (at === undefined ? 0 : lagSeconds(at, now));
    const withdrawal = this.#withdrawal(reader, applied);
    return { entry: since(rawBundleAfter(reader, applied)?.receivedAt), withdrawal: since(withdrawal?.cameAt) };
  }

  #withdrawal(reader: LedgerReader, applied: number): { cameAt: string } | null {
    const isOpen = (one: { cursor: number; target: string }): boolean =>
      one.cursor > applied && isShowable(reader, one.target);
    if (this.#found !== null && isOpen(this.#found)) return this.#found;
    this.#searchedTo = Math.max(this.#searchedTo, this.#found?.cursor ?? 0, applied);
    this.#found = null;
    for (const { raw, found } of withdrawalsAfter(reader, this.#searchedTo)) {
      for (const entry of found) {
        const one = { cursor: entry.cursor, target: targetOf(entry), cameAt: entry.cameAt };
        if (isOpen(one)) return (this.#found = one);
      }
      this.#searchedTo = raw.cursorTo;
    }
    return null;
  }
}
