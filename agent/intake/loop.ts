/**
 * The Intake at work: receiving and applying side by side. A backlog drains without waiting for periods, and a failed
 * step, the ledger's own writes included, is tried again at the next period.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { asLedgerError } from '../ledger/storage/errors.ts';
import { waitMs, type Next } from './receive/waits.ts';

export interface LoopParts {
  /** Performs one pull (`pullOnce`). */
  receive(signal: AbortSignal): Promise<Next>;
  /** Applies one batch (`Applier.applyNext`); false when there is nothing to apply. */
  apply(): boolean;
  /** Whether a full batch is waiting (`isBatchFull`). */
  isBatchFull(): boolean;
  /** Whether a pull that waits may leave: it tells how far has been applied (D230). Absent: at once. */
  isApplied?(): boolean;
  /** How long the write lock stays free between two batches, in ms, for other processes that retry their writes. */
  leaveMs(): number;
  /** From 0 to 1. */
  random(): number;
  /** Returns after this many milliseconds, or when `signal` ends it. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Called when everything is applied and the next pull is a period away or waits for news, if anything was applied since
   * the last time.
   */
  rest(): void;
  /** The ledger's file, for messages. */
  file: string;
  periodMs: number;
  log: Logger;
}

/** Works until `signal` ends it. A step that has begun is finished first. */
export async function runLoop(parts: LoopParts, signal: AbortSignal): Promise<void> {
  const bell = new Bell();
  const receiver = { isGathering: false, isResting: false, applied: new Bell() };
  const ring = (): void => {
    bell.ring();
    receiver.applied.ring();
  };
  signal.addEventListener('abort', ring, { once: true });
  await Promise.all([receiving(parts, bell, receiver, signal), applying(parts, bell, receiver, signal)]);
}

/**
 * How long the bundles of a backlog wait for more of it: a full batch costs a quarter less than small ones. A bundle
 * that is not full is applied at once. And how long a pull that will wait lets this be done before it, to tell it.
 */
const GATHER_MS = 250;

/** A pull that has waited for so long comes to a rest: bundles may follow each other more quickly. */
const REST_MS = 5_000;

interface Receiver {
  /** The last bundle was full, and the next is on its way. */
  isGathering: boolean;
  /** The loop waits for the next period, or has waited for news for a while. */
  isResting: boolean;
  /** Rings after each batch. */
  applied: Bell;
}

async function receiving(parts: LoopParts, bell: Bell, receiver: Receiver, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  for (let pull = attempt(parts, signal); ;) {
    const next = await pull;
    if (next.when === 'AT_ONCE') {
      // The next request leaves before applying takes the thread: its answer arrives meanwhile.
      pull = attempt(parts, signal);
      receiver.isGathering = true;
      await nextTurn();
      bell.ring();
      continue;
    }
    receiver.isGathering = false;
    bell.ring();
    if (signal.aborted) return;
    if (next.when !== 'WAITING') {
      receiver.isResting = true;
      await parts.wait(pauseMs(parts, next), signal);
      receiver.isResting = false;
      if (signal.aborted) return;
    }
    if (next.when === 'WAITING') {
      pull = attempt(parts, signal, () =>
        patiently(parts, receiver.applied, () => !signal.aborted && parts.isApplied?.() === false),
      );
      restWhile(pull, parts, bell, receiver);
    } else pull = attempt(parts, signal);
  }
}

const pauseMs = ({ periodMs, random }: LoopParts, next: Exclude<Next, { when: 'AT_ONCE' | 'WAITING' }>): number =>
  next.when === 'SOON' ? next.ms : waitMs(periodMs, next.notBeforeMs, random());

/** Rests during a pull that waits, once it has waited for a while. */
function restWhile(pull: Promise<unknown>, { wait }: LoopParts, bell: Bell, receiver: Receiver): void {
  const answered = new AbortController();
  void wait(REST_MS, answered.signal).then(() => {
    if (answered.signal.aborted) return;
    receiver.isResting = true;
    bell.ring();
  });
  void pull.then(() => {
    answered.abort();
    receiver.isResting = false;
  });
}

async function attempt(parts: LoopParts, signal: AbortSignal, before?: () => Promise<void>): Promise<Next> {
  try {
    if (before !== undefined) await before();
    return await parts.receive(signal);
  } catch (error) {
    if (!signal.aborted) logFault(parts, error, 'receiving failed; the next poll tries again');
    return { when: 'PERIOD', notBeforeMs: 0 };
  }
}

async function applying(parts: LoopParts, bell: Bell, receiver: Receiver, signal: AbortSignal): Promise<void> {
  // The memory of the start is returned as well.
  let hasWorked = true;
  while (!signal.aborted) {
    try {
      // Between two batches the answer of a pull under way may come in.
      await gathered(parts, bell, receiver, signal);
      while (!signal.aborted && parts.apply()) {
        hasWorked = true;
        receiver.applied.ring();
        const ms = parts.leaveMs();
        await (ms > 0 ? parts.wait(ms, signal) : nextTurn());
        await gathered(parts, bell, receiver, signal);
      }
      if (hasWorked && receiver.isResting) {
        parts.rest();
        hasWorked = false;
      }
    } catch (error) {
      logFault(parts, error, 'applying failed; it is tried again after the next poll');
    }
    await bell.rung();
  }
}

/** Returns when a batch is full, when no more is on its way, or when that takes too long. */
function gathered(parts: LoopParts, bell: Bell, receiver: Receiver, signal: AbortSignal): Promise<void> {
  return patiently(parts, bell, () => receiver.isGathering && !signal.aborted && !parts.isBatchFull());
}

/** Returns when this is open no more, looked at whenever the bell rings, or after a moment. */
async function patiently(parts: LoopParts, bell: Bell, isOpen: () => boolean): Promise<void> {
  if (!isOpen()) return;
  const patience = new AbortController();
  let isOver = false;
  void parts.wait(GATHER_MS, patience.signal).then(() => {
    isOver = true;
    bell.ring();
  });
  try {
    while (!isOver && isOpen()) await bell.rung();
  } finally {
    patience.abort();
  }
}

function logFault(parts: LoopParts, error: unknown, what: string): void {
  parts.log.error({ err: asLedgerError(parts.file, error) }, what);
}

/** A bell for one waiter; a ring before the wait is kept. */
class Bell {
  #rung = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async rung(): Promise<void> {
    if (!this.#rung) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
    this.#rung = false;
  }
}
