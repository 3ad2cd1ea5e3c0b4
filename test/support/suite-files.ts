/** What a suite's workers tell the runner about each file, beside Vitest's report. */
import { existsSync, readFileSync } from 'node:fs';

/** The variable that names the list: a line of JSON for each file. */
export const FILE_TIMES = 'CAUSEWAY_TEST_FILE_TIMES';

export interface FileTime {
  /** Absolute path. */
  file: string;
  /** Processor time in ms. */
  ms: number;
  worker: number;
  /** Of it and earlier files, that of the worker's processes which still run; they go on for its next file. */
  livingMs: number;
}

/** What a list says; null where the system tells no times. */
export function readFileTimes(list: string): { files: Map<string, number>; orphanedMs: number } | null {
  if (!existsSync(list)) return null;
  const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  const times = lines.map((line) => JSON.parse(line) as FileTime);
  // What still runs after a worker's last file loses its parent with the worker, and no parent inherits its time.
  const last = new Map(times.map(({ worker, livingMs }) => [worker, livingMs]));
  return {
    files: new Map(times.map(({ file, ms }) => [file, ms])),
    orphanedMs: last.values().reduce((sum, ms) => sum + ms, 0),
  };
}
