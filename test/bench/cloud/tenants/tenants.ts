/**
 * A day of 10,000, 30,000 and 100,000 tenants, reckoned by the model with costs that are measured first: 1,000 tenants
 * with certificates over real connections, and publications to 1,000 and 10,000 tenants. Costs are processor time, so
 * that a busy machine makes them larger and never smaller.
 */
import type { SecureContext } from 'node:tls';
import { sql } from 'kysely';
import { publish } from '../../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../../cloud/store/open.ts';
import { live, read } from '../../../support/cloud/loads.ts';
import { AT } from '../../../support/cloud/store.ts';
import { BUNDLE_PATH } from '../../../../shared/wire/bundle-endpoint.ts';
import type { Part } from '../../../support/process.ts';
import { valueRow, type Bench, type BenchFixture, type Row } from '../../bench.ts';
import { processorTimeMs, processorTimeOf } from '../../processor-time.ts';
import { KeptConnection } from '../kept-connection.ts';
import { startCloudPart } from '../serving.ts';
import { initialise, tenantsWithCertificates } from '../store.ts';
import { simulateDay, type Costs, type Day, type Fleet } from './model.ts';

const CALLERS = 1_000;
const AT_ONCE = 40;
const REQUESTS = 4_000;
const PUBLISHED = 40;
const BUNDLE = 20;
const MORE_TENANTS = 10_000;
const ROUNDS = 20;
/** While all pull (cloud/operations/guide/capacity.md); what this bench has no time to let settle. */
const CONNECTION_KB = 190;
/** Status line, headers and statement of an answer, beside its body. */
const HEADER_BYTES = 1_000;

const DAY: Omit<Fleet, 'tenants' | 'processes' | 'databaseCores'> = {
  pollSeconds: 60,
  publications: 1_000,
  slowShare: 0.1,
  slowSeconds: 2,
  awayShare: 0.1,
  missed: 7_000,
};

/** The machines of cloud/operations/guide/capacity.md. */
const FLEETS: readonly Fleet[] = [
  { ...DAY, tenants: 10_000, processes: 2, databaseCores: 4 },
  { ...DAY, tenants: 30_000, processes: 6, databaseCores: 10 },
  { ...DAY, tenants: 100_000, processes: 20, databaseCores: 32 },
];

export const tenants: Bench = {
  name: 'tenants',
  about: 'a day of 10,000, 30,000 and 100,000 tenants, reckoned from what 1,000 cost',
  run: async (fixture) => {
    const costs = await measuredCosts(fixture);
    for (const [name, value] of Object.entries(costs)) fixture.say(`${name}: ${JSON.stringify(value)}`);
    return FLEETS.flatMap((fleet) => rowsOf(fleet, simulateDay(costs, fleet, 1)));
  },
};

function rowsOf({ tenants: count, processes, databaseCores }: Fleet, day: Day): Row[] {
  const row = (what: string, unit: string, value: number, atMost: number): Row =>
    valueRow(`${count.toLocaleString('en')} tenants: ${what}`, unit, value, { atMost });
  return [
    row('lag p50', 's', day.lag.p50, 45),
    row('lag p99', 's', day.lag.p99, 75),
    row('lag p99 of the slow tenth', 's', day.slowLag.p99, 90),
    row('all connect again', 's', day.reconnectSeconds, 25),
    row('a tenth has its week', 's', day.caughtUpSeconds, 3_600),
    row('cores of the cloud, trading hours', '', day.cloudCores.mean, processes / 2),
    row('cores of the cloud, busiest minute', '', day.cloudCores.peak, processes),
    row('cores of PostgreSQL, trading hours', '', day.databaseCoresUsed.mean, databaseCores / 2),
    row('cores of PostgreSQL, busiest minute', '', day.databaseCoresUsed.peak, databaseCores),
    row('longest wait for a process', 's', day.longestWait.cloud, 25),
    row('longest wait for PostgreSQL', 's', day.longestWait.database, 25),
    row('connections of a process', '', day.connectionsPerProcess, 20_000),
    row('memory of a process for them', 'GB', day.memoryGbPerProcess, 4),
    row('sent in the day', 'GB', day.gigabytesOut, 10_000),
  ];
}

interface Split {
  cloud: number;
  database: number;
}

async function measuredCosts(fixture: BenchFixture): Promise<Costs> {
  const url = await (await fixture.postgres()).createDatabase();
  const { pki } = await initialise(url, fixture.folder('pki'));
  fixture.say(`issuing ${CALLERS} certificates`);
  const contexts = await tenantsWithCertificates(url, pki, CALLERS);
  const store = await openPostgres(url, 2);
  fixture.after(() => store.close());
  await publishSome(store, 'base', PUBLISHED);
  const cloud = startCloudPart(fixture, { url, pki });
  const address = (await cloud.listening('sync')).url;
  const callers: KeptConnection[] = [];
  fixture.after(() => callers.forEach((caller) => caller.close()));
  const path = (after: number, limit: number): string => `${BUNDLE_PATH}?after=${after}&limit=${limit}`;
  // A connection that stays silent is closed: each asks at once, and the question is taken off again.
  const connected = await cost(cloud, CALLERS, async () => {
    const open = async (context: SecureContext): Promise<void> => {
      const caller = await KeptConnection.to(address, context);
      callers.push(caller);
      await caller.get(path(PUBLISHED, 1));
    };
    for (let from = 0; from < CALLERS; from += AT_ONCE)
      await Promise.all(contexts.slice(from, from + AT_ONCE).map(open));
  });
  const of = async (after: number, limit: number): Promise<Split> => {
    await pulls(callers, CALLERS, path(after, limit));
    return cost(cloud, REQUESTS, () => pulls(callers, REQUESTS, path(after, limit)));
  };
  const emptyPull = await of(PUBLISHED, 1);
  const entryPull = await of(PUBLISHED - 1, 1);
  const many = await of(PUBLISHED - BUNDLE, BUNDLE);
  const further = (side: keyof Split): number => Math.max(0, (many[side] - entryPull[side]) / (BUNDLE - 1));
  const [first] = callers;
  const [emptyBytes, entryBytes] = [await first?.get(path(PUBLISHED, 1)), await first?.get(path(PUBLISHED - 1, 1))];
  const few = await publicationCost(store, 'few');
  await sql`insert into tenant (name, environment, created_at)
    select 'more-' || n, 'PRODUCTION', ${AT} from generate_series(1, ${MORE_TENANTS - CALLERS}::integer) n`.execute(
    store.db,
  );
  await publicationCost(store, 'warm');
  const record = Math.max(0, ((await publicationCost(store, 'many')) - few) / (MORE_TENANTS - CALLERS));
  return {
    handshake: Math.max(0, connected.cloud - emptyPull.cloud),
    emptyPull,
    entryPull,
    furtherEntry: { cloud: further('cloud'), database: further('database') },
    publication: Math.max(0, few - record * CALLERS),
    record,
    emptyBytes: (emptyBytes ?? 0) + HEADER_BYTES,
    entryBytes: (entryBytes ?? 0) + HEADER_BYTES,
    connectionKb: CONNECTION_KB,
  };
}

/** Processor time of one of so many things, in µs, in the cloud's process and in the others, which are PostgreSQL's. */
async function cost(cloud: Part, times: number, work: () => Promise<unknown>): Promise<Split> {
  const before = { cloud: processorTimeOf(cloud.pid), all: processorTimeMs({ own: false }) };
  await work();
  const own = processorTimeOf(cloud.pid) - before.cloud;
  const all = processorTimeMs({ own: false }) - before.all;
  return { cloud: (own * 1_000) / times, database: (Math.max(0, all - own) * 1_000) / times };
}

async function pulls(callers: readonly KeptConnection[], requests: number, path: string): Promise<void> {
  let left = requests;
  const one = async (first: number): Promise<void> => {
    for (let at = first; left > 0; at = (at + AT_ONCE) % callers.length) {
      left -= 1;
      await callers[at]?.get(path);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => one(first)));
}

async function publishSome(store: Store, name: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await publish(store, read(live({ key: `${name}-${number}`, documents: 4 })), AT);
}

/** Of PostgreSQL, in µs. */
async function publicationCost(store: Store, name: string): Promise<number> {
  const before = processorTimeMs({ own: false });
  await publishSome(store, name, ROUNDS);
  return ((processorTimeMs({ own: false }) - before) * 1_000) / ROUNDS;
}
