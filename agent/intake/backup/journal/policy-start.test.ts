/** A restore starts a policy version where the Intake had started it, as the decision journal tells (D212). */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explanationId } from '../../../ledger/explanations/explanations.ts';
import { DecisionJournal } from '../../../ledger/journal/journal.ts';
import { journalKeyFile, readJournalKeys } from '../../../ledger/journal/journal-key.ts';
import { START } from '../../../ledger/journal/records.ts';
import { withCriteria, withDisclaimer, withWord } from '../../../ledger/policy/changes.ts';
import { cancelPolicyStart } from '../../../ledger/policy/start.ts';
import { activePolicyVersion, changePolicy, listPolicyVersions } from '../../../ledger/policy/versions.ts';
import { addNote } from '../../../ledger/review/notes.ts';
import { factFaults } from '../../../ledger/shown/shown-facts.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../ledger/storage/ledger.ts';
import { sqlite } from '../../../ledger/storage/query.ts';
import { testLedger } from '../../../../test/support/agent/ledger.ts';
import type { PolicySnapshot } from '../../../screening/policy.ts';
import { SEED_POLICY } from '../../../screening/seed/seed-policy.ts';
import { applyNext } from '../../apply/apply.ts';
import type { RawEntry } from '../../apply/entry.ts';
import { verifyLedger } from '../../maintenance/verify.ts';
import type { Pull } from '../../receive/pull.ts';
import {
  bodyOf,
  bundleOf,
  commitEntries,
  newAt,
  partsOn,
  RESTORE_ALONE,
  reviewer,
} from '../../../../test/support/agent/intake.ts';
import { backupLedger } from '../backup.ts';
import { catchUp } from '../catch-up.ts';
import { restoreLedger, type Restored, type RestoreParts } from '../restore.ts';
import { Replay } from './beyond.ts';

const at = '2026-11-20T08:00:00.000Z';
const startsAt = '2026-11-20T09:00:00.000Z';
const NOW = '2026-11-20T11:00:00.000Z';
const other = { ...reviewer, id: 'other' };
const log = { info: () => undefined, error: () => undefined };
let made: { ledger: Ledger; file: string };
let folder: string;
let backup: string;
let lost: string;
let kept: DecisionJournal | null;
/** What the cloud has delivered. */
let cloud: RawEntry[];
beforeEach(() => {
  made = testLedger();
  partsOn(made.ledger, at);
  const place = path.dirname(made.file);
  folder = path.join(place, 'journal');
  backup = path.join(place, 'backup.sqlite');
  lost = path.join(place, 'new', 'ledger.sqlite');
  mkdirSync(path.dirname(lost));
  [kept, cloud] = [null, []];
});
afterEach(async () => {
  await kept?.stop();
});

const keepJournal = async (): Promise<void> => {
  kept = await DecisionJournal.open({ ledger: made.ledger, folder, mode: 'require', log });
};

/** What a person does, in the journal where one is kept. */
async function act(work: (tx: LedgerTransaction) => unknown): Promise<void> {
  const write = (begin: () => void): Promise<void> =>
    Promise.resolve(
      made.ledger.write((tx) => {
        begin();
        work(tx);
      }),
    );
  await (kept === null ? write(() => undefined) : kept.write(write));
}
const publish = (change: (edited?: PolicySnapshot) => PolicySnapshot, when: string, more: object = {}) =>
  act((tx) => changePolicy(tx, { change, actor: reviewer, at: when, ...more }));
const WORD = { id: 'w', word: '반도체', severity: 'BLOCK', active: true } as const;
const blocking = (edited = SEED_POLICY): PolicySnapshot => withWord(edited, { ...WORD, exceptions: [] });
const note = (id: string, when: string) =>
  act((tx) => addNote(tx, { id: explanationId(id), text: '메모', actor: reviewer, at: when }));

/** The Intake's period at a time, with the entries that have come. On a connection of its own, as it has. */
function intake(when: string, ...ids: string[]): void {
  const ledger = openLedger(made.file);
  const come = ids.map((id, n) => newAt(cloud.length + n + 1, id, { summary: '반도체가 올랐습니다.' }));
  cloud.push(...come);
  if (come.length > 0) commitEntries(ledger, come, when);
  while (applyNext({ ...partsOn(ledger, when), startsPolicies: true }));
  ledger.close();
}

const pull: Pull = ({ after, limit }) => {
  const entries = cloud.slice(after, after + limit);
  const body = entries.length === 0 ? bodyOf() : bodyOf(bundleOf(after, entries));
  return Promise.resolve({
    ...{ status: 200, body, head: String(cloud.length) },
    ...{ signature: null, statement: null, retryAfter: null },
  });
};

/** On another disk, with the key that was kept apart. */
const restore = (more: Partial<RestoreParts> = {}): Promise<Restored> =>
  restoreLedger({
    ...{ file: lost, backup, ...RESTORE_ALONE, pull, older: 'REFUSED', journal: folder, now: new Date(NOW) },
    catchUp: (ledger, between) => {
      const parts = partsOn(ledger, NOW);
      return catchUp({ ...parts, pull, limit: 2, periodMs: 60_000, verification: null }, parts, between);
    },
    proof: { keys: readJournalKeys(journalKeyFile(made.file)), acceptsUnproved: false },
    ...more,
  });

const screened = (ledger: Ledger): unknown[] =>
  ledger.all(
    sqlite.selectFrom('explanation').select(['explanation_result_id', 'status', 'policy_version']).orderBy('cursor'),
  );
const row = (id: string, status: string, version: number) => ({
  ...{ explanation_result_id: id, status, policy_version: version },
});

/** Looks at the restored ledger, which is sound and has started each version as the lost one had. */
function look<T>(at: (ledger: Ledger) => T): T {
  const ledger = openLedger(lost);
  try {
    expect(verifyLedger(ledger, [], { now: new Date(NOW) }).findings).toEqual([]);
    expect([...factFaults(ledger)]).toEqual([]);
    return at(ledger);
  } finally {
    ledger.close();
  }
}
const startOf = (ledger: Ledger, version: number) =>
  listPolicyVersions(ledger, { page: 1, size: 10 }).rows.find((each) => each.version === version)?.start;

test.each([
  ['that started', false, { state: 'STARTED', at: '2026-11-20T09:00:05.000Z' }],
  ['that was cancelled', true, { state: 'CANCELLED', at, reason: '보류' }],
])('a version %s does so again before the next change of the policy', async (_, isCancelled, start) => {
  await keepJournal();
  await backupLedger(made.ledger, backup);
  await publish((edited = SEED_POLICY) => withDisclaimer(edited, '새 안내'), at, { startsAt });
  if (isCancelled) await act((tx) => cancelPolicyStart(tx, { version: 2, reason: '보류', actor: other, at }));
  intake('2026-11-20T09:00:05.000Z');
  await publish((edited = SEED_POLICY) => withCriteria(edited, { minSources: 9 }), '2026-11-20T10:00:00.000Z');

  expect((await restore()).replayed).toMatchObject({ unmade: [], lacking: null });
  look((ledger) => {
    expect(activePolicyVersion(ledger)).toBe(3);
    expect(startOf(ledger, 2)).toMatchObject(start);
  });
});

test('each entry meets the version that it met, however late the Intake had started it', async () => {
  await keepJournal();
  await backupLedger(made.ledger, backup);
  await publish(blocking, at, { startsAt });
  intake('2026-11-20T08:30:00.000Z', 'before');
  await note('before', '2026-11-20T08:31:00.000Z');
  // The Intake is stopped over the start, and the decision was still made under the first version.
  await note('before', '2026-11-20T09:10:00.000Z');
  intake('2026-11-20T09:30:00.000Z', 'one', 'two', 'three');
  await note('one', '2026-11-20T10:00:00.000Z');
  const expected = [row('before', 'AUTO_PUBLISHED', 1), ...['one', 'two', 'three'].map((id) => row(id, 'BLOCKED', 2))];
  expect(screened(made.ledger)).toEqual(expected);

  expect((await restore()).replayed).toMatchObject({ made: 4, unmade: [], lacking: null });
  look((ledger) => {
    expect(screened(ledger)).toEqual(expected);
    expect(startOf(ledger, 2)).toMatchObject({ state: 'STARTED', at: '2026-11-20T09:30:00.000Z' });
    const told = sqlite.selectFrom('console_action_log').select('detail').where('action', '=', 'policy.start');
    expect(JSON.parse(ledger.first(told)?.detail ?? '')).toMatchObject({ appliedCursor: 1 });
  });
});

test.each([
  ['a journal without a later record', true, 'REFUSED'],
  ['no journal', false, 'EXPOSED'],
] as const)('%s: what is due by the restore starts before the next entry', async (_, isKept, older) => {
  if (isKept) {
    await keepJournal();
    await backupLedger(made.ledger, backup);
  }
  await publish(blocking, at, { startsAt });
  if (!isKept) await backupLedger(made.ledger, backup);
  intake('2026-11-20T09:30:00.000Z', 'one');
  expect(screened(made.ledger)).toEqual([row('one', 'BLOCKED', 2)]);

  await restore({ older, journal: isKept ? folder : null });
  look((ledger) => {
    expect(screened(ledger)).toEqual([row('one', 'BLOCKED', 2)]);
    expect(startOf(ledger, 2)).toMatchObject({ state: 'STARTED', at: NOW });
  });
});

test.each([
  ['that tells a start', { version: 2, at: '2026-11-20T09:30:00.000Z', applied: 3 }, 3, 2],
  // Cursors fall back where records were set aside.
  ['that tells a start at a higher cursor', { version: 2, at: '2026-11-20T09:30:00.000Z', applied: 9 }, 7, 2],
  ['before which nothing started', null, 7, 1],
  ['that tells the start of another version', { version: 1, at: '2026-11-20T09:30:00.000Z', applied: 3 }, 7, 1],
  ['that tells a start before its time', { version: 2, at, applied: 3 }, 7, 1],
  ['of an earlier program: what was due by its time has started', undefined, 7, 2],
])('a record %s', async (_, started, next, version) => {
  await publish(blocking, at, { startsAt });
  const told = { seq: 1, prev: START.hash, applied: 7, started, acts: 0, changes: [] };
  const record = JSON.stringify({ ...told, audit: [{ action: 'x', at: '2026-11-20T10:00:00.000Z' }] });
  // Only where and when something starts matters here: its own row is in no form.
  const replay = new Replay(made.ledger, [{ seq: 1, hash: 'x', record }], true);
  expect(replay.next()).toBe(next);
  replay.makeUpTo(7);
  expect([replay.next(), replay.left, activePolicyVersion(made.ledger)]).toEqual([null, 0, version]);
});
