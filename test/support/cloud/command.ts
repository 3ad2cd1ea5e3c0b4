/** A command line in this process. */
import { runCommandLine } from '../../../cloud/commands/command-line.ts';

/** Its output, and its exit code. */
export interface Said {
  code: number;
  out: string;
  err: string;
}

export async function commandWith(variables: Record<string, string>, ...args: string[]): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await runCommandLine(args, {
    env: variables,
    print: (line) => (said.out += `${line}\n`),
    printError: (line) => (said.err += `${line}\n`),
  });
  return { code, ...said };
}
