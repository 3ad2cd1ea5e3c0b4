/**
 * The console API's writes. SQLite has one writer; while another process is that writer, waiting inside SQLite would
 * block every request of this process. A write that has to wait tries again after a pause instead, and reads go on
 * (architecture: several processes share the ledger). One user's writes are made in the order of their requests; users
 * take turns, so that one user's writes do not delay another's stop of a text (D149).
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { actsAfter, chainEnd } from '../../../agent/ledger/audit/audit.ts';
import { isUrgent } from '../../../agent/ledger/audit/stops.ts';
import { asLedgerError, LedgerFullError, LedgerLockedError } from '../../../agent/ledger/storage/errors.ts';
import { leaveReserve, type Reserve } from '../../../agent/ledger/storage/reserve.ts';
import type { Ledger, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { ConsoleContext } from '../context/context.ts';
import { FairQueue } from '../context/fair-queue.ts';

/** The longest wait of a write for another process, in ms. */
const PATIENCE_MS = 10_000;
/** Pauses between two attempts, in ms: short ones first, because most writes of other processes take a few ms. */
const PAUSES_MS = [1, 1, 2, 2];
/** Shorter than the Intake's pause between two batches of a backlog. */
const LONGEST_PAUSE_MS = 3;

export interface WriterTiming {
  /** Space that is freed when the disk is full. */
  reserve?: Reserve;
  patienceMs?: number;
  pause?: (ms: number) => Promise<unknown>;
}

/** Runs a write and, with a journal, resolves only once its records are in the journal too. */
export function journalledWrite(
  writer: Pick<Writer, 'write'>,
  journal: Pick<DecisionJournal, 'write'> | null,
): ConsoleContext['write'] {
  if (journal === null) return (work, person) => writer.write(work, person);
  return (work, person) =>
    journal.write((begin) =>
      writer.write((tx) => {
        begin();
        return work(tx);
      }, person),
    );
}

interface QueuedWrite {
  /** False while another process writes. */
  take(): boolean;
  giveUp(): void;
  waitedMs: number;
}

export class Writer {
  readonly #ledger: Ledger;
  readonly #patienceMs: number;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #reserve: Reserve | null;
  readonly #lines = new FairQueue<QueuedWrite>();
  #isServing = false;

  constructor(ledger: Ledger, { patienceMs = PATIENCE_MS, pause = sleep, reserve }: WriterTiming = {}) {
    this.#ledger = ledger;
    this.#patienceMs = patienceMs;
    this.#pause = pause;
    this.#reserve = reserve ?? null;
  }

  /**
   * Runs `work` as one write, at once if no other write is in progress.
   *
   * @param person the requesting user; absent without a login
   * @throws LedgerLockedError when another process has been writing for longer than the limit; nothing was changed then
   * @throws ApiError COMMON429 when the user has too many waiting writes
   */
  write<T>(work: (tx: LedgerTransaction) => T, person?: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const take = (): boolean => {
        try {
          const done = this.#try(work);
          if (done !== null) resolve(done.value);
          return done !== null;
        } catch (error) {
          const named = asLedgerError(this.#ledger.file, error);
          reject(named instanceof Error ? named : new Error(String(named)));
          return true;
        }
      };
      this.#lines.add(person, { take, giveUp: () => reject(new LedgerLockedError(this.#ledger.file)), waitedMs: 0 });
      if (!this.#isServing) void this.#serve();
    });
  }

  #try<T>(work: (tx: LedgerTransaction) => T): { value: T } | null {
    const reserve = this.#reserve;
    if (reserve === null) return this.#ledger.tryWrite(work);
    if (reserve.isGivenUp) reserve.make();
    if (!reserve.isGivenUp) {
      try {
        return this.#ledger.tryWrite(work);
      } catch (error) {
        if (!(asLedgerError(this.#ledger.file, error) instanceof LedgerFullError) || !reserve.giveUp()) throw error;
      }
    }
    return this.#ledger.tryWrite((tx) => {
      const { seq } = chainEnd(tx);
      const value = work(tx);
      if (!isUrgent(actsAfter(tx, seq))) leaveReserve(this.#ledger.file);
      return value;
    });
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    let tries = 0;
    for (let next = this.#lines.first; next !== undefined; next = this.#lines.first) {
      if (next.take()) {
        this.#lines.shift();
        tries = 0;
        // Between two writes, requests that arrived meanwhile are read.
        if (this.#lines.first !== undefined) await nextTurn();
      } else {
        await this.#rest(PAUSES_MS[tries] ?? LONGEST_PAUSE_MS);
        tries += 1;
      }
    }
    this.#isServing = false;
  }

  /** A write that waits behind another one waits for the same process. */
  async #rest(ms: number): Promise<void> {
    await this.#pause(ms);
    for (const next of this.#lines.all()) next.waitedMs += ms;
    for (const late of this.#lines.takeOut(({ waitedMs }) => waitedMs >= this.#patienceMs)) late.giveUp();
  }
}
