/** `npm run cloud`: `commands/command-line.ts` describes its arguments. */
import { complain, print } from '../shared/service/terminal.ts';
import { runCommandLine } from './commands/command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print,
  printError: complain,
});
