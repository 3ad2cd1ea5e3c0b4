/** After a restore no approval number is given a second time, whatever is left of the ledger that gave them (D211). */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { DecisionJournal } from '../../ledger/journal/journal.ts';
import { journalKeyFile, readJournalKeys } from '../../ledger/journal/journal-key.ts';
import { approvalNumbering, ApprovalNumbersClosedError, setApprovalNumbering } from '../../ledger/serving/approval.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import { newAt, partsOn, RESTORE_ALONE, takeIn } from '../../../test/support/agent/intake.ts';
import { backupLedger } from './backup.ts';
import { restoreLedger, type Restored } from './restore.ts';

const at = '2026-11-20T07:00:00.000Z';
const NOW = new Date('2026-11-20T08:00:00.000Z');
/** A text that the seed policy sends to review. */
const WAITS = '지금은 매수 시점입니다.';
const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const log = { info: () => undefined, error: () => undefined };
let made: { ledger: Ledger; file: string };
let backup: string;
let folder: string;
let items: string[];
/** One number is in the backup, two more are given afterwards. */
beforeEach(async () => {
  made = testLedger();
  backup = path.join(path.dirname(made.file), 'backup.sqlite');
  folder = path.join(path.dirname(made.file), 'journal');
  const names = ['a', 'b', 'c', 'd'];
  takeIn(partsOn(made.ledger, at), ...names.map((name, index) => newAt(index + 1, name, { summary: WAITS })));
  items = names.map(explanationId);
  const journal = await DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
  const act = (work: (tx: LedgerTransaction) => void): Promise<void> =>
    journal.write((begin) => Promise.resolve(made.ledger.write((tx) => (begin(), work(tx)))));
  await act((tx) => setApprovalNumbering(tx, { pattern: '제{SEQ}호', validDays: 30, next: 1 }, { actor, at }));
  await act((tx) => approve(tx, items[0]));
  await backupLedger(made.ledger, backup);
  await act((tx) => approve(tx, items[1]));
  await act((tx) => approve(tx, items[2]));
  await journal.stop();
});

const approve = (tx: LedgerTransaction, id = ''): void =>
  void applyMove(tx, { id, move: 'approve', actor, at, reason: null });

const restore = (file: string, journal: string | null): Promise<Restored> =>
  restoreLedger({
    ...{ file, backup, ...RESTORE_ALONE, journal, older: journal === null ? 'EXPOSED' : 'REFUSED' },
    catchUp: (_ledger, between) => {
      between?.makeUpTo(Number.MAX_SAFE_INTEGER);
      return Promise.resolve(null);
    },
    proof: { keys: readJournalKeys(journalKeyFile(made.file)), acceptsUnproved: false },
    now: NOW,
  });

function elsewhere(): string {
  const file = path.join(path.dirname(made.file), 'new', 'ledger.sqlite');
  mkdirSync(path.dirname(file));
  return file;
}
const numbers = (ledger: Ledger): (string | null)[] =>
  ledger
    .all(
      sqlite
        .selectFrom('state_history')
        .select('approval_number as number')
        .where('move', '=', 'approve')
        .orderBy('id'),
    )
    .map(({ number }) => number);

test('over the ledger that gave them the numbers go on after its last', async () => {
  made.ledger.close();
  expect(await restore(made.file, null)).toMatchObject({ numbersClosed: false });
  const ledger = openLedger(made.file);
  ledger.write((tx) => approve(tx, items[1]));
  expect(numbers(ledger)).toEqual(['제1호', '제4호']);
  ledger.close();
});

test('on another host a whole journal brings each number back to its text, with its end', async () => {
  const file = elsewhere();
  expect(await restore(file, folder)).toMatchObject({ numbersClosed: false, replayed: { made: 2 } });
  const ledger = openLedger(file);
  const whole = sqlite.selectFrom('explanation').select(['id', 'approval_number', 'valid_until']).orderBy('id');
  expect(ledger.all(whole)).toEqual(made.ledger.all(whole));
  ledger.write((tx) => approve(tx, items[3]));
  expect(numbers(ledger)).toEqual(['제1호', '제2호', '제3호', '제4호']);
  ledger.close();
});

test('with neither they are closed, and no part of the ledger is at fault', async () => {
  const file = elsewhere();
  rmSync(folder, { recursive: true });
  expect(await restore(file, null)).toMatchObject({ numbersClosed: true });
  const ledger = openLedger(file);
  expect(() => ledger.write((tx) => approve(tx, items[1]))).toThrow(ApprovalNumbersClosedError);
  expect(approvalNumbering(ledger, NOW).closedAt).toBe(NOW.toISOString());
  expect(verifyLedger(ledger).findings).toEqual([]);
  ledger.close();
  // A ledger that is closed tells nothing about what was lost before.
  expect(await restore(file, null)).toMatchObject({ numbersClosed: true });
});
