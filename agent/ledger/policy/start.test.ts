/** A policy version that was published for later: in force from the record of its start on, and not before (D212). */
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import { disclaimerText, type PolicySnapshot } from '../../screening/policy.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { addMember } from '../accounts/members.ts';
import { policyFaults } from '../audit/single-things.ts';
import { readRecordKey, recordKeyFile } from '../made/record-key.ts';
import { factFaults, readShownFacts } from '../shown/shown-facts.ts';
import { openLedger, type Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { withCriteria, withDisclaimer } from './changes.ts';
import { listProposals, proposeChange, publishProposal } from './proposals.ts';
import { needsSecondPerson } from './second-person.ts';
import { cancelPolicyStart, isPolicyDue, startDuePolicy } from './start.ts';
import { activePolicyVersion, changePolicy, editedPolicy, listPolicyVersions, waitingVersion } from './versions.ts';

const AT = '2026-11-20T08:00:00.000Z';
const START = '2026-11-20T09:00:00.000Z';
const AFTER = '2026-11-20T09:00:07.000Z';
const member = (id: string) =>
  ({ kind: 'MEMBER', id, displayName: `이름 ${id}`, role: 'COMPLIANCE_REVIEWER' }) as const;
const [one, two] = [member('one'), member('two')];
type Change = (edited: PolicySnapshot | undefined) => PolicySnapshot;
const sources =
  (minSources: number): Change =>
  (edited = SEED_POLICY) =>
    withCriteria(edited, { minSources });

let ledger: Ledger;
let file: string;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  ledger.write((tx) => {
    for (const { id, displayName, role } of [one, two])
      addMember(tx, { id, username: id, displayName, role, passwordHash: UNMATCHED_HASH, at: AT });
  });
  publish(sources(3));
});

const publish = (change: Change, more: object = {}) =>
  ledger.write((tx) => changePolicy(tx, { change, actor: one, at: AT, ...more }));
const start = (at: string) => ledger.write((tx) => startDuePolicy(tx, at));
const cancel = (version: number, more: object = {}) =>
  ledger.write((tx) => cancelPolicyStart(tx, { version, reason: '보류', actor: two, at: AT, ...more }));
const versions = () => listPolicyVersions(ledger, { page: 1, size: 10 }).rows;
const states = () => versions().map(({ version, active, start: of }) => [version, active, of?.state ?? null]);
const faults = () =>
  policyFaults(ledger, readRecordKey(recordKeyFile(file) ?? ''), activePolicyVersion(ledger) ?? 0).map(
    ({ fault, table, key }) => [fault, table, key],
  );
const sourcesNow = () => editedPolicy(ledger)?.snapshot.criteria.minSources;
const facts = () => ledger.all(sqlite.selectFrom('serving_fact').select(['at', 'value']).where('kind', '=', 'POLICY'));

describe('a version with a start', () => {
  test('waits beside the one in force, which alone decides; its record and its start prove it', () => {
    const text = '새로운 안내 문구';
    publish((edited = SEED_POLICY) => withDisclaimer(withCriteria(edited, { fourEyes: true }), text), {
      startsAt: START,
    });
    expect(activePolicyVersion(ledger)).toBe(1);
    expect(needsSecondPerson(ledger)).toBe(false);
    expect(waitingVersion(ledger)).toEqual({ version: 2, startsAt: START, author: one.displayName, authorId: 'one' });
    expect(states()).toEqual([
      [2, false, 'WAITING'],
      [1, true, null],
    ]);
    expect([facts().length, faults()]).toEqual([1, []]);

    expect([start(AT), isPolicyDue(ledger, AT), isPolicyDue(ledger, START)]).toEqual([null, false, true]);
    expect([start(AFTER), start(AFTER)]).toEqual([2, null]);
    expect([activePolicyVersion(ledger), waitingVersion(ledger)]).toEqual([2, undefined]);
    expect(needsSecondPerson(ledger)).toBe(true);
    expect(versions()[0]?.start).toEqual({
      ...{ startsAt: START, state: 'STARTED', at: AFTER },
      ...{ cancelledBy: null, reason: null },
    });
    const [, fact] = facts();
    expect([fact?.at, JSON.parse(fact?.value ?? '')]).toEqual([
      AFTER,
      {
        ...{ version: 2, expiresAt: null, by: one.displayName },
        disclaimer: disclaimerText(withDisclaimer(SEED_POLICY, text)),
      },
    ]);
    const row = ledger.first(sqlite.selectFrom('console_action_log').selectAll().where('action', '=', 'policy.start'));
    expect(row).toMatchObject({ at: AFTER, actor_role: 'SYSTEM', target_type: 'policy_version', target_id: '2' });
    expect(JSON.parse(row?.detail ?? '')).toEqual({
      startsAt: START,
      appliedCursor: 0,
      changes: versions()[0]?.changes,
    });
    expect(faults()).toEqual([]);
  });

  test('stays in force when the clock is set back', () => {
    publish(sources(5), { startsAt: START });
    start(AFTER);
    expect(start(AT)).toBeNull();
    expect(activePolicyVersion(ledger)).toBe(2);
  });

  test('is what the next change builds on and takes the place of, with its start', () => {
    publish(sources(5), { startsAt: START });
    expect(() => publish(sources(6), { expectedVersion: 1 })).toThrow(expect.objectContaining({ version: 2 }));
    const hold: Change = (edited = SEED_POLICY) => withCriteria(edited, { holdSeconds: 9 });
    publish(hold, { expectedVersion: 2 });
    expect([sourcesNow(), waitingVersion(ledger)?.startsAt, waitingVersion(ledger)?.version]).toEqual([5, START, 3]);
    // What it will change, against the one in force.
    expect(versions()[0]?.changes).toEqual([
      { kind: 'CRITERION', criterion: 'minSources', from: 3, to: 5 },
      { kind: 'CRITERION', criterion: 'holdSeconds', from: 0, to: 9 },
    ]);
    expect(publish(sources(5)).version).toBe(3);
    const later = '2026-11-21T09:00:00.000Z';
    expect(publish(sources(5), { startsAt: later }).version).toBe(4);
    expect(start(AFTER)).toBeNull();
    expect(publish(sources(5), { startsAt: null }).version).toBe(5);
    expect(states()).toEqual([
      [5, true, null],
      [4, false, 'REPLACED'],
      [3, false, 'REPLACED'],
      [2, false, 'REPLACED'],
      [1, false, null],
    ]);
    expect([start(later), faults()]).toEqual([null, []]);
  });

  test('lies ahead, within a year, and is not the first', () => {
    expect(() => publish(sources(5), { startsAt: AT })).toThrow('has passed');
    expect(() => publish(sources(5), { startsAt: '2027-11-22T08:00:00.000Z' })).toThrow('366 days');
    const empty = testLedger();
    expect(() =>
      empty.ledger.write((tx) => changePolicy(tx, { change: sources(5), actor: one, at: AT, startsAt: START })),
    ).toThrow('first version');
  });

  test('is neither changed nor cancelled once it is due', () => {
    publish(sources(5), { startsAt: START });
    expect(() => publish(sources(6), { at: START })).toThrow('the Intake starts it');
    expect(() => cancel(2, { at: START })).toThrow('has come');
  });
});

describe('a version that waits is cancelled', () => {
  beforeEach(() => {
    publish(sources(5), { startsAt: START });
  });

  test('by another person than its author, with a reason; the one in force stays', () => {
    expect(() => cancel(2, { actor: one })).toThrow('another reviewer must cancel it');
    expect(() => cancel(1)).toThrow('does not wait');
    const change = (edited: PolicySnapshot) => sources(6)(edited);
    const proposal = { id: 'p', draft: { criteria: { minSources: 6 } }, told: [], change, actor: two, at: AT };
    ledger.write((tx) => proposeChange(tx, proposal));
    cancel(2);
    expect(versions()[0]?.start).toEqual({
      ...{ startsAt: START, state: 'CANCELLED', at: AT },
      ...{ cancelledBy: two.displayName, reason: '보류' },
    });
    expect([start(AFTER), activePolicyVersion(ledger), sourcesNow(), faults()]).toEqual([null, 1, 3, []]);
    // It was based on the cancelled version.
    expect(listProposals(ledger, { page: 1, size: 10 }).total).toBe(0);
    expect(() => cancel(2)).toThrow('does not wait');
    expect(publish(sources(7))).toMatchObject({ version: 3 });
    expect(activePolicyVersion(ledger)).toBe(3);
  });

  test('by the publisher of a proposal, but not by the person who wrote it', () => {
    const draft = { criteria: { minSources: 6 }, startsAt: START };
    const change = (edited: PolicySnapshot) => sources(6)(edited);
    ledger.write((tx) => proposeChange(tx, { id: 'p', draft, told: [], change, actor: one, at: AT }));
    ledger.write((tx) => publishProposal(tx, { id: 'p', actor: two, at: AT }));
    expect(waitingVersion(ledger)).toMatchObject({ version: 3, startsAt: START, authorId: 'one' });
    expect(() => cancel(3, { actor: one })).toThrow('another reviewer');
    cancel(3);
    expect(waitingVersion(ledger)).toBeUndefined();
  });
});

describe('a start that was altered past the program is found at the next batch', () => {
  /** As somebody does who can write the file. */
  function alter(sql: string): void {
    const db = new Database(file);
    for (const { name } of db
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE tbl_name = 'policy_start' AND type = 'trigger'",
      )
      .all())
      db.exec(`DROP TRIGGER "${name}"`);
    db.exec(sql);
    db.close();
    ledger.close();
    ledger = openLedger(file);
  }

  test.each([
    ['taken away from one that waits', 'DELETE FROM policy_start', 'GONE'],
    ['brought about', `UPDATE policy_start SET started_at = '${AT}'`, 'ALTERED'],
  ])('%s', (_, sql, fault) => {
    publish(sources(5), { startsAt: START });
    alter(sql);
    expect(activePolicyVersion(ledger)).toBe(2);
    expect(faults()).toEqual([[fault, 'policy_start', [2]]]);
  });

  test.each([
    ['undone', 'UPDATE policy_start SET started_at = NULL', 'ALTERED', 2],
    [
      'given to one that had none',
      `INSERT INTO policy_start (version, starts_at, author_id) VALUES (3, '${START}', 'one')`,
      'NO_ROW',
      3,
    ],
  ])('%s', (_, sql, fault, version) => {
    publish(sources(5), { startsAt: START });
    start(AFTER);
    if (version === 3) publish(sources(6));
    alter(sql);
    expect(activePolicyVersion(ledger)).toBe(version - 1);
    expect(faults()).toEqual([[fault, 'policy_start', [version]]]);
  });
});

test('what was shown is told whole whether a new disclaimer started, was cancelled, or was replaced', () => {
  const of =
    (text: string): Change =>
    (edited = SEED_POLICY) =>
      withDisclaimer(edited, text);
  const check = () => {
    const to = '2026-11-20T10:00:00.000Z';
    ledger.read((reader) => {
      expect(readShownFacts(reader, '069500', { from: AT, to }, new Date(to)).policies).toHaveLength(facts().length);
      expect([...factFaults(reader)]).toEqual([]);
    });
  };
  ledger.write((tx) => receive(tx, newEntry('one')));
  publish(of('둘'), { startsAt: START });
  check();
  cancel(2);
  check();
  publish(of('셋'), { startsAt: START });
  publish(of('넷'), { startsAt: START });
  // Back to what is in force: nothing changes for customers.
  publish(
    (edited = SEED_POLICY) => withCriteria(withDisclaimer(edited, SEED_POLICY.disclaimer.text), { minSources: 8 }),
    {
      startsAt: null,
    },
  );
  check();
  publish(of('다섯'), { startsAt: START });
  publish(sources(9));
  start(AFTER);
  check();
  expect(facts().map(({ at }) => at)).toEqual([AT, AFTER]);
});
