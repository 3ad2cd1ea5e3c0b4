/** Decisions made before and after raw records were set aside, in a ledger that a restore brings from before that (D202). */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explanationId } from '../../../ledger/explanations/explanations.ts';
import { DecisionJournal } from '../../../ledger/journal/journal.ts';
import { journalKeyFile, readJournalKeys } from '../../../ledger/journal/journal-key.ts';
import { exposableIds } from '../../../ledger/serving/visibility.ts';
import { openLedger, type Ledger } from '../../../ledger/storage/ledger.ts';
import { testLedger } from '../../../../test/support/agent/ledger.ts';
import { applyMove } from '../../../ledger/transitions.ts';
import type { RawEntry } from '../../apply/entry.ts';
import { truncateAfter } from '../../maintenance/truncate.ts';
import { verifyLedger } from '../../maintenance/verify.ts';
import type { Pull } from '../../receive/pull.ts';
import {
  bodyOf,
  bundleOf,
  explanationRow,
  newAt,
  partsOn,
  RESTORE_ALONE,
  reviewer,
  takeIn,
} from '../../../../test/support/agent/intake.ts';
import { backupLedger } from '../backup.ts';
import { catchUp } from '../catch-up.ts';
import { restoreLedger } from '../restore.ts';

const at = '2026-11-20T08:00:00.000Z';
const NOW = new Date('2026-11-20T11:00:00.000Z');
const dated = (cursor: number, id: string, minute: number): RawEntry =>
  newAt(cursor, id, { explanation_as_of: `2026-11-20T01:${minute}:00.000Z` });
let made: { ledger: Ledger; file: string };
let folder: string;
let backup: string;
let journal: DecisionJournal;
/** What the cloud has delivered. */
let cloud: RawEntry[];
beforeEach(async () => {
  made = testLedger();
  const place = path.dirname(made.file);
  folder = path.join(place, 'journal');
  backup = path.join(place, 'backup.sqlite');
  cloud = [dated(1, 'early', 10), dated(2, 'late', 20)];
  takeIn(partsOn(made.ledger, at), ...cloud);
  const log = { info: () => undefined, error: () => undefined };
  journal = await DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
  await backupLedger(made.ledger, backup);
});
afterEach(async () => {
  await journal.stop();
});

/** On a connection of its own, as the Intake has. */
function intake<T>(work: (parts: ReturnType<typeof partsOn>) => T): T {
  const ledger = openLedger(made.file);
  try {
    return work(partsOn(ledger, at));
  } finally {
    ledger.close();
  }
}
const deliver = (...entries: RawEntry[]): void => {
  cloud.push(...entries);
  intake((parts) => takeIn(parts, ...entries));
};
const stop = (id: string): Promise<void> =>
  journal.write((begin) =>
    Promise.resolve(
      made.ledger.write((tx) => {
        begin();
        applyMove(tx, { id: explanationId(id), move: 'stop', actor: reviewer, at, reason: 'x' });
      }),
    ),
  );
const pull: Pull = ({ after, limit }) => {
  const entries = cloud.slice(after, after + limit);
  const body = entries.length === 0 ? bodyOf() : bodyOf(bundleOf(after, entries));
  return Promise.resolve({
    ...{ status: 200, body, head: null },
    ...{ signature: null, statement: null, retryAfter: null },
  });
};

/** On another disk. The ledger gets one more entry. */
async function restored(older: 'REFUSED' | 'EXPOSED', next: RawEntry): Promise<Record<string, unknown>> {
  const file = path.join(path.dirname(made.file), 'new', 'ledger.sqlite');
  mkdirSync(path.dirname(file));
  await restoreLedger({
    ...{ file, backup, ...RESTORE_ALONE, pull, older, journal: folder, now: NOW },
    catchUp: (ledger, between) => {
      const parts = partsOn(ledger, NOW.toISOString());
      return catchUp({ ...parts, pull, limit: 2, periodMs: 60_000, verification: null }, parts, between);
    },
    proof: { keys: readJournalKeys(journalKeyFile(made.file)), acceptsUnproved: false },
  });
  const ledger = openLedger(file);
  try {
    const before = exposableIds(ledger, NOW);
    takeIn(partsOn(ledger, NOW.toISOString()), next);
    expect(verifyLedger(ledger, [], { now: NOW }).findings).toEqual([]);
    const placeOf = (id: string): unknown => explanationRow(ledger, id)?.stated_position;
    const ended = explanationRow(ledger, 'late')?.ended_position;
    return { before, ended, third: placeOf('third'), next: placeOf('next'), after: exposableIds(ledger, NOW) };
  } finally {
    ledger.close();
  }
}

test('a decision after it keeps its place among what came before and what comes', async () => {
  intake((parts) => {
    takeIn(parts, dated(5000, 'never', 30));
    truncateAfter(parts, 2);
  });
  deliver(dated(3, 'third', 12));
  await stop('late');
  deliver(dated(4, 'fourth', 14));
  const last = { before: [explanationId('fourth')], after: [explanationId('next')] };
  const ended = 'e000001:0000000000000003+000000001';
  expect(exposableIds(made.ledger, NOW)).toEqual(last.before);
  expect(await restored('REFUSED', dated(5, 'next', 16))).toEqual({
    ...last,
    ...{ ended, third: '0000000000000003', next: 'e000001:0000000000000005' },
  });
});

test('a decision at cursors that the cloud does not have darkens nothing that comes', async () => {
  intake((parts) => takeIn(parts, dated(5000, 'never', 11)));
  await stop('late');
  intake((parts) => truncateAfter(parts, 2));
  deliver(dated(3, 'third', 12));
  expect(await restored('EXPOSED', dated(4, 'next', 16))).toEqual({
    ...{ before: [], after: [explanationId('next')] },
    ...{ ended: '0000000000005000+000000001', third: '0000000000000003', next: 'e000001:0000000000000004' },
  });
});
