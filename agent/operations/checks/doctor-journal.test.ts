/** The doctor about the decision journal (D139). */
import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DecisionJournal } from '../../ledger/journal/journal.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import type { Account } from '../../../shared/service/install/account.ts';
import type { CheckContext } from './doctor.ts';
import { checkConsoleApi } from './internal-checks.ts';

let ledger: Ledger;
let file: string;
beforeEach(() => ({ ledger, file } = testLedger()));

test('the decision journal: whole, its end missing, none', async () => {
  const folder = path.join(path.dirname(file), 'journal');
  const env: Record<string, string> = { CAUSEWAY_LEDGER: file, CAUSEWAY_DECISION_JOURNAL: folder };
  const said = async (account: Account | null = null): Promise<string[]> => {
    const context = { env, account, freeBytes: () => 1e12, now: () => new Date() } as unknown as CheckContext;
    const findings = await checkConsoleApi(context);
    return findings
      .filter(({ about }) => about === 'decision journal')
      .map(({ verdict, said: what }) => `${verdict} ${what}`);
  };
  const log = { info: () => undefined, error: () => undefined };
  await (await DecisionJournal.open({ ledger, folder, mode: 'require', log })).stop();
  expect(await said()).toEqual([
    'OK it goes up to record 1, and the ledger to record 1',
    'WARN it is on the same disk as the ledger',
  ]);
  // Decisions are refused by a folder that takes nothing, before the first one is missing in it.
  const other = { name: 'nobody', uid: 65_534, gid: 65_534 };
  const barred = (await said(other)).find((line) => line.startsWith('WRONG'));
  expect(barred).toBe(`WRONG the folder ${folder} cannot be written by the user nobody`);
  renameSync(folder, `${folder}.away`);
  expect((await said())[0]).toMatch(
    /^WRONG its folder is not there; it goes up to record 0, and the ledger to record 1/,
  );
  renameSync(`${folder}.away`, folder);
  for (const name of readdirSync(folder)) renameSync(path.join(folder, name), path.join(folder, `${name}.away`));
  expect((await said())[0]).toBe('WRONG it goes up to record 0, and the ledger to record 1: 1 changes are not in it');
  delete env['CAUSEWAY_DECISION_JOURNAL'];
  expect(await said()).toEqual([]);
});
