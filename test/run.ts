/**
 * The one test runner: `npm test`. Runs the checks, then the suites one after another, and ends with
 * one line, `N passed, N failed`, over all of them.
 *
 *   npm test                           everything
 *   npm test -- unit contract          only these (checks, unit, contract, browser, program, faults)
 *   npm test -- unit agent/ledger      of a suite, the files whose path contains this
 *   npm test -- browser -t 'approves'  other options go to Vitest
 *   npm run test:deep                  everything with its full counts; takes the same arguments
 *
 * Nothing counts as good by default: a suite that crashes, hangs, is killed, writes no report, runs
 * no test or leaves processes behind has failed.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CHECKS, runCheck } from './checks/checks.ts';
import { DEEP } from './deep.ts';
import { bundleParts } from './support/bundles.ts';
import { interruption, runSuite, stopwatch, type SuiteOutcome } from './support/suite.ts';

const root = path.resolve(import.meta.dirname, '..');
const SUITES = ['unit', 'contract', 'browser', 'program', 'faults'];
/** Suites that come with later work: they run as soon as their folder is there. */
const OPTIONAL = ['faults'];
const ALL = ['checks', ...SUITES];

function plan(args: string[]): { names: string[]; rest: string[] } {
  const first = args.findIndex((arg) => !ALL.includes(arg));
  const named = first === -1 ? args : args.slice(0, first);
  const rest = first === -1 ? [] : args.slice(first);
  if (named.length > 0) return { names: ALL.filter((name) => named.includes(name)), rest };
  const there = ALL.filter((name) => !OPTIONAL.includes(name) || existsSync(path.join(root, 'test', name)));
  // Options without a suite are about tests, not about checks.
  return { names: rest.length > 0 ? there.filter((name) => name !== 'checks') : there, rest };
}

async function runChecks(): Promise<SuiteOutcome> {
  const watch = stopwatch();
  const outcome = { name: 'checks', passed: 0, failed: 0, skipped: 0, files: [], notes: [] };
  for (const check of CHECKS) {
    if (interruption() !== null) break;
    const result = await runCheck(check, root);
    outcome[result.passed ? 'passed' : 'failed'] += 1;
    console.log(`${result.passed ? '✓' : '✗'} ${result.name} (${result.read} files, ${seconds(result.ms)})`);
    for (const problem of result.problems) console.log(`    ${problem.replaceAll('\n', '\n    ')}`);
  }
  return { ...outcome, ...watch() };
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

/** The ten files that took longest. */
function tellSlowest(outcomes: SuiteOutcome[]): void {
  const files = outcomes.flatMap((outcome) => outcome.files).toSorted((a, b) => b.ms - a.ms);
  if (files.length < 2) return;
  console.log('\nslowest files');
  for (const { name, ms } of files.slice(0, 10)) console.log(`${seconds(ms).padStart(9)}  ${name}`);
}

const args = process.argv.slice(2);
if (args[0] === '--deep') {
  args.shift();
  process.env[DEEP] = '1';
}
const { names, rest } = plan(args);
const outcomes: SuiteOutcome[] = [];
for (const name of names) {
  if (interruption() !== null) break;
  console.log(`\n== ${name}`);
  // One file is debugged in the sources of the parts.
  const options = rest.length === 0 ? { bundles: bundleParts } : {};
  outcomes.push(name === 'checks' ? await runChecks() : await runSuite(root, name, rest, options));
}
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
tellSlowest(outcomes);

const passed = outcomes.reduce((sum, one) => sum + one.passed, 0);
const failed = outcomes.reduce((sum, one) => sum + one.failed, 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && outcomes.every((one) => one.passed > 0) && outcomes.length > 0 ? 0 : 1;
