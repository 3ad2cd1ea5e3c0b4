/**
 * Rows as the bytes that the server sends: by COPY in its binary form, because the driver makes a text of JavaScript of
 * every other result, and a bundle goes out as it comes in. A query object for the driver, which reads the protocol.
 */
import type { Connection, Submittable } from 'pg';

/** The bytes of each column; null as in SQL. */
export type CopiedRow = readonly (Buffer | null)[];

/** Signature, flags and the length of an extension: they stand before the first row. */
const HEADER_BYTES = 19;
/** In place of the number of columns: no row follows. */
const END = -1;

export class CopiedRows implements Submittable {
  readonly #text: string;
  readonly #rows: CopiedRow[] = [];
  readonly #settled = Promise.withResolvers<CopiedRow[]>();
  #isHeaderRead = false;

  /** @param select without parameters */
  constructor(select: string) {
    this.#text = `copy (${select}) to stdout (format binary)`;
  }

  /** Resolves when the server is ready for the next statement; rejects with the driver's error. */
  get rows(): Promise<CopiedRow[]> {
    return this.#settled.promise;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  /** The server sends each row in a message of its own. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The driver uses its buffer again.
    const bytes = Buffer.from(chunk);
    const start = this.#isHeaderRead ? 0 : HEADER_BYTES;
    this.#isHeaderRead = true;
    const columns = bytes.readInt16BE(start);
    if (columns === END) return;
    let at = start + 2;
    this.#rows.push(
      Array.from({ length: columns }, () => {
        const length = bytes.readInt32BE(at);
        at += 4;
        if (length < 0) return null;
        at += length;
        return bytes.subarray(at - length, at);
      }),
    );
  }

  handleReadyForQuery(): void {
    this.#settled.resolve(this.#rows);
  }

  handleError(error: Error): void {
    this.#settled.reject(error);
  }

  /** The driver calls these of every query. */
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
}
