/**
 * The host of the Windows services, compiled across and run by Wine's service manager: it starts a part, gives it its
 * settings, starts it again when it crashes, ends it in order, and keeps its log within bounds. Making a Windows takes
 * Wine a minute and more, so this runs when CAUSEWAY_TEST_WINE=1 asks for it; a skipped test does not count.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PartName } from '../../../agent/operations/install/parts.ts';
import { installCalls, readState, type WindowsState } from '../../../agent/operations/windows/windows.ts';
import { compileWindowsHost, WINDOWS_COMPILER } from '../../../electron/packaging/build/windows-host.ts';
import { PROJECT, TestFixture, waitFor } from '../../support/process.ts';

const has = (command: string): boolean => spawnSync(command, ['--version']).status === 0;
const isAsked = process.env['CAUSEWAY_TEST_WINE'] === '1';
const missing = isAsked ? [WINDOWS_COMPILER, 'wine'].filter((command) => !has(command)) : ['CAUSEWAY_TEST_WINE=1'];
const fixture = new TestFixture();
let folder: string;
let env: NodeJS.ProcessEnv;

const wine = (command: string, ...args: string[]) =>
  spawnSync('wine', [command, ...args], { encoding: 'utf8', env, timeout: 60_000 });
const inside = (name: string): string => `Z:${path.join(folder, name).replaceAll('/', '\\')}`;
const log = (): string => {
  const file = path.join(folder, 'part.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const stateOf = (part: PartName = 'relay'): WindowsState | null => {
  const { status, stdout } = wine('sc.exe', 'query', `causeway-${part}`);
  return readState(status ?? 1, stdout);
};

beforeAll(() => {
  if (missing.length > 0) return;
  folder = fixture.folder('windows service');
  // Wine keeps a separate system, which ends with its last program; the user's own stays untouched.
  env = {
    ...process.env,
    WINEPREFIX: path.join(folder, 'prefix'),
    WINEDEBUG: '-all',
    DISPLAY: '',
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
  };
  compileWindowsHost(path.join(folder, 'causeway-host.exe'));
  const part = [
    '-O1',
    '-static',
    '-o',
    path.join(folder, 'part.exe'),
    path.join(PROJECT, 'test/support/windows/part.c'),
  ];
  expect(spawnSync(WINDOWS_COMPILER, part).status).toBe(0);
  wine('wineboot.exe', '-i');
  // The server stays between two commands: a new start would start every service of the system start.
  spawnSync('wineserver', ['-p'], { env, stdio: 'ignore' });
}, 120_000);
afterAll(async () => {
  if (missing.length === 0) spawnSync('wineserver', ['-k', '-w'], { env, stdio: 'ignore', timeout: 20_000 });
  await fixture.clear();
}, 60_000);

/** Puts the part in place of Node and its entry, and starts the service. */
function start(settings: string, ...args: string[]): void {
  startPart('relay', settings, args);
}
function startPart(part: PartName, settings: string, args: readonly string[]): void {
  writeFileSync(path.join(folder, 'part.env'), settings);
  const program = {
    node: inside('part.exe'),
    entry: inside('part.js'),
    args,
    notify: inside('notify.js'),
    pages: null,
  };
  const places = { settings: inside('part.env'), log: inside('part.log'), data: inside('') };
  if (stateOf(part) !== null) wine('sc.exe', 'delete', `causeway-${part}`);
  const [create] = installCalls(part, program, places, false);
  // Wine knows no service accounts. And the part replaces Node: the words behind the log are its own.
  const words = create?.args.slice(0, create.args.indexOf('obj=')) ?? [];
  const called = words.map((word) => word.replace(/"--import" "[^"]*" "[^"]*"/, ''));
  expect(wine('sc.exe', ...called).status).toBe(0);
  expect(wine('sc.exe', 'start', `causeway-${part}`).status).toBe(0);
}
async function stop(): Promise<void> {
  wine('sc.exe', 'stop', 'causeway-relay');
  await waitFor('the service to stop', () => stateOf()?.state === 'STOPPED');
}

test('settings, restart after a crash, an end in order', async ({ skip }) => {
  if (missing.length > 0) skip(`NOT CHECKED: there is no ${missing.join(' and no ')} here`);
  start('# note\r\n\r\nCAUSEWAY_WORDS= 두 words \r\n', 'crash-once', 'a b', inside('crashed'));
  await waitFor('the part to begin again', () => log().split('began as').length === 3);
  expect(log()).toContain('began as crash-once with a b and [');
  expect(log()).toMatch(/"msg":"the part has ended by itself with exit code","value":-?[1-9]\d*/);
  expect(stateOf()?.state).toBe('RUNNING');
  expect(log()).not.toContain('ended in order');
  await stop();
  expect(log()).toContain('ended in order');
  expect(stateOf()?.exitCode).toBe('0');
}, 120_000);

test('a service that would end the same way again is not started again', async ({ skip }) => {
  if (missing.length > 0) skip(`NOT CHECKED: there is no ${missing.join(' and no ')} here`);
  start('CAUSEWAY_WORDS=x\n', 'code', '', '71');
  await waitFor('the service to stop', () => stateOf()?.state === 'STOPPED');
  expect(stateOf()?.exitCode).toBe('71');
}, 120_000);

const WRONG_SETTINGS: [settings: string, sentence: string][] = [
  ['CAUSEWAY_WORDS\n', 'the settings file has a line that is not NAME=VALUE","value":1'],
  ['CAUSEWAY_A=C:\\x\n', 'a quote or a backslash in a value: write / in paths; line","value":1'],
  [
    'CAUSEWAY_A=1\nNO_PROXY=2\nCAUSEWAY_A=3\n',
    'the settings file says a name twice, the second time in line","value":3',
  ],
  ['HTTPS_PROXY=x\nNODE_OPTIONS=--import=x\n', 'a name that is no setting of Causeway, in line","value":2'],
];
test.for(WRONG_SETTINGS)(
  'settings of another form (%j) are refused with their line',
  { timeout: 120_000 },
  async ([settings, sentence], { skip }) => {
    if (missing.length > 0) skip(`NOT CHECKED: there is no ${missing.join(' and no ')} here`);
    start(settings, 'wait');
    await waitFor('the service to stop', () => stateOf()?.state === 'STOPPED');
    expect(stateOf()?.exitCode).toBe('2');
    expect(log()).toContain(sentence);
  },
);

test.for(['0', '1'])(
  'a scheduled part runs once, and its service shows the outcome: %s',
  { timeout: 120_000 },
  async (code, { skip }) => {
    if (missing.length > 0) skip(`NOT CHECKED: there is no ${missing.join(' and no ')} here`);
    rmSync(path.join(folder, 'part.log'), { force: true });
    startPart('backup', 'CAUSEWAY_WORDS=x\n', ['code', '', code]);
    await waitFor('the service to stop', () => stateOf('backup')?.state === 'STOPPED');
    expect(stateOf('backup')?.exitCode).toBe(code);
    expect(log().match(/began as/g)).toHaveLength(1);
  },
);

test('a full log moves on', async ({ skip }) => {
  if (missing.length > 0) skip(`NOT CHECKED: there is no ${missing.join(' and no ')} here`);
  start('CAUSEWAY_WORDS=x\n', 'much');
  await waitFor('much to be said', () => log().includes('that was much'));
  await stop();
  expect(statSync(path.join(folder, 'part.log')).size).toBeLessThan(10 * 1024 * 1024);
  expect(statSync(path.join(folder, 'part.log.1')).size).toBeGreaterThanOrEqual(10 * 1024 * 1024);
  expect(wine('sc.exe', 'delete', 'causeway-relay').status).toBe(0);
}, 120_000);
