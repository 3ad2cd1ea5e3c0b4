/** The cost of a pull beyond its statement, and of an empty poll beyond a constant. */
import { alternate, median, quantile, ratioRow, type Bench, type Side } from '../bench.ts';
import { bundlePath, connectTo, startBareRoute, startCloud, statementAlone, type Connection } from './serving.ts';
import { makeStore } from './store.ts';

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

export const poll: Bench = {
  name: 'poll',
  about: 'an empty poll over a connection that stays open, over mutual TLS',
  run: async (fixture) => {
    const made = await makeStore(fixture, '10,000');
    const product = connectTo(fixture, await startCloud(fixture, made), made);
    const raw = connectTo(fixture, await startBareRoute(fixture, made), made);
    const sides = { product: polls(product, made.head), raw: polls(raw, made.head) };
    const times = await alternate(sides, { rounds: 25, warmUp: 5 });
    const rate = (values: number[]): number => (POLLS * 1000) / median(values);
    return [
      ratioRow('empty polls over a constant route', '/s', rate(times.product), rate(times.raw), { atLeast: 0.6 }),
    ];
  },
};
