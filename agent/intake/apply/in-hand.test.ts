/**
 * A process that ends while it applies leaves no exception behind. These tests hold the reaction of the next process. An end
 * is played by what it leaves: the file as it was at that moment, and none of the batch. That a killed process leaves
 * just this is in `test/faults/machine/killed-entry.test.ts`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { replayRejected } from '../maintenance/replay.ts';
import { verifyLedger } from '../maintenance/verify.ts';
import {
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  readableLog,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { applyNext, withdrawAhead } from './apply.ts';
import { BatchSize } from './batch-size.ts';
import { InHand, inHandFile } from './in-hand.ts';
import { WaitingWithdrawals } from './withdrawals.ts';

const AT = '2026-11-20T00:00:00.000Z';
const COUNT = 5;
let made: ReturnType<typeof testLedger>;
let ledger: Ledger;
let file: string;
let parts: WholeParts;
beforeEach(() => {
  made = testLedger();
  ledger = made.ledger;
  file = `${made.file}.in-hand`;
  parts = partsOn(ledger);
  commitEntries(
    ledger,
    Array.from({ length: COUNT }, (_, index) => newAt(index + 1, `e${index + 1}`)),
    AT,
  );
});

const { log } = readableLog();
const handOf = (boot = 'boot'): InHand => new InHand({ file, ...readCursors(ledger), log, boot });

/** A process that applies until nothing is left, or that ends with this explanation or withdrawal in hand. */
function run(endsAt: string | null, { boot = 'boot', steps = Infinity } = {}): void {
  const hand = handOf(boot);
  const left = `${file}.left`;
  let hasEnded = false;
  const ending: WholeParts = {
    ...parts,
    hand,
    withdrawals: new WaitingWithdrawals(),
    batch: new BatchSize(),
    screenEntry: (reader, entry, ...rest) => {
      const id = 'explanation_result' in entry ? entry.explanation_result.explanation_result_id : '';
      if (id !== endsAt) return parts.screenEntry(reader, entry, ...rest);
      copyFileSync(file, left);
      hasEnded = true;
      throw Object.assign(new Error('the end'), { code: 'SQLITE_IOERR' });
    },
  };
  try {
    for (let step = 0; step < steps && applyNext(ending); step += 1);
  } catch (error) {
    if (!hasEnded) throw error;
    copyFileSync(left, file);
  } finally {
    hand.close();
  }
}

const applied = (): number => readCursors(ledger).applied;
const status = () => syncStatus(ledger, new Date(AT));
const rejected = () => ledger.all(sqlite.selectFrom('rejected_entry').select(['cursor', 'reason']));

test('nothing is in hand while another program holds the ledger: whoever ends the process then accuses no entry', () => {
  const hand = handOf();
  const inHand: string[] = [];
  const write = ledger.write.bind(ledger);
  const waiting = vi.spyOn(ledger, 'write').mockImplementation((work) => {
    inHand.push(readFileSync(file, 'utf8').trim());
    return write(work);
  });
  expect(applyNext({ ...parts, hand })).toBe(true);
  waiting.mockRestore();
  hand.close();
  expect([inHand, applied()]).toEqual([['0'], COUNT]);
});

test('the entry at which two processes ended is rejected, and the others are applied', () => {
  run('e3');
  expect(applied()).toBe(0);
  run('e3');
  expect(applied()).toBe(2);
  run('e3');
  expect(applied()).toBe(COUNT);
  expect(rejected()).toEqual([{ cursor: 3, reason: expect.stringContaining('ended 2 times') as string }]);
  expect(status()).toMatchObject({ rejectedEntries: 1, lastError: null, alarms: ['REJECTED_ENTRIES'] });
  expect(explanationRow(ledger, 'e3')).toBeUndefined();
  for (const id of ['e1', 'e2', 'e4', 'e5']) expect(explanationRow(ledger, id)).toBeDefined();
  expect(verifyLedger(ledger).findings).toEqual([]);
  // An update that copes with it applies it by the way that there is for rejected entries.
  expect(replayRejected(parts).applied).toEqual([3]);
  expect(explanationRow(ledger, 'e3')).toBeDefined();
});

test.each([
  ['e1', [1, COUNT]],
  ['e3', [2, 3, COUNT]],
  ['e5', [4, COUNT]],
])('one end costs two transactions more, wherever it was (%s)', (at, ends) => {
  run(at);
  const hand = handOf();
  const reached: number[] = [];
  while (applyNext({ ...parts, hand })) reached.push(applied());
  hand.close();
  expect([reached, rejected()]).toEqual([ends, []]);
});

test('two ends at different entries accuse none', () => {
  run('e3');
  run('e4');
  run('e3');
  run(null);
  expect([applied(), rejected()]).toEqual([COUNT, []]);
});

test('an end while nothing is in hand, and a stop in good order, leave nothing', () => {
  run(null);
  expect(handOf().found).toBeNull();
  run(null);
  expect([applied(), rejected(), status().lastError]).toEqual([COUNT, [], null]);
});

test.each([
  ['of another start of the machine', () => run('e3', { boot: 'earlier' })],
  ['that is cut', () => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20))],
  ['in which a digit is changed', () => writeFileSync(file, readFileSync(file, 'utf8').replace('APPLY 2', 'APPLY 3'))],
  ['that is empty', () => writeFileSync(file, '')],
])('a file %s counts for nothing', (_, change) => {
  run('e3');
  run('e3');
  expect(handOf().found).toEqual({ work: 'APPLY', after: 2, ended: 2 });
  change();
  expect(handOf().found).toBeNull();
  run(null);
  expect([applied(), rejected()]).toEqual([COUNT, []]);
});

test('a place that is applied, or beyond what is committed, is another ledger’s', () => {
  run('e3');
  for (const cursors of [
    { applied: 3, committed: COUNT },
    { applied: 0, committed: 2 },
  ])
    expect(new InHand({ file, ...cursors, log, boot: 'boot' }).found).toBeNull();
});

test('without a file that can be written all goes on, and one line tells it', () => {
  const { log: told, lines } = readableLog();
  const hand = new InHand({ file: `${file}/no-folder`, applied: 0, committed: COUNT, log: told });
  while (applyNext({ ...parts, hand }));
  expect(applied()).toBe(COUNT);
  expect(lines.map(({ msg }) => msg)).toEqual(['the place of the entry in hand cannot be kept']);
  expect(existsSync(file)).toBe(false);
});

test.skipIf(process.platform === 'win32')('a pipe in its place is not waited for', () => {
  execFileSync('mkfifo', [file]);
  const { log: told, lines } = readableLog();
  const hand = new InHand({ file, applied: 0, committed: COUNT, log: told });
  hand.take('APPLY', 0);
  hand.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['the place of the entry in hand cannot be kept']);
});

test.skipIf(process.platform === 'win32')('it lies beside the file that a link leads to', () => {
  const link = `${made.file}.link`;
  symlinkSync(made.file, link);
  expect(inHandFile(link)).toBe(file);
});

test('an entry that is applied alone is read alone, and what comes before it without its bundle', () => {
  commitEntries(ledger, [newAt(COUNT + 1, 'large'), newAt(COUNT + 2, 'after')], AT);
  commitEntries(ledger, [newAt(COUNT + 3, 'last')], AT);
  run('large');
  const read: number[] = [];
  const watched = Object.assign(Object.create(ledger) as Ledger, {
    first: ((query: Parameters<Ledger['first']>[0]) => {
      const row = ledger.first(query);
      if (typeof row === 'object' && row !== null && 'body' in row && 'cursorTo' in row)
        read.push(Number(row.cursorTo));
      return row;
    }) as Ledger['first'],
  });
  for (const method of ['all', 'write'] as const)
    Object.assign(watched, { [method]: (ledger[method] as () => unknown).bind(ledger) });
  const hand = handOf();
  const step = (): [number, number[]] => {
    applyNext({ ...parts, ledger: watched, hand });
    return [applied(), [...new Set(read.splice(0))]];
  };
  expect([step(), step(), step()]).toEqual([
    [COUNT, [COUNT]],
    [COUNT + 1, [COUNT + 2]],
    [COUNT + 3, [COUNT + 2, COUNT + 3]],
  ]);
  hand.close();
});

test('a withdrawal is never rejected for an end: the withdrawn text would stay exposed', () => {
  run(null);
  commitEntries(ledger, [invalidationAt(COUNT + 1, 'e1')], AT);
  for (let ends = 1; ends <= 3; ends += 1) {
    const ending = handOf();
    ending.take('APPLY', COUNT);
    ending.close();
  }
  const hand = handOf();
  expect(hand.isAccused('APPLY', COUNT)).toBe(true);
  while (applyNext({ ...parts, hand }));
  expect([explanationRow(ledger, 'e1')?.status, rejected()]).toEqual(['INVALIDATED', []]);
  hand.close();
});

test('a withdrawal of the backlog goes first after an end, although less than a batch waits', () => {
  run(null);
  commitEntries(ledger, [newAt(COUNT + 1, 'next'), newAt(COUNT + 2, 'last'), invalidationAt(COUNT + 3, 'e1')], AT);
  run('next');
  expect([applied(), explanationRow(ledger, 'e1')?.status]).toEqual([COUNT, 'AUTO_PUBLISHED']);
  run('next', { steps: 1 });
  expect([applied(), explanationRow(ledger, 'e1')?.status]).toEqual([COUNT, 'INVALIDATED']);
});

test('a bundle whose reading for withdrawals ends two processes is passed over, and the next ones are read', () => {
  run(null);
  commitEntries(ledger, [newAt(COUNT + 1, 'new'), invalidationAt(COUNT + 2, 'e1')], AT);
  commitEntries(ledger, [invalidationAt(COUNT + 3, 'e2')], AT);
  for (let ends = 1; ends <= 2; ends += 1) {
    const hand = handOf();
    hand.take('WITHDRAW', COUNT);
    hand.close();
    expect(handOf().found).toEqual({ work: 'WITHDRAW', after: COUNT, ended: ends });
  }
  const hand = handOf();
  withdrawAhead({ ...parts, hand, withdrawals: new WaitingWithdrawals() });
  expect(['e1', 'e2'].map((id) => explanationRow(ledger, id)?.status === 'INVALIDATED')).toEqual([false, true]);
  while (applyNext({ ...parts, hand }));
  expect(explanationRow(ledger, 'e1')?.status).toBe('INVALIDATED');
  expect([rejected(), status().lastError]).toEqual([[], null]);
  hand.close();
});

test('a change at which processes end holds up no withdrawal that overtakes it', () => {
  run(null);
  commitEntries(ledger, [newAt(COUNT + 1, 'e1', { summary: '다른 글입니다.' })], AT);
  commitEntries(ledger, [invalidationAt(COUNT + 2, 'e1')], AT);
  // Once at its place, and twice along with the withdrawal.
  for (let ends = 1; ends <= 3; ends += 1) run('e1');
  expect(explanationRow(ledger, 'e1')?.status).not.toBe('INVALIDATED');
  run('e1');
  expect([applied(), explanationRow(ledger, 'e1')?.status, rejected()]).toEqual([COUNT + 2, 'INVALIDATED', []]);
});

test('the sync status tells the end until what the process may have read is applied', () => {
  run('e3');
  const hand = handOf();
  const told: unknown[] = [];
  while (applyNext({ ...parts, hand })) told.push([status().lastError?.code, status().alarms.join()]);
  expect(told).toEqual([
    ['PROCESS_ENDED', 'NOT_APPLIED'],
    ['PROCESS_ENDED', 'NOT_APPLIED'],
    // Nothing waits any more.
    ['PROCESS_ENDED', ''],
  ]);
  expect([status().lastError, status().alarms]).toEqual([null, []]);
  hand.close();
});

test('an error that the process survives leaves nothing in hand', () => {
  let writes = 0;
  const whole = ledger.write.bind(ledger);
  const failing = Object.assign(Object.create(ledger) as Ledger, {
    write: ((work: Parameters<Ledger['write']>[0]) => {
      writes += 1;
      if (writes === 1) throw Object.assign(new Error('disk'), { code: 'SQLITE_FULL' });
      return whole(work);
    }) as Ledger['write'],
    all: ledger.all.bind(ledger),
    first: ledger.first.bind(ledger),
  });
  const hand = handOf();
  expect(() => applyNext({ ...parts, ledger: failing, hand })).toThrow('disk');
  hand.close();
  expect(handOf().found).toBeNull();
});
