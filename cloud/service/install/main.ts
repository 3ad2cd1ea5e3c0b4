/** `causeway-cloud` of a package: `package-command.ts` tells what it takes. */
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
