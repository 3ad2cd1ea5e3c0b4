/** The time of the console's last good answer, and the age of the queue then: shown during an outage. Pure. */
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import type { Seen } from '../ipc/channels.ts';

/** All times are of one monotonic clock, in ms. */
export class LastAnswer {
  #at: number | null = null;
  #queue: { waiting: number; oldestAt: number | null } | null = null;

  /** The console's page has loaded. */
  heard(now: number): void {
    this.#at = now;
  }

  /** The page's report. After a logout there is no queue; an older console reports none. */
  take({ waiting, queue }: ConsoleReport, now: number): void {
    if (queue === undefined || queue === null || waiting === null) {
      this.#queue = null;
      return;
    }
    this.#at = Math.max(this.#at ?? Number.NEGATIVE_INFINITY, now - queue.answeredMs);
    this.#queue = { waiting, oldestAt: queue.oldestMs === null ? null : now - queue.oldestMs };
  }

  /** Null: no answer since the program started. */
  seen(now: number): Seen | null {
    if (this.#at === null) return null;
    const queue = this.#queue;
    return {
      answeredMs: now - this.#at,
      queue:
        queue === null
          ? null
          : { waiting: queue.waiting, oldestMs: queue.oldestAt === null ? null : now - queue.oldestAt },
    };
  }
}
