/** The log of a server: what is logged within one turn of the event loop goes out in one write, not line by line. */
import { destination } from 'pino';

/** Writes to the standard output. Nothing is kept back beyond the turn, nor when the process ends. */
export function linesByTurn(): { write(line: string): void } {
  const out = destination({ fd: 1, sync: true });
  let lines = '';
  const flush = (): void => {
    if (lines !== '') out.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
