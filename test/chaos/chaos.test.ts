/** Two minutes of the whole system under every kind of fault, from a fixed seed; longer runs are `npm run chaos`. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { runChaos } from './chaos.ts';
import { PROMISES } from './promises.ts';

const SEED = 22;
/** Two minutes of faults; start, catching up and the comparisons at the end take as long on a busy machine. */
const LIMIT_MS = 600_000;

test.skipIf(process.platform !== 'linux')(
  `seed ${SEED}: every promise is kept (${Object.keys(PROMISES).join(', ')})`,
  async () => {
    const folder = path.join(PROJECT, 'artifacts/chaos', `seed-${SEED}`);
    const { breaches, counts } = await runChaos({ seed: SEED, minutes: 2, tenants: 2, folder, say: () => undefined });
    expect(breaches).toEqual([]);
    // A run in which nothing was asked would break no promise either.
    expect(counts['decision DONE']).toBeGreaterThan(50);
    expect(counts['publication DONE']).toBeGreaterThan(50);
    expect(counts['shown compared at tenant 0']).toBeGreaterThan(50);
  },
  LIMIT_MS,
);
