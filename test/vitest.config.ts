/**
 * The suites that `test/run.ts` runs, each as a Vitest project. By hand:
 * `vitest run --config test/vitest.config.ts [--project unit] [path]`.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { DEEP_FILES } from './deep.ts';
import { isDeep } from './support/depth.ts';

const root = path.resolve(import.meta.dirname, '..');
const SECOND = 1_000;
const CORES = 2;
/** Files at once on two cores: the tests wait for processes and sockets in more than half of their time. */
const WORKERS = 3;

/** Files that `npm test` leaves out. */
const LEFT_OUT = isDeep ? [] : Object.keys(DEEP_FILES).filter((file) => DEEP_FILES[file]?.whole);

interface Suite {
  name: string;
  include: string[];
  exclude?: string[];
  /** Whether each file has a process of its own; without it a process takes one file after the other. */
  isolate?: boolean;
  /** Limit of one test and of one hook, in ms: generous, for two busy cores. Passing tests never wait for it. Deep, five times that. */
  limit: number;
  /** Files at once. */
  workers: number;
  /** Set-up before each file. */
  setup?: string;
}

/**
 * Whether the tests of a folder share a process, one file after the other: no module there keeps state that a test
 * could leave behind, and a file of its own process first loads modules for 0.5 to 1 s of processor time.
 */
const ONE_PROCESS = ['shared', 'renderer', 'cloud', 'agent', 'electron/console-api', 'electron/main'].map(
  (folder) => `${folder}/**/*.test.{ts,tsx}`,
);

/** Files whose process is of the next release of the program: see `next-release.ts`. */
const NEXT_RELEASE = ['agent/ledger/storage/copy-before.test.ts', 'agent/intake/backup/foreign-schema.test.ts'];

/** Files that measure, or whose people give an answer some seconds: both cores are theirs. */
const ALONE = Object.keys(DEEP_FILES).filter((file) => DEEP_FILES[file]?.isAlone);

/** The runner takes every project whose name begins with that of a suite. */
const suites: Suite[] = [
  {
    name: 'unit',
    include: [
      '{shared,cloud,agent,electron,renderer,test/support,test/checks,test/bench,test/chaos,test/soak,test/mutate}/**/*.test.{ts,tsx}',
    ],
    exclude: ONE_PROCESS,
    limit: 120 * SECOND,
    workers: WORKERS,
  },
  { name: 'unit-next-release', include: NEXT_RELEASE, limit: 120 * SECOND, workers: WORKERS },
  {
    name: 'unit-one-process',
    include: ONE_PROCESS,
    exclude: NEXT_RELEASE,
    isolate: false,
    limit: 120 * SECOND,
    workers: WORKERS,
  },
  { name: 'contract', include: ['test/contract/**/*.test.ts'], isolate: false, limit: 120 * SECOND, workers: WORKERS },
  {
    name: 'browser',
    include: ['test/e2e/{console,operator}/**/*.test.ts'],
    isolate: false,
    setup: 'test/support/windows-of-test.ts',
    limit: 240 * SECOND,
    // Pages compute more than they wait: a third file would only take turns with them.
    workers: CORES,
  },
  // Windows share a display, and only one of them has the focus.
  { name: 'program', include: ['test/e2e/program/*.test.ts'], limit: 240 * SECOND, workers: 1 },
  { name: 'faults', include: ['test/faults/**/*.test.ts'], isolate: false, limit: 240 * SECOND, workers: WORKERS },
  { name: 'alone', include: ALONE, limit: 900 * SECOND, workers: 1 },
];

/** Small files that take long. Without a record of former runs Vitest begins with the largest, and these would come last. */
const LONG = [
  'electron/console-api/http/fuzz.test.ts',
  'test/contract/operations/root-commands.test.ts',
  'test/e2e/console/layout/access.test.ts',
  'test/e2e/console/review/random.test.ts',
  'test/faults/simulator/simulator.test.ts',
  'test/faults/machine/kill.test.ts',
];
for (const file of LONG) if (!existsSync(path.join(root, file))) throw new Error(`${file} is not there: see LONG.`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((file) => moduleId.endsWith(file));
    // The files of a project stay together: a process takes its next file only where that belongs to the same project.
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((sorted) => [
      ...sorted.filter(isLong),
      ...sorted.filter((file) => !isLong(file)),
    ]);
  }
}

function project(suite: Suite): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name: suite.name,
      include: suite.include,
      exclude: [...(suite.exclude ?? []), ...LEFT_OUT, ...(suite.name === 'alone' ? [] : ALONE)],
      isolate: suite.isolate ?? true,
      setupFiles: suite.setup === undefined ? [] : [path.join(root, suite.setup)],
      testTimeout: suite.limit * (isDeep ? 5 : 1),
      hookTimeout: suite.limit * (isDeep ? 5 : 1),
      maxWorkers: suite.workers,
      // Vitest asks for an order of those that differ in it.
      sequence: { groupOrder: suite.workers },
    },
  };
}

export default defineConfig({
  root,
  cacheDir: path.join(root, 'node_modules/.cache/vitest'),
  test: {
    // Parts are real processes and better-sqlite3 is native: one process per test file keeps them apart.
    pool: 'forks',
    setupFiles: [path.join(root, 'test/support/file-times.ts')],
    sequence: { sequencer: LongFirst },
    exclude: [...configDefaults.exclude, '**/dist/**', 'artifacts/**', '.causeway/**'],
    allowOnly: false,
    passWithNoTests: false,
    // As long as any other wait: a busy machine takes longer than Vitest's second.
    expect: { poll: { timeout: 15 * SECOND } },
    restoreMocks: true,
    unstubEnvs: true,
    attachmentsDir: path.join(root, 'artifacts/attachments'),
    projects: suites.map(project),
  },
});
