/**
 * The next answer for a caller with a backlog, assembled while the answer before is on its way (D121). It is given out
 * at most once, soon, and only while nothing that it tells has changed since (D184); a pull that does not find it
 * assembles its bundle itself, so that no other instance need know of it.
 */

/** A caller that continues asks at once; for a later request the store is asked again. */
const KEPT_MS = 2_000;
/** Over all callers, because each answer may hold a full bundle. */
const MOST = 8;

interface Range {
  after: number;
  limit: number;
}

/** An answer that is being assembled, or is. */
export interface Prepared<Row> {
  /** Of the store, before the assembly; null: it has none, and the answer is not given. */
  moment: Promise<string | null>;
  /** Null: the assembly has failed. */
  row: Promise<Row | null>;
}

interface AheadParts<Row> {
  moment(): Promise<string | null>;
  assemble(): Promise<Row>;
}

interface Ahead<Row> extends Range, Prepared<Row> {
  timer: NodeJS.Timeout;
}

export class ReadAhead<Row> {
  /** By the fingerprint of the caller's certificate. */
  readonly #byCaller = new Map<string, Ahead<Row>>();

  /** Begins the following bundle; a failed one counts as never begun. */
  begin(caller: string, { after, limit }: Range, parts: AheadParts<Row>): void {
    this.#drop(caller);
    if (this.#byCaller.size >= MOST) return;
    const timer = setTimeout(() => this.#drop(caller), KEPT_MS).unref();
    const moment = parts.moment().catch(() => null);
    const row = moment.then((is) => (is === null ? null : parts.assemble())).catch(() => null);
    this.#byCaller.set(caller, { after, limit, moment, row, timer });
  }

  /**
   * The answer that was prepared for exactly this pull, or null. Removes the caller's prepared answer in either case.
   */
  take(caller: string, { after, limit }: Range): Prepared<Row> | null {
    const ahead = this.#byCaller.get(caller);
    this.#drop(caller);
    return ahead?.after === after && ahead.limit === limit ? ahead : null;
  }

  #drop(caller: string): void {
    clearTimeout(this.#byCaller.get(caller)?.timer);
    this.#byCaller.delete(caller);
  }
}
