/**
 * One run: the whole system as processes, load on it, the faults of a schedule, and the promises held against what the
 * parts have answered, while it runs and at its end.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { bundleServices } from '../../electron/packaging/build/bundle.ts';
import { ensurePages, pagesOf } from '../../electron/packaging/build/pages.ts';
import { Seeded } from '../support/seeded.ts';
import { endLeftovers } from '../support/leftovers.ts';
import { RUN_MARK, TestFixture } from '../support/process.ts';
import { exportRecords } from './exports.ts';
import { inject, hindranceOf, type System } from './inject.ts';
import { Measurements } from './measure.ts';
import {
  caughtUp,
  compareLedger,
  compareShown,
  otherThan,
  rawEntries,
  recordedMoves,
  seesForgeries,
  truthOf,
  verifyDossiers,
  verifyStore,
  waitsForNews,
  type Compared,
  type Entry,
} from './oracle.ts';
import { openBrowser, ReviewersPage } from './page.ts';
import { ask, CHANNELS, decidesStill, Person, readProvision, review, watchWithdrawn } from './people.ts';
import { breachesOf, dueOff, PROMISES } from './promises.ts';
import { now, Recorder } from './recorder.ts';
import { scheduleOf, type Fault } from './schedule.ts';
import type { Watch } from './supervised.ts';
import { TenantHost } from './tenant-host.ts';
import { Vendor, type LastText } from './vendor.ts';
import { verifyVendorLog } from './vendor-log.ts';

export interface ChaosOptions {
  seed: number;
  minutes: number;
  tenants: number;
  /** Only these kinds of faults; absent: all. */
  kinds?: readonly string[];
  /** Folder of the logs of a run that fails. */
  folder: string;
  /** Ends the run early, as a breach does. */
  stop?: AbortSignal;
  say(line: string): void;
}

export interface ChaosResult {
  breaches: string[];
  /** How often each fault was injected. */
  injected: Record<string, number>;
  /** How often each operation and answer came. */
  counts: Record<string, number>;
  peaks: string[];
}

const CHECK_MS = 15_000;
const SAMPLE_MS = 2_000;
const OFF_STEP_MS = 250;
/**
 * The longest pause of a tenant after a fault: a pull that waits 25 s over a connection which fell silent is given up 30 s
 * later (D223), and the next one follows within the period.
 */
const LONGEST_PAUSE_MS = 25_000 + 30_000 + 1_100;
const ENGINES = 3;
/** Of what channels were served, the console may not know more than this share: a restore has taken its record away. */
const MOST_UNKNOWN = 0.5;
/** A run of so many minutes has processes that live long enough to show whether they grow. */
const JUDGING_MINUTES = 5;
/** A run in which nothing happened keeps every promise. */
const HAPPENS = [
  'publication DONE',
  'withdrawal seen',
  'decision DONE',
  'provision of a text',
  'bundle',
  'shown compared at tenant 0',
];
const FEW_A_MINUTE = 3;
/** Promises that hold at every moment; the others need all records: which text came before an act, the act's own tells. */
const AT_ANY_TIME = ['nothingAfterItsEnd', 'decisionsLinearise', 'switchesHold', 'policiesHold'] as const;

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  // A suite looks for what its tests have left by a mark of its own.
  const isAlone = process.env[RUN_MARK] === undefined;
  process.env[RUN_MARK] ??= randomUUID();
  const run = new Run(options);
  try {
    await run.begin();
    await run.work();
    await run.end();
  } catch (error) {
    run.breaches.push(`the run broke: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await run.close();
  if (isAlone)
    for (const { pid, command } of await endLeftovers(process.env[RUN_MARK]))
      run.breaches.push(`left a process behind: ${pid} ${command}`);
  return run.result();
}

class Run {
  readonly breaches: string[] = [];
  readonly #options: ChaosOptions;
  readonly #fixture = new TestFixture();
  readonly #recorder = new Recorder();
  readonly #measurements = new Measurements();
  readonly #schedule: Fault[];
  readonly #injected: Record<string, number> = {};
  readonly #lines: string[] = [];
  readonly #began = performance.now();
  readonly #pages: ReviewersPage[] = [];
  readonly #compared = new Map<TenantHost, Compared>();
  /** The raw entries of ledgers that a restore has replaced. */
  readonly #lost: { tenant: number; kept: Entry[] }[] = [];
  #browser: Browser | null = null;
  #system: System | null = null;
  #isOver = false;

  constructor(options: ChaosOptions) {
    this.#options = options;
    options.stop?.addEventListener('abort', () => this.breaches.push('a person stopped the run'));
    this.#schedule = scheduleOf(options.seed, options.minutes, options.tenants, options.kinds);
  }

  #log(line: string): void {
    this.#lines.push(`${((performance.now() - this.#began) / 1_000).toFixed(2)} ${line}`);
  }

  async begin(): Promise<void> {
    const { tenants } = this.#options;
    const bundles = this.#fixture.folder('chaos-services');
    await bundleServices(bundles);
    this.#browser = await openBrowser();
    const pages = this.#browser === null ? null : pagesOf('tenant');
    if (pages !== null) await ensurePages({ pages: 'tenant', log: this.#options.say });
    const vendor = await Vendor.start(tenants, this.#watch());
    const hosts: TenantHost[] = [];
    this.#system = { vendor, hosts, recorder: this.#recorder };
    for (let index = 0; index < tenants; index += 1) {
      const folder = this.#fixture.folder(`chaos-tenant-${index}`);
      const shared = { vendor, fixture: this.#fixture, bundles, pages, watch: this.#watch() };
      const host = await TenantHost.start({ index, folder, ...shared });
      hosts.push(host);
      this.#observe(host);
      if (this.#browser !== null)
        this.#pages.push(await ReviewersPage.open(this.#browser, new Person(host, 'reviewer', 3), this.#recorder));
    }
    this.#options.say(`${this.#schedule.length} faults on ${tenants} tenants, ${this.#options.minutes} minutes`);
  }

  /** What a restore takes away is looked at before. */
  #observe(host: TenantHost): void {
    this.#compared.set(host, { until: 0, compared: 0, unknown: 0 });
    host.beforeRestore = {
      running: () => this.#compareShown(host).catch(() => this.#recorder.count('shown not compared before a restore')),
      atRest: () => this.#lookAtRest(host),
    };
  }

  /** A ledger that is opened needs some space beside it: nothing counts where the disk is full meanwhile. */
  async #lookAtRest(host: TenantHost): Promise<void> {
    try {
      const breaches = await verifyStore(host);
      const kept = rawEntries(host.ledger);
      if (host.isDiskFull) return;
      this.breaches.push(...breaches.map((breach) => `before a restore: ${breach}`));
      this.#lost.push({ tenant: host.index, kept });
    } catch (error) {
      if (!host.isDiskFull) throw error;
    }
  }

  async #compareShown(host: TenantHost): Promise<void> {
    const so = this.#compared.get(host);
    // A clock that is not the test's gives times that cannot be compared.
    if (so === undefined || host.clock.isMoved) return;
    this.breaches.push(...(await compareShown(host, this.#recorder, so)).slice(0, 20));
  }

  #watch(): Watch {
    return {
      log: (line) => this.#log(line),
      breach: (line) => void this.breaches.push(line),
      endedByItself: (name, { code, signal }, said) => {
        const { hosts } = this.#parts();
        this.#log(`${name} ended by itself: code ${code}, signal ${signal}\n${said}`);
        this.#recorder.count(`ended by itself: ${name.split(' ')[0]}`);
        if (!isFull(hosts, name))
          this.breaches.push(`${name} ended by itself: code ${code}, signal ${signal}\n${said}`);
      },
      didNotStart: (name, why) => {
        this.#log(`${name} did not start: ${why}`);
        this.#recorder.count(`did not start: ${name.split(' ')[0]}`);
        // A cloud whose database does not answer in time says so and ends; it is started again.
        const isExcused = name.startsWith('cloud')
          ? why.includes('ended (code 1') && why.includes('The database of CAUSEWAY_DATABASE_URL cannot be used')
          : isFull(this.#system?.hosts ?? [], name);
        if (!isExcused) this.breaches.push(`${name} did not start: ${why}`);
      },
    };
  }

  #parts(): System {
    if (this.#system === null) throw new Error('the system has not begun');
    return this.#system;
  }

  async work(): Promise<void> {
    const system = this.#parts();
    const { vendor, hosts, recorder } = system;
    const { seed, minutes } = this.#options;
    const isOver = (): boolean => this.#isOver;
    let stream = seed * 1_000;
    const random = (): Seeded => new Seeded((stream += 1));
    const working: Promise<void>[] = [];
    for (let worker = 0; worker < ENGINES; worker += 1)
      working.push(vendor.work(recorder, random(), `s${seed}-${worker}-`, isOver));
    for (const host of hosts) {
      working.push(vendor.readBundles(recorder, random(), host.index, isOver));
      for (const channel of CHANNELS) working.push(ask(recorder, random(), host, channel, isOver));
      working.push(review(recorder, random(), new Person(host, 'reviewer', 1), isOver));
      working.push(review(recorder, random(), new Person(host, 'reviewer', 2), isOver));
      working.push(review(recorder, random(), new Person(host, 'operator'), isOver));
      working.push(exportRecords(recorder, random(), new Person(host, 'admin'), isOver));
      working.push(watchWithdrawn(recorder, new Person(host, 'viewer'), isOver));
    }
    for (const page of this.#pages) working.push(page.work(random(), isOver));
    const beginning = performance.now();
    const lengthMs = minutes * 60_000;
    const elapsed = (): number => performance.now() - beginning;
    const watching = this.#watchOver(isOver);
    const injecting: Promise<void>[] = [];
    for (const fault of this.#schedule) {
      while (elapsed() < fault.atMs && this.breaches.length === 0)
        await pause(Math.min(250, Math.max(1, fault.atMs - elapsed())));
      if (this.breaches.length > 0) break;
      if (hindranceOf(fault.kind) !== null) continue;
      this.#log(`fault ${JSON.stringify(fault)}`);
      injecting.push(
        inject(system, fault).then(
          (isDone) => {
            if (isDone) this.#injected[fault.kind] = (this.#injected[fault.kind] ?? 0) + 1;
            this.#log(`over: ${JSON.stringify(fault)}`);
          },
          (error: unknown) => void this.breaches.push(`${JSON.stringify(fault)} broke: ${String(error)}`),
        ),
      );
    }
    while (elapsed() < lengthMs && this.breaches.length === 0) await pause(250);
    await Promise.all(injecting);
    recorder.calm = { since: now(), longestPauseMs: LONGEST_PAUSE_MS };
    this.#isOver = true;
    await Promise.all([...working, watching]);
  }

  /** Samples the processes, and holds what was answered so far against the promises. */
  async #watchOver(isOver: () => boolean): Promise<void> {
    const { vendor, hosts } = this.#parts();
    for (let checkedAt = performance.now(); !isOver();) {
      const services = [...vendor.services, ...hosts.flatMap((host) => Object.values(host.services))];
      for (const { name, part } of services) if (part !== null) this.#measurements.take(name, part.pid);
      if (performance.now() - checkedAt > CHECK_MS) {
        checkedAt = performance.now();
        const history = this.#recorder.soFar();
        for (const name of AT_ANY_TIME)
          this.breaches.push(...PROMISES[name](history).map((breach) => `${name}: ${breach}`));
        if (this.breaches.length > 0) return;
      }
      await pause(SAMPLE_MS);
    }
  }

  async end(): Promise<void> {
    const { vendor, hosts, recorder } = this.#parts();
    if (this.breaches.length > 0) return;
    this.#log('the load has ended');
    for (const page of this.#pages) this.breaches.push(...present(await page.works()));
    for (const host of hosts) this.breaches.push(...present(await decidesStill(recorder, host)));
    const goneOn = await vendor.goOn(recorder, this.#options.seed);
    this.breaches.push(...goneOn.breaches);
    await Promise.all(hosts.map((host) => this.#readUntilOff(host, goneOn.texts)));
    for (const host of hosts) {
      const truth = await truthOf(vendor, recorder, host.index);
      const behind = await caughtUp(host, truth.at(-1)?.cursor ?? 0);
      this.breaches.push(...present(behind), ...present(await waitsForNews(vendor, host.index)));
      await this.#readFinally(host, goneOn.texts);
      await this.#compareShown(host).catch((error: unknown) => this.breaches.push(String(error)));
      this.#tellCompared(host);
      await host.stop();
      if (behind === null)
        this.breaches.push(
          ...compareLedger(host, truth, vendor, {
            clocks: { tenant: host.clock.isMoved, cloud: vendor.clock.isMoved },
            rotations: vendor.rotations,
          }),
        );
      for (const { tenant, kept } of this.#lost)
        if (tenant === host.index)
          this.breaches.push(...present(otherThan(truth, kept, `tenant ${tenant}, before a restore`)));
      this.breaches.push(...(await verifyStore(host)), ...(await verifyDossiers(host)));
      if (host.index === 0) this.breaches.push(...(await seesForgeries(host)));
    }
    this.breaches.push(...breachesOf(recorder.history(hosts.flatMap(recordedMoves))).slice(0, 50));
    const verify = (): Promise<string> => vendor.clouds.command(vendor.url, 'audit', 'verify');
    this.breaches.push(...(await verifyVendorLog(vendor.writableUrl(), verify)));
    for (const what of HAPPENS) {
      const count = recorder.counts.get(what) ?? 0;
      if (count < FEW_A_MINUTE * this.#options.minutes) this.breaches.push(`it stood still: ${what} ${count} times`);
    }
    this.breaches.push(...this.#measurements.breaches());
    recorder.counts.set('processes judged by their memory', this.#measurements.judged());
    if (this.#measurements.judged() === 0 && this.#options.minutes >= JUDGING_MINUTES)
      this.breaches.push('no process lived long enough to show whether it grows');
  }

  /** Asks until no channel is served a withdrawn text, or until it had to be off: `offInTime` judges what was served. */
  async #readUntilOff(host: TenantHost, texts: readonly LastText[]): Promise<void> {
    const { recorder } = this.#parts();
    const began = now();
    const due = dueOff(recorder);
    for (const { ticker, summary, isWithdrawn } of texts) {
      if (!isWithdrawn) continue;
      const until = (due.get(recorder.texts.get(summary)?.item ?? '') ?? 0) + SAMPLE_MS;
      const read = (): Promise<(string | null)[]> =>
        Promise.all(CHANNELS.map((channel) => readProvision(recorder, host, channel, ticker).catch(() => summary)));
      while ((await read()).includes(summary) && now() < until) await pause(OFF_STEP_MS);
      recorder.counts.set(`ms until the last withdrawal was off at tenant ${host.index}`, Math.round(now() - began));
    }
  }

  /** When all is applied, each channel that is on is served the last texts, and not the one that was withdrawn. */
  async #readFinally(host: TenantHost, texts: readonly LastText[]): Promise<void> {
    const { recorder } = this.#parts();
    const last = recorder.operations.findLast((each) => each.kind === 'SWITCH' && each.tenant === host.index);
    for (const channel of CHANNELS)
      for (const { ticker, summary, isWithdrawn } of texts) {
        const text = await readProvision(recorder, host, channel, ticker);
        const isOn =
          last?.kind !== 'SWITCH' || last.channel !== channel[0] || (last.enabled && last.outcome === 'DONE');
        if (isWithdrawn ? text === summary : isOn && text !== summary)
          this.breaches.push(`tenant ${host.index}: ${channel[0]} is served "${text}" of ${ticker} at the end`);
      }
  }

  #tellCompared(host: TenantHost): void {
    const { recorder } = this.#parts();
    const { compared, unknown } = this.#compared.get(host) ?? { compared: 0, unknown: 0 };
    recorder.counts.set(`shown compared at tenant ${host.index}`, compared);
    recorder.counts.set(`shown, but unknown to the console, at tenant ${host.index}`, unknown);
    if (unknown > compared * MOST_UNKNOWN)
      this.breaches.push(`tenant ${host.index}: the console does not know of ${unknown} of ${compared} texts`);
  }

  async close(): Promise<void> {
    const { folder } = this.#options;
    const system = this.#system;
    const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      await work().catch((error: unknown) => this.breaches.push(`${what}: ${String(error).slice(0, 3_000)}`));
    };
    await attempt('closing the browser', async () => this.#browser?.close());
    for (const host of system?.hosts ?? []) await attempt('stopping a tenant', () => host.close());
    for (const service of system?.vendor.services ?? []) await attempt('stopping a cloud', () => service.close());
    if (this.breaches.length > 0 && system !== null) this.#keep(folder, system);
    for (const host of system?.hosts ?? []) await attempt('clearing a tenant', () => host.clear());
    if (system !== null) await attempt('clearing the vendor', () => system.vendor.clear());
    await attempt('clearing', () => this.#fixture.clear());
  }

  result(): ChaosResult {
    const counts = Object.fromEntries([...this.#recorder.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    return { breaches: this.breaches, injected: this.#injected, counts, peaks: this.#measurements.peaks() };
  }

  /** The schedule up to the failure, the history, and what each process said. */
  #keep(folder: string, { vendor, hosts }: System): void {
    mkdirSync(folder, { recursive: true });
    const { seed, minutes, tenants } = this.#options;
    const head = `seed ${seed}, ${minutes} minutes, ${tenants} tenants`;
    writeFileSync(path.join(folder, 'run.log'), [head, ...this.#lines, '', ...this.breaches].join('\n'));
    writeFileSync(
      path.join(folder, 'history.jsonl'),
      this.#recorder.operations.map((each) => JSON.stringify(each)).join('\n'),
    );
    for (const { name, parts } of [...vendor.services, ...hosts.flatMap((host) => Object.values(host.services))])
      writeFileSync(
        path.join(folder, `${name.replaceAll(' ', '-')}.log`),
        parts.map((part) => `== ${part.pid}\n${part.stdout}\n${part.stderr}`).join('\n'),
      );
  }
}

/** Whether a part writes to a disk that is full, or was a moment ago: a relay writes to none. */
const isFull = (hosts: readonly TenantHost[], name: string): boolean =>
  !name.startsWith('relay') && hosts.some(({ index, isDiskFull }) => isDiskFull && name.endsWith(`tenant ${index}`));

const present = (breach: string | null): string[] => (breach === null ? [] : [breach]);
