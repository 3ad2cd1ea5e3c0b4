/** `causeway-agent` of the package for the DMZ: the relay alone, and nothing that opens a ledger. */
import { processContext } from '../../shared/service/install/context.ts';
import { runAgent } from './agent.ts';
import { checkRelay } from './checks/relay-checks.ts';

process.exitCode = await runAgent(process.argv.slice(2), { relay: checkRelay }, processContext(import.meta.filename));
