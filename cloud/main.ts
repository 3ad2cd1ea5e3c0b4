/** `npm run cloud`: see `commands/command-line.ts` for what it takes. */
import { complain, print } from '../shared/service/terminal.ts';
import { runCommandLine } from './commands/command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print,
  printError: complain,
});
