/** The facts beside the moves against the audit log, and what that costs beside many versions of the policy. */
import { beforeEach, expect, test } from 'vitest';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { publishPolicy } from '../policy/versions.ts';
import type { Ledger, LedgerReader } from '../storage/ledger.ts';
import { boundOf, type Query } from '../storage/query.ts';
import { addChannel, closeChannel, openChannel } from '../serving/channels.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { readShownFacts } from './shown-facts.ts';

let ledger: Ledger;
beforeEach(() => {
  ({ ledger } = testLedger());
});

const ADMIN = { kind: 'MEMBER', id: 'a', displayName: '관리자', role: 'TENANT_ADMIN' } as const;
const VERSIONS = 20;
const hour = (n: number): string => new Date(Date.UTC(2026, 10, 20, n)).toISOString();

/** The versions whose words a reading of a span reads. */
function readIn(from: string, to: string): number[] {
  const versions: number[] = [];
  const watched = (query: Query<unknown>): void => {
    const { sql, parameters } = boundOf(query);
    if (/^select "policy_version"."version", "snapshot"/.test(sql)) versions.push(Number(parameters[0]));
  };
  const reader: LedgerReader = {
    all: (query) => (watched(query), ledger.all(query)),
    first: (query) => (watched(query), ledger.first(query)),
  };
  readShownFacts(reader, '069500', { from, to }, new Date(hour(VERSIONS + 2)));
  return versions;
}

test('a reading reads the words of the policies that were in force in its span alone', () => {
  ledger.write((tx) => {
    for (let n = 1; n <= VERSIONS; n += 1) {
      const snapshot = { ...SEED_POLICY, disclaimer: { ...SEED_POLICY.disclaimer, text: `고지 ${n}` } };
      publishPolicy(tx, { snapshot, changes: [], actor: ADMIN, at: hour(n) });
    }
    receive(tx, newEntry('e1'), 'AUTO_PUBLISHED', hour(VERSIONS));
  });
  expect(readIn(hour(VERSIONS + 1), hour(VERSIONS + 1))).toEqual([VERSIONS]);
  expect(readIn(hour(3), hour(3))).toEqual([3]);
  expect(readIn(hour(0), hour(2))).toEqual([1, 2]);
  expect(readIn(hour(5), hour(7))).toEqual([5, 6, 7]);
});

test('a channel of the demo that closes and opens again in the moment in which the record begins is told', () => {
  ledger.write((tx) => {
    const channel = { channel: 'MTS', key: 'k', at: hour(0) };
    addChannel(tx, channel);
    receive(tx, newEntry('e1'), 'AUTO_PUBLISHED', hour(0));
    closeChannel(tx, channel);
    openChannel(tx, channel);
  });
  const { channels } = readShownFacts(ledger, '069500', { from: hour(0), to: hour(1) }, new Date(hour(1)));
  expect(channels.map(({ open }) => open)).toEqual([1, 0, 1]);
});
