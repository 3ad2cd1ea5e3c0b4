/** The entry of `causeway-cloud` in a package; `package-command.ts` has its commands. */
import { processContext } from '../../../shared/service/install/context.ts';
import { runPackageCommand } from './package-command.ts';

process.exitCode = await runPackageCommand(process.argv.slice(2), processContext(import.meta.filename));
