/** What a suite's workers tell the runner about each file, beside Vitest's report. */
import { existsSync, readFileSync } from 'node:fs';

/** The variable that names the list: a line of JSON for each file. */
export const FILE_TIMES = 'CAUSEWAY_TEST_FILE_TIMES';

export interface FileTime {
  /** Absolute path. */
  file: string;
  /** Processor time in ms. */
  ms: number;
}

/** The times of a list by file; empty where the system tells none. */
export function readFileTimes(list: string): Map<string, number> {
  if (!existsSync(list)) return new Map();
  const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as FileTime).map(({ file, ms }) => [file, ms]));
}
