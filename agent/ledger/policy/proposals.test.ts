/** Versions of the policy and proposals of them, on a ledger. */
import { hash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PolicyDraft } from '../../../shared/wire/console/console.ts';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import { disclaimerText, type PolicySnapshot } from '../../screening/policy.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { registerMember } from '../accounts/member-changes.ts';
import { addMember } from '../accounts/members.ts';
import type { Ledger } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { PolicyChangeError, withCriteria } from './changes.ts';
import {
  listProposals,
  MOST_PROPOSALS,
  proposeChange,
  publishProposal,
  TooManyProposalsError,
  UnknownProposalError,
  withdrawProposal,
} from './proposals.ts';
import { isActiveReviewer, needsSecondPerson, SecondPersonNeededError } from './second-person.ts';
import {
  activePolicy,
  activePolicyVersion,
  changePolicy,
  findPolicyVersion,
  listPolicyVersions,
  policyVersion,
  PolicyMovedOnError,
} from './versions.ts';

const AT = '2026-11-20T08:00:00.000Z';
const draft: PolicyDraft = { criteria: { minSources: 5 } };
const member = (id: string) =>
  ({ kind: 'MEMBER', id, displayName: `이름 ${id}`, role: 'COMPLIANCE_REVIEWER' }) as const;
const [one, two] = [member('one'), member('two')];
const sources = (minSources: number) => (active: PolicySnapshot | undefined) =>
  withCriteria(active ?? SEED_POLICY, { minSources });

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
  ledger.write((tx) => {
    for (const { id, displayName, role } of [one, two])
      addMember(tx, { id, username: id, displayName, role, passwordHash: UNMATCHED_HASH, at: AT });
  });
});

const publish = (minSources: number, more: object = {}) =>
  ledger.write((tx) => changePolicy(tx, { change: sources(minSources), actor: one, at: AT, ...more }));
const propose = (id: string, minSources: number, more: object = {}) =>
  ledger.write((tx) =>
    proposeChange(tx, { id, draft, told: [], change: sources(minSources), actor: one, at: AT, ...more }),
  );
const publishOf = (id: string, more: object = {}) =>
  ledger.write((tx) => publishProposal(tx, { id, actor: two, at: AT, ...more }));
const actions = () =>
  ledger
    .all(sqlite.selectFrom('console_action_log').selectAll().orderBy('seq'))
    .map(({ action, target_type, target_id, detail }) => ({
      action,
      target: `${target_type} ${target_id}`,
      detail: JSON.parse(detail ?? 'null') as Record<string, unknown>,
    }));
const proposals = (page = 1, size = 10) => listProposals(ledger, { page, size });

describe('versions', () => {
  test('are numbered from 1, and the newest is in force', () => {
    expect([activePolicyVersion(ledger), activePolicy(ledger), policyVersion(ledger, 1)]).toEqual([
      null,
      undefined,
      undefined,
    ]);
    expect(listPolicyVersions(ledger, { page: 1, size: 10 })).toEqual({ rows: [], total: 0 });
    expect([publish(3).version, publish(4).version, publish(5).version]).toEqual([1, 2, 3]);
    expect(activePolicy(ledger)).toEqual({ version: 3, snapshot: sources(5)(undefined) });
    expect(policyVersion(ledger, 2)).toEqual({ version: 2, snapshot: sources(4)(undefined) });
    const item = (version: number, from: number, to: number) => ({
      version,
      author: one.displayName,
      createdAt: AT,
      active: version === 3,
      start: null,
      changes: [{ kind: 'CRITERION', criterion: 'minSources', from, to }],
    });
    const first = { ...item(1, 0, 0), changes: [{ kind: 'FIRST', words: SEED_POLICY.words.length }] };
    const list = (page: number, size: number) => listPolicyVersions(ledger, { page, size });
    expect(list(1, 10)).toEqual({ rows: [item(3, 4, 5), item(2, 3, 4), first], total: 3 });
    expect([list(1, 2).rows, list(2, 2).rows].map((rows) => rows.map(({ version }) => version))).toEqual([[3, 2], [1]]);
    expect([findPolicyVersion(ledger, 2), findPolicyVersion(ledger, 9)]).toEqual([item(2, 3, 4), undefined]);
  });

  test('keep what decides by itself in columns of their own, and a proof of the whole on record', () => {
    const criteria = { sampleShare: 11, blindShare: 12, holdSeconds: 13, expiresAt: '15:30' };
    publish(0, { change: () => withCriteria(SEED_POLICY, criteria) });
    expect(ledger.first(sqlite.selectFrom('policy_version').selectAll())).toMatchObject({
      version: 1,
      author: one.displayName,
      created_at: AT,
      sample_share: 11,
      blind_share: 12,
    });
    expect(ledger.all(sqlite.selectFrom('policy_timing').selectAll())).toEqual([
      { version: 1, hold_seconds: 13, expires_at: '15:30' },
    ]);
    const stored = ledger.first(sqlite.selectFrom('policy_version').select('snapshot'))?.snapshot ?? '';
    expect(actions()).toEqual([
      {
        action: 'policy.publish',
        target: 'policy_version 1',
        detail: {
          changes: [{ kind: 'FIRST', words: SEED_POLICY.words.length }],
          snapshotSha256: hash('sha256', stored),
        },
      },
    ]);
  });

  test('what customers read under a version is on record from its moment', () => {
    publish(0, { change: () => withCriteria(SEED_POLICY, { expiresAt: '15:30' }) });
    const facts = ledger.all(sqlite.selectFrom('serving_fact').select(['at', 'kind', 'ticker', 'value']));
    expect(facts.map(({ value, ...fact }) => ({ ...fact, value: JSON.parse(value) as object }))).toEqual([
      {
        at: AT,
        kind: 'POLICY',
        ticker: null,
        value: { version: 1, disclaimer: disclaimerText(SEED_POLICY), expiresAt: '15:30', by: one.displayName },
      },
    ]);
  });

  test('none is made without a difference, nor where the policy has moved on', () => {
    publish(3);
    expect(publish(3).version).toBe(1);
    expect(publish(3, { expectedVersion: 1 }).version).toBe(1);
    expect(() => publish(4, { expectedVersion: 2 })).toThrow(expect.objectContaining({ version: 1 }));
    expect(() => publish(4, { expectedVersion: 2 })).toThrow('version 1 now');
    const note = { kind: 'NOTE', text: '왜' } as const;
    publish(4, { told: [note] });
    expect(findPolicyVersion(ledger, 2)?.changes).toEqual([
      note,
      { kind: 'CRITERION', criterion: 'minSources', from: 3, to: 4 },
    ]);
  });

  test('a former one may hold its changes as texts', () => {
    publish(3);
    const { snapshot } = ledger.first(sqlite.selectFrom('policy_version').select('snapshot')) ?? { snapshot: '' };
    const row = {
      version: 2,
      snapshot,
      changes: '["말"]',
      author: '',
      created_at: AT,
      sample_share: 0,
      blind_share: 0,
    };
    ledger.write((tx) => tx.run(sqlite.insertInto('policy_version').values(row)));
    expect(findPolicyVersion(ledger, 2)?.changes).toEqual([{ kind: 'NOTE', text: '말' }]);
  });

  test('with four eyes none is made by one person alone', () => {
    expect(needsSecondPerson(ledger)).toBe(false);
    publish(3);
    expect(needsSecondPerson(ledger)).toBe(false);
    publish(3, { change: () => withCriteria(SEED_POLICY, { fourEyes: true }) });
    expect(needsSecondPerson(ledger)).toBe(true);
    expect(() => publish(4)).toThrow(SecondPersonNeededError);
  });
});

describe('proposals', () => {
  beforeEach(() => {
    publish(3);
  });
  const change = (to: number) => ({ kind: 'CRITERION', criterion: 'minSources', from: 3, to });

  test('wait, oldest first, page by page, and are on record', () => {
    const note = { kind: 'NOTE', text: '왜' } as const;
    const kept = propose('b', 5, { told: [note], expectedVersion: 1 });
    expect(kept).toEqual({
      id: 'b',
      baseVersion: 1,
      memberId: 'one',
      displayName: one.displayName,
      at: AT,
      changes: [note, change(5)],
      draft,
    });
    expect(actions().at(-1)).toEqual({
      action: 'policy.propose',
      target: 'policy_proposal b',
      detail: { baseVersion: 1, changes: [note, change(5)] },
    });
    propose('a', 6);
    propose('c', 7, { at: '2026-11-20T07:00:00.000Z' });
    expect(proposals().rows.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
    expect(proposals().rows[2]).toEqual(kept);
    expect([proposals(1, 2), proposals(2, 2)].map(({ rows, total }) => [rows.map(({ id }) => id), total])).toEqual([
      [['c', 'a'], 3],
      [['b'], 3],
    ]);
    expect(activePolicyVersion(ledger)).toBe(1);
  });

  test('need a policy of the expected version, a difference, and room', () => {
    expect(() => propose('a', 5, { expectedVersion: 2 })).toThrow(expect.objectContaining({ version: 1 }));
    expect(() => propose('a', 3)).toThrow('changes nothing');
    propose('p0', 5);
    const row = ledger.first(sqlite.selectFrom('policy_proposal').selectAll());
    if (row === undefined) throw new TypeError('no proposal');
    ledger.write((tx) => {
      for (let at = 1; at < MOST_PROPOSALS; at += 1)
        tx.run(sqlite.insertInto('policy_proposal').values({ ...row, id: `p${at}` }));
    });
    expect(MOST_PROPOSALS).toBe(50);
    expect(() => propose('a', 5)).toThrow(TooManyProposalsError);
    const empty = testLedger();
    expect(() =>
      empty.ledger.write((tx) =>
        proposeChange(tx, { id: 'a', draft, told: [], change: sources(5), actor: one, at: AT }),
      ),
    ).toThrow(PolicyChangeError);
    expect(() =>
      empty.ledger.write((tx) =>
        proposeChange(tx, { id: 'a', draft, told: [], change: sources(5), actor: one, at: AT, expectedVersion: 1 }),
      ),
    ).toThrow(expect.objectContaining({ name: 'PolicyMovedOnError', version: null }));
    const changed = () =>
      empty.ledger.write((tx) => changePolicy(tx, { change: sources(5), actor: one, at: AT, expectedVersion: 1 }));
    expect(changed).toThrow('The policy is version none now.');
    expect(changed).toThrow(expect.objectContaining({ version: null }));
  });

  test('another person publishes one unchanged, with what was told beside it, and no other is left', () => {
    const told = [
      { kind: 'RESTORED', version: 1 },
      { kind: 'NOTE', text: '왜' },
    ];
    propose('a', 5, { told });
    propose('b', 6);
    expect(() => publishOf('a', { actor: one })).toThrow('proposed this change yourself');
    expect(() => publishOf('z')).toThrow(UnknownProposalError);
    expect(() => publishOf('a', { expectedVersion: 2 })).toThrow(PolicyMovedOnError);
    expect(publishOf('a', { expectedVersion: 1 })).toEqual({ version: 2, snapshot: sources(5)(undefined) });
    expect(findPolicyVersion(ledger, 2)).toMatchObject({ author: two.displayName, changes: [...told, change(5)] });
    expect(actions().find(({ target }) => target === 'policy_version 2')?.detail).toMatchObject({
      proposedBy: one.displayName,
      proposedById: 'one',
    });
    expect(proposals()).toEqual({ rows: [], total: 0 });
  });

  test('that one person registered both who decided is on record', () => {
    const admin = { kind: 'MEMBER', id: 'admin', displayName: '관리', role: 'TENANT_ADMIN' } as const;
    const account = { role: 'COMPLIANCE_REVIEWER', passwordHash: UNMATCHED_HASH, at: AT, actor: admin } as const;
    const [three, four] = [member('three'), member('four')];
    ledger.write((tx) => {
      for (const { id, displayName } of [three, four])
        registerMember(tx, { ...account, id, username: id, displayName });
    });
    propose('a', 5, { actor: three });
    publishOf('a', { actor: four, at: '2026-11-20T09:00:00.000Z' });
    const row = ledger.first(
      sqlite.selectFrom('console_action_log').selectAll().where('action', '=', 'policy.same-registrar'),
    );
    expect(row).toMatchObject({
      at: '2026-11-20T09:00:00.000Z',
      actor_id: 'four',
      target_type: 'policy_version',
      target_id: '2',
      detail: JSON.stringify({
        firstPerson: three.displayName,
        firstPersonId: 'three',
        registeredBy: '관리',
        registeredById: 'admin',
      }),
    });
  });

  test('one of a former reviewer is not published', () => {
    propose('a', 5);
    for (const change of [{ active: 0 }, { active: 1, role: 'OPERATOR' }] as const) {
      ledger.write((tx) => tx.run(sqlite.updateTable('member').set(change).where('id', '=', 'one')));
      expect(isActiveReviewer(ledger, 'one')).toBe(false);
      expect(() => publishOf('a')).toThrow('no active Compliance Reviewer any more');
    }
    expect([isActiveReviewer(ledger, 'two'), isActiveReviewer(ledger, 'nobody')]).toEqual([true, false]);
  });

  test('one is withdrawn, on record, and the others stay', () => {
    const kept = propose('a', 5);
    propose('b', 6);
    const withdraw = (id: string) => ledger.write((tx) => withdrawProposal(tx, { id, actor: two, at: AT }));
    expect(withdraw('a')).toEqual(kept);
    expect(() => withdraw('a')).toThrow(UnknownProposalError);
    expect(proposals().rows.map(({ id }) => id)).toEqual(['b']);
    expect(actions().at(-1)).toEqual({
      action: 'policy.withdraw',
      target: 'policy_proposal a',
      detail: { proposedBy: one.displayName },
    });
  });
});
