/** Two minutes of the whole system under load and faults, with two tenants; `npm run chaos` runs longer ones (README). */
import path from 'node:path';
import { expect, test } from 'vitest';
import { newSeed } from '../support/runs.ts';
import { runChaos } from './chaos.ts';

const MINUTES = 2;
const TENANTS = 2;
const LIMIT_MS = 900_000;
const seed = newSeed();

test(
  `no promise is broken (seed ${seed})`,
  async () => {
    const said: string[] = [];
    const folder = path.resolve(import.meta.dirname, '../../artifacts/chaos', `seed-${seed}`);
    const { breaches, injected } = await runChaos({
      seed,
      minutes: MINUTES,
      tenants: TENANTS,
      folder,
      say: (line) => void said.push(line),
    });
    expect(
      breaches,
      `${said.join('\n')}\nnpm run chaos -- --seed ${seed} --minutes ${MINUTES} --tenants ${TENANTS}`,
    ).toEqual([]);
    expect(Object.keys(injected).length).toBeGreaterThan(5);
  },
  LIMIT_MS,
);
