/** Publishing one NEW to 10,000 tenants against the bare INSERT of the same rows under the same lock. */
import { alternate, median, ratioRow, valueRow, type Bench } from '../bench.ts';
import { bareInsert, publication } from './publishing.ts';
import { makeStore, TENANTS } from './store.ts';

export const fanOut: Bench = {
  name: 'fan-out',
  about: `one publication to ${TENANTS.toLocaleString('en')} tenants`,
  run: async (fixture) => {
    const { store } = await makeStore(fixture, '10,000');
    const sides = { product: publication(store), raw: bareInsert(store) };
    const times = await alternate(sides, { rounds: 40, warmUp: 5 });
    const [product, raw] = [median(times.product), median(times.raw)];
    return [
      ratioRow('publish one NEW to 10,000 tenants', 'ms', product, raw, { atMost: 1.3 }),
      valueRow('publish one NEW to 10,000 tenants, median', 'ms', product, { atMost: 250 }),
    ];
  },
};
