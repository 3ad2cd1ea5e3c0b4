/**
 * `npm run soak [-- --minutes 60] [--tenants 1]`: the whole system under a steady load, and a table of what has grown.
 * Exit code 1 where anything grew by more than 5 % from the second to the last quarter, or what must not be was seen.
 */
import { parseArgs } from 'node:util';
import { stopOfARun } from '../support/stopped-run.ts';
import { growthTable } from './series.ts';
import { runSoak } from './soak.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, tenants: { type: 'string', default: '1' } },
});
const say = (line: string): void => console.log(line);
const { growth, breaches, counts } = await runSoak({
  minutes: Number(values.minutes),
  tenants: Number(values.tenants),
  stop: stopOfARun(),
  say,
});
say(
  `answers: ${Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}`,
);
say(growthTable(growth));
for (const breach of breaches) say(`BREACH ${breach}`);
const grown = growth.filter(({ isTooMuch }) => isTooMuch).length;
say(`${growth.length} measured, ${grown} have grown, ${breaches.length} breaches`);
process.exitCode = grown === 0 && breaches.length === 0 && growth.length > 0 ? 0 : 1;
