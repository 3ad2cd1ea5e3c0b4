/** The work that a read replica takes off the primary (D177): processor time of each server for a pull, by turns. */
import type { SecureContext } from 'node:tls';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { startPostgresPair, type PostgresPair } from '../../support/postgres.ts';
import { median, ratioRow, valueRow, type Bench, type Row } from '../bench.ts';
import { processorTimeOf } from '../processor-time.ts';
import { KeptConnection } from './kept-connection.ts';
import { startCloud } from './serving.ts';
import { initialise, publishSome, tenantsWithCertificates } from './store.ts';

const PUBLISHED = 100;
/** Tenants that pull at the same time, each over one connection. */
const CALLERS = 16;
const ROUNDS = 5;

interface Kind {
  name: string;
  path: string;
  /** Pulls of each caller in a turn. */
  each: number;
  /** Most of the primary's time with a replica, as a share of that without. */
  atMost: number;
}

const KINDS: readonly Kind[] = [
  { name: 'a bundle of 100 entries', path: `${BUNDLE_PATH}?after=0&limit=${PUBLISHED}`, each: 25, atMost: 0.5 },
  { name: 'one entry', path: `${BUNDLE_PATH}?after=${PUBLISHED - 1}&limit=1`, each: 150, atMost: 1.2 },
  { name: 'nothing new', path: `${BUNDLE_PATH}?after=${PUBLISHED}&limit=1`, each: 150, atMost: 1.2 },
];

export const replica: Bench = {
  name: 'replica',
  about: 'the primary with and without a read replica: its processor time for a pull, by turns',
  run: async (fixture) => {
    const pair = await startPostgresPair({ isWaiting: false, settings: { shared_buffers: '512MB' } });
    fixture.after(() => pair.stop());
    const url = await pair.createDatabase();
    const { pki } = await initialise(url, fixture.folder('pki'));
    const contexts = await tenantsWithCertificates(url, pki, CALLERS);
    await publishSome(url, PUBLISHED);
    const connect = async (readUrl: string): Promise<KeptConnection[]> => {
      const address = await startCloud(fixture, { url, pki, readUrl });
      const callers = await Promise.all(contexts.map((context: SecureContext) => KeptConnection.to(address, context)));
      fixture.after(() => callers.forEach((caller) => caller.close()));
      // A connection without a first request is soon ended.
      for (const caller of callers) await caller.get(`${BUNDLE_PATH}?after=${PUBLISHED}&limit=1`);
      return callers;
    };
    const sides = { without: await connect(''), with: await connect(pair.standbyOf(url)) };
    const rows: Row[] = [];
    for (const kind of KINDS) rows.push(...(await compare(pair.pids, sides, kind)));
    return rows;
  },
};

type Servers = PostgresPair['pids'];
/** Processor time of a pull at each server, in µs. */
type Cost = Record<keyof Servers, number>;

async function compare(
  servers: Servers,
  sides: Record<'without' | 'with', readonly KeptConnection[]>,
  { name, path, each, atMost }: Kind,
): Promise<Row[]> {
  const costs: Record<keyof typeof sides, Cost[]> = { without: [], with: [] };
  for (let round = -1; round < ROUNDS; round += 1)
    for (const side of ['without', 'with'] as const) {
      const cost = await costOf(servers, sides[side], path, each);
      if (round >= 0) costs[side].push(cost);
    }
  const of = (side: keyof typeof sides, server: keyof Cost): number => median(costs[side].map((cost) => cost[server]));
  return [
    ratioRow(`${name}: primary, with a replica and without`, 'µs', of('with', 'primary'), of('without', 'primary'), {
      atMost,
    }),
    valueRow(`${name}: the replica`, 'µs', of('with', 'standby'), { atMost: 10_000 }),
  ];
}

async function costOf(servers: Servers, callers: readonly KeptConnection[], path: string, each: number): Promise<Cost> {
  const now = (): Cost => ({
    primary: processorTimeOf(servers.primary),
    standby: processorTimeOf(servers.standby),
  });
  const before = now();
  await Promise.all(
    callers.map(async (caller) => {
      for (let count = 0; count < each; count += 1) await caller.get(path);
    }),
  );
  const after = now();
  const perPull = (server: keyof Cost): number => ((after[server] - before[server]) * 1_000) / (callers.length * each);
  return { primary: perPull('primary'), standby: perPull('standby') };
}
