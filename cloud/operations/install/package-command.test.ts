/** `causeway-cloud` of a package: the unit and settings that it writes, and what it passes on to the cloud. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runPackageCommand } from './package-command.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-cloud-service-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const OWN = path.join(import.meta.dirname, 'main.ts');
const cloud = (...args: string[]): Promise<number> =>
  runPackageCommand(args, {
    env: { PATH: process.env['PATH'] ?? '' },
    platform: 'linux',
    own: OWN,
    now: () => new Date(),
    print: (line) => said.push(line),
    complain: (line) => said.push(line),
  });
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

test('service install writes settings, user and a unit in which systemd finds nothing wrong', async ({ skip }) => {
  expect(await cloud('service', 'install', '--root', folder)).toBe(0);
  expect(statSync(path.join(folder, 'etc/causeway/cloud.env')).mode & 0o777).toBe(0o600);
  const settings = read('etc/causeway/cloud.env');
  for (const line of [
    'CAUSEWAY_HOME=/var/lib/causeway-cloud',
    '#CAUSEWAY_DATABASE_URL=',
    '#CAUSEWAY_ENGINE_TOKEN_FILE=',
  ])
    expect(settings).toContain(`\n${line}\n`);
  expect(read('etc/sysusers.d/causeway-cloud.conf')).toMatch(
    /^u causeway-cloud - "Causeway" \/var\/lib\/causeway-cloud /,
  );
  const unit = path.join(folder, 'etc/systemd/system/causeway-cloud.service');
  expect(readFileSync(unit, 'utf8')).toMatch(/^User=causeway-cloud$/m);
  expect(readFileSync(unit, 'utf8')).toMatch(
    /^ExecStart=.*"--max-semi-space-size=4" "--import" "file:.*notify\.ts" ".*cloud\/main\.ts"$/m,
  );
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  if (analyze('--version').status !== 0) skip('NOT CHECKED: there is no systemd-analyze here');
  expect(analyze('verify', '--man=no', unit)).toMatchObject({ status: 0, stderr: '' });
  expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager', unit).status).toBe(0);
});

test('a checkpoint folder elsewhere may be written by the unit', async () => {
  mkdirSync(path.join(folder, 'etc/causeway'), { recursive: true });
  const settings = path.join(folder, 'etc/causeway/cloud.env');
  writeFileSync(settings, 'CAUSEWAY_HOME=/var/lib/causeway-cloud\nCAUSEWAY_CHECKPOINT_FOLDER=/mnt/checkpoints\n');
  expect(await cloud('service', 'install', '--root', folder)).toBe(0);
  expect(read('etc/systemd/system/causeway-cloud.service').match(/^ReadWritePaths=.*$/gm)).toEqual([
    'ReadWritePaths="/mnt/checkpoints"',
  ]);
  expect(await cloud('service', 'uninstall', '--root', folder)).toBe(0);
  expect(existsSync(path.join(folder, 'etc/systemd/system/causeway-cloud.service'))).toBe(false);
  expect(existsSync(settings)).toBe(true);
});

test('a command of the cloud has the settings of a file, and its exit code', async () => {
  const settings = path.join(folder, 'cloud.env');
  writeFileSync(settings, 'CAUSEWAY_DATABASE_URL_FILE=/nowhere/url\n');
  expect(await cloud('--env', settings, 'tenant', 'list')).toBe(2);
  expect(await cloud('--env', settings, 'openapi', 'more')).toBe(2);
  writeFileSync(settings, 'LD_PRELOAD=/tmp/x.so\n');
  expect(await cloud('--env', settings, 'openapi')).toBe(1);
  expect(said.at(-1)).toContain('LD_PRELOAD is no setting of Causeway');
});

test.each([
  [['service'], 'It is called as "service install|uninstall|status|logs", see --help.'],
  [['service', 'status', '--start'], 'It is called as "service install|uninstall|status|logs", see --help.'],
  [['service', 'install', '--start', '--root', '/x'], 'It is called as "service install --start" without --root.'],
  [['verify-package'], 'It is called as "verify-package FILE [--file COPY]".'],
  [['--env'], 'It is called as "--env FILE COMMAND".'],
])('%j is refused with code 2', async (args, sentence) => {
  expect(await cloud(...args)).toBe(2);
  expect(said).toEqual([sentence]);
});
