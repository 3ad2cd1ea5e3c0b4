/** How a process of `npm run mutate` runs tests: the mutants of the plan compiled in, each file repeated by `runner.ts`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { mutate } from './mutants.ts';
import { chosenOf, readPlan } from './plan.ts';

const plan = readPlan();

class AsPlanned {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  sort(files: TestSpecification[]): TestSpecification[] {
    const at = ({ moduleId }: TestSpecification): number =>
      plan.tests.findIndex(({ file }) => path.join(plan.root, file) === moduleId);
    return files.toSorted((a, b) => at(a) - at(b));
  }
}

export default defineConfig({
  root: plan.root,
  cacheDir: path.resolve(import.meta.dirname, '../../node_modules/.cache/vitest'),
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load(id) {
        const file = path.relative(plan.root, id);
        const found = chosenOf(plan, file);
        return found === null ? null : mutate(file, readFileSync(id, 'utf8')).compiled(found.chosen, found.first);
      },
    },
  ],
  test: {
    include: plan.tests.map(({ file }) => file),
    pool: 'forks',
    // It keeps compiled modules by their sources alone, and the mutants of a former run would be those of this one.
    fsModuleCache: false,
    runner: path.join(import.meta.dirname, 'runner.ts'),
    maxWorkers: 1,
    // A process for each file: what a mutant leaves behind ends with it.
    isolate: true,
    sequence: { sequencer: AsPlanned },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    unstubEnvs: true,
    silent: true,
    reporters: ['default'],
  },
});
