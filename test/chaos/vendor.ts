/** The vendor's side of a run: three clouds over a PostgreSQL with a synchronous standby, the engine, an operator. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveLoad, Load } from '../../cloud/publication/load.ts';
import { CloudFixture, about, operatorOf, type Cloud, type Tenant } from '../faults/cloud/cloud-fixture.ts';
import type { Seeded } from '../support/seeded.ts';
import { liveLoad } from '../support/loads.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres.ts';
import { FakeClock } from './clock.ts';
import type { Interval } from './history.ts';
import { FaultProxy, type Weather } from './proxy.ts';
import { now, type Recorder } from './recorder.ts';
import { CLOUDS, UNSTEADY_CLOUD, type CloudStretch } from './schedule.ts';
import { Supervised, type Watch } from './supervised.ts';
import { TICKERS } from './tickers.ts';

/** Texts, and how often each is drawn: most pass, some wait for a reviewer, some are blocked. */
const WORDS = [
  ...Array.from({ length: 10 }, () => '반도체 수출 소식에 지수가 올랐습니다'),
  ...Array.from({ length: 6 }, () => '지금은 매수 시점입니다'),
  '이 상품은 확정 수익을 드립니다',
];
const PATIENCE_MS = 20_000;
const AGAIN_MS = 200;
/** Within which a cloud takes a load after the last fault, however busy the machine is. */
const GO_ON_MS = 120_000;
/** The operator API answers to its own port alone (D9), so it has the port of the proxy before it, at another address. */
const OPERATOR_HOST = '127.0.0.2';
/** Of a day; the engine does not reach it. */
const LAST_SECOND = 80_000;

interface Trying {
  recorder: Recorder;
  isOver: () => boolean;
  /** Those that may be asked at this moment. */
  clouds: () => Cloud[];
}

/** A text that was published after the last fault. */
export interface LastText {
  ticker: string;
  summary: string;
  isWithdrawn: boolean;
}

interface Around {
  /** Of the database. */
  url: string;
  networks: FaultProxy[][];
  nodeFor: ((name: string) => string | undefined) | undefined;
}

export class Vendor {
  readonly clouds: CloudFixture;
  readonly url: string;
  readonly tenants: Tenant[] = [];
  readonly services: Supervised[];
  /** The network between each cloud and the hosts of the database. */
  readonly #networks: FaultProxy[][];
  /** The network between engine or operator and each cloud, and where the clouds listen for the engine at this moment. */
  readonly #doors: Record<'engine' | 'operator', FaultProxy>[] = [];
  readonly #enginePorts: number[] = [];
  /** Of one cloud. */
  readonly clock: FakeClock;
  readonly #running: (Cloud | null)[] = [];
  readonly #pair: PostgresPair;
  readonly #watch: Watch;
  readonly #operators = new WeakMap<Cloud, ReturnType<typeof operatorOf>>();
  /** When the signing key was replaced. */
  readonly rotations: Interval[] = [];
  #hasFailedOver = false;
  /** Loads and withdrawals that were acknowledged, by the id of the result. */
  readonly published = new Map<string, { summary: string; isWithdrawn: boolean }>();
  /** All texts are of one day, even where a run crosses midnight. */
  readonly #yesterday = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000;
  #number = 0;

  private constructor(clouds: CloudFixture, pair: PostgresPair, { url, networks, nodeFor }: Around, watch: Watch) {
    this.#watch = watch;
    this.clouds = clouds;
    this.clock = new FakeClock(clouds.fixture.folder('clock'));
    this.#networks = networks;
    this.#pair = pair;
    this.url = url;
    this.services = Array.from(
      { length: CLOUDS },
      (_, index) =>
        new Supervised(
          `cloud ${index}`,
          async () => {
            this.#running[index] = null;
            const program = nodeFor?.(`cloud-${index}`);
            const release = program === undefined ? {} : { release: { script: 'cloud/main.ts', program } };
            const cloud = await clouds.cloud(through(url, networks[index] ?? []), {
              ...release,
              env: {
                ...(index === UNSTEADY_CLOUD ? this.clock.env : {}),
                CAUSEWAY_OPERATOR_LISTEN: `${OPERATOR_HOST}:${this.#doors[index]?.operator.port}`,
              },
              engineAt: (engine) => {
                this.#enginePorts[index] = Number(new URL(engine).port);
                return `http://127.0.0.1:${this.#doors[index]?.engine.port}`;
              },
            });
            this.#running[index] = { ...cloud, operator: `http://127.0.0.1:${this.#doors[index]?.operator.port}` };
            return cloud.part;
          },
          watch,
        ),
    );
  }

  /** @param nodeFor the program that runs a cloud; by default this Node */
  static async start(tenants: number, watch: Watch, nodeFor?: (name: string) => string | undefined): Promise<Vendor> {
    const pair = await startPostgresPair();
    const clouds = await CloudFixture.start(Promise.resolve(pair));
    const url = await clouds.initialised();
    const networks = await Promise.all(
      Array.from({ length: CLOUDS }, () => Promise.all(portsOf(url).map((port) => FaultProxy.start(() => port)))),
    );
    const vendor = new Vendor(clouds, pair, { url, networks, nodeFor }, watch);
    for (let index = 0; index < CLOUDS; index += 1)
      vendor.#doors.push({
        engine: await FaultProxy.start(() => vendor.#enginePorts[index] ?? null),
        operator: await FaultProxy.start((own) => own, OPERATOR_HOST),
      });
    for (let number = 0; number < tenants; number += 1)
      vendor.tenants.push(await clouds.tenant(url, `tenant-${number}`));
    await Promise.all(vendor.services.map((service) => service.start()));
    return vendor;
  }

  /** Changes the network between a cloud and the database, or between engine or operator and a cloud. */
  change({ cloud, path }: CloudStretch, weather: Weather): void {
    if (path === 'cloud-database') for (const proxy of this.#networks[cloud] ?? []) proxy.change(weather);
    else this.#doors[cloud]?.[path === 'engine-cloud' ? 'engine' : 'operator'].change(weather);
  }

  /** Clouds with a process, in the order of their numbers. */
  live(): Cloud[] {
    return this.services.flatMap(({ part }, index) => {
      const cloud = this.#running[index];
      return part !== null && part.exit === null && cloud?.part === part ? [cloud] : [];
    });
  }

  /** The port of a cloud for a relay's new connection: one after the other, as a balancer does. */
  syncPort(): number | null {
    const live = this.live();
    this.#number += 1;
    const cloud = live[this.#number % Math.max(1, live.length)];
    return cloud === undefined ? null : Number(new URL(cloud.sync).port);
  }

  async failOver(): Promise<void> {
    this.#hasFailedOver = true;
    this.#pair.freezePrimary();
    await this.#pair.promote();
  }

  /** The database at the one host that takes writes. */
  writableUrl(): string {
    return this.#hasFailedOver ? this.#pair.standbyOf(this.url) : this.url.replace(/,[^/]*/, '');
  }

  /**
   * A command of the vendor's operator; tried again, since faults are about.
   *
   * @param isTaken how the command says that an earlier try has had its effect
   */
  async command(args: () => string[], isTaken?: RegExp): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await within(this.clouds.command(this.url, ...args()));
      } catch (error) {
        if (tries > 1 && isTaken?.test(String(error)) === true) return '';
        if (tries === 5) throw error;
        await pause(2_000);
      }
    }
  }

  /** The engine: publishes and withdraws until `isOver`, each until it is acknowledged. */
  async work(recorder: Recorder, random: Seeded, prefix: string, isOver: () => boolean): Promise<void> {
    const trying = { recorder, isOver, clouds: () => this.live() };
    for (let number = 1; !isOver(); number += 1) {
      const ids = [...this.published].filter(([id, { isWithdrawn }]) => !isWithdrawn && id.startsWith(prefix));
      if (random.chance(0.12) && ids.length > 3) {
        const [id] = random.pick(ids.slice(-30));
        await this.#withdraw(trying, id, random.chance(0.3) ? 2 : 1);
      } else {
        // Each worker has a third of the seconds, so that no two texts of a ticker have the same place.
        const second = number * 3 + Number(prefix.at(-2));
        const forbidden = recorder.words.length > 0 && random.chance(0.2) ? ` ${random.pick(recorder.words).word}` : '';
        const words = `${random.pick(WORDS)}${forbidden}`;
        const about = { id: `${prefix}${number}`, ticker: random.pick(TICKERS), words, second };
        await this.#publish(trying, about, random.chance(0.15));
      }
      await pause(300 + random.below(700));
    }
  }

  /** After the last fault each cloud takes a load, one of v2, and all of them a withdrawal at once. */
  async goOn(recorder: Recorder, seed: number): Promise<{ breaches: string[]; texts: LastText[] }> {
    const breaches: string[] = [];
    const texts: LastText[] = [];
    for (const [index, ticker] of TICKERS.slice(0, CLOUDS).entries()) {
      const deadline = now() + GO_ON_MS;
      const clouds = (): Cloud[] => this.live().filter((cloud) => cloud === this.#running[index]);
      const id = `s${seed}-end-${index}`;
      const words = { id, ticker, words: WORDS[0] ?? '', second: LAST_SECOND };
      if (await this.#publish({ recorder, isOver: () => now() > deadline, clouds }, words, index === 1))
        texts.push({ ticker, summary: this.published.get(id)?.summary ?? '', isWithdrawn: index === 0 });
      else breaches.push(`cloud ${index} takes no load after the last fault`);
    }
    const deadline = now() + GO_ON_MS;
    const trying = { recorder, isOver: () => now() > deadline, clouds: () => this.live() };
    if (!(await this.#withdraw(trying, `s${seed}-end-0`, CLOUDS))) breaches.push('no withdrawal after the last fault');
    return { breaches, texts };
  }

  async #publish(
    trying: Trying,
    { id, ticker, words, second }: { id: string; ticker: string; words: string; second: number },
    isAnalysis: boolean,
  ): Promise<boolean> {
    const { recorder } = trying;
    const summary = `${words} (${id}).`;
    const place = this.#yesterday + second * 1_000;
    recorder.texts.set(summary, { item: id, ticker, place, isScreened: !isAnalysis });
    const live = liveLoad({ id, ticker, name: `KODEX ${ticker}`, summary, asOf: new Date(place).toISOString() });
    const load = isAnalysis ? asAnalysis(live) : live;
    const isTaken = await this.#acknowledged(trying, `NEW ${id}`, async (cloud) => {
      const [line] = await cloud.load(load);
      if (line?.reason === 'INTERNAL') throw new Error(`COMMON500 ${line.message}`);
      if (line?.outcome === 'FAILED') recorder.count(`load FAILED ${line.reason} ${line.message}`);
      return line?.outcome === 'PUBLISHED';
    });
    if (isTaken) this.published.set(id, { summary, isWithdrawn: false });
    return isTaken;
  }

  /** @param presses operators who withdraw it at once, each at another cloud */
  async #withdraw(trying: Trying, id: string, presses: number): Promise<boolean> {
    const known = this.published.get(id);
    if (known !== undefined) known.isWithdrawn = true;
    return this.#acknowledged(trying, `INVALIDATION ${id}`, async (cloud, tries) => {
      const others = this.live().filter((other) => other !== cloud);
      const statuses = await Promise.all([cloud, ...others].slice(0, presses).map((one) => this.#press(one, id)));
      return statuses.includes(200) || (tries > 1 && statuses.every((status) => status === 409));
    });
  }

  /** @returns the status of the answer */
  async #press(cloud: Cloud, id: string): Promise<number> {
    let operator = this.#operators.get(cloud);
    if (operator === undefined) this.#operators.set(cloud, (operator = operatorOf(cloud)));
    const forget = (error: unknown): never => {
      this.#operators.delete(cloud);
      throw error;
    };
    const { status } = await within(operator.then((press) => press(id))).catch(forget);
    if (status === 500) throw new Error('COMMON500');
    if (status === 401) this.#operators.delete(cloud);
    return status;
  }

  /** @returns whether it was; if not, it may have been done nevertheless */
  async #acknowledged(
    { recorder, isOver, clouds }: Trying,
    entry: string,
    ask: (cloud: Cloud, tries: number) => Promise<boolean>,
  ): Promise<boolean> {
    const begin = now();
    for (let tries = 1; !isOver() || tries === 1; tries += 1) {
      const live = clouds();
      const cloud = live[tries % Math.max(1, live.length)];
      try {
        if (cloud !== undefined && (await within(ask(cloud, tries)))) {
          recorder.add({ kind: 'PUBLICATION', entry, outcome: 'DONE', begin, end: now() });
          return true;
        }
      } catch (error) {
        this.#refuseBug(entry, error);
        recorder.count('publication tried again');
      }
      await pause(AGAIN_MS);
    }
    recorder.add({ kind: 'PUBLICATION', entry, outcome: 'OPEN', begin, end: Number.POSITIVE_INFINITY });
    return false;
  }

  /** Reads bundles of a tenant at random places from random clouds, beside its relay. */
  async readBundles(recorder: Recorder, random: Seeded, index: number, isOver: () => boolean): Promise<void> {
    let head = 0;
    while (!isOver()) {
      const after = Math.max(0, head - random.below(12));
      const [cloud] = this.live().toSorted(() => random.next() - 0.5);
      try {
        if (cloud !== undefined) ({ head } = await this.readBundle(recorder, cloud, index, after));
      } catch (error) {
        this.#refuseBug(`a pull of tenant ${index}`, error);
        recorder.count('cloud gave no bundle');
      }
      await pause(400 + random.below(800));
    }
  }

  /** Connects the reader of a tenant's bundles anew, with the authorities and the certificate of this moment. */
  connectReader(index: number): void {
    const { tenantId, files, close } = this.#tenant(index);
    this.tenants[index] = this.clouds.reader(tenantId, files);
    close();
  }

  /** Gives the reader another certificate. @returns its fingerprint */
  async renewReader(index: number): Promise<string> {
    const { tenantId } = this.#tenant(index);
    const name = (): string => `reader-${(this.#number += 1)}`;
    const issue = (): string[] => ['certificate', 'issue', '--tenant', String(tenantId), '--name', name()];
    const { cert, key, fingerprint } = JSON.parse(await this.command(issue)) as Record<string, string>;
    Object.assign(this.#tenant(index).files, { cert, key });
    this.connectReader(index);
    return fingerprint ?? '';
  }

  #tenant(index: number): Tenant {
    const tenant = this.tenants[index];
    if (tenant === undefined) throw new Error(`no tenant ${index}`);
    return tenant;
  }

  async readBundle(recorder: Recorder, cloud: Cloud, index: number, after: number, limit = 10) {
    const tenant = this.#tenant(index);
    const begin = now();
    const { bundle, head } = await within(tenant.pull(cloud, after, limit));
    const entries = (bundle?.entries ?? []).map((entry) => ({ cursor: entry.cursor, entry: about(entry) }));
    recorder.add({ kind: 'BUNDLE', tenant: index, after, head, entries, begin, end: now() });
    return { bundle, head };
  }

  /** No fault excuses a 500 (D5). */
  #refuseBug(what: string, error: unknown): void {
    if (String(error).includes('COMMON500')) this.#watch.breach(`${what}: ${String(error)}`);
  }

  async clear(): Promise<void> {
    for (const tenant of this.tenants) tenant.close();
    await this.clouds.clear();
    const doors = this.#doors.flatMap(({ engine, operator }) => [engine, operator]);
    for (const proxy of [...this.#networks.flat(), ...doors]) await proxy.close();
  }
}

/** The same text as an analysis of v2, which is exposed without a check (D14). */
function asAnalysis({ instrument, trigger, run, thread, lineage, result }: LiveLoad): Load {
  const { explanation_result_id, trade_date, explanation_as_of, summary, content_as_of } = result;
  const analysis = {
    movement_analysis_id: explanation_result_id,
    trade_date,
    explanation_as_of,
    summary,
    content_as_of,
  };
  return { mode: 'V2', instrument, trigger, run, thread, lineage, analysis };
}

const HOSTS = /127\.0\.0\.1:(\d+)/g;
const portsOf = (url: string): number[] => [...url.matchAll(HOSTS)].map(([, port]) => Number(port));

/** The database's address with a proxy before each host. */
function through(url: string, proxies: readonly FaultProxy[]): string {
  let host = 0;
  return url.replaceAll(HOSTS, () => `127.0.0.1:${proxies[host++]?.port}`);
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  return Promise.race([
    work,
    new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(new Error('no answer in time')))),
  ]);
}
