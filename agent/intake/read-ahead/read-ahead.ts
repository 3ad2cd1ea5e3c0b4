/**
 * Reads the entries of a backlog ahead in a thread (D173): `thread.ts` reads bodies back, parses, validates and looks for
 * forbidden words on another core, while this thread writes what is ready. The thread runs during a backlog only; small
 * bundles, and everything after a failure of the thread, are read where they are applied.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import type { Ledger, LedgerReader } from '../../ledger/storage/ledger.ts';
import type { ReadAheadEntries } from '../apply/apply.ts';
import type { PendingEntry } from '../apply/committed-entries.ts';
import { BundleQueue, BundleReplacedError, type ReadBundle } from './bundle-queue.ts';

/** The cursors of the thread that applies, after each batch. */
export interface Progress {
  applied: number;
  committed: number;
}

/** A smaller backlog is applied before a thread has started. Cursors may have gaps, so it may be a little smaller. */
export const BACKLOG = 4_000;
/** The thread reads a bundle in some 50 ms, and builds the automaton of a large policy in a second. */
const PATIENCE_MS = 10_000;

export interface ReadAheadParts {
  ledger: Ledger;
  log: Logger;
  /** The module of the thread. */
  thread: URL;
  /** Returns after this many milliseconds, or when `signal` ends it. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export class ReadAhead implements ReadAheadEntries {
  readonly #parts: ReadAheadParts;
  readonly #queue = new BundleQueue();
  #worker: Worker | null = null;
  /** The thread failed in this backlog; the next backlog starts it again. */
  #hasFailed = false;
  /** The end of the last bundle that was read; null before the first. */
  #readTo: number | null = null;
  #wake: () => void = () => undefined;

  constructor(parts: ReadAheadParts) {
    this.#parts = parts;
  }

  get state(): 'RESTING' | 'STARTING' | 'READING' {
    if (this.#worker === null) return 'RESTING';
    return this.#readTo === null ? 'STARTING' : 'READING';
  }

  /** Starts the thread at a backlog. While it runs, returns when `most` entries are read or when no more are coming. */
  async ready(most: number, signal: AbortSignal): Promise<void> {
    const progress = readCursors(this.#parts.ledger);
    if (this.#worker === null) {
      const isBacklog = progress.committed - progress.applied >= BACKLOG;
      if (isBacklog && !this.#hasFailed && availableParallelism() > 1) this.#start(progress);
      return;
    }
    this.#queue.forget(progress.applied);
    this.#worker.postMessage(progress, []);
    await this.#arrival(progress, most, signal);
  }

  take(reader: LedgerReader, after: number, most: number): PendingEntry[] | null {
    try {
      return this.#queue.take(reader, after, most);
    } catch (error) {
      if (!(error instanceof BundleReplacedError)) throw error;
      this.#fail(error);
      return null;
    }
  }

  /** Ends the thread; the next backlog starts it again. */
  async end(): Promise<void> {
    this.#hasFailed = false;
    await this.#stop();
  }

  async #arrival({ applied, committed }: Progress, most: number, signal: AbortSignal): Promise<void> {
    // Until its first bundle the thread is starting: meanwhile entries are read where they are applied.
    const isComing = (): boolean =>
      this.#readTo !== null && this.#readTo < committed && !this.#queue.isFull && this.#queue.count(applied) < most;
    if (!isComing()) return;
    const patience = new AbortController();
    const isOver = this.#parts.wait(PATIENCE_MS, AbortSignal.any([patience.signal, signal])).then(() => true);
    try {
      while (isComing()) {
        const arrived = new Promise<false>((resolve) => (this.#wake = () => resolve(false)));
        if (!(await Promise.race([isOver, arrived]))) continue;
        if (!signal.aborted) this.#fail(new Error(`The thread read nothing in ${PATIENCE_MS} ms.`));
        return;
      }
    } finally {
      patience.abort();
    }
  }

  #start(progress: Progress): void {
    const { ledger, log, thread } = this.#parts;
    // A module that was loaded before this process's own (`--import`) is not for a thread.
    const worker = new Worker(thread, { workerData: { file: ledger.file, progress }, execArgv: [] });
    this.#worker = worker;
    const isMine = (): boolean => this.#worker === worker;
    worker.on('message', (bundle: ReadBundle) => isMine() && this.#keep(bundle));
    worker.on('error', (error) => isMine() && this.#fail(error));
    worker.on('exit', (code) => isMine() && this.#fail(new Error(`The thread ended with ${code}.`)));
    log.info(progress, 'a thread reads the backlog ahead');
  }

  #keep(bundle: ReadBundle): void {
    this.#queue.keep(bundle);
    this.#readTo = bundle.cursorTo;
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#parts.log.warn({ err: error }, 'reading ahead has failed: entries are read where they are applied');
    void this.#stop();
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#queue.clear();
    this.#readTo = null;
    this.#wake();
    await worker?.terminate();
  }
}
