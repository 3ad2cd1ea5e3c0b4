/**
 * The restore drill: a ledger is destroyed, a backup is restored, and the Intake catches up with the cloud.
 * The backup's content is there. An explanation that was withdrawn meanwhile is not exposed, not even before the
 * Intake runs again.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { intakeWith, type Said } from '../../support/agent/intake-command.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { invalidationAt, newAt, TEXT_LIST } from '../../faults/truth.ts';
import { TestFixture, waitFor } from '../../support/process.ts';
import { startScriptedCloud } from '../../support/scripted-cloud.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const INTAKE = 'agent/intake/main.ts';
const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

test('destroy, restore, catch up', async () => {
  const folder = fixture.folder('drill');
  const file = path.join(folder, 'ledger.sqlite');
  const backups = path.join(folder, 'backups');
  const [shown = ''] = TEXT_LIST;
  const cloud = await startScriptedCloud({
    entries: [
      newAt(1, 'stays', { ticker: '000001' }),
      newAt(2, 'stopped', { ticker: '000002' }),
      newAt(3, 'withdrawn', { ticker: '000003' }),
    ],
  });
  const env = {
    CAUSEWAY_LEDGER: file,
    CAUSEWAY_INTAKE_UPSTREAM: cloud.url,
    CAUSEWAY_INTAKE_POLL_SECONDS: '1',
    CAUSEWAY_BACKUP_FOLDER: backups,
    CAUSEWAY_DEMO: '1',
  };
  const reached = async (cursor: number): Promise<void> => {
    const ledger = openLedger(file);
    await waitFor(`cursor ${cursor} to be applied`, () => readCursors(ledger).applied === cursor);
    ledger.close();
  };
  const run = (...args: string[]): Promise<Said> => intakeWith(env, ...args);
  /** The text that the channels get, by ticker; null: none. */
  const served = async (tickers: string[]): Promise<(string | null)[]> => {
    const provision = fixture.start('agent/provision/main.ts', {
      env: { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
    });
    const { url } = await provision.listening('provision');
    const texts: (string | null)[] = [];
    for (const ticker of tickers) {
      const answer = await fetch(`${url}/v1/explanations/${ticker}`, { headers: { authorization: 'Bearer demo-mts' } });
      texts.push(answer.status === 404 ? null : ((await answer.json()) as { result: { text: string } }).result.text);
    }
    await provision.stop();
    return texts;
  };

  const intake = fixture.start(INTAKE, { env });
  await waitFor('the ledger', () => readdirSync(folder).includes('ledger.sqlite'));
  await reached(3);
  const ledger = openLedger(file);
  const id = explanationId('stopped');
  const at = new Date().toISOString();
  ledger.write((tx) => applyMove(tx, { id, move: 'stop', actor: reviewer, at, reason: '확인 필요', comment: null }));
  ledger.close();
  expect(await run('backups')).toMatchObject({ code: 0 });

  cloud.entries.push(invalidationAt(4, 'withdrawn'), newAt(5, 'later', { ticker: '000005' }));
  await reached(5);
  const now = [shown, null, null, shown];
  const tickers = ['000001', '000002', '000003', '000005'];
  expect(await served(tickers)).toEqual(now);
  await intake.stop();

  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  writeFileSync(file, 'what a failing disk has left of a ledger. '.repeat(50));
  const backup = path.join(backups, readdirSync(backups)[0] ?? '');
  const refused = await run('restore', backup);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('the cloud has records after it')]);
  const restored = await run('restore', backup, '--accept-older');
  expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('everything that the cloud has')]);

  // The Intake does not run: withdrawals are known nevertheless, and stopped texts stay stopped.
  expect(await served(tickers)).toEqual(now);
  expect(await run('verify')).toMatchObject({ code: 0 });

  cloud.entries.push(newAt(6, 'newest', { ticker: '000006' }));
  const again = fixture.start(INTAKE, { env });
  await reached(6);
  expect(await served(['000006'])).toEqual([shown]);
  await again.stop();

  // Decided after the backup, and lost with the disk: held, no text is exposed before a review.
  const last = openLedger(file);
  last.write((tx) =>
    applyMove(tx, {
      id: explanationId('stays'),
      move: 'stop',
      actor: reviewer,
      at,
      reason: '확인 필요',
      comment: null,
    }),
  );
  last.close();
  const all = [...tickers, '000006'];
  expect(await served(all)).toEqual([null, null, null, shown, shown]);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  const held = await run('restore', backup, '--hold-all');
  expect([held.code, held.out]).toEqual([0, expect.stringContaining('3 texts that channels would get')]);
  expect(await served(all)).toEqual([null, null, null, null, null]);
  expect(await run('verify')).toMatchObject({ code: 0 });
  await cloud.close();
});
