/** A server's log: the lines of one turn of the event loop go out in one write. */
import { destination } from 'pino';

/** Writes to the standard output. No line is kept beyond the turn, nor lost when the process ends. */
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
