/** Reads the state and the log of a service from systemd. */
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { commandFor, type ServicePart } from './part.ts';
import { runCommand, showCommand } from './run-command.ts';
import { timerName, unitName } from './unit.ts';

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
  'NextElapseUSecRealtime',
  'LastTriggerUSec',
] as const;
type UnitState = (name: (typeof PROPERTIES)[number]) => string;

async function ask(unit: string, env: NodeJS.ProcessEnv): Promise<UnitState> {
  const { code, stdout, stderr } = await started(() =>
    runCommand('systemctl', ['show', unit, `--property=${PROPERTIES.join(',')}`], env),
  );
  if (code !== 0) throw new ServiceError(`systemctl reports no state of ${unit}: ${stderr.trim()}`);
  const told = Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2))
      .map(([name = '', value = '']) => [name, value]),
  );
  return (name) => told[name] ?? '';
}

/**
 * Prints a table. @returns 0 when it runs, or for a schedule waits for its time after a good run; else 1 @throws
 * ServiceError
 */
export async function serviceStatus(part: ServicePart, { env, print }: ServiceContext): Promise<number> {
  const of = await ask(unitName(part), env);
  if (of('LoadState') !== 'loaded') {
    print(`${part.name} is not installed: "${commandFor(part, 'service install')}" does it.`);
    return 1;
  }
  const timer = part.schedule === null ? null : await ask(timerName(part), env);
  const rows = timer === null ? rowsOfService(of) : rowsOfSchedule(timer, of);
  for (const [name, value] of rows) print(`${name.padEnd(24)}${value}`);
  const isWell = timer === null ? isActive(of) : isActive(timer) && of('Result') === 'success';
  if (!isWell) print(`Its log: ${commandFor(part, 'service logs')}. The cause: ${commandFor(part, 'doctor')}.`);
  return isWell ? 0 : 1;
}

type Row = readonly [name: string, value: string];
const isActive = (of: UnitState): boolean => of('ActiveState') === 'active';
const stateOf = (of: UnitState): Row => ['state', `${of('ActiveState')} (${of('SubState')})`];
const startsOf = (of: UnitState): Row => ['starts with the system', of('UnitFileState') === 'enabled' ? 'yes' : 'no'];
const endOf = (of: UnitState): Row => [
  'ended with',
  `${of('ExecMainStatus')}${meaningOf(of('ExecMainStatus'))} (${of('Result')})`,
];

function rowsOfService(of: UnitState): Row[] {
  const rows = [stateOf(of), startsOf(of)];
  if (isActive(of)) {
    rows.push(['process', of('MainPID')], ['since', of('ActiveEnterTimestamp')]);
    if (/^\d+$/.test(of('MemoryCurrent'))) rows.push(['memory', `${Math.round(Number(of('MemoryCurrent')) / 1e6)} MB`]);
  }
  rows.push(['restarts', of('NRestarts')]);
  if (!isActive(of)) rows.push(endOf(of));
  return rows;
}

/** For a scheduled part only the timer stays active; the service itself has ended when all is well. */
function rowsOfSchedule(timer: UnitState, of: UnitState): Row[] {
  const last = timer('LastTriggerUSec');
  return [
    stateOf(timer),
    startsOf(timer),
    ['next', timer('NextElapseUSecRealtime')],
    ['last by schedule', last === '' || last === 'n/a' ? 'not yet' : last],
    endOf(of),
  ];
}

/** The meaning of the parts' exit codes, shown after the number. */
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
export function serviceLogs(part: ServicePart, follow: boolean, { env }: ServiceContext): Promise<number> {
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
