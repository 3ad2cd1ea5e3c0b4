/** A tenant of a run: relay, Intake, provision and console API as processes, a disk of their own, two networks, a clock. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeWhole } from '../support/pki.ts';
import type { Exit, Part, TestFixture } from '../support/process.ts';
import { FaultProxy } from './proxy.ts';
import type { ServiceName } from './schedule.ts';
import { Supervised, type Watch } from './supervised.ts';
import type { Vendor } from './vendor.ts';

const DISK = '400m';
const RESTORE_TRIES = 40;
const FAKE_CLOCK = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Why a fault cannot be injected on this machine; null: it can. */
export const HINDRANCES = {
  'full-disk':
    process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0 ? null : 'a disk needs root',
  clock: existsSync(FAKE_CLOCK) ? null : 'a clock needs the package libfaketime',
} as const;

interface HostParts {
  index: number;
  vendor: Vendor;
  fixture: TestFixture;
  /** The folder of the bundled services. */
  bundles: string;
  folder: string;
  watch: Watch;
}

export class TenantHost {
  readonly index: number;
  readonly ledger: string;
  readonly services: Record<ServiceName, Supervised>;
  relayCloud!: FaultProxy;
  intakeRelay!: FaultProxy;
  /** Whether its disk is full, or was a moment ago. */
  isDiskFull = false;
  provisionUrl: string | null = null;
  consoleUrl: string | null = null;
  backup: string | null = null;
  readonly #parts: HostParts;
  readonly #disk: string;
  readonly #journal: string;
  readonly #clockFile: string;
  readonly #isMounted: boolean;
  readonly #certificate: { cert: string; key: string };
  #relayPort: number | null = null;
  #number = 0;

  private constructor(parts: HostParts) {
    this.#parts = parts;
    const { index, folder, watch } = parts;
    this.index = index;
    this.#disk = path.join(folder, 'disk');
    this.#journal = path.join(folder, 'journal');
    this.#clockFile = path.join(folder, 'clock');
    for (const each of [this.#disk, this.#journal, path.join(folder, 'backups'), path.join(folder, 'pages')])
      mkdirSync(each);
    this.#isMounted = HINDRANCES['full-disk'] === null;
    if (this.#isMounted) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', this.#disk]);
    writeFileSync(this.#clockFile, '+0\n');
    this.ledger = path.join(this.#disk, 'ledger.sqlite');
    this.#certificate = { cert: path.join(folder, 'relay.crt'), key: path.join(folder, 'relay.key') };
    const service = (name: ServiceName, begin: () => Promise<Part>): Supervised =>
      new Supervised(`${name} of tenant ${index}`, begin, watch);
    this.services = {
      relay: service('relay', async () => {
        const part = this.#start('relay', this.#relayEnv());
        this.#relayPort = Number(new URL((await part.listening('relay')).url).port);
        return part;
      }),
      intake: service('intake', async () => {
        const part = this.#start('intake', this.#intakeEnv());
        await part.logLine('ready', (line) => line.msg === 'ready');
        return part;
      }),
      provision: service('provision', async () => {
        const env = { CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' };
        const part = this.#start('provision', { ...this.#inside(), ...env });
        this.provisionUrl = (await part.listening('provision')).url;
        return part;
      }),
      'console-api': service('console-api', async () => {
        const env = { CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0', CAUSEWAY_CONSOLE_PAGES: path.join(folder, 'pages') };
        const part = this.#start('console-api', { ...this.#inside(), ...this.#journalEnv(), ...env });
        this.consoleUrl = (await part.listening()).url;
        return part;
      }),
    };
  }

  static async start(parts: HostParts): Promise<TenantHost> {
    const host = new TenantHost(parts);
    host.relayCloud = await FaultProxy.start(() => parts.vendor.syncPort());
    host.intakeRelay = await FaultProxy.start(() => host.#relayPort);
    await host.renewCertificate();
    for (const service of Object.values(host.services)) await service.start();
    return host;
  }

  /** Gives the relay another certificate. @returns the fingerprint of the new one */
  async renewCertificate(): Promise<string> {
    const { vendor, folder } = this.#parts;
    this.#number += 1;
    const { tenantId } = vendor.tenants[this.index] ?? { tenantId: 0 };
    const args = ['--tenant', String(tenantId), '--name', `relay-${this.#number}`];
    const issued = JSON.parse(await vendor.command('certificate', 'issue', ...args)) as Record<string, string>;
    for (const [name, file] of [
      ['relay.crt', issued['cert']],
      ['relay.key', issued['key']],
    ] as const) {
      writeWhole(folder, name, readFileSync(file ?? '', 'utf8'));
    }
    return issued['fingerprint'] ?? '';
  }

  setClock(seconds: number): void {
    writeWhole(this.#parts.folder, 'clock', `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  fillDisk(): void {
    if (!this.#isMounted) return;
    this.isDiskFull = true;
    const handle = openSync(path.join(this.#disk, 'ballast'), 'w');
    try {
      for (let size = 1_048_576; size >= 512;) {
        try {
          writeSync(handle, Buffer.alloc(size, 1));
        } catch {
          size /= 2;
        }
      }
    } finally {
      closeSync(handle);
    }
  }

  emptyDisk(): void {
    rmSync(path.join(this.#disk, 'ballast'), { force: true });
    setTimeout(() => (this.isDiskFull = false), 5_000).unref();
  }

  async makeBackup(): Promise<void> {
    this.#number += 1;
    const file = path.join(this.#parts.folder, 'backups', `${this.#number}.sqlite`);
    const { exit, said } = await this.run('intake', ['backup', file]);
    if (exit.code !== 0 && !this.isDiskFull) throw new Error(`a backup of tenant ${this.index} failed: ${said}`);
    if (exit.code === 0) this.backup = file;
  }

  /** Puts the last backup in the ledger's place; the decision journal brings back what came after it. */
  async restore(isDiskLost: boolean): Promise<void> {
    const { backup } = this;
    const { intake, provision, 'console-api': consoleApi } = this.services;
    if (backup === null) return;
    await intake.exclusive(() =>
      provision.exclusive(() =>
        consoleApi.exclusive(async () => {
          const all = [consoleApi, provision, intake];
          for (const service of all) await service.stop();
          if (isDiskLost)
            for (const name of readdirSync(this.#disk).filter((each) => each.startsWith('ledger.')))
              rmSync(path.join(this.#disk, name), { recursive: true });
          let said = '';
          for (let tries = 1; ; tries += 1) {
            const done = await this.run('intake', ['restore', backup]);
            said = done.said;
            if (done.exit.code === 0) break;
            this.#parts.watch.log(`restore of tenant ${this.index}, try ${tries}: ${said.trim().slice(0, 500)}`);
            if (tries === RESTORE_TRIES)
              throw new Error(`the backup of tenant ${this.index} was not restored: ${said}`);
            await pause(2_000);
          }
          for (const name of readdirSync(this.#disk).filter((each) => each.includes('.before-')))
            rmSync(path.join(this.#disk, name));
          for (const service of all.toReversed()) await service.start();
        }),
      ),
    );
  }

  /** One command of a service, with the settings of the host. */
  async run(name: 'intake' | 'console-api', args: string[]): Promise<{ exit: Exit; said: string }> {
    const part = this.#start(name, { ...this.#intakeEnv(), ...this.#journalEnv() }, args);
    const exit = await part.ended(120_000);
    return { exit, said: part.stdout + part.stderr };
  }

  async stop(): Promise<void> {
    for (const service of Object.values(this.services).toReversed()) await service.exclusive(() => service.stop());
  }

  async clear(): Promise<void> {
    await this.relayCloud.close();
    await this.intakeRelay.close();
    if (this.#isMounted) spawnSync('umount', ['-l', this.#disk]);
  }

  #start(name: ServiceName, env: Record<string, string>, args: string[] = []): Part {
    const { bundles, fixture } = this.#parts;
    return fixture.start(path.join(bundles, `${name}.js`), {
      args,
      env: { NODE_COMPILE_CACHE: path.join(bundles, 'cache'), ...env },
    });
  }

  #relayEnv(): Record<string, string> {
    return {
      CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
      CAUSEWAY_RELAY_UPSTREAM: `https://127.0.0.1:${this.relayCloud.port}`,
      CAUSEWAY_RELAY_CERT: this.#certificate.cert,
      CAUSEWAY_RELAY_KEY: this.#certificate.key,
      CAUSEWAY_RELAY_CA: this.#parts.vendor.clouds.handedOut.ca,
    };
  }

  /** The variables of every service on the internal host. */
  #inside(): Record<string, string> {
    return {
      CAUSEWAY_LEDGER: this.ledger,
      CAUSEWAY_DEMO: '1',
      ...(HINDRANCES.clock === null
        ? {
            LD_PRELOAD: FAKE_CLOCK,
            FAKETIME_TIMESTAMP_FILE: this.#clockFile,
            FAKETIME_CACHE_DURATION: '1',
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
            FAKETIME_DISABLE_SHM: '1',
          }
        : {}),
    };
  }

  #intakeEnv(): Record<string, string> {
    return {
      ...this.#inside(),
      CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${this.intakeRelay.port}`,
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      CAUSEWAY_INTAKE_VERIFY_KEY: this.#parts.vendor.clouds.handedOut.verifyKey,
      CAUSEWAY_INTAKE_TENANT: String(this.#parts.vendor.tenants[this.index]?.tenantId),
    };
  }

  #journalEnv(): Record<string, string> {
    return { CAUSEWAY_DECISION_JOURNAL: this.#journal };
  }
}
