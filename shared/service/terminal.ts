/**
 * A command's output, line by line. It holds text from outside (an answer of the relay, a name, a path), and a terminal
 * executes control characters, so these are escaped.
 */
import { printable } from '../wire/invisible.ts';

// A reader that has seen enough (`| head`) closes the pipe: what follows is for nobody, and no error of the command.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

export const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

export const complain = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
