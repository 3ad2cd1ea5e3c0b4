/**
 * Rows as the bytes that the server sends: by COPY in its binary form, because the driver makes a text of JavaScript of
 * every other result, and a bundle goes out as it comes in. A query object for the driver, which reads the protocol.
 */
import type { Connection, Submittable } from 'pg';

/** A row while it is taken; afterwards its bytes are the driver's again. */
export interface CopiedRow {
  /** Null as in SQL, like a column that is not there. */
  bytes(column: number): Buffer | null;
  text(column: number): string | null;
}

/** Signature, flags and the length of an extension: they stand before the first row. */
const HEADER_BYTES = 19;
/** In place of the number of columns: no row follows. */
const END = -1;

export class CopiedRows implements Submittable, CopiedRow {
  readonly #text: string;
  readonly #take: (row: CopiedRow) => void;
  readonly #settled = Promise.withResolvers<void>();
  #isHeaderRead = false;
  #fault: unknown = null;
  /** The present row, and where its columns begin and how long they are: -1 for null. */
  #row: Buffer = Buffer.alloc(0);
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];

  /** @param select without parameters; @param take called with each row */
  constructor(select: string, take: (row: CopiedRow) => void) {
    this.#text = `copy (${select}) to stdout (format binary)`;
    this.#take = take;
  }

  /** Resolves when the server is ready for the next statement; rejects with the driver's error, or that of `take`. */
  get done(): Promise<void> {
    return this.#settled.promise;
  }

  bytes(column: number): Buffer | null {
    const [start = 0, size = -1] = [this.#starts[column], this.#sizes[column]];
    return size < 0 ? null : this.#row.subarray(start, start + size);
  }

  text(column: number): string | null {
    const [start = 0, size = -1] = [this.#starts[column], this.#sizes[column]];
    return size < 0 ? null : this.#row.toString('utf8', start, start + size);
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  /** The server sends each row in a message of its own. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    let at = this.#isHeaderRead ? 0 : HEADER_BYTES;
    this.#isHeaderRead = true;
    const columns = chunk.readInt16BE(at);
    if (columns === END || this.#fault !== null) return;
    at += 2;
    this.#row = chunk;
    for (let column = 0; column < columns; column += 1) {
      const size = chunk.readInt32BE(at);
      at += 4;
      this.#starts[column] = at;
      this.#sizes[column] = size;
      at += Math.max(size, 0);
    }
    try {
      this.#take(this);
    } catch (error) {
      // The rest of the answer has to be read all the same.
      this.#fault = error;
    }
  }

  handleReadyForQuery(): void {
    if (this.#fault === null) this.#settled.resolve();
    else this.#settled.reject(this.#fault);
  }

  handleError(error: Error): void {
    this.#settled.reject(error);
  }

  /** The driver calls these of every query. */
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
}
