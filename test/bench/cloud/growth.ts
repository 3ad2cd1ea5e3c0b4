/** The cost of publication, bundle and poll with 500 times as many delivery records. */
import { alternate, median, ratioRow, type Bench, type BenchFixture, type Row, type Side } from '../bench.ts';
import { publication } from './publishing.ts';
import { polls } from './pull.ts';
import { bundlePath, connectTo, startCloud } from './serving.ts';
import { makeStore, type Size } from './store.ts';

type Work = 'publish one NEW to 10,000 tenants' | 'bundle of 100 entries' | '200 empty polls';
const ROUNDS: Record<Work, number> = {
  'publish one NEW to 10,000 tenants': 40,
  'bundle of 100 entries': 500,
  '200 empty polls': 25,
};

export const growth: Bench = {
  name: 'growth',
  about: 'the same with 10,000 and with 5,000,000 delivery records',
  run: async (fixture) => {
    const few = await works(fixture, '10,000');
    const many = await works(fixture, '5,000,000');
    const rows: Row[] = [];
    for (const [work, rounds] of Object.entries(ROUNDS) as [Work, number][]) {
      const times = await alternate(
        { few: few[work], many: many[work] },
        { rounds, warmUp: Math.max(8, Math.ceil(rounds / 10)) },
      );
      rows.push(
        ratioRow(`${work}, 5,000,000 records over 10,000`, 'ms', median(times.many), median(times.few), {
          atMost: 1.1,
        }),
      );
    }
    return rows;
  },
};

async function works(fixture: BenchFixture, size: Size): Promise<Record<Work, Side>> {
  const made = await makeStore(fixture, size);
  const connection = connectTo(fixture, await startCloud(fixture, made), made);
  // The publications of the other side come later: the bundle's range exists before them.
  return {
    'bundle of 100 entries': { run: () => connection.get(bundlePath(0)) },
    'publish one NEW to 10,000 tenants': publication(made.store),
    '200 empty polls': polls(connection, Number.MAX_SAFE_INTEGER),
  };
}
