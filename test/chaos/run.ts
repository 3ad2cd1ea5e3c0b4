/**
 * `npm run chaos -- --seed N --minutes M [--tenants 3] [--kinds kill,freeze]`: the whole system under load and faults.
 * Exit code 1 when a promise is broken; the folder that it names then holds the schedule, the history and the logs.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundleParts } from '../support/bundles.ts';
import { BUNDLES } from '../support/process.ts';
import { stopOfARun } from '../support/stopped-run.ts';
import { runChaos } from './chaos.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    tenants: { type: 'string', default: '3' },
    kinds: { type: 'string' },
  },
});
const seed = Number(values.seed);
const folder = path.resolve(import.meta.dirname, '../../artifacts/chaos', `seed-${seed}`);
// A cloud that is started again and again from its sources would take the load's processor time.
process.env[BUNDLES] ??= await bundleParts();
const began = performance.now();
const { breaches, injected, counts, peaks } = await runChaos({
  seed,
  minutes: Number(values.minutes),
  tenants: Number(values.tenants),
  ...(values.kinds === undefined ? {} : { kinds: values.kinds.split(',') }),
  folder,
  stop: stopOfARun(),
  say: (line) => console.log(`seed ${seed}: ${line}`),
});
const told = (title: string, of: Record<string, number>): void =>
  console.log(
    `${title}: ${Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  );
told('faults', injected);
told('answers', counts);
console.log(`peaks: ${peaks.join('; ')}`);
for (const breach of breaches) console.log(`BREACH ${breach}`);
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
console.log(
  `seed ${seed}: ${breaches.length} breaches in ${seconds} s${breaches.length === 0 ? '' : `; logs in ${folder}`}`,
);
process.exitCode = breaches.length === 0 ? 0 : 1;
