/** Commands to Windows and the reading of its answers. The host itself: test/contract/operations/windows-service.test.ts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { programOf } from '../install/parts.ts';
import { windowsPlaces } from '../install/places.ts';
import { installCalls, logsOnWindows, readState, scheduleCall } from './windows.ts';

const places = windowsPlaces('intake', { ProgramData: 'D:\\Data' });
const program = {
  node: 'C:\\Program Files\\Causeway\\node\\node.exe',
  entry: 'C:\\Program Files\\Causeway\\services\\intake.js',
  args: [],
  notify: '/unused/notify.js',
  pages: null,
};

test('a new service: host, settings, log and the part behind it, with an account of its own and nothing more', () => {
  const [create, ...rest] = installCalls('intake', program, places, false);
  expect(create).toEqual({
    command: 'sc.exe',
    args: [
      'create',
      'causeway-intake',
      'binPath=',
      '"C:\\Program Files\\Causeway\\services\\causeway-host.exe" "causeway-intake" "D:\\Data\\Causeway\\intake.env" ' +
        '"D:\\Data\\Causeway\\logs\\intake\\intake.log" "C:\\Program Files\\Causeway\\node\\node.exe" "--import" ' +
        '"file:///C:/Program%20Files/Causeway/services/end-with-parent.js" "C:\\Program Files\\Causeway\\services\\intake.js"',
      'start=',
      'auto',
      'obj=',
      'NT SERVICE\\causeway-intake',
      'DisplayName=',
      'Causeway Intake (receives bundles into the ledger)',
    ],
  });
  expect(rest.map(({ command, args }) => [command, ...args].join(' '))).toEqual([
    'sc.exe description causeway-intake Causeway Intake (receives bundles into the ledger)',
    'sc.exe privs causeway-intake SeChangeNotifyPrivilege',
    'sc.exe failure causeway-intake reset= 300 actions= restart/2000',
  ]);
});

test('an installed service gets the new command line and keeps its account', () => {
  const [config] = installCalls('intake', program, places, true);
  expect(config?.args.slice(0, 3)).toEqual(['config', 'causeway-intake', 'binPath=']);
  expect(config?.args).not.toContain('obj=');
});

test('the relay’s folder is apart from that of the inner services', () => {
  expect(windowsPlaces('relay', {}).data).toBe('C:\\ProgramData\\Causeway\\relay');
  expect(windowsPlaces('console-api', {}).data).toBe(windowsPlaces('provision', {}).data);
});

test('backups are a service of their own, and a task of the night that only starts it', () => {
  const [create, , , start, ...rest] = installCalls('backup', program, windowsPlaces('backup', {}), false);
  const words = create?.args.join(' ');
  expect(words).toContain('causeway-host.exe" "--once" "causeway-backup" "C:\\ProgramData\\Causeway\\backup.env"');
  expect(words).toContain('start= demand obj= NT SERVICE\\causeway-backup');
  expect([start?.args.slice(0, 2), rest]).toEqual([['sdset', 'causeway-backup'], []]);
  // LOCAL SERVICE may query and start it, but not change it.
  expect(start?.args[2]).toMatch(/\(A;;LCRP;;;LS\)$/);
  const { args } = scheduleCall('backup', { SystemRoot: 'D:\\Windows' });
  expect(args).toEqual([
    ...['/Create', '/F', '/TN', 'causeway-backup', '/SC', 'DAILY', '/ST', '03:30', '/RU', 'S-1-5-19'],
    ...['/TR', 'D:\\Windows\\System32\\sc.exe start causeway-backup'],
  ]);
});

test.each([
  [1060, '', null],
  [0, 'STATE              : 4  RUNNING\n', { state: 'RUNNING', exitCode: '' }],
  [
    0,
    'SERVICE_NAME: x \r\n        TYPE               : 10  WIN32_OWN_PROCESS  \r\n        STATE              : 1  STOPPED \r\n' +
      '        WIN32_EXIT_CODE    : 1066  (0x42a)\r\n        SERVICE_EXIT_CODE  : 71  (0x47)\r\n',
    { state: 'STOPPED', exitCode: '71' },
  ],
  [
    0,
    '        STATE              : 1  STOPPED\n        WIN32_EXIT_CODE    : 1077  (0x435)\n        SERVICE_EXIT_CODE  : 0  (0x0)\n',
    { state: 'STOPPED', exitCode: '1077' },
  ],
])('sc.exe ends with %d', (code, text, state) => {
  expect(readState(code, text)).toEqual(state);
});

test('the last lines of a log', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-windows-'));
  const env = { ProgramData: folder };
  const { log } = windowsPlaces('relay', env);
  const said: string[] = [];
  const context = {
    env,
    platform: 'win32' as const,
    own: '',
    now: () => new Date(),
    print: (line: string) => said.push(line),
    complain: () => undefined,
  };
  await expect(logsOnWindows('relay', false, context)).rejects.toThrow('the service relay has not run yet');
  mkdirSync(path.dirname(log), { recursive: true });
  writeFileSync(log, Array.from({ length: 300 }, (_, line) => `${line}\n`).join(''));
  expect(await logsOnWindows('relay', false, context)).toBe(0);
  expect([said.length, said[0], said.at(-1)]).toEqual([200, '100', '299']);
  // On systems other than Windows this file name contains backslashes and lies in the working folder.
  rmSync(log);
  rmSync(folder, { recursive: true, force: true });
});

test('a package names its entry file', () => {
  expect(programOf('relay', '/x/services/causeway-agent.js').entry).toBe(path.join('/x/services', 'relay.js'));
});
