/**
 * The one test runner: `npm test`. Runs the checks and the suites in two lanes, and ends with one line,
 * `N passed, N failed`, over all of them.
 *
 *   npm test                           every promise once
 *   npm test -- unit contract          only these (checks, unit, contract, browser, program, faults, alone)
 *   npm test -- unit agent/ledger      of a suite, the files whose path contains this
 *   npm test -- browser -t 'approves'  other options go to Vitest
 *   npm run test:deep                  everything with its full counts; takes the same arguments
 *
 * Nothing counts as good by default: a suite that crashes, hangs, is killed, writes no report, runs
 * no test or leaves processes behind has failed.
 */
import path from 'node:path';
import { CHECKS, QUICK_CHECKS, runCheck } from './checks/checks.ts';
import type { Check } from './checks/sources.ts';
import { DEEP } from './support/depth.ts';
import { bundleParts } from './support/bundles.ts';
import { interruption, runSuite, stopwatch, type SuiteFile, type SuiteOutcome } from './support/suite.ts';

const root = path.resolve(import.meta.dirname, '..');
/**
 * Suites that run at the same time. The second lane holds windows, of which only one has the focus, and the tools of the
 * checks: both leave a core to the first.
 */
const LANES = [
  ['unit', 'contract', 'browser', 'faults'],
  ['program', 'checks'],
];
/** Its tests measure time and memory, so nothing runs beside it. All of them are deep. */
const ALONE = 'alone';
const ALL = ['checks', 'unit', 'contract', 'browser', 'program', 'faults', ALONE];
/** A file of `npm test` that takes more processor time wants a smaller count or a cheaper level. */
const FILE_LIMIT_MS = 15_000;

interface Plan {
  isDeep: boolean;
  names: string[];
  /** Path filters, and options for Vitest. */
  rest: string[];
  checks: readonly Check[];
}

function plan(args: string[]): Plan {
  const isDeep = args[0] === '--deep';
  const given = isDeep ? args.slice(1) : args;
  const first = given.findIndex((arg) => !ALL.includes(arg));
  const named = first === -1 ? given : given.slice(0, first);
  const rest = first === -1 ? [] : given.slice(first);
  if (named.length > 0) return { isDeep, names: ALL.filter((name) => named.includes(name)), rest, checks: CHECKS };
  // Options without a suite are about tests, not about checks.
  const names = ALL.filter((name) => (isDeep || name !== ALONE) && (rest.length === 0 || name !== 'checks'));
  return { isDeep, names, rest, checks: isDeep ? CHECKS : QUICK_CHECKS };
}

async function runChecks(checks: readonly Check[]): Promise<SuiteOutcome> {
  const watch = stopwatch();
  const outcome = { name: 'checks', passed: 0, failed: 0, skipped: 0, processorMs: null, files: [], notes: [] };
  const lines = ['\n== checks'];
  for (const check of checks) {
    if (interruption() !== null) break;
    const result = await runCheck(check, root);
    outcome[result.passed ? 'passed' : 'failed'] += 1;
    lines.push(`${result.passed ? '✓' : '✗'} ${result.name} (${result.read} files, ${seconds(result.ms)})`);
    for (const problem of result.problems) lines.push(`    ${problem.replaceAll('\n', '\n    ')}`);
  }
  console.log(lines.join('\n'));
  return { ...outcome, ms: watch().ms };
}

let making: Promise<string> | undefined;
/** The bundles of the parts, made once for both lanes. */
const bundles = (): Promise<string> => (making ??= bundleParts());

/** Runs these suites one after another. A lane beside another one says its output at the end of each suite. */
async function runLane({ rest, checks }: Plan, names: readonly string[], isBeside: boolean): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = [];
  for (const name of names) {
    if (interruption() !== null) break;
    if (name === 'checks') {
      outcomes.push(await runChecks(checks));
      continue;
    }
    if (!isBeside) console.log(`\n== ${name}`);
    outcomes.push(
      await runSuite(root, name, rest, {
        output: isBeside ? 'hold' : 'inherit',
        // One file is debugged in the sources of the parts.
        ...(rest.length === 0 ? { bundles } : {}),
      }),
    );
  }
  return outcomes;
}

async function runAll(planned: Plan): Promise<SuiteOutcome[]> {
  const lanes = LANES.map((lane) => lane.filter((name) => planned.names.includes(name))).filter(
    (lane) => lane.length > 0,
  );
  const outcomes = (await Promise.all(lanes.map((lane, index) => runLane(planned, lane, index > 0)))).flat();
  return [...outcomes, ...(await runLane(planned, planned.names.includes(ALONE) ? [ALONE] : [], false))];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function tell(outcomes: SuiteOutcome[]): void {
  console.log('');
  for (const { name, passed, failed, skipped, ms, processorMs, notes } of outcomes) {
    const left = skipped === 0 ? '' : `, ${skipped} skipped`;
    const processor = processorMs === null ? '' : `, ${seconds(processorMs)} of processor time`;
    console.log(
      `${name.padEnd(9)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed  ${seconds(ms).padStart(8)}${processor}${left}`,
    );
    for (const note of notes) console.log(`          ${note}`);
  }
}

const cost = ({ processorMs, ms }: SuiteFile): number => processorMs ?? ms;

/** The ten files that took most, and each that takes more than it may. */
function tellFiles(outcomes: SuiteOutcome[], isDeep: boolean): void {
  const files = outcomes.flatMap((outcome) => outcome.files).toSorted((a, b) => cost(b) - cost(a));
  if (files.length < 2) return;
  console.log('\nmost processor time');
  for (const file of files.slice(0, 10)) console.log(`${seconds(cost(file)).padStart(9)}  ${file.name}`);
  if (isDeep) return;
  for (const { name, processorMs } of files)
    if (processorMs !== null && processorMs > FILE_LIMIT_MS)
      console.log(
        `warning: ${name} takes more than ${seconds(FILE_LIMIT_MS)} of processor time: make it cheaper, or part of it deep.`,
      );
}

const planned = plan(process.argv.slice(2));
if (planned.isDeep) process.env[DEEP] = '1';
const watch = stopwatch();
const outcomes = await runAll(planned);
const stopped = interruption();
if (stopped !== null)
  outcomes.push({
    name: 'runner',
    passed: 0,
    failed: 1,
    skipped: 0,
    ms: 0,
    processorMs: null,
    files: [],
    notes: [`stopped by ${stopped}: not everything ran`],
  });
tell(outcomes);
tellFiles(outcomes, planned.isDeep);
const { ms, processorMs } = watch();
console.log(`\nin all ${seconds(ms)}${processorMs === null ? '' : `, ${seconds(processorMs)} of processor time`}`);

const passed = outcomes.reduce((sum, one) => sum + one.passed, 0);
const failed = outcomes.reduce((sum, one) => sum + one.failed, 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && outcomes.every((one) => one.passed > 0) && outcomes.length > 0 ? 0 : 1;
