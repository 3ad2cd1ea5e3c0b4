/**
 * One log line of each tenant and hour in place of one of each pull (D152): ten thousand tenants that ask every minute
 * would write 3 GB a day. Failures keep a line each.
 */

const HOUR_MS = 3_600_000;

interface ServedPull {
  tenantId: number;
  at: Date;
  entries: number;
  /** Of the body. */
  bytes: number;
  /** Address of the caller. */
  from: string;
}

/** A tenant's served pulls between two instants of one clock hour, as the log line has them. */
export interface HourOfPulls {
  tenantId: number;
  first: string;
  last: string;
  pulls: number;
  entries: number;
  bytes: number;
  /** Of the last pull. */
  from: string;
}

const hourOf = (at: string | Date): number => Math.floor(new Date(at).getTime() / HOUR_MS);

export class HourlyPulls {
  readonly #tell: (hour: HourOfPulls) => void;
  readonly #open = new Map<number, HourOfPulls>();
  #hour = -Infinity;

  constructor(tell: (hour: HourOfPulls) => void) {
    this.#tell = tell;
  }

  /** Tells the tenant's hour before when a new one has begun. */
  note({ tenantId, at, entries, bytes, from }: ServedPull): void {
    const hour = hourOf(at);
    if (hour > this.#hour) this.#endSilent(hour);
    const open = this.#open.get(tenantId);
    const last = at.toISOString();
    if (open !== undefined && hourOf(open.first) === hour) {
      Object.assign(open, {
        last,
        pulls: open.pulls + 1,
        entries: open.entries + entries,
        bytes: open.bytes + bytes,
        from,
      });
      return;
    }
    if (open !== undefined) this.#tell(open);
    this.#open.set(tenantId, { tenantId, first: last, last, pulls: 1, entries, bytes, from });
  }

  /** Tells what is open: the process stops. */
  flush(): void {
    for (const open of this.#open.values()) this.#tell(open);
    this.#open.clear();
  }

  /** Tells the hours of tenants that have not asked for a whole hour. */
  #endSilent(hour: number): void {
    this.#hour = hour;
    for (const [tenantId, open] of this.#open) {
      if (hourOf(open.first) >= hour - 1) continue;
      this.#tell(open);
      this.#open.delete(tenantId);
    }
  }
}
