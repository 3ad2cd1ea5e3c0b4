/**
 * One log line per tenant and hour instead of one per served pull (D152): with ten thousand tenants these would be 3 GB
 * a day. Each failure keeps its own line.
 */

const HOUR_MS = 3_600_000;

interface ServedPull {
  tenantId: number;
  at: Date;
  entries: number;
  /** Bytes of the body. */
  bytes: number;
  /** Address of the caller. */
  from: string;
}

/** The fields of a log line: a tenant's served pulls between two instants of one clock hour. */
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

  /** Counts a pull. Logs the tenant's earlier hour when a new one has begun. */
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

  /** Logs all open hours, before the process stops. */
  flush(): void {
    for (const open of this.#open.values()) this.#tell(open);
    this.#open.clear();
  }

  /** Logs the hours of tenants that have sent no pull for a whole hour. */
  #endSilent(hour: number): void {
    this.#hour = hour;
    for (const [tenantId, open] of this.#open) {
      if (hourOf(open.first) >= hour - 1) continue;
      this.#tell(open);
      this.#open.delete(tenantId);
    }
  }
}
