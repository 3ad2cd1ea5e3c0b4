/**
 * Runs a test file again and again in one process: once without a mutant, to learn which tests reach which mutants,
 * then for each mutant the tests that reach it, until the first of them fails. Loading modules is what takes time in
 * a test file, and this way they are loaded once.
 */
import path from 'node:path';
import {
  TestRunner,
  vi,
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  type RunnerTestSuite,
} from 'vitest';
import { startTests } from 'vitest/internal/browser';
import { killedIn, readPlan, tell, type PlannedMutant } from './plan.ts';

interface Switch {
  active: number;
  /** How often since the last look at the clock. */
  asked: number;
  /** When the test that runs has taken too long. */
  end: number;
  stopLoop: () => void;
  /** Mutants that were reached since it was put there. */
  seen?: Set<number> | undefined;
}

const state = globalThis as typeof globalThis & { __causewayMutation?: Switch | undefined };
const CONTROL_EVERY = 25;
const QUICK_MS = 100;
/** Of loading the modules, and of the hooks before the first test. */
const LOAD_MS = 5_000;
/** Of one test or hook with a mutant that waits for ever. */
const LIMIT_MS = 20_000;
/** Processor time in ms: a busy machine makes no loop, and tests may put other clocks in place. */
const now = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** How long something may take with a mutant that takes so long without one. */
const limitOf = (ms: number): number => 300 + 8 * ms;

function switchTo(active: number, limit: number, seen: Set<number> | undefined): Switch {
  const stopLoop = (): void => {
    one.asked = 0;
    if (now() > one.end) throw new Error('does not end');
  };
  const one: Switch = { active, asked: 0, end: now() + limit, stopLoop, seen };
  return one;
}

const testsOf = (task: RunnerTask): RunnerTestCase[] => (task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task]);
const isRun = (task: RunnerTask): boolean => task.mode === 'run' || task.mode === 'queued';

/** One run of a file that nobody is told of. */
class Again extends TestRunner {
  seen: Switch | null = null;
  /** Of a run without a mutant: in ms, by the place. */
  formerly: readonly number[] | null = null;
  /** By the place of the test in the file. */
  reached: Set<number>[] = [];
  /** Processor time in ms, by the place. */
  durations: number[] = [];
  before = new Set<number>();
  private begun = 0;
  ran = 0;
  failure: string | null = null;
  readonly only: ReadonlySet<number> | null;
  private places = new Map<RunnerTask, number>();

  constructor(of: TestRunner, only: ReadonlySet<number> | null, limit: number) {
    super({ ...of.config, testTimeout: limit, hookTimeout: limit });
    this.only = only;
    // What Vitest gives to the runner that it makes itself.
    for (const name of ['moduleRunner', '_otel']) Reflect.set(this, name, Reflect.get(of, name));
  }

  onCollected(files: RunnerTestFile[]): void {
    const tests = files.flatMap(testsOf);
    this.places = new Map(tests.map((test, place) => [test, place]));
    this.reached = tests.map(() => new Set());
    this.before = new Set(this.seen?.seen);
    this.seen?.seen?.clear();
    if (this.only === null) return;
    for (const test of tests) if (isRun(test) && !this.only.has(this.places.get(test) ?? -1)) test.mode = 'skip';
    for (const file of files) skipEmpty(file);
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    // What hooks of a suite reached counts for every test of the file.
    for (const number of this.seen?.seen ?? []) this.before.add(number);
    this.seen?.seen?.clear();
    this.begun = now();
    const took = this.formerly?.[this.places.get(test) ?? -1];
    if (this.seen !== null && took !== undefined) this.seen.end = this.begun + limitOf(took);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    this.durations[this.places.get(test) ?? -1] = now() - this.begun;
    if (test.result?.state === 'pass' || test.result?.state === 'fail') this.ran += 1;
    for (const number of this.seen?.seen ?? []) this.reached[this.places.get(test) ?? -1]?.add(number);
    this.seen?.seen?.clear();
    if (test.result?.state !== 'fail') return;
    this.failure ??= `${test.name}: ${test.result.errors?.[0]?.message ?? ''}`;
    if (this.only !== null) this.cancel('test-failure');
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (suite.result?.state === 'fail') this.failure ??= `${suite.name}: ${suite.result.errors?.[0]?.message ?? ''}`;
    await super.onAfterRunSuite(suite);
  }
}

/** A suite without a test to run does not run its hooks either. */
function skipEmpty(suite: RunnerTestFile | RunnerTask): void {
  if (suite.type !== 'suite') return;
  for (const task of suite.tasks) skipEmpty(task);
  if (!suite.tasks.some(isRun)) suite.mode = 'skip';
}

export default class Mutating extends TestRunner {
  /** The tests run in the repetitions alone. */
  onCollected(files: RunnerTestFile[]): void {
    for (const test of files.flatMap(testsOf)) test.mode = 'skip';
    for (const file of files) skipEmpty(file);
  }

  async onBeforeRunFiles(files: RunnerTestFile[]): Promise<void> {
    for (const file of files) await this.tryMutants(file);
  }

  private async again(
    file: RunnerTestFile,
    active: number,
    only: ReadonlySet<number> | null,
    formerly: readonly number[] | null = null,
    seen?: Set<number>,
  ): Promise<Again> {
    const one = new Again(this, only, only === null ? 120_000 : LIMIT_MS);
    const former = state.__causewayMutation;
    state.__causewayMutation = switchTo(active, active === -1 ? Infinity : LOAD_MS, seen);
    one.formerly = formerly;
    one.seen = state.__causewayMutation;
    const [ran] = await startTests([file.filepath], one);
    if (ran?.result?.state === 'fail') one.failure ??= ran.result.errors?.[0]?.message ?? 'the file failed';
    state.__causewayMutation = former;
    return one;
  }

  private async tryMutants(file: RunnerTestFile): Promise<void> {
    const plan = readPlan();
    const test = path.relative(plan.root, file.filepath);
    const planned = plan.tests.find((one) => one.file === test);
    if (planned === undefined) return;
    const begun = now();
    vi.resetModules();
    const base = await this.again(file, -1, null, null, new Set());
    const ms = now() - begun;
    const durations = base.reached.map((_, place) => base.durations[place] ?? 0);
    const slow = new Set(durations.flatMap((took, place) => (took > plan.slowest ? [place] : [])));
    const settled = new Set([...plan.killed, ...killedIn(plan), ...planned.tried]);
    const reached = new Set([...base.before, ...base.reached.flatMap((numbers) => [...numbers])]);
    const left = plan.mutants.filter(({ number }) => reached.has(number) && !settled.has(number));
    tell(plan, {
      is: 'file',
      test,
      ms,
      tests: base.ran,
      covered: reached.size,
      slow: slow.size,
      failed: base.ran === 0 ? 'no test ran' : base.failure,
    });
    if (base.failure !== null || base.ran === 0) return;

    const alone = new Set(plan.alone);
    let sinceControl = 0;
    const control = async (): Promise<boolean> => {
      sinceControl = 0;
      vi.resetModules();
      const places = new Set(durations.keys().filter((place) => !slow.has(place)));
      const again = await this.again(file, -1, places);
      const isSound = again.failure === null;
      tell(plan, { is: isSound ? 'sound' : 'spoiled', test });
      return isSound;
    };
    let mustReload = false;
    for (const mutant of left) {
      const all = this.testsFor(mutant, base, slow);
      if (all.size === 0) continue;
      const limit = LOAD_MS + all.values().reduce((sum, place) => sum + limitOf(durations[place] ?? 0), 0);
      tell(plan, { is: 'start', number: mutant.number, test, limit });
      const isLoaded = mutant.atLoad || base.before.has(mutant.number);
      let by: string | null = null;
      let ran = 0;
      // Most mutants are noticed by one of the quick tests.
      const quick = new Set(all.values().filter((place) => (durations[place] ?? 0) < QUICK_MS));
      for (const only of [quick, all.difference(quick)]) {
        if (only.size === 0 || by !== null) continue;
        if (isLoaded || mustReload) vi.resetModules();
        mustReload = isLoaded;
        const one = await this.again(file, mutant.number, only, durations);
        by = one.failure;
        ran += one.ran;
      }
      if (by === null && ran === 0) throw new Error(`no test ran for mutant ${mutant.number} in ${test}`);
      tell(plan, { is: 'end', number: mutant.number, test, by, ran });
      sinceControl += 1;
      if ((alone.has(mutant.number) || sinceControl >= CONTROL_EVERY) && !(await control()))
        process.kill(process.pid, 'SIGKILL');
    }
    if (sinceControl > 0 && !(await control())) process.kill(process.pid, 'SIGKILL');
  }

  private testsFor({ number }: PlannedMutant, base: Again, slow: ReadonlySet<number>): Set<number> {
    const all = base.before.has(number);
    const places = base.reached.flatMap((reached, place) => (all || reached.has(number) ? [place] : []));
    return new Set(places.filter((place) => !slow.has(place)));
  }
}
