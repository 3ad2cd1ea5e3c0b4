/** `npm run format`: formats every file of the project. `-- --check` only lists unformatted ones. */
import path from 'node:path';
import { placesToRead, runTool } from './tools.ts';

const root = path.resolve(import.meta.dirname, '../..');
const settings = path.join(import.meta.dirname, 'oxfmt.json');
const asked = process.argv.slice(2);
const outcome = await runTool(root, 'oxfmt/bin/oxfmt', [
  '-c',
  settings,
  '--disable-nested-config',
  ...(asked.length > 0 ? asked : placesToRead(root)),
]);
process.stdout.write(outcome.stdout);
process.stderr.write(outcome.stderr);
process.exitCode = outcome.code ?? 1;
