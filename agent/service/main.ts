/** `causeway-agent`: installs the tenant's parts as services and says what is wrong with them. */
import { runAgent } from './agent.ts';
import { PART_NAMES } from './parts.ts';

process.exitCode = await runAgent(
  process.argv.slice(2),
  { parts: PART_NAMES },
  {
    env: process.env,
    platform: process.platform,
    own: import.meta.filename,
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
  },
);
