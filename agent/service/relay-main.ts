/** `causeway-agent` of the package for the DMZ: the relay alone, and nothing that opens a ledger. */
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
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
  },
);
