/** A Vitest reporter: tells the runner the errors that no test awaited, which Vitest's JSON report leaves out. */
import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** The variable that names the file for them: a JSON list of strings. */
export const STRAY_ERRORS = 'CAUSEWAY_TEST_STRAY_ERRORS';

export default class StrayErrors implements Reporter {
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env[STRAY_ERRORS];
    if (file !== undefined) writeFileSync(file, JSON.stringify(errors.map(told)));
  }
}

/** What it says, where it comes from, and the test file that ran then, which need not be its cause. */
function told(error: SerializedError): string {
  const { VITEST_TEST_PATH: during, VITEST_TEST_NAME: test, type } = error;
  const where = typeof during === 'string' ? ` (during ${during}${typeof test === 'string' ? `: ${test}` : ''})` : '';
  return `${typeof type === 'string' ? type : 'error'}${where}\n${error.stack ?? error.message}`;
}
