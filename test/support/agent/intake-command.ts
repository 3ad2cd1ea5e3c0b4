/** A command line of the Intake in this process, long commands too. */
import { pino } from 'pino';
import { runCommandLine } from '../../../agent/intake/command-line.ts';

/** Its output, and its exit code. */
export interface Said {
  code: number;
  out: string;
  err: string;
}

export async function intakeWith(variables: Record<string, string>, ...args: string[]): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await runCommandLine(args, {
    env: variables,
    print: (line) => (said.out += `${line}\n`),
    complain: (line) => (said.err += `${line}\n`),
    log: pino({ base: { part: 'intake' } }, { write: (line) => (said.err += line) }),
    isThread: true,
    serve: () => Promise.reject(new Error('A command line without a command serves: start a process for that.')),
  });
  return { code, ...said };
}
