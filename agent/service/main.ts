/** `causeway-agent`: installs the tenant's parts as services and reports their faults. */
import { complain, print } from '../../shared/service/terminal.ts';
import { systemClock } from '../../shared/time/clock.ts';
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
  {
    env: process.env,
    platform: process.platform,
    own: import.meta.filename,
    now: () => systemClock.now(),
    print,
    complain,
  },
  { 'verify-dossier': VERIFY_DOSSIER },
);
