/** Asks systemd how a service stands and what it has logged. */
import type { AgentContext } from './agent.ts';
import { ServiceError } from './install.ts';
import type { PartName } from './parts.ts';
import { runCommand, showCommand } from './run-command.ts';
import { unitName } from './unit.ts';

const PROPERTIES = [
  'LoadState',
  'UnitFileState',
  'ActiveState',
  'SubState',
  'Result',
  'MainPID',
  'NRestarts',
  'ExecMainStatus',
  'ActiveEnterTimestamp',
  'MemoryCurrent',
] as const;

/** Prints a table. @returns 0 when it runs, else 1 @throws ServiceError */
export async function serviceStatus(part: PartName, { env, print }: AgentContext): Promise<number> {
  const { code, stdout, stderr } = await started(() =>
    runCommand('systemctl', ['show', unitName(part), `--property=${PROPERTIES.join(',')}`], env),
  );
  if (code !== 0) throw new ServiceError(`systemctl does not tell how ${part} stands: ${stderr.trim()}`);
  const told = Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2))
      .map(([name = '', value = '']) => [name, value]),
  );
  const of = (name: (typeof PROPERTIES)[number]): string => told[name] ?? '';
  if (of('LoadState') !== 'loaded') {
    print(`${part} is not installed: "causeway-agent service install ${part}" does it.`);
    return 1;
  }
  const runs = of('ActiveState') === 'active';
  const rows = [
    ['state', `${of('ActiveState')} (${of('SubState')})`],
    ['starts with the system', of('UnitFileState') === 'enabled' ? 'yes' : 'no'],
    ...(runs
      ? [
          ['process', of('MainPID')],
          ['since', of('ActiveEnterTimestamp')],
        ]
      : []),
    ...(runs && /^\d+$/.test(of('MemoryCurrent'))
      ? [['memory', `${Math.round(Number(of('MemoryCurrent')) / 1e6)} MB`]]
      : []),
    ['restarts', of('NRestarts')],
    ...(runs ? [] : [['ended with', `${of('ExecMainStatus')}${meaningOf(of('ExecMainStatus'))} (${of('Result')})`]]),
  ];
  for (const [name = '', value = ''] of rows) print(`${name.padEnd(24)}${value}`);
  if (!runs) print(`What it said: causeway-agent service logs ${part}. What is wrong: causeway-agent doctor ${part}.`);
  return runs ? 0 : 1;
}

/** What the exit codes of the parts say, to be put after the number. */
export const MEANINGS: Readonly<Record<string, string>> = {
  '1': ', it could not start or go on',
  '2': ', a setting is wrong or missing',
  '71': ', the ledger was written by a newer program',
  '72': ', the ledger is held by another program',
  '73': ', the ledger is damaged',
  '74': ', the ledger cannot be reached',
};
const meaningOf = (status: string): string => MEANINGS[status] ?? '';

/** Shows the journal. @returns the exit code @throws ServiceError */
export function serviceLogs(part: PartName, follow: boolean, { env }: AgentContext): Promise<number> {
  const args = ['--unit', unitName(part), '--output=cat', '--lines=200', ...(follow ? ['--follow'] : ['--no-pager'])];
  return started(() => showCommand('journalctl', args, env));
}

async function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new ServiceError(
      `systemd cannot be asked (${error instanceof Error ? error.message : String(error)}): is this a system with systemd?`,
    );
  }
}
