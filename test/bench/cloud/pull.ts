/** The cost of a pull beyond its statement, and of the pulls of many tenants. */
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { alternate, median, quantile, ratioRow, valueRow, type Bench, type Side } from '../bench.ts';
import { processorTimeMs } from '../processor-time.ts';
import { KeptConnection } from './kept-connection.ts';
import { bundlePath, connectTo, startCloud, statementAlone, type Connection } from './serving.ts';
import { initialise, makeStore, publishSome, tenantsWithCertificates } from './store.ts';

export const bundle: Bench = {
  name: 'bundle',
  about: 'a bundle of 100 entries with 5 evidences each, over mutual TLS',
  run: async (fixture) => {
    const made = await makeStore(fixture, '10,000');
    const connection = connectTo(fixture, await startCloud(fixture, made), made);
    const sides = { product: { run: () => connection.get(bundlePath(0)) }, raw: await statementAlone(made, 0) };
    const { product, raw } = await alternate(sides, { rounds: 500, warmUp: 100 });
    return [
      ratioRow('bundle of 100 entries over its SQL statement', 'ms', median(product), median(raw), { atMost: 1.5 }),
      ratioRow('bundle of 100 entries, p99 over median', 'ms', quantile(product, 0.99), median(product), { atMost: 3 }),
    ];
  },
};

/** Polls per turn. */
const POLLS = 200;

export function polls(connection: Connection, after: number): Side {
  return {
    run: async () => {
      for (let poll = 0; poll < POLLS; poll += 1) await connection.get(bundlePath(after));
    },
  };
}

const CALLERS = 1_000;
/** Requests that are under way at one time, never two of a caller: a divisor of the callers. */
const AT_ONCE = 40;
/** Requests of a turn. */
const REQUESTS = 10_000;
const ROUNDS = 5;
const PUBLISHED = 20;

export const poll: Bench = {
  name: 'poll',
  about:
    '1,000 tenants, each over a connection of its own that stays open, over mutual TLS: nothing new, and one entry',
  run: async (fixture) => {
    const url = await (await fixture.postgres()).createDatabase();
    const { pki } = await initialise(url, fixture.folder('pki'));
    fixture.say(`issuing ${CALLERS} certificates`);
    const contexts = await tenantsWithCertificates(url, pki, CALLERS);
    await publishSome(url, PUBLISHED);
    const cloud = await startCloud(fixture, { url, pki });
    const callers = await Promise.all(contexts.map((context) => KeptConnection.to(cloud, context)));
    fixture.after(() => callers.forEach((caller) => caller.close()));
    const paths = {
      'nothing new': `${BUNDLE_PATH}?after=${PUBLISHED}&limit=1`,
      'one entry': `${BUNDLE_PATH}?after=${PUBLISHED - 1}&limit=1`,
    };
    const measured = { 'nothing new': [], 'one entry': [] } as Record<keyof typeof paths, Turn[]>;
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [name, path] of Object.entries(paths) as [keyof typeof paths, string][]) {
        const turn = await turnOf(callers, path);
        if (round >= 0) measured[name].push(turn);
      }
    const of = (name: keyof typeof paths, value: keyof Turn): number =>
      median(measured[name].map((turn) => turn[value]));
    return [
      valueRow('nothing new: processor time of cloud and database', 'µs', of('nothing new', 'micros'), { atMost: 250 }),
      valueRow('one entry, by 1,000 tenants', '/s', of('one entry', 'rate'), { atLeast: 3_000 }),
      valueRow('one entry: processor time of cloud and database', 'µs', of('one entry', 'micros'), { atMost: 500 }),
    ];
  },
};

interface Turn {
  /** Requests a second. */
  rate: number;
  /** Processor time of a request, in all processes but this one. */
  micros: number;
}

async function turnOf(callers: readonly KeptConnection[], path: string): Promise<Turn> {
  let left = REQUESTS;
  const cost = processorTimeMs({ own: false });
  const began = performance.now();
  const one = async (first: number): Promise<void> => {
    for (let at = first; left > 0; at = (at + AT_ONCE) % callers.length) {
      left -= 1;
      await callers[at]?.get(path);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => one(first)));
  const seconds = (performance.now() - began) / 1_000;
  return { rate: REQUESTS / seconds, micros: ((processorTimeMs({ own: false }) - cost) * 1_000) / REQUESTS };
}
