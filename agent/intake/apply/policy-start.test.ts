/** A policy version is put in force at its start, before the Intake or a command screens the next entry (D212). */
import { beforeEach, expect, test } from 'vitest';
import { activePolicyVersion, changePolicy } from '../../ledger/policy/versions.ts';
import { withWord } from '../../ledger/policy/changes.ts';
import { isPolicyDue } from '../../ledger/policy/start.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { UNTOLD } from '../../../shared/service/long-work/progress.ts';
import { runCommand } from '../commands.ts';
import {
  commitEntries,
  newAt,
  partsOn,
  readableLog,
  reviewer,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { applyNext } from './apply.ts';

const AT = '2026-11-20T08:00:00.000Z';
const START = '2026-11-20T09:00:00.000Z';
let ledger: Ledger;
let file: string;
let parts: WholeParts;
let now: string;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  now = AT;
  parts = { ...partsOn(ledger, AT), clock: { now: () => new Date(now) }, startsPolicies: true };
  const word = { id: 'w', word: '반도체', severity: 'BLOCK', active: true, exceptions: [] } as const;
  const change = (edited = SEED_POLICY) => withWord(edited, { ...word, exceptions: [] });
  ledger.write((tx) => changePolicy(tx, { change, startsAt: START, actor: reviewer, at: AT }));
});

const screened = () =>
  ledger.all(sqlite.selectFrom('explanation').select(['status', 'policy_version']).orderBy('cursor'));
const comes = (cursor: number) => {
  commitEntries(ledger, [newAt(cursor, `e${cursor}`, { summary: '반도체가 올랐습니다.' })], now);
  expect(applyNext(parts)).toBe(true);
};

test('entries are screened under the version in force when they are applied, also after a clock that was set back', () => {
  now = '2026-11-20T08:59:59.999Z';
  comes(1);
  now = START;
  comes(2);
  now = AT;
  comes(3);
  expect(screened()).toEqual([
    { status: 'AUTO_PUBLISHED', policy_version: 1 },
    { status: 'BLOCKED', policy_version: 2 },
    { status: 'BLOCKED', policy_version: 2 },
  ]);
});

test('a start that comes between the look and the write lock counts for the batch', () => {
  const times = ['2026-11-20T08:59:59.998Z', '2026-11-20T08:59:59.999Z'];
  parts = { ...parts, clock: { now: () => new Date(times.shift() ?? START) } };
  comes(1);
  expect(screened()).toEqual([{ status: 'BLOCKED', policy_version: 2 }]);
});

test('a machine that slept over the start starts it with nothing to apply, and what repeats the past leaves it', () => {
  now = '2026-11-23T00:00:00.000Z';
  expect(applyNext({ ...parts, startsPolicies: false })).toBe(false);
  expect(activePolicyVersion(ledger)).toBe(1);
  expect(isPolicyDue(ledger, now)).toBe(true);
  expect(applyNext(parts)).toBe(false);
  expect(activePolicyVersion(ledger)).toBe(2);
  const row = ledger.first(sqlite.selectFrom('policy_start').selectAll());
  expect(row).toMatchObject({ version: 2, starts_at: START, started_at: now });
});

test.each([['replay'], ['rebuild'], ['repair'], ['set-aside', '9']])(
  'the command %s screens under the version that is due, also where the Intake was stopped over its start',
  async (...args) => {
    commitEntries(ledger, [newAt(1, 'e1', { summary: '반도체가 올랐습니다.' })], now);
    const fails = (): never => {
      throw new Error('an earlier program');
    };
    expect(applyNext({ ...parts, screenEntry: fails })).toBe(true);
    now = '2026-11-20T10:00:00.000Z';
    const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9' };
    const context = { env, clock: parts.clock, log: readableLog().log, print: () => undefined, progress: UNTOLD };
    expect(await runCommand(args, context)).toBe(0);
    expect(activePolicyVersion(ledger)).toBe(2);
    expect(screened()).toEqual(args[0] === 'replay' ? [{ status: 'BLOCKED', policy_version: 2 }] : []);
  },
);
