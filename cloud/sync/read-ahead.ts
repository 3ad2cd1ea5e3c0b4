/**
 * The next answer for a tenant with a backlog, assembled while the answer before is on its way. It is given out
 * at most once, and soon or not at all; a pull that does not find it assembles its bundle itself, so that no other
 * instance need know of it.
 */

/** A caller that continues asks at once; for a later request the store is asked again. */
const KEPT_MS = 2_000;
/** Over all tenants, because each answer may hold a full bundle. */
const MOST = 8;

interface Ahead<Row> {
  after: number;
  limit: number;
  row: Promise<Row | null>;
  timer: NodeJS.Timeout;
}

export class ReadAhead<Row> {
  readonly #byTenant = new Map<number, Ahead<Row>>();

  /** Begins the following bundle; a failed one counts as never begun. */
  begin(tenantId: number, { after, limit }: { after: number; limit: number }, assemble: () => Promise<Row>): void {
    this.#drop(tenantId);
    if (this.#byTenant.size >= MOST) return;
    const timer = setTimeout(() => this.#drop(tenantId), KEPT_MS).unref();
    this.#byTenant.set(tenantId, { after, limit, row: assemble().catch(() => null), timer });
  }

  /**
   * The answer that was prepared for exactly this pull, or null. Removes the tenant's prepared answer in either case.
   */
  async take(tenantId: number, { after, limit }: { after: number; limit: number }): Promise<Row | null> {
    const ahead = this.#byTenant.get(tenantId);
    this.#drop(tenantId);
    return ahead?.after === after && ahead.limit === limit ? ahead.row : null;
  }

  #drop(tenantId: number): void {
    clearTimeout(this.#byTenant.get(tenantId)?.timer);
    this.#byTenant.delete(tenantId);
  }
}
