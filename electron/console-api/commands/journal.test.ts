/** `journal begin` beside a running console API: what that answers afterwards would be behind a place that no longer counts. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../shared/time/clock.ts';
import type { ConsoleApiService } from '../service.ts';
import { startService } from '../../../test/support/console-api/service.ts';
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

test('a copy of the journal key in the journal’s own folder is refused, and one on the same disk is told', async () => {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const journal = path.join(folder, 'journal');
  const env = { CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'), CAUSEWAY_DECISION_JOURNAL: journal };
  const confirm = async (copy: string): Promise<number> => {
    said.length = 0;
    return runJournalCommand(['copied', copy], { env, clock: systemClock, print: say, complain: say });
  };
  await (await start()).stop();
  running.length = 0;
  const key = path.join(folder, 'journal.key');
  const [inside, below, link] = ['k', 'deep/k', 'link'].map((name) => path.join(journal, name));
  mkdirSync(path.join(journal, 'deep'));
  for (const copy of [inside, below]) {
    copyFileSync(key, copy ?? '');
    expect(await confirm(copy ?? '')).toBe(1);
    expect(said).toEqual([expect.stringContaining('lies in the folder of the journal')]);
  }
  const beside = path.join(folder, 'copy.key');
  symlinkSync(inside ?? '', beside);
  expect(await confirm(beside)).toBe(1);
  rmSync(beside);
  copyFileSync(key, beside);
  symlinkSync(beside, link ?? '');
  for (const copy of [beside, link ?? '']) {
    expect(await confirm(copy)).toBe(0);
    expect(said).toContainEqual(expect.stringMatching(/is on the same disk as the journal key: one fault takes both/));
  }
});

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
