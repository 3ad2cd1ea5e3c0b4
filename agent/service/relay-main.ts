/** `causeway-agent` of the package for the DMZ: the relay alone, and nothing that opens a ledger. */
import { runAgent } from './agent.ts';

process.exitCode = await runAgent(
  process.argv.slice(2),
  { parts: ['relay'] },
  {
    env: process.env,
    platform: process.platform,
    own: import.meta.filename,
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
  },
);
