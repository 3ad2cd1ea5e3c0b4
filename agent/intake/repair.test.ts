/**
 * `repair`: a range that is asked for again may say something else than it did; nothing of that is on show unscreened.
 */
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explanationId } from '../ledger/explanations.ts';
import { openLedger, sqlite } from '../ledger/ledger.ts';
import { applyMove } from '../ledger/moves.ts';
import { publishPolicy } from '../ledger/policy-versions.ts';
import { commitBundle } from '../ledger/raw-bundles.ts';
import { SEED_POLICY } from '../screening/seed-policy.ts';
import { applyNext } from './apply.ts';
import { rebuildLedger } from './rebuild.ts';
import { repairRawBundles } from './repair.ts';
import { createEntryScreening } from './screening.ts';
import { bodyOf, bundleOf, newAt, readableLog, TENANT } from './testing.ts';
import { verifyLedger } from './verify.ts';

const CLEAN = '반도체 수출이 늘었습니다.';
const REVIEWED = '지금은 매수 시점입니다.';
const reviewer = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-repair-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['on show by itself', CLEAN],
  ['approved by a person', REVIEWED],
])('another text in place of one %s goes to a person, and a rebuild leaves it there', async (_, first) => {
  const { log } = readableLog();
  const ledger = openLedger(path.join(folder, `${first.length}.sqlite`));
  let minute = 0;
  const now = (): Date => new Date(Date.UTC(2026, 10, 20, 0, (minute += 1)));
  const at = (): string => now().toISOString();
  const parts = { ledger, log, clock: { now }, screenEntry: createEntryScreening(log) };
  const body = (summary: string): Buffer => bodyOf(bundleOf(0, [newAt(1, 'a', { summary })]));
  ledger.write((tx) => publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: at() }));
  ledger.write((tx) =>
    commitBundle(tx, {
      cursorFrom: 0,
      cursorTo: 1,
      bundleId: crypto.randomUUID(),
      entryCount: 1,
      tenantId: TENANT,
      body: body(first),
      signature: null,
      receivedAt: at(),
    }),
  );
  while (applyNext(parts));
  if (first === REVIEWED)
    ledger.write((tx) =>
      applyMove(tx, { id: explanationId('a'), move: 'approve', actor: reviewer, at: at(), reason: null }),
    );
  const disk = new Database(ledger.file);
  disk.exec("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d'");
  disk.close();
  const other = `${REVIEWED} ${CLEAN}`;
  const answer = { status: 200, body: body(other), head: '1', signature: null, retryAfter: null };
  await repairRawBundles({ ...parts, pull: () => Promise.resolve(answer), verifyKey: null });
  const row = () => ledger.first(sqlite.selectFrom('explanation').selectAll());
  const expected = { status: 'PENDING_REVIEW', summary: other, published_summary: first };
  expect(row()).toMatchObject(expected);
  expect(verifyLedger(ledger).findings).toEqual([]);
  expect(rebuildLedger(parts).corrected).toBe(0);
  expect(row()).toMatchObject(expected);
  ledger.close();
});
