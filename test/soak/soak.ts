/**
 * A long run without faults: the processes of chaos under a steady load, and whether anything grows. A busy day has 1,000
 * publications in eight hours; this has some five times as many in one, beside reviewers and channels without a pause.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { PARTS } from '../../agent/operations/install/parts.ts';
import { CLOUD } from '../../cloud/operations/install/cloud-part.ts';
import { bundleServices } from '../../electron/packaging/build/bundle.ts';
import { exportRecords } from '../chaos/exports.ts';
import { ask, CHANNELS, Person, review } from '../chaos/people.ts';
import { Recorder } from '../chaos/recorder.ts';
import type { Supervised, Watch } from '../chaos/supervised.ts';
import { TenantHost } from '../chaos/tenant-host.ts';
import { Vendor } from '../chaos/vendor.ts';
import { Seeded } from '../support/seeded.ts';
import { endLeftovers } from '../support/leftovers.ts';
import { RUN_MARK, TestFixture } from '../support/process.ts';
import { MemoryGroups } from './memory-groups.ts';
import { AllSeries, type Growth } from './series.ts';

export interface SoakOptions {
  minutes: number;
  tenants: number;
  /** Ends the run early, with the table of what it has. */
  stop: AbortSignal;
  say(line: string): void;
}

export interface SoakResult {
  growth: Growth[];
  /** What must not be: an answer of 500, an end by itself, memory above the limit of the unit. */
  breaches: string[];
  counts: Record<string, number>;
}

const SAMPLE_MS = 2_000;
const TELL_MS = 60_000;
const MB = 1_048_576;
/** The ledger of an hour, and what an archive leaves free. */
const DISK = '6g';

export async function runSoak({ minutes, tenants, stop, say }: SoakOptions): Promise<SoakResult> {
  process.env[RUN_MARK] ??= randomUUID();
  const fixture = new TestFixture();
  const groups = new MemoryGroups(fixture.folder('soak-nodes'));
  const recorder = new Recorder();
  const series = new AllSeries();
  const breaches: string[] = [];
  const watch: Watch = {
    log: () => undefined,
    breach: (line) => void breaches.push(line),
    endedByItself: (name, { code, signal }, said) =>
      void breaches.push(`${name} ended by itself: code ${code}, signal ${signal}\n${said}`),
    didNotStart: (name, why) => void breaches.push(`${name} did not start: ${why}`),
  };
  const hosts: TenantHost[] = [];
  let vendor: Vendor | null = null;
  let isOver = false;
  const over = (): boolean => isOver;
  try {
    const bundles = fixture.folder('soak-services');
    await bundleServices(bundles);
    if (!groups.areEnforced)
      say('no control groups here: memory is compared with the limits of the units, and not bounded');
    vendor = await Vendor.start(tenants, watch, (name) => groups.nodeWithin(name, limitOf('cloud')));
    for (let index = 0; index < tenants; index += 1) {
      const folder = fixture.folder(`soak-tenant-${index}`);
      const nodeFor = (name: string) => groups.nodeWithin(`${name}-${index}`, limitOf(name));
      const about = { index, vendor, fixture, bundles, folder, watch, pages: null };
      hosts.push(await TenantHost.start({ ...about, disk: DISK, nodeFor }));
    }
    let stream = 0;
    const random = (): Seeded => new Seeded((stream += 1));
    const working = [
      vendor.work(recorder, random(), 'soak-0-', over),
      ...hosts.flatMap((host) => [
        ...CHANNELS.map((channel) => ask(recorder, random(), host, channel, over)),
        review(recorder, random(), new Person(host, 'reviewer', 1), over),
        review(recorder, random(), new Person(host, 'reviewer', 2), over),
        review(recorder, random(), new Person(host, 'operator'), over),
        exportRecords(recorder, random(), new Person(host, 'admin'), over),
      ]),
    ];
    const began = performance.now();
    for (let toldAt = began; performance.now() - began < minutes * 60_000 && !stop.aborted; await pause(SAMPLE_MS)) {
      for (const service of [...vendor.services, ...hosts.flatMap((host) => Object.values(host.services))])
        takeProcess(series, service, groups, breaches);
      for (const host of hosts) takeFiles(series, host);
      if (performance.now() - toldAt < TELL_MS) continue;
      toldAt = performance.now();
      say(`${((toldAt - began) / 60_000).toFixed(0)} of ${minutes} minutes, ${recorder.operations.length} operations`);
    }
    if (stop.aborted) breaches.push('a person stopped the run');
    isOver = true;
    await Promise.all(working);
    for (const host of hosts) await host.close();
    for (const service of vendor.services) await service.close();
  } catch (error) {
    breaches.push(`the run broke: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    isOver = true;
    for (const host of hosts) await host.clear();
    await vendor?.clear();
    await fixture.clear();
    for (const { pid, command } of await endLeftovers(process.env[RUN_MARK] ?? ''))
      breaches.push(`left a process behind: ${pid} ${command}`);
    // Only a group without processes can be removed.
    groups.close();
  }
  const counts = Object.fromEntries([...recorder.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return { growth: series.growth(), breaches: [...new Set(breaches)], counts };
}

/** Memory, open files, and the threads of a process. */
function takeProcess(series: AllSeries, { name, part }: Supervised, groups: MemoryGroups, breaches: string[]): void {
  if (part === null) return;
  try {
    const status = readFileSync(`/proc/${part.pid}/status`, 'utf8');
    const fact = (of: string): number => Number(new RegExp(`^${of}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    const memory = fact('RssAnon') / 1_024;
    const inUse = groups.inUse(groupOf(name));
    if (inUse !== null) series.take(`${name}: memory in use`, 'MB', 1, inUse);
    series.take(`${name}: open files`, '', 1, readdirSync(`/proc/${part.pid}/fd`).length);
    series.take(`${name}: threads`, '', 1, fact('Threads'));
    const limit = limitOf(name);
    if (memory > limit) breaches.push(`${name} took more than the ${limit} MB of its unit`);
  } catch {
    // It has ended meanwhile, which is told elsewhere.
  }
}

/** Files that must not grow with the work: the ledger's log, what lies beside it, what a relay leaves. */
function takeFiles(series: AllSeries, { index, ledger, folder }: TenantHost): void {
  const name = `tenant ${index}`;
  const sizeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MB;
  series.take(`${name}: log of the ledger`, 'MB', 1, sizeOf(`${ledger}-wal`));
  series.take(`${name}: files beside the ledger`, '', 1, readdirSync(path.dirname(ledger)).length);
  series.take(`${name}: files of the host`, '', 1, readdirSync(folder).length);
}

const MEMORY: Readonly<Record<string, string>> = {
  cloud: CLOUD.bounds.memory,
  ...Object.fromEntries(Object.values(PARTS).map(({ name, bounds }) => [name, bounds.memory])),
};

/** The name under which a service was begun: `relay-0` of "relay of tenant 0". */
const groupOf = (name: string): string => name.replace(/ of tenant | /, '-');

/** MemoryMax of the part's unit, in MB. */
function limitOf(name: string): number {
  const [, amount, unit] = /^(\d+)([MG])$/.exec(MEMORY[name.split(' ')[0] ?? ''] ?? '') ?? [];
  return Number(amount ?? Number.NaN) * (unit === 'G' ? 1_024 : 1);
}
