/**
 * What a killed process leaves of the entry that it had in hand (D103), and what the next one makes of it. The process applies as
 * the Intake does, and ends itself at one entry by SIGKILL.
 */
import path from 'node:path';
import { expect, test } from 'vitest';
import { commitEntries, invalidationAt, newAt, partsOn } from '../../support/agent/intake.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { PROJECT, startPart } from '../../support/process.ts';
import { processes } from './process-fixture.ts';

const run = processes();
const COUNT = 200;
const APPLIES = path.join(PROJECT, 'test/faults/machine/applies-until.ts');

test('the entry at which a process is killed twice is rejected, and each kill costs at most two transactions more', async () => {
  const file = path.join(run.fixture.folder('killed'), 'ledger.sqlite');
  const ledger = openLedger(file);
  partsOn(ledger);
  const now = new Date().toISOString();
  commitEntries(
    ledger,
    Array.from({ length: COUNT }, (_, index) => newAt(index + 1, `e${index + 1}`)),
    now,
  );
  commitEntries(ledger, [invalidationAt(COUNT + 1, 'e1'), newAt(COUNT + 2, 'last')], now);
  const life = async (endsAt: string): Promise<unknown> => {
    const part = startPart(APPLIES, { args: [file, endsAt], env: run.services.env });
    const { signal } = await part.ended();
    return { signal, applied: readCursors(ledger).applied };
  };
  expect(await life('e150')).toEqual({ signal: 'SIGKILL', applied: 0 });
  // The text was never exposed: its withdrawal is known before its batch is applied.
  expect(await life('e150')).toEqual({ signal: 'SIGKILL', applied: 149 });
  expect(
    ledger.first(sqlite.selectFrom('explanation').select('status').where('explanation_result_id', '=', 'e1')),
  ).toEqual({
    status: 'INVALIDATED',
  });
  expect(syncStatus(ledger, new Date())).toMatchObject({ lastError: { code: 'PROCESS_ENDED' } });
  expect(await life('e150')).toEqual({ signal: null, applied: COUNT + 2 });
  expect(ledger.all(sqlite.selectFrom('rejected_entry').select('cursor'))).toEqual([{ cursor: 150 }]);
  expect(syncStatus(ledger, new Date())).toMatchObject({ lastError: null });
  ledger.close();
});
