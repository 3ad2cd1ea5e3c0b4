/** `journal begin` beside a running console API: what that answers afterwards would be behind a place that no longer counts. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../shared/time/clock.ts';
import type { ConsoleApiService } from '../service.ts';
import { startService } from '../testing-service.ts';
import { runJournalCommand } from './journal.ts';

let folder: string;
const running: ConsoleApiService[] = [];
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'causeway-journal-begin-'))));
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<ConsoleApiService> {
  const service = await startService({
    ledger: path.join(folder, 'ledger.sqlite'),
    demo: true,
    journal: { folder: path.join(folder, 'journal'), mode: 'require' },
  });
  running.push(service);
  return service;
}

test('a journal that a console API writes is neither begun anew nor written by another one', async () => {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const env = {
    CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
    CAUSEWAY_DECISION_JOURNAL: path.join(folder, 'journal'),
  };
  const begin = () => runJournalCommand(['begin'], { env, clock: systemClock, print: say, complain: say });
  const segments = (): string[] => readdirSync(path.join(folder, 'journal'));
  const service = await start();
  const before = segments();
  expect(await begin()).toBe(1);
  expect(said).toEqual([expect.stringMatching(/^The console API of the ledger .* runs .*: stop it first/)]);
  await expect(start()).rejects.toThrow('stop it first');
  expect(segments()).toEqual(before);
  running.length = 0;
  await service.stop();
  expect(await begin()).toBe(0);
  await start();
});
