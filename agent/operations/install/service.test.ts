/** Services: the settings file, the units as systemd itself sees them, and the calls to systemd. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entryOf } from '../../../test/support/process.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { runAgent } from '../agent.ts';
import type { ServiceContext } from '../../../shared/service/install/context.ts';
import {
  parseSettingsFile,
  settingsTemplate,
  variablesInHelp,
} from '../../../shared/service/install/environment-file.ts';
import type { Finding } from '../../../shared/service/findings.ts';
import { ServiceError } from '../../../shared/service/install/errors.ts';
import { installService, refuseHidden, uninstallService } from '../../../shared/service/install/install.ts';
import { PART_NAMES, PARTS, programOf, type PartName } from './parts.ts';
import { refuseUnnamedTenant } from './unnamed-tenant.ts';
import { serviceUnit, timerUnit } from '../../../shared/service/install/unit.ts';

const nothing = (): Promise<Finding[]> => Promise.resolve([]);
const ALL = { relay: nothing, intake: nothing, provision: nothing, 'console-api': nothing, backup: nothing };
const OWN = path.join(import.meta.dirname, '../main.ts');

let folder: string;
let said: string[];
let complaints: string[];
let context: ServiceContext;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-service-'));
  said = [];
  complaints = [];
  context = {
    env: { PATH: process.env['PATH'] ?? '' },
    platform: 'linux',
    own: OWN,
    now: () => new Date(),
    print: (line) => said.push(line),
    complain: (line) => complaints.push(line),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agent = (...args: string[]): Promise<number> => runAgent(args, ALL, context);
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

/** A part's own --help: from one start of it. */
const helps = new Map<PartName, string>();
function helpOfPart(part: PartName): string {
  const { source, args } = PARTS[part];
  const known =
    helps.get(part) ?? spawnSync(process.execPath, [entryOf(source), ...args, '--help'], { encoding: 'utf8' }).stdout;
  helps.set(part, known);
  return known;
}

describe('the settings file', () => {
  test.each(PART_NAMES)('the template of %s names every variable of its --help and can be read back', (part) => {
    const help = helpOfPart(part);
    const variables = variablesInHelp(help);
    expect(variables.map(({ name }) => name)).toEqual(
      [...help.matchAll(/^ {2}([A-Z][A-Z0-9_]+) {2,}\S/gm)].map((match) => match[1]),
    );
    expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(PARTS[part].settings)));
    expect(parseSettingsFile(settingsTemplate('x', variables, PARTS[part].settings), 'a.env')).toEqual(
      PARTS[part].settings,
    );
  });
});

/** The path of a packaged command on a host; these tests never start it. */
const PACKAGED = '/opt/causeway/services/causeway-agent.js';

describe('units', () => {
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  const hasSystemd = analyze('--version').status === 0;

  function writtenUnit(part: PartName, change = (unit: string): string => unit): string {
    const place = {
      program: programOf(part, PACKAGED),
      settings: `/etc/causeway/${part}.env`,
      writable: ['/data/two words'],
    };
    const file = path.join(folder, `causeway-${part}.service`);
    writeFileSync(file, change(serviceUnit(PARTS[part], place)));
    return file;
  }

  test.for(PART_NAMES)('systemd accepts the unit of %s and rates it well confined', (part, { skip }) => {
    if (!hasSystemd) skip('NOT CHECKED: there is no systemd-analyze here; install the package systemd');
    const file = writtenUnit(part);
    const { status, stderr } = analyze('verify', '--man=no', file);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // systemd's own scale from 0 (confined) to 10; 1.5 when this was written.
    expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager', file).status).toBe(0);
  });

  test.each(PART_NAMES)('nothing of %s runs as root, in any step of its start or end', (part) => {
    const unit = readFileSync(writtenUnit(part), 'utf8');
    const { user } = PARTS[part];
    expect(unit).toContain(`\nUser=${user}\nGroup=${user}\n`);
    expect(unit).toContain('\nNoNewPrivileges=yes\nCapabilityBoundingSet=\nAmbientCapabilities=\n');
    // `+` and `!` before a command give it root's rights; there is one command, and it has none of them.
    expect(unit.match(/^Exec.*$/gm)).toEqual([expect.stringMatching(/^ExecStart="/)]);
    expect(unit).not.toContain('PermissionsStartOnly');
    expect(unit).toMatch(/EnvironmentFile=.*\nUnsetEnvironment=.*\bNODE_OPTIONS\b.*\bLD_PRELOAD\b/);
  });

  test('a part notifies systemd when it is ready, and is not ended while it prepares its ledger', () => {
    const part = readFileSync(writtenUnit('intake'), 'utf8');
    for (const line of ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity', 'WatchdogSec=180'])
      expect(part).toContain(`\n${line}\n`);
  });
  test('a part may list the addresses of the machine, as Fastify does when it listens at all of them', ({ skip }) => {
    const families = /^RestrictAddressFamilies=(.*)$/m.exec(readFileSync(writtenUnit('provision'), 'utf8'))?.[1] ?? '';
    const strace = spawnSync('strace', ['-V']).status === 0;
    if (!strace) skip('NOT CHECKED: there is no strace here');
    const script = `require('node:os').networkInterfaces()`;
    const { stderr } = spawnSync('strace', ['-f', '-e', 'trace=socket', process.execPath, '-e', script], {
      encoding: 'utf8',
    });
    const asked = new Set([...stderr.matchAll(/socket\((AF_\w+)/g)].map((match) => match[1]));
    expect(asked.size).toBeGreaterThan(0);
    for (const family of asked) expect(families.split(' ')).toContain(family);
  });
  test('a part with an obstacle is restarted until the obstacle is gone', () => {
    const part = readFileSync(writtenUnit('intake'), 'utf8');
    for (const line of ['StartLimitIntervalSec=0', 'Restart=always', 'RestartPreventExitStatus=2 71 73'])
      expect(part).toContain(`\n${line}\n`);
    expect(part).not.toContain('StartLimitBurst');
  });
  test('systemd understands the schedule', ({ skip }) => {
    if (!hasSystemd) skip('NOT CHECKED: there is no systemd-analyze here; install the package systemd');
    const schedule = PARTS.backup.schedule ?? '';
    writtenUnit('backup');
    const timer = path.join(folder, 'causeway-backup.timer');
    writeFileSync(timer, timerUnit(PARTS.backup, schedule));
    const { status, stderr } = analyze('verify', '--man=no', timer);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(analyze('calendar', schedule).stdout).toMatch(/Next elapse: .* 18:30:00 UTC/);
  });

  test('systemd-analyze detects an invalid unit', ({ skip }) => {
    if (!hasSystemd) skip('NOT CHECKED: there is no systemd-analyze here; install the package systemd');
    const wrong = analyze(
      'verify',
      '--man=no',
      writtenUnit('relay', (unit) => unit.replace('NoNewPrivileges', 'NoNewPrivilege')),
    );
    expect(wrong.stderr).toContain('NoNewPrivilege');
    const open = writtenUnit('relay', (unit) => unit.replaceAll(/^(?:Protect|Restrict|System|Private).*$/gm, ''));
    expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager', open).status).not.toBe(0);
  });

  test('names with blanks, % and $ reach systemd unchanged', () => {
    const program = {
      node: '/opt/a b/node',
      entry: '/opt/100%/$x/relay.js',
      args: [],
      notify: '/opt/a b/notify.js',
      pages: { variable: 'CAUSEWAY_CONSOLE_PAGES', folder: '/opt/100%/$x/renderer' },
    };
    const unit = serviceUnit(PARTS['console-api'], {
      program,
      settings: '/etc/causeway/a.env',
      writable: [],
    });
    expect(unit).toContain(
      'ExecStart="/opt/a b/node" "--max-semi-space-size=4" "--import" "file:///opt/a%%20b/notify.js" "/opt/100%%/$$x/relay.js"\n',
    );
    expect(unit).toContain('Environment="CAUSEWAY_CONSOLE_PAGES=/opt/100%%/$x/renderer"\n');
  });

  test('the relay shares neither user nor folder with the inner services', () => {
    const users = PART_NAMES.map((part) => [part, PARTS[part].user]);
    expect(Object.fromEntries(users)).toEqual({
      relay: 'causeway-relay',
      intake: 'causeway',
      provision: 'causeway',
      'console-api': 'causeway',
      backup: 'causeway',
    });
  });
});

describe('service install and uninstall', () => {
  /** Stand-ins for systemd's own programs that record their calls. */
  function fakeSystemd(answer = ''): { calls(): string[] } {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    for (const name of ['systemctl', 'systemd-sysusers']) {
      writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${folder}/calls\n${answer}\n`);
      chmodSync(path.join(bin, name), 0o755);
    }
    context.env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    return { calls: () => (existsSync(path.join(folder, 'calls')) ? read('calls').trim().split('\n') : []) };
  }
  /** In the place of a part, which is asked for its --help alone. */
  function standIn(part: PartName): string {
    const file = path.join(folder, `stand-in-${part}`);
    writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${helpOfPart(part)}END\n`, { mode: 0o755 });
    return file;
  }
  const install = (part: PartName, start = false, node = standIn(part)): Promise<void> =>
    installService(
      PARTS[part],
      { ...programOf(part, context.own), node },
      { root: folder, call: true, start, refuse: (values, root) => refuseUnnamedTenant(part, values, root) },
      context,
    );

  const NAMED = 'CAUSEWAY_LEDGER=/var/lib/causeway/ledger.sqlite\nCAUSEWAY_INTAKE_TENANT=7\n';
  const fillIntake = (text: string): void => writeFileSync(path.join(folder, 'etc/causeway/intake.env'), text);

  test('writes settings, user and unit, and calls systemd', async () => {
    const systemd = fakeSystemd();
    await install('intake', false, process.execPath);
    expect(statSync(path.join(folder, 'etc/causeway/intake.env')).mode & 0o777).toBe(0o600);
    expect(read('etc/causeway/intake.env')).toContain('\nCAUSEWAY_LEDGER=/var/lib/causeway/ledger.sqlite\n');
    expect(read('etc/causeway/intake.env')).toContain('\n#CAUSEWAY_INTAKE_UPSTREAM=\n');
    expect(read('etc/sysusers.d/causeway.conf')).toBe('u causeway - "Causeway" /var/lib/causeway /usr/sbin/nologin\n');
    expect(read('etc/systemd/system/causeway-intake.service')).not.toContain('ReadWritePaths');
    expect(systemd.calls()).toEqual([
      'systemd-sysusers /etc/sysusers.d/causeway.conf',
      'systemctl daemon-reload',
      'systemctl enable causeway-intake.service',
    ]);
  });

  test('a new ledger needs its tenant configured; an existing one does not', async () => {
    const systemd = fakeSystemd();
    await expect(install('intake', true)).rejects.toThrow('set CAUSEWAY_INTAKE_TENANT in /etc/causeway/intake.env');
    expect(systemd.calls()).toEqual([]);
    fillIntake(NAMED);
    await install('intake', true);
    expect(systemd.calls().at(-1)).toBe('systemctl restart causeway-intake.service');
    // An installation that is older than the setting.
    fillIntake(NAMED.replace(/CAUSEWAY_INTAKE.*/, ''));
    mkdirSync(path.join(folder, 'var/lib/causeway'), { recursive: true });
    writeFileSync(path.join(folder, 'var/lib/causeway/ledger.sqlite'), '');
    await install('intake', true);
  });

  test('a part that does not start fails the command', async () => {
    fakeSystemd('[ "$1" != restart ]');
    await install('intake');
    fillIntake(NAMED);
    await expect(install('intake', true)).rejects.toThrow(
      'intake does not start. Its log: causeway-agent service logs intake. The cause: causeway-agent doctor intake.',
    );
    expect(said.at(-1)).toBe('Starting causeway-intake.service ...');
  });

  test('existing settings stay, and the unit follows them', async () => {
    fakeSystemd();
    await install('relay');
    const settings = 'CAUSEWAY_RELAY_CERT=/srv/pki/a.crt\nCAUSEWAY_RELAY_KEY=/srv/pki/a.key\n';
    writeFileSync(path.join(folder, 'etc/causeway/relay.env'), settings);
    await install('relay');
    expect(read('etc/causeway/relay.env')).toBe(settings);
    expect(read('etc/systemd/system/causeway-relay.service').match(/^ReadWritePaths=.*$/gm)).toEqual([
      'ReadWritePaths="/srv/pki"',
    ]);
  });

  test('a refusal of systemd is reported in its own words', async () => {
    fakeSystemd('echo "Failed to connect to bus" >&2; exit 1');
    await expect(install('provision')).rejects.toThrow(
      new ServiceError('systemd-sysusers /etc/sysusers.d/causeway.conf failed (exit code 1): Failed to connect to bus'),
    );
  });

  test('uninstall stops and removes the unit, and leaves the settings', async () => {
    const systemd = fakeSystemd();
    await install('provision');
    await uninstallService(PARTS.provision, { root: folder, call: true }, context);
    expect(systemd.calls().slice(3)).toEqual([
      'systemctl disable --now causeway-provision.service',
      'systemctl daemon-reload',
    ]);
    expect(existsSync(path.join(folder, 'etc/systemd/system/causeway-provision.service'))).toBe(false);
    expect(existsSync(path.join(folder, 'etc/causeway/provision.env'))).toBe(true);
    expect(existsSync(path.join(folder, 'etc/sysusers.d/causeway.conf'))).toBe(false);
    await expect(uninstallService(PARTS.provision, { root: folder, call: true }, context)).rejects.toThrow(
      'There is no service provision',
    );
  });

  test('a part with a schedule is enabled by its timer, and may write where its settings say', async () => {
    const systemd = fakeSystemd();
    await install('backup');
    writeFileSync(path.join(folder, 'etc/causeway/backup.env'), 'CAUSEWAY_BACKUP_FOLDER=/mnt/backups\n');
    await expect(install('backup', true)).rejects.toThrow(
      'The settings name the folder /mnt/backups, which is not there',
    );
    mkdirSync(path.join(folder, 'mnt/backups'), { recursive: true });
    await install('backup', true);
    const unit = read('etc/systemd/system/causeway-backup.service');
    expect(unit).toMatch(/^ExecStart=.*main\.ts" "backups"$/m);
    expect(unit).toMatch(/^Type=oneshot$/m);
    expect(unit).toContain('ReadWritePaths="/mnt/backups"\n');
    expect(systemd.calls().slice(-3)).toEqual([
      'systemctl enable causeway-backup.timer',
      'systemctl restart causeway-backup.timer',
      'systemctl start causeway-backup.service',
    ]);
    await uninstallService(PARTS.backup, { root: folder, call: true }, context);
    expect(existsSync(path.join(folder, 'etc/systemd/system/causeway-backup.timer'))).toBe(false);
  });

  test('a setting that names half a path is refused before a unit is written', async () => {
    fakeSystemd();
    mkdirSync(path.join(folder, 'etc/causeway'), { recursive: true });
    writeFileSync(path.join(folder, 'etc/causeway/intake.env'), 'CAUSEWAY_LEDGER=ledger.sqlite\n');
    await expect(install('intake')).rejects.toThrow(
      'CAUSEWAY_LEDGER is ledger.sqlite: a service has no working folder',
    );
    expect(existsSync(path.join(folder, 'etc/systemd'))).toBe(false);
  });

  test.each([
    ['/root/causeway/relay.js', 'lies in a home folder'],
    ['/home/a/causeway/relay.js', 'lies in a home folder'],
    ['/var/tmp/relay.js', 'lies in a temporary folder'],
  ])('%s is refused: the service would not see it', (entry, why) => {
    const program = { node: '/opt/node', args: [], notify: '/opt/notify.js', pages: null };
    expect(() => refuseHidden({ ...program, entry })).toThrow(why);
    expect(() => refuseHidden({ ...program, entry: '/opt/tmp/root/relay.js' })).not.toThrow();
  });

  test.runIf(process.getuid?.() === 0)('root writes and reads nowhere that another could have prepared', async () => {
    fakeSystemd();
    const away = path.join(folder, 'of-another');
    mkdirSync(path.join(away, 'system'), { recursive: true });
    mkdirSync(path.join(folder, 'etc'));
    chownSync(away, 65_534, 65_534);
    symlinkSync(away, path.join(folder, 'etc/systemd'));
    await expect(install('intake')).rejects.toThrow(`${away} is not root's alone (user 65534, mode 755)`);
    expect(readdirSync(path.join(away, 'system'))).toEqual([]);
    rmSync(path.join(folder, 'etc/systemd'));
    chmodSync(path.join(folder, 'etc/causeway/intake.env'), 0o666);
    await expect(install('intake')).rejects.toThrow(/intake\.env is not root's alone \(user 0, mode 666\)/);
    chmodSync(path.join(folder, 'etc/causeway'), 0o775);
    expect(await agent('doctor', 'relay', '--env', path.join(folder, 'etc/causeway/intake.env'))).toBe(1);
    expect(complaints[0]).toMatch(/etc\/causeway is not root's alone \(user 0, mode 775\)/);
  });

  test('a package without the part is refused', async () => {
    context.own = path.join(folder, 'services/causeway-agent.js');
    await expect(install('relay')).rejects.toThrow('this package does not hold that part');
    expect(existsSync(path.join(folder, 'etc'))).toBe(false);
  });

  test('status gives the state of a service in words, and the meaning of its exit code', async () => {
    fakeSystemd(
      'printf "LoadState=loaded\\nUnitFileState=enabled\\nActiveState=failed\\nSubState=failed\\nResult=exit-code\\nNRestarts=0\\nExecMainStatus=2\\n"',
    );
    expect(await agent('service', 'status', 'intake')).toBe(1);
    expect(said.join('\n')).toMatch(/state +failed \(failed\)[^]*ended with +2, a setting is wrong or missing/);
  });

  test('status of a running service', async () => {
    fakeSystemd(
      'printf "LoadState=loaded\\nActiveState=active\\nSubState=running\\nMainPID=7\\nMemoryCurrent=52000000\\n"',
    );
    expect(await agent('service', 'status', 'relay')).toBe(0);
    expect(said).toContain(`${'memory'.padEnd(24)}52 MB`);
  });

  test('status of a scheduled part is that of its timer and of its last run', async () => {
    const told = (result: string): string =>
      `case "$*" in *timer*) printf "LoadState=loaded\\nUnitFileState=enabled\\nActiveState=active\\nSubState=waiting\\nNextElapseUSecRealtime=Sun 03:30\\n";; ` +
      `*) printf "LoadState=loaded\\nActiveState=inactive\\nSubState=dead\\nExecMainStatus=${result === 'success' ? 0 : 1}\\nResult=${result}\\n";; esac`;
    fakeSystemd(told('success'));
    expect(await agent('service', 'status', 'backup')).toBe(0);
    expect(said.join('\n')).toMatch(/state +active \(waiting\)[^]*next +Sun 03:30[^]*ended with +0 \(success\)/);
    rmSync(path.join(folder, 'bin'), { recursive: true });
    fakeSystemd(told('exit-code'));
    expect(await agent('service', 'status', 'backup')).toBe(1);
  });

  test('status of a service that is not installed', async () => {
    fakeSystemd('printf "LoadState=not-found\\n"');
    expect(await agent('service', 'status', 'relay')).toBe(1);
    expect(said).toEqual(['relay is not installed: "causeway-agent service install relay" does it.']);
  });
});

describe('the command line', () => {
  test.each([
    [['nonsense'], 'Unknown command "nonsense"; see --help.'],
    [
      ['service', 'install', 'cloud', '--root', '/x'],
      'Unknown part "cloud": use one of relay, intake, provision, console-api, backup.',
    ],
    [
      ['service', 'status', 'relay', '--root', '/x'],
      '"service status" takes no --root: it is called as "service status PART".',
    ],
    [['service', 'install', 'relay', '--root', '/x', '--start'], '--start needs the system itself: leave out --root.'],
    [
      ['service', 'status', 'relay', '--', 'verify'],
      '"service status" takes nothing behind --: it is called as "service status PART".',
    ],
  ])('%j is refused with code 2', async (args, message) => {
    expect(await agent(...args)).toBe(2);
    expect(complaints).toEqual([message]);
  });

  test('on systems other than Linux and Windows nothing is installed', async () => {
    context.platform = 'darwin';
    expect(await agent('service', 'install', 'relay')).toBe(1);
    expect(complaints[0]).toContain('on darwin run the part by its own command');
  });

  test('a part runs here with the settings of a file', async () => {
    const file = path.join(folder, 'a.env');
    writeFileSync(file, 'CAUSEWAY_PROVISION_LISTEN=nowhere\n');
    expect(await agent('run', 'provision', '--env', file)).toBe(2);
  });

  test('a command of a part runs with the settings of a file', async () => {
    const file = path.join(folder, 'a.env');
    const ledger = path.join(folder, 'ledger.sqlite');
    writeFileSync(file, `CAUSEWAY_LEDGER=${ledger}\n`);
    openLedger(ledger).close();
    const backup = path.join(folder, 'backup.sqlite');
    expect(await agent('run', 'intake', '--env', file, '--', 'backup', backup)).toBe(0);
    expect(existsSync(backup)).toBe(true);
  });
});
