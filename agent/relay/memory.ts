/**
 * Keeps the resident size constant while bytes pass through (D39).
 *
 * Every piece of a body is a small object with some ten KB outside the heap. V8 schedules collections by the small
 * objects, so tens of MB of unused pieces would remain. Young objects are therefore collected after a number of bytes,
 * well below a millisecond each time, and now and then all of them, so that memory grows neither with a body nor with
 * the number of pulls.
 *
 * Freed memory is returned at once instead of by a later thread. The optimising compiler stays off: nearly all time
 * goes into TLS, and its own code is 5 MB resident.
 */
import { setFlagsFromString } from 'node:v8';
import { garbageCollector } from '../garbage-collection.ts';

const MIB = 1024 * 1024;
const YOUNG_AFTER_BYTES = MIB;
/** Objects that survived two young collections count as old: the rare whole one finds them. */
const WHOLE_AFTER_BYTES = 32 * MIB;
/** The cost of a pull beside its body: sockets' buffers, headers, a log line. */
const BYTES_PER_PULL = 64 * 1024;

export class PassingMemory {
  readonly #collect: NodeJS.GCFunction;
  #sinceYoung = 0;
  #sinceWhole = 0;

  constructor() {
    setFlagsFromString('--no-opt');
    setFlagsFromString('--no-concurrent-array-buffer-sweeping');
    this.#collect = garbageCollector();
  }

  pull(): void {
    this.passed(BYTES_PER_PULL);
  }

  passed(bytes: number): void {
    this.#sinceYoung += bytes;
    if (this.#sinceYoung < YOUNG_AFTER_BYTES) return;
    this.#sinceWhole += this.#sinceYoung;
    this.#sinceYoung = 0;
    if (this.#sinceWhole < WHOLE_AFTER_BYTES) this.#collect({ type: 'minor', execution: 'sync' });
    else {
      this.#sinceWhole = 0;
      this.#collect({ type: 'major', execution: 'sync' });
    }
  }
}
