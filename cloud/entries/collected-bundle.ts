/**
 * A bundle while the store gives its entries (D179). They are written where they are sent from, into memory that is used
 * again once the answer has left: new memory for each bundle made the engine look through all of the cloud's objects
 * again and again, for half of its processor time.
 */
import type { CopiedRow } from '../store/copied-rows.ts';

/** Before the entries: room for the envelope and the bundle's own fields. */
const HEAD_ROOM = 512;
const END = Buffer.from(']}}');
const COMMA = 0x2c;

/** The first memory of a bundle; most have few entries. */
const FIRST_BYTES = 16 * 1024;
/** Kept for later bundles, all together and each. A bundle of 500 entries of ordinary size takes 1.3 MB. */
const KEPT_BYTES = 8 * 1024 * 1024;
const LARGEST_KEPT = 2 * 1024 * 1024;

const free: Buffer[] = [];
let freeBytes = 0;

function memoryOf(bytes: number): Buffer {
  const at = free.findLastIndex(({ length }) => length >= bytes);
  const [found] = at < 0 ? [] : free.splice(at, 1);
  if (found === undefined) return Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(bytes)));
  freeBytes -= found.length;
  return found;
}

function keepMemory(buffer: Buffer): void {
  if (buffer.length > LARGEST_KEPT || freeBytes + buffer.length > KEPT_BYTES) return;
  free.push(buffer);
  freeBytes += buffer.length;
}

export class CollectedBundle {
  /** Null as long as the store has not found the tenant. */
  retentionFloor: number | null = null;
  head = 0;
  entries = 0;
  /** The last cursor. */
  to: number | null = null;
  /** Bytes of the entries alone. */
  bytes = 0;
  /** A record refers to something that is not there. */
  isIncomplete = false;
  #memory: Buffer | null = null;
  #end = HEAD_ROOM;

  /** Takes a row of `BUNDLE_ENTRIES`. */
  take(row: CopiedRow): void {
    const cursor = row.text(3);
    if (cursor === null) {
      this.retentionFloor = Number(row.text(1));
      this.head = Number(row.text(2));
      return;
    }
    const entry = row.bytes(4);
    if (entry === null) {
      this.isIncomplete = true;
      return;
    }
    const memory = this.#roomFor(entry.length + 1);
    if (this.entries > 0) memory[this.#end++] = COMMA;
    this.#end += entry.copy(memory, this.#end);
    this.bytes += entry.length;
    this.entries += 1;
    this.to = Number(cursor);
  }

  /** Forgets all rows, for a statement that is asked again. */
  reset(): void {
    this.retentionFloor = null;
    this.head = 0;
    this.entries = 0;
    this.to = null;
    this.bytes = 0;
    this.isIncomplete = false;
    this.#end = HEAD_ROOM;
  }

  /** The whole answer. @param head what stands before the entries, in ASCII */
  body(head: string): Buffer {
    if (head.length > HEAD_ROOM) throw new RangeError(`a head of ${head.length} bytes does not fit before the entries`);
    const memory = this.#roomFor(0);
    const start = HEAD_ROOM - head.length;
    memory.write(head, start, 'latin1');
    return memory.subarray(start, this.#end + END.copy(memory, this.#end));
  }

  /** Gives the memory back, once: nobody may read the body any more. */
  release(): void {
    if (this.#memory !== null) keepMemory(this.#memory);
    this.#memory = null;
  }

  /** Memory in which so many bytes and the end fit. */
  #roomFor(bytes: number): Buffer {
    const needed = this.#end + bytes + END.length;
    const before = this.#memory;
    if (before !== null && before.length >= needed) return before;
    const memory = memoryOf(Math.max(FIRST_BYTES, needed));
    before?.copy(memory, 0, 0, this.#end);
    this.release();
    this.#memory = memory;
    return memory;
  }
}
