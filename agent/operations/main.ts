/** `causeway-agent`: installs the tenant's parts as services and reports their faults. */
import { processContext } from '../../shared/service/install/context.ts';
import { runAgent } from './agent.ts';
import { checkBackup, checkConsoleApi, checkIntake, checkProvision } from './checks/internal-checks.ts';
import { checkRelay } from './checks/relay-checks.ts';
import { VERIFY_DOSSIER } from './dossier/command.ts';

process.exitCode = await runAgent(
  process.argv.slice(2),
  {
    relay: checkRelay,
    intake: checkIntake,
    provision: checkProvision,
    'console-api': checkConsoleApi,
    backup: checkBackup,
  },
  processContext(import.meta.filename),
  { 'verify-dossier': VERIFY_DOSSIER },
);
