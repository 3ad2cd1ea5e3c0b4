/** A ledger that only the program has written is never refused: the screen tells it, and its dossiers pass their verification. */
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEntryScreening } from '../../intake/apply/screening.ts';
import { backupLedger } from '../../intake/backup/backup.ts';
import { rebuildLedger } from '../../intake/maintenance/rebuild.ts';
import { restoreLedger } from '../../intake/backup/restore.ts';
import { truncateAfter } from '../../intake/maintenance/truncate.ts';
import { invalidationAt, newAt, RESTORE_ALONE } from '../../../test/support/agent/intake.ts';
import { dossierWithin } from '../../ledger/dossier/make.ts';
import { DecisionJournal } from '../../ledger/journal/journal.ts';
import { closeChannel, openChannel } from '../../ledger/serving/channels.ts';
import { setSector, toggleScope } from '../../ledger/serving/scope.ts';
import { brokenRecord } from '../../ledger/shown/shown-facts.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { ADMIN, DossierFixture, IDS, TICKER } from '../../../test/support/agent/dossier.ts';
import { verifyDossier } from './verify.ts';

let fixture: DossierFixture;
beforeEach(() => {
  fixture = new DossierFixture();
});
afterEach(() => fixture.close());

const log = pino({ enabled: false });
const parts = () => ({
  ledger: fixture.ledger,
  log,
  clock: { now: () => fixture.now },
  screenEntry: createEntryScreening(log),
});
const act = (work: (tx: LedgerTransaction, at: string) => void): void => {
  fixture.pass(60_000);
  fixture.ledger.write((tx) => work(tx, fixture.at));
};
/** Sets aside the raw records after a cursor. */
function setAside(cursor: number): void {
  truncateAfter(parts(), cursor);
  fixture.pass(60_000);
}
function rebuild(): void {
  fixture.pass(60_000);
  rebuildLedger(parts());
  fixture.pass(60_000);
}

/** What the screen or the making or verification of the dossier of each explanation refuses. */
function refused(ledger: Ledger = fixture.ledger): string[] {
  const { now, tenant, vendor } = fixture;
  const broken = ledger.read((reader) => brokenRecord(reader, now));
  const ids = ledger.all<{ id: string }>({ sql: 'SELECT id FROM explanation', parameters: [] });
  return [
    ...(broken === null ? [] : [broken]),
    ...ids.flatMap(({ id }) => {
      try {
        const about = { now, madeBy: '관리자', key: tenant.privateKey, checkpoints: [] };
        const bytes = ledger.read((reader) => dossierWithin(reader, { kind: 'EXPLANATION', id }, about));
        const pinned = { vendor: [vendor.publicKey], tenant: [tenant.publicKey], checkpoints: null };
        void [...verifyDossier(bytes, pinned)];
        return [];
      } catch (error) {
        return [`${id}: ${String(error)}`];
      }
    }),
  ];
}

test('raw records were set aside, and the cloud has sent others, the same again, or none', () => {
  fixture.receive(newAt(5, 'more', { explanation_as_of: '2026-11-20T07:00:00.000Z' }), invalidationAt(6, 'shown'));
  fixture.receive(newAt(7, 'more', { explanation_as_of: '2026-11-20T07:00:00.000Z', summary: '다른 글' }));
  setAside(6);
  expect(refused()).toEqual([]);
  setAside(0);
  expect(refused()).toEqual([]);
  fixture.receive(newAt(1, 'other'), newAt(2, 'gone', { etf_ticker: '102110' }));
  fixture.receive(newAt(3, 'more', { explanation_as_of: '2026-11-20T07:00:00.000Z', summary: '셋째 글' }));
  expect(refused()).toEqual([]);
});

test('an entry moves an explanation to another ticker, and later ones change it there', () => {
  const at = { explanation_as_of: '2026-11-20T07:00:00.000Z' };
  fixture.receive(newAt(5, 'moved', at));
  fixture.receive(newAt(6, 'moved', { ...at, etf_ticker: '102110' }));
  fixture.receive(newAt(7, 'moved', { ...at, etf_ticker: '305720', summary: '바뀐 글' }));
  fixture.receive(newAt(8, 'moved', { ...at, etf_ticker: '305720', summary: '또 바뀐 글' }));
  expect(refused()).toEqual([]);
});

test('a rebuild has corrected the sector of a ticker', () => {
  act((tx, at) => setSector(tx, { code: TICKER, sector: '반도체', actor: ADMIN, at }));
  act((tx) => tx.run({ sql: `UPDATE instrument SET sector = '은행' WHERE etf_ticker = '${TICKER}'`, parameters: [] }));
  expect(refused()).not.toEqual([]);
  rebuild();
  expect(refused()).toEqual([]);
});

test('a rebuild has recorded the withdrawal of a row that was marked so', () => {
  const shown = "UPDATE explanation SET status = 'INVALIDATED' WHERE id = ?";
  act((tx) => tx.run({ sql: shown, parameters: [IDS.shown] }));
  rebuild();
  expect(refused()).toEqual([]);
});

type Change = (tx: LedgerTransaction, at: string) => void;
test.each<[what: string, once: Change, again: Change]>([
  [
    'a switch',
    (tx, at) => toggleScope(tx, { type: 'MARKET', key: 'KRX', actor: ADMIN, at }),
    (tx, at) => toggleScope(tx, { type: 'MARKET', key: 'KRX', actor: ADMIN, at }),
  ],
  [
    'a channel',
    (tx, at) => openChannel(tx, { channel: 'HTS', key: 'h', at }),
    (tx, at) => closeChannel(tx, { channel: 'HTS', at }),
  ],
])('a restore has made again of %s what the decision journal held, and lost what it lacked', async (_, once, again) => {
  rebuild();
  const [backup, file] = ['backup', 'restored'].map((name) => path.join(fixture.folder, `${name}.sqlite`)) as [
    string,
    string,
  ];
  await backupLedger(fixture.ledger, backup);
  act(once);
  const folder = path.join(fixture.folder, 'journal');
  const kept = await DecisionJournal.open({ ledger: fixture.ledger, folder, mode: 'require', log });
  await kept.write(async (begin) => {
    act((tx, at) => {
      begin();
      again(tx, at);
    });
  });
  await kept.stop();
  fixture.pass(60_000);
  const { replayed } = await restoreLedger({ ...RESTORE_ALONE, file, backup, journal: folder, now: fixture.now });
  expect([replayed?.made, replayed?.unmade.length]).toEqual([1, 1]);
  fixture.pass(60_000);
  const restored = openLedger(file);
  try {
    expect(refused(restored)).toEqual([]);
  } finally {
    restored.close();
  }
});
