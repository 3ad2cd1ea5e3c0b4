/** The journal key outlives its host only with a copy elsewhere: the doctor warns until one is on record (D208). */
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { journalKeyFile } from '../../../agent/ledger/journal/journal-key.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { testLedger } from '../../support/agent/ledger.ts';
import type { CheckContext } from '../../../agent/operations/checks/doctor.ts';
import { checkConsoleApi } from '../../../agent/operations/checks/internal-checks.ts';
import { runJournalCommand } from '../../../electron/console-api/commands/journal.ts';
import { systemClock } from '../../../shared/time/clock.ts';

let ledger: Ledger;
let file: string;
beforeEach(() => ({ ledger, file } = testLedger()));

test('the journal key: no copy, a copy on record, another key, none', async () => {
  const folder = path.join(path.dirname(file), 'journal');
  const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_DECISION_JOURNAL: folder };
  const said = async (): Promise<string[]> => {
    const context = { env, account: null, freeBytes: () => 1e12, now: () => new Date() } as unknown as CheckContext;
    const found = (await checkConsoleApi(context)).filter(({ about }) => about === 'journal key');
    return found.map(({ verdict }) => verdict);
  };
  const told: string[] = [];
  const tell = (line: string): void => void told.push(line);
  const run = (...args: string[]) => runJournalCommand(args, { env, clock: systemClock, print: tell, complain: tell });
  const log = { info: () => undefined, error: () => undefined };
  await (await DecisionJournal.open({ ledger, folder, mode: 'require', log })).stop();
  expect(await said()).toEqual(['WARN']);
  const [key, copy] = [journalKeyFile(file), path.join(path.dirname(file), 'copy.key')];
  expect([await run('copied', key), await run('copied', copy)]).toEqual([1, 1]);
  copyFileSync(key, copy);
  expect([await run('copied', copy), await said()]).toEqual([0, ['OK']]);
  expect([await run('key'), await said()]).toEqual([0, ['WARN']]);
  expect([await run('copied', copy), told.at(-1)]).toEqual([1, expect.stringContaining('does not hold all keys')]);
  // What the present key has sealed and the folder does not hold yet goes there first: it would be proved no more.
  copyFileSync(key, copy);
  expect([await run('copied', copy), await run('verify')]).toEqual([0, 1]);
  expect([await run('key'), await run('verify')]).toEqual([0, 0]);
  const next = openLedger(file);
  await (await DecisionJournal.open({ ledger: next, folder, mode: 'require', log })).stop();
  next.close();
  expect(await run('verify')).toBe(0);
  copyFileSync(key, copy);
  await run('copied', copy);
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  expect([await run('key'), told.at(-1)]).toEqual([1, expect.stringContaining('No other key was made')]);
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  rmSync(key);
  expect(await said()).toEqual(['WRONG']);
  expect([await run('begin'), await said()]).toEqual([0, ['WARN']]);
});
