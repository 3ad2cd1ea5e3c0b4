/** `dossier` makes a signed file on the ledger's host, with the checkpoints that lie elsewhere, and says why it does not. */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unseal } from '../../../agent/ledger/dossier/container.ts';
import { AUDIT, type DossierAudit } from '../../../agent/ledger/dossier/contents.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { auditLogOf } from '../../../agent/ledger/audit/checkpoint.ts';
import { damagePage, loseActions, newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { Checkpoints } from '../../../shared/service/checkpoints/schedule.ts';
import { runDossierCommand } from './dossier.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let said: string[];
let id: string;
beforeEach(() => {
  console = new TestConsole();
  mkdirSync(at('share'));
  const ledger = openLedger(console.file);
  const entry = newEntry('a');
  const result = { bundle_id: crypto.randomUUID(), tenant_id: 7, generated_at: '2026-11-20T08:00:00.000Z' };
  const body = Buffer.from(
    JSON.stringify({
      isSuccess: true,
      code: 'COMMON200',
      message: 'OK',
      result: { ...result, cursor_from: 0, cursor_to: 1, entries: [entry] },
    }),
  );
  const receivedAt = console.now.toISOString();
  ledger.write((tx) => {
    commitBundle(tx, {
      ...{ cursorFrom: 0, cursorTo: 1, bundleId: result.bundle_id, entryCount: 1, tenantId: 7 },
      ...{ body, signature: null, statement: null, receivedAt },
    });
    id = receive(tx, entry, 'PENDING_REVIEW', receivedAt);
  });
  ledger.close();
});
afterEach(() => console.close());

const at = (name: string) => path.join(console.folder, name);

function run(...args: string[]): Promise<number> {
  said = [];
  const say = (line: string) => void said.push(line);
  return runDossierCommand(args, {
    env: { CAUSEWAY_LEDGER: console.file, CAUSEWAY_CHECKPOINT_FOLDER: at('share') },
    clock: { now: () => console.now },
    print: say,
    complain: say,
  });
}

test('an id may begin with dashes', async () => {
  for (const id of ['-V1mJHbwHFiDLvvGMNOMqs', '--N_qD9K5to7dyLANae9Er']) {
    said = [];
    expect([await run('--explanation', id, '--file', at('d.zip')), said.join()]).toEqual([
      1,
      expect.not.stringContaining('Dossiers ('),
    ]);
  }
  expect(await run('--explanation', '--file', at('d.zip'))).toBe(2);
});

test('writes one file that only its owner reads, proved by the checkpoint that was kept next', async () => {
  const ledger = openLedger(console.file);
  const writer = new Checkpoints({
    log: auditLogOf(ledger, (work) => Promise.resolve(ledger.write(work))),
    place: { folder: at('share'), keyFile: at('checkpoint.key'), periodMs: 60_000 },
    clock: { now: () => console.now },
    logger: { info: () => undefined, error: () => undefined },
  });
  await writer.round();
  const { rows } = writer.state;
  ledger.close();
  console.pass(60_000);
  expect([await run('--explanation', id, '--file', at('d.zip')), said]).toEqual([
    0,
    [expect.stringContaining('causeway-agent verify-dossier')],
  ]);
  expect(statSync(at('d.zip')).mode & 0o777).toBe(0o600);
  const { files, manifest } = unseal(readFileSync(at('d.zip')));
  expect(manifest).toMatchObject({ subject: { kind: 'EXPLANATION', id } });
  const audit = JSON.parse(Buffer.from(files.get(AUDIT) ?? []).toString()) as DossierAudit;
  expect(audit.checkpoints.map((one) => one.rows)).toEqual([rows, expect.any(Number)]);
  expect(console.actions().at(-1)).toMatchObject({ action: 'dossier.make' });
  // A file that is there stays.
  expect(await run('--explanation', id, '--file', at('d.zip'))).toBe(1);
});

test('a ticker on its days, an unknown one, and wrong arguments', async () => {
  const days = ['--from', '2026-11-20', '--to', '2026-11-20'];
  expect(await run('--ticker', '069500', ...days, '--file', at('span.zip'))).toBe(0);
  expect([await run('--ticker', '999999', ...days, '--file', at('no.zip')), said]).toEqual([
    1,
    ['No explanation of 999999 has been received: check the code.'],
  ]);
  for (const wrong of [[], ['--explanation', id], ['--ticker', '069500', '--file', 'x'], ['--other']])
    expect(await run(...wrong)).toBe(2);
});

test('a ledger that has lost rows of the audit log, or pages, is told in one sentence', async () => {
  expect(await run('--explanation', id, '--file', at('first.zip'))).toBe(0);
  expect(await run('--explanation', id, '--file', at('second.zip'))).toBe(0);
  const lost = console.actions().findIndex(({ action }) => action === 'dossier.make') + 1;
  loseActions(console.file, `seq = ${lost}`);
  expect([await run('--explanation', id, '--file', at('d.zip')), said]).toEqual([
    1,
    [expect.stringContaining(`The audit log lacks row ${lost}`)],
  ]);
  damagePage(console.file, 'explanation');
  expect([await run('--explanation', id, '--file', at('d.zip')), said]).toEqual([
    1,
    [expect.stringContaining('restore it from a backup')],
  ]);
});

test('so is one that has lost the row of a policy from which the answer follows', async () => {
  loseActions(console.file, 'seq = 1');
  expect([await run('--explanation', id, '--file', at('d.zip')), said]).toEqual([
    1,
    [expect.stringContaining('the audit log has no row of the publication of policy version 1')],
  ]);
});
