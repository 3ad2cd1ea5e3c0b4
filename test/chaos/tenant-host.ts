/** A tenant of a run: relay, Intake, provision and console API as processes, a disk of their own, four networks, a clock. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PARTS } from '../../agent/operations/install/parts.ts';
import { UNIT_VARIABLES } from '../../shared/service/install/part.ts';
import { writeWhole } from '../support/pki.ts';
import type { Exit, Part, TestFixture } from '../support/process.ts';
import { clockHindrance, FakeClock } from './clock.ts';
import { FaultProxy } from './proxy.ts';
import type { Fault, PathName, ServiceName } from './schedule.ts';
import { Supervised, type Watch } from './supervised.ts';
import type { Vendor } from './vendor.ts';

/** An archive of dossiers leaves 512 MB free, and a run of minutes fills less than the rest. */
const DISK = '800m';
const MB = 1_048_576;
const RESTORE_TRIES = 40;

/** Why a fault cannot be injected on this machine; null: it can. */
export const HINDRANCES = {
  'full-disk':
    process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0 ? null : 'a disk needs root',
  clock: clockHindrance,
} as const;

/**
 * The console API answers to its own port alone (D9), so it has the port of the proxy before it, at another address of
 * this machine.
 */
const CONSOLE_HOST = '127.0.0.2';

/** Where the services listen at this moment. */
interface Ports {
  relay: number | null;
  provision: number | null;
}
const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);

/** A part that is ended where it does not come to work: it would keep its port and its locks from the next one. */
async function working(part: Part, comes: (part: Part) => Promise<unknown>): Promise<Part> {
  try {
    await comes(part);
    return part;
  } catch (error) {
    await part.kill();
    throw error;
  }
}

/** Bundles: services with their commands, and the agent's command line. */
export type Program = ServiceName | 'causeway-agent';
/** As the units start it. */
const flagsOf = (name: Program): string => (name === 'causeway-agent' ? '' : PARTS[name].flags.join(' '));

interface HostParts {
  index: number;
  vendor: Vendor;
  fixture: TestFixture;
  /** The folder of the bundled services. */
  bundles: string;
  /** The folder of the tenant console's pages; null: none are served. */
  pages: string | null;
  folder: string;
  watch: Watch;
  /** The size of its disk; by default that of a run of minutes. */
  disk?: string;
  /** The program that runs a part; by default this Node. */
  nodeFor?(name: Program): string | undefined;
}

export class TenantHost {
  readonly index: number;
  readonly folder: string;
  readonly ledger: string;
  readonly services: Record<ServiceName, Supervised>;
  readonly networks: Record<PathName, FaultProxy>;
  /** Whether its disk is full, or was a moment ago. */
  isDiskFull = false;
  /** What a run looks at before a restore takes the ledger away: while its services run, and when they have stopped. */
  beforeRestore = { running: (): Promise<void> => Promise.resolve(), atRest: (): Promise<void> => Promise.resolve() };
  readonly clock: FakeClock;
  /** Of the relay's certificate. */
  fingerprint = '';
  /** What was taken out of the console while faults were about: dossiers and archives, each a file. */
  readonly exports: string[] = [];
  readonly #backups: string[] = [];
  readonly #parts: HostParts;
  readonly #disk: string;
  readonly #journal: string;
  readonly #isMounted: boolean;
  readonly #certificate: { cert: string; key: string };
  #diskTimer: NodeJS.Timeout | undefined;
  #number = 0;

  private constructor(parts: HostParts, ports: Ports, networks: TenantHost['networks']) {
    this.#parts = parts;
    this.networks = networks;
    const { index, folder, watch } = parts;
    this.index = index;
    this.folder = folder;
    this.#disk = path.join(folder, 'disk');
    this.#journal = path.join(folder, 'journal');
    this.clock = new FakeClock(folder);
    for (const each of [this.#disk, this.#journal, path.join(folder, 'backups'), path.join(folder, 'pages')])
      mkdirSync(each);
    this.#isMounted = HINDRANCES['full-disk'] === null;
    if (this.#isMounted)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${parts.disk ?? DISK}`, 'tmpfs', this.#disk]);
    this.ledger = path.join(this.#disk, 'ledger.sqlite');
    this.#certificate = { cert: path.join(folder, 'relay.crt'), key: path.join(folder, 'relay.key') };
    const service = (name: ServiceName, begin: () => Promise<Part>): Supervised =>
      new Supervised(`${name} of tenant ${index}`, begin, watch);
    this.services = {
      relay: service('relay', () =>
        working(this.#start('relay', this.#relayEnv()), async (part) => {
          ports.relay = portOf(await part.listening('relay'));
        }),
      ),
      intake: service('intake', () =>
        working(this.#start('intake', this.#intakeEnv()), (part) =>
          part.logLine('ready', ({ msg }) => msg === 'ready'),
        ),
      ),
      provision: service('provision', () => {
        const env = { CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' };
        return working(this.#start('provision', { ...this.#inside(), ...env }), async (part) => {
          ports.provision = portOf(await part.listening('provision'));
        });
      }),
      'console-api': service('console-api', () => {
        const env = {
          CAUSEWAY_CONSOLE_LISTEN: `${CONSOLE_HOST}:${networks['person-console'].port}`,
          CAUSEWAY_CONSOLE_PAGES: parts.pages ?? path.join(folder, 'pages'),
        };
        const part = this.#start('console-api', { ...this.#inside(), ...this.#journalEnv(), ...env });
        return working(part, () => part.listening());
      }),
    };
  }

  static async start(parts: HostParts): Promise<TenantHost> {
    const ports: Ports = { relay: null, provision: null };
    const host = new TenantHost(parts, ports, {
      'relay-cloud': await FaultProxy.start(() => parts.vendor.syncPort()),
      'intake-relay': await FaultProxy.start(() => ports.relay),
      'channel-provision': await FaultProxy.start(() => ports.provision),
      'person-console': await FaultProxy.start((own) => own, CONSOLE_HOST),
    });
    await host.renewCertificate();
    for (const service of Object.values(host.services)) await service.start();
    return host;
  }

  get provisionUrl(): string {
    return `http://127.0.0.1:${this.networks['channel-provision'].port}`;
  }

  get consoleUrl(): string {
    return `http://127.0.0.1:${this.networks['person-console'].port}`;
  }

  /** Gives the relay another certificate. */
  async renewCertificate(): Promise<void> {
    const { vendor, folder } = this.#parts;
    const { tenantId } = vendor.tenants[this.index] ?? { tenantId: 0 };
    // A try whose answer came too late has made a certificate: each has a name of its own.
    const name = (): string => `relay-${(this.#number += 1)}`;
    const issue = (): string[] => ['certificate', 'issue', '--tenant', String(tenantId), '--name', name()];
    const issued = JSON.parse(await vendor.command(issue)) as Record<string, string>;
    for (const [name, file] of [
      ['relay.crt', issued['cert']],
      ['relay.key', issued['key']],
    ] as const) {
      writeWhole(folder, name, readFileSync(file ?? '', 'utf8'));
    }
    this.fingerprint = issued['fingerprint'] ?? '';
  }

  fillDisk(): void {
    if (!this.#isMounted) return;
    clearTimeout(this.#diskTimer);
    this.isDiskFull = true;
    const ballast = path.join(this.#disk, 'ballast');
    const { bavail, bsize } = statfsSync(this.#disk);
    const most = bavail * bsize - MB;
    if (most > 0) spawnSync('fallocate', ['--length', String(most), ballast]);
    const handle = openSync(ballast, 'a');
    try {
      for (let size = MB; size >= 512;) {
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
    this.#diskTimer = setTimeout(() => (this.isDiskFull = false), 5_000).unref();
  }

  /** @returns whether there was space for it */
  async makeBackup(): Promise<boolean> {
    this.#number += 1;
    const file = path.join(this.#parts.folder, 'backups', `${this.#number}.sqlite`);
    // Not while a restore has the ledger away.
    const { exit, said } = await this.services.intake.exclusive(() => this.run('intake', ['backup', file]));
    if (exit.code !== 0 && !said.includes('no free space'))
      throw new Error(`a backup of tenant ${this.index} failed: ${said}`);
    if (exit.code === 0) this.#backups.push(file);
    return exit.code === 0;
  }

  /**
   * Puts a backup in the ledger's place; the decision journal brings back what came after it. @returns whether there was a
   * backup
   */
  async restore({ isDiskLost, age, killedAfterMs }: Extract<Fault, { kind: 'restore' }>): Promise<boolean> {
    const backup = this.#backups[Math.floor((1 - age) * (this.#backups.length - 1))];
    const { intake, provision, 'console-api': consoleApi } = this.services;
    if (backup === undefined) return false;
    await intake.exclusive(() =>
      provision.exclusive(() =>
        consoleApi.exclusive(async () => {
          const all = [consoleApi, provision, intake];
          await this.beforeRestore.running();
          for (const service of all) await service.stop();
          await this.beforeRestore.atRest();
          if (isDiskLost)
            for (const name of readdirSync(this.#disk).filter((each) => each.startsWith('ledger.')))
              rmSync(path.join(this.#disk, name), { recursive: true });
          if (killedAfterMs !== null) {
            const killed = this.#start('intake', { ...this.#intakeEnv(), ...this.#journalEnv() }, ['restore', backup]);
            await Promise.race([killed.exited, pause(killedAfterMs)]);
            await killed.kill();
          }
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
          for (const name of readdirSync(this.#disk).filter((each) => /\.before-[^.]*Z(?:-wal|-shm)?$/.test(each)))
            rmSync(path.join(this.#disk, name));
          for (const service of all.toReversed()) await service.start();
        }),
      ),
    );
    return true;
  }

  /** One command of a service, with the settings of the host. */
  async run(name: Program, args: string[], env: Record<string, string> = {}): Promise<{ exit: Exit; said: string }> {
    const part = this.#start(name, { ...this.#intakeEnv(), ...this.#journalEnv(), ...env }, args);
    const exit = await part.ended(120_000);
    return { exit, said: part.stdout + part.stderr };
  }

  /** Something that no fault excuses. */
  fail(what: string): void {
    this.#parts.watch.breach(`tenant ${this.index}: ${what}`);
  }

  async stop(): Promise<void> {
    for (const service of Object.values(this.services).toReversed()) await service.exclusive(() => service.stop());
  }

  async close(): Promise<void> {
    for (const service of Object.values(this.services).toReversed()) await service.close();
  }

  async clear(): Promise<void> {
    for (const proxy of Object.values(this.networks)) await proxy.close();
    if (this.#isMounted) spawnSync('umount', ['-l', this.#disk]);
  }

  #start(name: Program, env: Record<string, string>, args: string[] = []): Part {
    const { bundles, fixture, nodeFor } = this.#parts;
    const program = args.length === 0 ? nodeFor?.(name) : undefined;
    return fixture.start(path.join(bundles, `${name}.js`), {
      ...(program === undefined ? {} : { program }),
      args,
      env: {
        ...UNIT_VARIABLES,
        NODE_COMPILE_CACHE: path.join(bundles, 'cache'),
        NODE_OPTIONS: flagsOf(name),
        ...env,
      },
    });
  }

  #relayEnv(): Record<string, string> {
    return {
      ...this.clock.env,
      CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
      CAUSEWAY_RELAY_UPSTREAM: `https://127.0.0.1:${this.networks['relay-cloud'].port}`,
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
      ...this.clock.env,
    };
  }

  #intakeEnv(): Record<string, string> {
    return {
      ...this.#inside(),
      CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${this.networks['intake-relay'].port}`,
      CAUSEWAY_INTAKE_POLL_SECONDS: '1',
      CAUSEWAY_INTAKE_VERIFY_KEY: this.#parts.vendor.clouds.handedOut.verifyKey,
      CAUSEWAY_INTAKE_TENANT: String(this.#parts.vendor.tenants[this.index]?.tenantId),
    };
  }

  #journalEnv(): Record<string, string> {
    return { CAUSEWAY_DECISION_JOURNAL: this.#journal };
  }
}
