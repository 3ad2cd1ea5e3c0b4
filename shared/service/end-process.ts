/** The end of a process that has closed everything. */

/** How long something that was forgotten may hold the process, in ms. */
const HELD_MS = 2_000;

/**
 * Lets this process come to its end. `process.exit` would wait for the threads of the compiler, and one of them may wait
 * for a collection by the thread that exits: neither ever goes on (nodejs/node#54918). Right after a start, when much is
 * compiled, that happens; after a rest it does not.
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), HELD_MS).unref();
}
