/**
 * A Vitest set-up file: tells the runner the processor time of each test file, with that of the processes that it
 * started. The first file of a worker bears the worker's own start.
 */
import { appendFileSync } from 'node:fs';
import { expect, afterAll } from 'vitest';
import { processorTimeMs, processorTimeOf } from '../bench/processor-time.ts';
import { FILE_TIMES, type FileTime } from './suite-files.ts';

/** A worker loads this file anew for each test file. */
const worker = globalThis as { causewayToldMs?: number };
const list = process.env[FILE_TIMES];

if (list !== undefined && process.platform === 'linux')
  afterAll(() => {
    const now = processorTimeOf(process.pid);
    const told = worker.causewayToldMs ?? 0;
    worker.causewayToldMs = now;
    const time: FileTime = {
      file: expect.getState().testPath ?? '',
      ms: Math.max(0, now - told),
      worker: process.pid,
      livingMs: processorTimeMs({ own: false }),
    };
    appendFileSync(list, `${JSON.stringify(time)}\n`);
  });
