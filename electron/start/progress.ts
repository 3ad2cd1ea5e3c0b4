/** What a start is at, and how far: a line as each step ends, and while a step takes longer, what is waited for. */
import type { Clock } from '../../shared/time/clock.ts';

const STILL_MS = 5_000;

export class StartProgress {
  readonly #say: (line: string) => void;
  readonly #clock: Clock;
  readonly #steps: number;
  readonly #began: number;
  /** The steps that run, with the time of their beginning and the done share of those that know it. */
  readonly #running = new Map<string, { since: number; share: number | null }>();
  #done = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param steps number of steps of the whole start */
  constructor(steps: number, say: (line: string) => void, clock: Clock) {
    this.#steps = steps;
    this.#say = say;
    this.#clock = clock;
    this.#began = clock.now().getTime();
  }

  /** Repeats what is waited for, until `stop`. */
  start(): this {
    this.#timer = setInterval(() => this.tellWaiting(), STILL_MS).unref();
    return this;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @param result words about the finished step, in place of its name */
  async step<Result>(name: string, work: Promise<Result>, result = (_: Result): string => name): Promise<Result> {
    const since = this.#now();
    this.#running.set(name, { since, share: null });
    const value = await work;
    this.#running.delete(name);
    this.#done += 1;
    this.#say(`[${this.#done}/${this.#steps}] ${result(value)} (${seconds(this.#now() - since)})`);
    return value;
  }

  /** The done share of a running step, from 0 to 1. */
  reach(name: string, share: number): void {
    const running = this.#running.get(name);
    if (running !== undefined) running.share = share;
  }

  tellWaiting(): void {
    if (this.#running.size === 0) return;
    const names = [...this.#running].map(([name, { share }]) =>
      share === null ? name : `${name} ${Math.floor(share * 100)} %`,
    );
    this.#say(`      ${seconds(this.#now() - this.#began)}: waiting for ${names.join(', ')}`);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
