/**
 * A command's output, line by line. It holds text from outside (an answer of the relay, a name, a path), and a terminal
 * executes control characters, so these are escaped.
 */
import { printable } from '../wire/invisible.ts';

export const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

export const complain = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
