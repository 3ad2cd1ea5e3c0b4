/** The idle Intake: its use of processor and memory, as the shipped bundle. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { bundleServices } from '../../../electron/packaging/build/bundle.ts';
import { startPart } from '../../support/process.ts';
import { valueRow, type Bench } from '../bench.ts';

/** Two polls of the default period. */
const WATCHED_MS = 120_000;
/** Time after the start until start-up memory has been released. */
const SETTLE_MS = 15_000;
/** Linux counts processor time in ticks: this many per second. */
const TICKS = 100;

export const rest: Bench = {
  name: 'rest',
  about: 'the Intake while nothing comes, two polls long',
  run: async (fixture) => {
    const folder = fixture.folder('bundle');
    await bundleServices(folder);
    const cloud = createServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"isSuccess":true,"code":"COMMON200","message":"OK"}');
    }).listen(0, '127.0.0.1');
    await once(cloud, 'listening');
    fixture.after(() => cloud.close());
    const intake = startPart(path.join(folder, 'intake.js'), {
      env: {
        CAUSEWAY_LEDGER: path.join(fixture.folder('ledger'), 'ledger.sqlite'),
        CAUSEWAY_DEMO: '1',
        CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`,
      },
    });
    fixture.after(() => intake.stop());
    await intake.logLine('ready', (line) => line.msg === 'ready');
    await pause(SETTLE_MS);
    const before = taken(intake.child.pid);
    await pause(WATCHED_MS);
    const after = taken(intake.child.pid);
    const share = (after.cpuSeconds - before.cpuSeconds) / (WATCHED_MS / 1_000);
    return [
      valueRow('Intake at rest, of a core', '%', share * 100, { atMost: 0.5 }),
      valueRow('Intake at rest, resident', 'MB', after.megabytes, { atMost: 110 }),
    ];
  },
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function taken(pid: number | undefined): { cpuSeconds: number; megabytes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain any character; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    megabytes: Number(resident) / 1_024,
  };
}
