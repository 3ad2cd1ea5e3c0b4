/**
 * The bootstrap's output: one line per step that does work, on stderr, so that the stdout of the program started
 * afterwards stays its own.
 */

/** A step failed. Only the message is shown: the fault, and what to do. */
export class SetupError extends Error {
  constructor(message) {
    super(message);
    this.name = 'SetupError';
  }
}

/** Prints a line of the bootstrap. */
export function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

/** Runs a step that takes time: prints what it does, and at the end its duration. */
export async function step(title, work) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(0)} s`;
  const terminal = process.stderr.isTTY === true;
  process.stderr.write(`setup: ${title} ... `);
  const ticking = terminal
    ? setInterval(() => process.stderr.write(`\rsetup: ${title} ... ${seconds()} `), 1_000)
    : undefined;
  let outcome = 'failed after';
  try {
    const result = await work();
    outcome = 'done in';
    return result;
  } finally {
    clearInterval(ticking);
    process.stderr.write(`${terminal ? `\rsetup: ${title} ... ` : ''}${outcome} ${seconds()}\n`);
  }
}
