/**
 * `npm run relay`: forwards the Intake's pulls through the DMZ to the cloud (D39). Exit codes: 0 stopped, 1 cannot
 * start, 2 a variable or argument is wrong.
 */
import { pino } from 'pino';
import { complain, print } from '../../shared/service/terminal.ts';
import { runCommandLine } from './command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print,
  complain,
  log: pino({ base: { part: 'relay', name: 'relay' } }),
  stopAsked: () =>
    new Promise((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
    }),
});
