/** All checks, in the order of their report: the quick ones first. */
import { boundaries } from './boundaries.ts';
import { lockFile } from './lock-file.ts';
import { namedPlaces } from './named-places.ts';
import { references } from './references.ts';
import type { Check, CheckReport } from './sources.ts';
import { statements } from './statements.ts';
import { fileLength, wording } from './text.ts';
import { deadCode, format, lint, types } from './tools.ts';

export const CHECKS: Check[] = [
  format,
  wording,
  fileLength,
  lockFile,
  namedPlaces,
  references,
  boundaries,
  statements,
  deadCode,
  lint,
  types,
];

/** Without the tools that take half a minute of processor time each; `npm run check` has them, before each commit. */
export const QUICK_CHECKS = CHECKS.filter((check) => check !== lint && check !== deadCode);

export interface CheckOutcome extends CheckReport {
  name: string;
  passed: boolean;
  ms: number;
}

/** Runs one check. A check that cannot read, or that read no file, has failed. */
export async function runCheck(check: Check, root: string): Promise<CheckOutcome> {
  const began = performance.now();
  let report: CheckReport;
  try {
    report = await check.run(root);
    if (report.read === 0) report.problems.push('it read no file at all, so it says nothing');
  } catch (error) {
    report = { read: 0, problems: [error instanceof Error ? error.message : String(error)] };
  }
  return { ...report, name: check.name, passed: report.problems.length === 0, ms: performance.now() - began };
}
