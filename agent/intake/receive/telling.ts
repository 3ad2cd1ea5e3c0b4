/**
 * What the Intake tells the vendor with each pull (D230), and when a pull that waits gives way to a new one because more
 * has been applied meanwhile.
 */
import { MOST_ENTRIES, writeApplied, type RejectionCode } from '../../../shared/wire/applied.ts';
import { countHeld, countRejected, newestRejected } from '../../ledger/inbox/entries.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';

export interface TellingParts {
  ledger: LedgerReader;
  /** The code of a rejected entry's reason (`apply/rejection-code.ts`). */
  codeOf(reason: string): RejectionCode;
  /** A monotonic clock, in ms. */
  elapsedMs(): number;
  /** Returns after this many milliseconds, or when `signal` ends it. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** One pull that tells. */
export interface AppliedPull {
  /** The header's value. */
  applied: string;
  /** Aborted when a new pull shall tell more. */
  replaced: AbortSignal;
  /** Its answer has begun, or it has ended: nothing replaces it any more. */
  answered(): void;
}

/** Between two replacements; twice as long after each in a row, so that at last one pull is answered on any line. */
const PACE_MS = 1_000;

export class Telling {
  readonly #parts: TellingParts;
  /** The pull that waits, and the cursor that it has told. */
  #waiting: { applied: number; replacing: AbortController; due: AbortController } | null = null;
  #replacedAt = -Infinity;
  #inARow = 0;

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  /** @param waits whether no record is known that would answer it at once */
  begin(waits: boolean): AppliedPull {
    const { ledger, codeOf } = this.#parts;
    const { applied } = readCursors(ledger);
    const entries = newestRejected(ledger, MOST_ENTRIES).map(({ cursor, reason }) => ({
      cursor,
      code: codeOf(reason),
    }));
    const told = { applied, rejected: countRejected(ledger), held: countHeld(ledger), entries };
    const waiting = { applied, replacing: new AbortController(), due: new AbortController() };
    this.#waiting = waits ? waiting : null;
    const answered = (): void => {
      waiting.due.abort();
      if (this.#waiting === waiting) this.#waiting = null;
      if (!waiting.replacing.signal.aborted) this.#inARow = 0;
    };
    return { applied: writeApplied(told), replaced: waiting.replacing.signal, answered };
  }

  /** Entries have been applied: the pull that waits is replaced now, or when the pace allows it. */
  risen(): void {
    const waiting = this.#waiting;
    if (waiting === null || readCursors(this.#parts.ledger).applied <= waiting.applied) return;
    this.#waiting = null;
    const pauseMs = this.#replacedAt + PACE_MS * 2 ** this.#inARow - this.#parts.elapsedMs();
    const replace = (): void => {
      if (waiting.due.signal.aborted) return;
      this.#replacedAt = this.#parts.elapsedMs();
      this.#inARow += 1;
      waiting.replacing.abort();
    };
    if (pauseMs <= 0) replace();
    else void this.#parts.wait(pauseMs, waiting.due.signal).then(replace);
  }
}
