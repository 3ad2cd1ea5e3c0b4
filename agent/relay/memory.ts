/**
 * Keeps the resident size where it is while bytes pass through (D39).
 *
 * Every piece of a body is a small object with some ten KB outside the heap. The engine collects
 * young objects by their own size, so tens of MB of pieces that nobody needs any more stay before it
 * looks. Here the young ones, and they alone, are collected after so many bytes: well below a
 * millisecond each time, and nothing is left to grow with a body or with the number of pulls.
 *
 * The optimising compiler stays off: nearly all time goes into TLS, and its own code is 5 MB resident.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const COLLECT_AFTER_BYTES = 2 * 1024 * 1024;
/** What a pull costs beside its body: sockets' buffers, headers, a log line. */
const BYTES_PER_PULL = 64 * 1024;

export class PassingMemory {
  readonly #collect: () => void;
  #passed = 0;

  constructor() {
    setFlagsFromString('--no-opt');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as NodeJS.GCFunction;
    this.#collect = () => collect({ type: 'minor', execution: 'sync' });
  }

  pull(): void {
    this.passed(BYTES_PER_PULL);
  }

  passed(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < COLLECT_AFTER_BYTES) return;
    this.#passed = 0;
    this.#collect();
  }
}
