/** A restore repeats the start of a policy version, which the decision journal does not hold, at its place (D212). */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedDemo } from '../../../ledger/demo/seed.ts';
import { DecisionJournal } from '../../../ledger/journal/journal.ts';
import { journalKeyFile, readJournalKeys } from '../../../ledger/journal/journal-key.ts';
import { withCriteria, withDisclaimer } from '../../../ledger/policy/changes.ts';
import { cancelPolicyStart, startDuePolicy } from '../../../ledger/policy/start.ts';
import { activePolicyVersion, changePolicy, listPolicyVersions } from '../../../ledger/policy/versions.ts';
import { factFaults } from '../../../ledger/shown/shown-facts.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../ledger/storage/ledger.ts';
import { temporaryLedger } from '../../../ledger/testing.ts';
import { SEED_POLICY } from '../../../screening/seed/seed-policy.ts';
import { RESTORE_ALONE, reviewer } from '../../testing.ts';
import { backupLedger } from '../backup.ts';
import { restoreLedger } from '../restore.ts';

const at = '2026-11-20T07:00:00.000Z';
const startsAt = '2026-11-20T09:00:00.000Z';
const other = { ...reviewer, id: 'other' };
const log = { info: () => undefined, error: () => undefined };
let made: { ledger: Ledger; file: string; dispose(): void };
beforeEach(() => {
  made = temporaryLedger();
  seedDemo(made.ledger, { now: () => new Date(at) }, { uuid: () => crypto.randomUUID() }, () => 'hash');
});
afterEach(() => made.dispose());

test.each([
  ['that started', false, { state: 'STARTED', at: '2026-11-20T10:00:00.000Z' }],
  ['that was cancelled', true, { state: 'CANCELLED', at, reason: '보류' }],
])('one %s', async (_, isCancelled, start) => {
  const folder = path.join(path.dirname(made.file), 'journal');
  const backup = path.join(path.dirname(made.file), 'backup.sqlite');
  const lost = path.join(path.dirname(made.file), 'new', 'ledger.sqlite');
  mkdirSync(path.dirname(lost));
  const kept = await DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
  const act = (work: (tx: LedgerTransaction) => unknown): Promise<void> =>
    kept.write((begin) =>
      Promise.resolve(
        made.ledger.write((tx) => {
          begin();
          work(tx);
        }),
      ),
    );
  await backupLedger(made.ledger, backup);
  const disclaimer = (edited = SEED_POLICY) => withDisclaimer(edited, '새 안내');
  await act((tx) => changePolicy(tx, { change: disclaimer, startsAt, actor: reviewer, at }));
  if (isCancelled) await act((tx) => cancelPolicyStart(tx, { version: 2, reason: '보류', actor: other, at }));
  // On a connection of its own, as the Intake does.
  const intake = openLedger(made.file);
  intake.write((tx) => startDuePolicy(tx, '2026-11-20T09:00:05.000Z'));
  intake.close();
  const sources = (edited = SEED_POLICY) => withCriteria(edited, { minSources: 9 });
  await act((tx) => changePolicy(tx, { change: sources, actor: reviewer, at: '2026-11-20T10:00:00.000Z' }));
  await kept.stop();

  const restored = await restoreLedger({
    ...{ file: lost, backup, ...RESTORE_ALONE, older: 'REFUSED', journal: folder },
    catchUp: (_ledger, between) => {
      between?.makeUpTo(Number.MAX_SAFE_INTEGER);
      return Promise.resolve(null);
    },
    proof: { keys: readJournalKeys(journalKeyFile(made.file)), acceptsUnproved: false },
    now: new Date('2026-11-20T11:00:00.000Z'),
  });
  expect(restored.replayed).toMatchObject({ unmade: [], lacking: null });
  const ledger = openLedger(lost);
  const { rows } = listPolicyVersions(ledger, { page: 1, size: 10 });
  expect([activePolicyVersion(ledger), rows[1]]).toMatchObject([3, { version: 2, start }]);
  expect([...factFaults(ledger)]).toEqual([]);
  ledger.close();
});
