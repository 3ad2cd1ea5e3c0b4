/**
 * A compromised service account owns the service's folders, and plants links there to root's files. No command that
 * root runs may follow one: the commands work in those folders as the service's user (`as-service.ts`).
 */
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority, type Authority } from '../../support/pki.ts';
import { entryOf, TestFixture } from '../../support/process.ts';
import { runs, some } from '../../support/runs.ts';
import { startCloud, wholly, type ScriptedCloud } from '../../support/agent/relay.ts';
import { COMMAND_NAMES } from '../../../agent/operations/agent.ts';
import { AGENT, hindrance, TestHost } from '../../support/root-host.ts';

const STATE = '/var/lib/causeway-relay';
const PKI = `${STATE}/pki`;
const ROOTS = '/var/lib/of-root';
/** Every name that a command of today, or a step of it, writes or reads. */
const NAMES = [
  'crt',
  'crt.new',
  'crt.previous',
  'crt.previous.new',
  'crt.installing',
  'crt.installing.new',
  'key',
  'key.new',
]
  .concat('key.requested', 'key.requested.new', 'key.csr', 'key.csr.new')
  .map((end) => `relay.${end}`);

const fixture = new TestFixture();
const why = hindrance();
let host: TestHost;
let authority: Authority;
let cloud: ScriptedCloud;
const attackers: ChildProcess[] = [];

beforeAll(async () => {
  if (why !== null) return;
  host = await TestHost.start(fixture.folder('host'));
  authority = await makeAuthority();
  cloud = await startCloud({ ca: authority.ca, ...(await authority.server()) });
  cloud.script = wholly(JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'ok' }));
  expect(await host.agent('service', 'install', 'relay')).toMatchObject({ code: 0 });
  writeFileSync(host.at('/etc/causeway/ca.crt'), authority.ca);
  settings(`CAUSEWAY_RELAY_LISTEN=127.0.0.1:0`);
  mkdirSync(host.at(ROOTS), { mode: 0o700 });
  for (const name of NAMES) writeFileSync(host.at(`${ROOTS}/${name}`), `only for root: ${name}`, { mode: 0o600 });
}, 60_000);
afterAll(async () => {
  for (const attacker of attackers) attacker.kill('SIGKILL');
  if (why === null) {
    host.end();
    await cloud.close();
  }
  await fixture.clear();
});

function settings(...more: string[]): void {
  const lines = [
    `CAUSEWAY_RELAY_UPSTREAM=${cloud.url}`,
    `CAUSEWAY_RELAY_CERT=${PKI}/relay.crt`,
    `CAUSEWAY_RELAY_KEY=${PKI}/relay.key`,
    'CAUSEWAY_RELAY_CA=/etc/causeway/ca.crt',
    ...more,
  ];
  writeFileSync(host.at('/etc/causeway/relay.env'), lines.join('\n'), { mode: 0o600 });
}

/** Acts of an account that was taken over, in its own folder. */
const asRelay = (script: string) => host.shell(script, 'causeway-relay');
const linkEach = (names: readonly string[], flag: string): string =>
  names.map((name) => `ln ${flag} ${ROOTS}/${name} ${PKI}/${name}`).join('\n');
/** Root's files: none may change, for any links that the account plants. */
const rootsOwn = (): Record<string, string> => ({ ...host.contentsOf(ROOTS), ...host.contentsOf('/etc') });

async function emptied(): Promise<void> {
  await host.shell(`rm -rf ${STATE}; install -d -o causeway-relay -g causeway-relay -m 700 ${STATE} ${PKI}`);
}

/** A certificate for the key that waits. */
async function issued(): Promise<string> {
  await emptied();
  expect(await host.agent('certificate', 'request', 'relay')).toMatchObject({ code: 0 });
  const request = (await host.shell(`cat ${PKI}/relay.key.csr`)).out;
  const file = '/etc/causeway/issued.crt';
  writeFileSync(host.at(file), (await authority.clientFor(request)).cert, { mode: 0o600 });
  return file;
}

const FIRST = 'a link in place of the folder';
const PLANTED: Record<string, () => Promise<unknown>> = {
  [FIRST]: () => asRelay(`rmdir ${PKI}; ln -s ${ROOTS} ${PKI}`),
  'links in place of the files': () => asRelay(linkEach(NAMES, '-s')),
  'links to files that are not there': () =>
    asRelay(NAMES.map((name) => `ln -s ${ROOTS}/made-${name} ${PKI}/${name}`).join('\n')),
  // Made as root, because this kernel forbids it to others (fs.protected_hardlinks); not every kernel does.
  'other names of the files': () => host.shell(linkEach(NAMES, '')),
};

describe.skipIf(why !== null)('the commands of root follow no link that the account of the service has planted', () => {
  // One barrier stops all of them: the command works in the folder as the service's user.
  const plants = Object.entries(PLANTED);
  describe.each(plants.slice(0, runs(1, plants.length)))('%s', (kind, plant) => {
    // The `service` commands only report from systemd, or write where root alone may: one plant is enough.
    const names = kind === FIRST ? COMMAND_NAMES : COMMAND_NAMES.filter((name) => !name.startsWith('service'));
    test.for(some(5, names))('%s', async (name) => {
      const commands: Record<string, readonly string[][]> = {
        'service install': [['service', 'install', 'relay']],
        'service uninstall': [
          ['service', 'uninstall', 'relay'],
          ['service', 'install', 'relay'],
        ],
        'service status': [['service', 'status', 'relay']],
        'service logs': [['service', 'logs', 'relay']],
        run: [['run', 'relay', '--', '--help']],
        'certificate request': [['certificate', 'request', 'relay']],
        'certificate install': [['certificate', 'install', 'relay', '--file', await issued()]],
        doctor: [['doctor', 'relay']],
        diagnostics: [['diagnostics', 'relay', '--file', '/mnt/diagnostics.txt']],
      };
      if (name !== 'certificate install') await emptied();
      else await host.shell(`cp ${PKI}/relay.key.requested /mnt/kept`);
      await host.shell('rm -f /mnt/diagnostics.txt');
      if (name === 'certificate install') await asRelay(`rm ${PKI}/*`);
      await plant();
      // The way into the second half of `certificate install` is a key that waits.
      if (name === 'certificate install')
        await host.shell(
          `[ -L ${PKI} ] || { rm ${PKI}/relay.key.requested; install -o causeway-relay -m 600 /mnt/kept ${PKI}/relay.key.requested; }`,
        );
      const before = rootsOwn();
      let said = '';
      for (const args of commands[name] ?? []) said += (await host.agent(...args)).out;
      if (name === 'service uninstall') delete before['/etc/systemd/system'];
      expect(rootsOwn()).toMatchObject(before);
      expect(Object.keys(rootsOwn()).filter((file) => file.startsWith(ROOTS))).toEqual(
        Object.keys(before).filter((file) => file.startsWith(ROOTS)),
      );
      expect(said).not.toContain('only for root');
      expect(said).not.toMatch(/^ {4}at /m);
    });
  });

  test('a folder that is swapped for a link while the request is written', async () => {
    await emptied();
    const before = rootsOwn();
    // A command that finds neither makes the folder again, which is then swapped like the one before.
    const swap = `const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
      const tried = (work) => { try { work(); } catch {} };
      process.stdout.write('swapping');
      for (let round = 0; ; round++) {
        const away = '${STATE}/away-' + round;
        tried(() => renameSync('${PKI}', away));
        tried(() => symlinkSync('${ROOTS}', '${PKI}'));
        tried(() => unlinkSync('${PKI}'));
        tried(() => renameSync(away, '${PKI}'));
      }`;
    const attacker = attack([process.execPath, '-e', swap]);
    await once(attacker.stdout ?? attacker, 'data');
    for (let round = 0; round < runs(2, 8); round++) await host.agent('certificate', 'request', 'relay');
    expect(attacker.exitCode).toBeNull();
    attacker.kill('SIGKILL');
    expect(rootsOwn()).toEqual(before);
  });

  test('a part that answers where the relay listens, and swaps the files that it is to take', async () => {
    const file = await issued();
    const before = rootsOwn();
    // `certificate install` leaves a running relay to bring the new pair to its files, and waits for that.
    const imitate = `const fs = require('node:fs');
      require('node:net').createServer((socket) => socket.end()).listen(0, '127.0.0.1', function () {
        process.stdout.write(String(this.address().port));
        setInterval(() => {
          if (!fs.existsSync('${PKI}/relay.crt.installing')) return;
          for (const name of ['crt', 'key']) fs.symlinkSync('${ROOTS}/relay.' + name, '${PKI}/relay.' + name);
          fs.rmSync('${PKI}/relay.crt.installing');
        }, 1);
      });`;
    const attacker = attack([process.execPath, '-e', imitate]);
    const [port] = (await once(attacker.stdout ?? attacker, 'data')) as [Buffer];
    settings(`CAUSEWAY_RELAY_LISTEN=127.0.0.1:${port.toString()}`);
    const kept = rootsOwn()['/etc/causeway/relay.env'];
    await host.agent('certificate', 'install', 'relay', '--file', file);
    attacker.kill('SIGKILL');
    expect(rootsOwn()).toEqual({ ...before, '/etc/causeway/relay.env': kept });
  });

  test('a part that root starts runs as the service’s user, in its own session, without root’s variables', async () => {
    await issued();
    const waiting = `${PKI}/relay.key.requested`;
    await asRelay(`cp ${waiting} ${PKI}/relay.key`);
    await host.shell(`install -o causeway-relay -m 600 /etc/causeway/issued.crt ${PKI}/relay.crt`);
    const running = host.spawn([...AGENT, 'run', 'relay'], { SECRET_OF_ROOT: 'x', NODE_OPTIONS: '--no-warnings' });
    attackers.push(running);
    await once(running.stdout ?? running, 'data');
    const { uid, gid } = statSync(host.at(STATE));
    const of = (pid: number | string | undefined, name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    const part = of(running.pid, `task/${running.pid}/children`).trim();
    for (const pid of [running.pid, part]) {
      const status = of(pid, 'status').replaceAll(/\s+/g, ' ');
      expect(status).toContain(`Uid: ${uid} ${uid} ${uid} ${uid} Gid: ${gid} ${gid} ${gid} ${gid}`);
      expect(status).toMatch(new RegExp(`CapPrm: 0+ CapEff: 0+ `));
    }
    const session = (pid: number | string | undefined): string => of(pid, 'stat').split(') ')[1]?.split(' ')[3] ?? '';
    expect(session(part)).toBe(part);
    expect(of(part, 'environ')).toContain('CAUSEWAY_RELAY_KEY=');
    expect(of(part, 'environ')).not.toMatch(/SECRET_OF_ROOT|NODE_OPTIONS/);
    const ended = once(running, 'close');
    running.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('a part that root starts by itself, and the cloud, work in no folder of a service', async () => {
    const services = '/opt/causeway/services';
    await host.shell('install -d -o causeway -g causeway -m 700 /var/lib/causeway /var/lib/causeway/cloud');
    const before = host.contentsOf('/var/lib/causeway');
    const ledger = {
      CAUSEWAY_LEDGER: '/var/lib/causeway/ledger.sqlite',
      CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9',
      CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
    };
    // Each part once, then its other commands, which begin alike.
    const parts = [
      ['intake.js'],
      ['provision.js'],
      ['console-api.js'],
      ['intake.js', 'backup', '/mnt/backup.sqlite'],
      ['intake.js', 'restore', '/mnt/backup.sqlite'],
      ['intake.js', 'verify'],
      ['console-api.js', 'channel', 'list'],
    ];
    for (const args of some(2, parts)) {
      const [entry = '', ...rest] = args;
      const said = await host.run([AGENT[0] ?? '', `${services}/${entry}`, ...rest], ledger);
      expect(said.code, args.join(' ')).not.toBe(0);
      expect(said.out, args.join(' ')).toMatch(
        /\/var\/lib\/causeway belongs to the user \d+, and root does not work in it/,
      );
    }
    const ofCloud = [['init'], ['operator', 'list'], ['authority', 'next'], ['signing-key', 'next']];
    for (const args of some(1, ofCloud)) {
      const cloudMain = entryOf('cloud/main.ts');
      const said = await host.run([process.execPath, cloudMain, ...args], { CAUSEWAY_HOME: '/var/lib/causeway' });
      expect(said.code).toBe(1);
      expect(said.out).toContain('/var/lib/causeway belongs to the user');
    }
    expect(host.contentsOf('/var/lib/causeway')).toEqual(before);
  });

  test('the ledger’s commands are the service’s user, and a link in the ledger’s folder leads nowhere', async () => {
    writeFileSync(
      host.at('/etc/causeway/intake.env'),
      'CAUSEWAY_LEDGER=/var/lib/causeway/ledger.sqlite\nCAUSEWAY_INTAKE_UPSTREAM=http://127.0.0.1:9\n',
      { mode: 0o600 },
    );
    const planted = ['', '-wal', '-shm', '-journal', '-intake', '-upkeep', '.incoming']
      .map((end) => `ln -s ${ROOTS}/made${end} /var/lib/causeway/ledger.sqlite${end}`)
      .concat(`ln -s ${ROOTS} /var/lib/causeway/backups`)
      .join('\n');
    await host.shell(`install -d -o causeway -g causeway -m 700 /var/lib/causeway; rm -rf /var/lib/causeway/*`);
    await host.shell(planted, 'causeway');
    const before = rootsOwn();
    const commands = [
      ['backup', '/var/lib/causeway/backups/a.sqlite'],
      ['restore', '/mnt/none.sqlite'],
      ['verify'],
      ['rebuild'],
    ];
    for (const words of some(1, commands)) {
      const said = await host.agent('run', 'intake', '--', ...words);
      expect(said.code, said.out).not.toBe(0);
    }
    await host.agent('doctor', 'intake');
    expect(rootsOwn()).toEqual(before);
  });

  test('and does its work all the same, with files that the service can read', async () => {
    settings('CAUSEWAY_RELAY_LISTEN=127.0.0.1:0');
    const file = await issued();
    await host.shell(`chmod 600 ${file}`);
    expect(await host.agent('certificate', 'install', 'relay', '--file', file)).toMatchObject({ code: 0 });
    const owner = statSync(host.at(STATE)).uid;
    expect(owner).not.toBe(0);
    for (const name of ['relay.crt', 'relay.key']) expect(statSync(host.at(`${PKI}/${name}`)).uid).toBe(owner);
    expect((await host.agent('doctor', 'relay')).out).toContain('The cloud answers and knows the certificate.');
  });
});

function attack(command: readonly string[]): ChildProcess {
  const user = 'causeway-relay';
  const attacker = host.spawn(['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command]);
  attackers.push(attacker);
  return attacker;
}
