/** The entry of `causeway-cloud` in a package; `package-command.ts` has its commands. */
import { complain, print } from '../../../shared/service/terminal.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { runPackageCommand } from './package-command.ts';

process.exitCode = await runPackageCommand(process.argv.slice(2), {
  env: process.env,
  platform: process.platform,
  own: import.meta.filename,
  now: () => systemClock.now(),
  print,
  complain,
});
