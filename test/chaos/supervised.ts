/** A part that is started again whenever it ends, as the system's service manager does. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Exit, Part } from '../support/process.ts';

const AGAIN_MS = 500;
/** What a frozen part was about to write is written before it is frozen again. */
const BETWEEN_FREEZES_MS = 1_000;
/** A part stops within 10 s (D40); a machine that is busy with all of this takes longer. */
const STOP_MS = 30_000;
/** Within which a part works again, however often it is started. */
const START_MS = 120_000;

export interface Watch {
  /** A line of the run's log. */
  log(line: string): void;
  /** Something that must not be. */
  breach(line: string): void;
  /** A part has ended and nobody has ended it. */
  endedByItself(name: string, exit: Exit, said: string): void;
  /** A part has ended, or said nothing, instead of starting. */
  didNotStart(name: string, why: string): void;
}

export class Supervised {
  readonly name: string;
  part: Part | null = null;
  readonly #begin: () => Promise<Part>;
  readonly #watch: Watch;
  #isWanted = false;
  #isClosed = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** When it stood still, by the monotonic clock. */
  readonly frozen: { begin: number; end: number }[] = [];
  /** Every process that it was, for logs and measurements. */
  readonly parts: Part[] = [];

  /** @param begin starts the part and waits until it works; fails where it ends before */
  constructor(name: string, begin: () => Promise<Part>, watch: Watch) {
    this.name = name;
    this.#begin = begin;
    this.#watch = watch;
  }

  /** One act on it at a time. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Starts it, again and again until it works, or until a part that can start would have long ago. */
  async start(): Promise<void> {
    this.#isWanted = !this.#isClosed;
    const began = performance.now();
    while (this.#isWanted) {
      try {
        const part = await this.#begin();
        this.part = part;
        this.parts.push(part);
        void part.exited.then((exit) => this.#ended(part, exit));
        return;
      } catch (error) {
        this.#watch.didNotStart(this.name, String(error).slice(0, 2_000));
        if (performance.now() - began > START_MS) {
          this.#watch.breach(`${this.name} did not start within ${START_MS / 1_000} s`);
          return;
        }
        await pause(AGAIN_MS);
      }
    }
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    const { part } = this;
    this.part = null;
    await part?.kill();
  }

  /** Ends it in good order. @throws when it does not end in time or with another code than 0 */
  async stop(): Promise<void> {
    this.#isWanted = false;
    const { part } = this;
    this.part = null;
    const exit = await part?.stop('SIGTERM', STOP_MS);
    if (exit !== undefined && exit.code !== 0)
      throw new Error(
        `${this.name} ended with ${JSON.stringify(exit)} when it was stopped: ${part?.stderr.slice(-2_000)}`,
      );
  }

  /** Ends it for good: nothing starts it again. @throws as `stop` */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.stop();
  }

  /** It and its children stand still for a while, and then run for one. @returns whether there was a process */
  async freeze(ms: number): Promise<boolean> {
    const { part } = this;
    if (part === null) return false;
    const span = { begin: performance.now(), end: Number.POSITIVE_INFINITY };
    this.frozen.push(span);
    this.#signal(part, 'SIGSTOP');
    await pause(ms);
    this.#signal(part, 'SIGCONT');
    span.end = performance.now();
    await pause(BETWEEN_FREEZES_MS);
    return true;
  }

  #signal(part: Part, signal: NodeJS.Signals): void {
    if (part.exit === null) process.kill(-part.pid, signal);
  }

  #ended(part: Part, exit: Exit): void {
    if (this.part !== part || !this.#isWanted) return;
    this.part = null;
    this.#watch.endedByItself(this.name, exit, `${part.stdout.slice(-1_500)}\n${part.stderr.slice(-1_500)}`);
    void this.exclusive(async () => {
      await pause(AGAIN_MS);
      if (this.part === null && this.#isWanted) await this.start();
    });
  }
}
