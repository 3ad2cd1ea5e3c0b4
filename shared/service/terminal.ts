/**
 * A command's output, line by line. Words of others stand in it (an answer of the relay, a name, a path), and a terminal
 * obeys the control characters that it is given.
 */
import { printable } from '../wire/invisible.ts';

export const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

export const complain = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
