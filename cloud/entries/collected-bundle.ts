/** A bundle while the store gives its entries. */

/** A row of `BUNDLE_ENTRIES`. */
export interface BundleRow {
  /** Counted from 1. */
  place: string;
  retention_floor: string | null;
  head: string | null;
  cursor: string | null;
  entry: string | null;
}

export class CollectedBundle {
  /** Null as long as the store has not found the tenant. */
  retentionFloor: number | null = null;
  head = 0;
  /** The last cursor. */
  to: number | null = null;
  /** Bytes of the entries alone. */
  bytes = 0;
  /** A record refers to something that is not there. */
  isIncomplete = false;
  readonly #entries: string[] = [];

  get entries(): number {
    return this.#entries.length;
  }

  take({ retention_floor: floor, head, cursor, entry }: BundleRow): void {
    if (cursor === null) {
      this.retentionFloor = Number(floor);
      this.head = Number(head);
    } else if (entry === null) this.isIncomplete = true;
    else {
      this.#entries.push(entry);
      this.bytes += Buffer.byteLength(entry);
      this.to = Number(cursor);
    }
  }

  /** Forgets all rows, for a statement that is asked again. */
  reset(): void {
    this.retentionFloor = null;
    this.head = 0;
    this.#entries.length = 0;
    this.to = null;
    this.bytes = 0;
    this.isIncomplete = false;
  }

  /** The whole answer. @param head what stands before the entries */
  body(head: string): Buffer {
    return Buffer.from(`${head}${this.#entries.join()}]}}`);
  }
}
