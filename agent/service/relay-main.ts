/** `causeway-agent` of the package for the DMZ: the relay alone, and nothing that opens a ledger. */
import { complain, print } from '../../shared/service/terminal.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { runAgent } from './agent.ts';
import { checkRelay } from './checks/relay-checks.ts';

process.exitCode = await runAgent(
  process.argv.slice(2),
  { relay: checkRelay },
  {
    env: process.env,
    platform: process.platform,
    own: import.meta.filename,
    now: () => systemClock.now(),
    print,
    complain,
  },
);
