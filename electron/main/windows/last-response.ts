/** When the console last answered well, and how old the queue was then: told while it cannot be reached. Pure. */
import type { ConsoleReport } from '../../../shared/wire/console/program.ts';
import type { Seen } from '../ipc/channels.ts';

/** Times are of one clock that only goes on, in ms. */
export class LastAnswer {
  #at: number | null = null;
  #queue: { waiting: number; oldestAt: number | null } | null = null;

  /** The console's page has loaded. */
  heard(now: number): void {
    this.#at = now;
  }

  /** The page's report. Somebody who has logged out leaves no queue behind; an older console tells of none. */
  take({ waiting, queue }: ConsoleReport, now: number): void {
    if (queue === undefined || queue === null || waiting === null) {
      this.#queue = null;
      return;
    }
    this.#at = Math.max(this.#at ?? Number.NEGATIVE_INFINITY, now - queue.answeredMs);
    this.#queue = { waiting, oldestAt: queue.oldestMs === null ? null : now - queue.oldestMs };
  }

  /** Null: it has not answered since the program was started. */
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
