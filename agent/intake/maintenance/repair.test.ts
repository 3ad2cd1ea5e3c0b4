/**
 * `repair`: a range that is requested again may differ from before; no text of it is exposed unscreened.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import type { RawEntry } from '../apply/entry.ts';
import type { Pull } from '../receive/pull.ts';
import { rebuildLedger } from './rebuild.ts';
import { repairRawBundles, RepairError } from './repair.ts';
import {
  bodyOf,
  bodySet,
  bundleOf,
  changeOnDisk,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  reviewer,
  takeIn,
  TENANT,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { verifyLedger } from './verify.ts';

const CLEAN = '반도체 수출이 늘었습니다.';
const REVIEWED = '지금은 매수 시점입니다.';

let ledger: Ledger;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger } = testLedger());
  parts = partsOn(ledger);
});

const onDisk = (statements: string): void => changeOnDisk(ledger.file, statements);

/** A cloud that has these entries. */
function cloudWith(entries: readonly RawEntry[]): Pull {
  return ({ after, limit }) => {
    const told = entries.filter(({ cursor }) => cursor > after).slice(0, limit);
    const body = told.length === 0 ? bodyOf() : bodyOf(bundleOf(after, told));
    return Promise.resolve({ status: 200, body, head: '99', signature: null, statement: null, retryAfter: null });
  };
}
const repair = (entries: readonly RawEntry[]) =>
  repairRawBundles({ ...parts, pull: cloudWith(entries), verification: null });

test.each([
  ['exposed by itself', CLEAN],
  ['approved by a person', REVIEWED],
])('another text in place of one %s goes to a person, and a rebuild leaves it there', async (_, first) => {
  takeIn(parts, newAt(1, 'a', { summary: first }));
  const at = parts.clock.now().toISOString();
  if (first === REVIEWED)
    ledger.write((tx) => applyMove(tx, { id: explanationId('a'), move: 'approve', actor: reviewer, at, reason: null }));
  onDisk("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d'");
  const other = `${REVIEWED} ${CLEAN}`;
  await repair([newAt(1, 'a', { summary: other })]);
  const expected = { status: 'PENDING_REVIEW', summary: other, published_summary: first };
  expect(explanationRow(ledger, 'a')).toMatchObject(expected);
  expect(verifyLedger(ledger).findings).toEqual([]);
  expect(rebuildLedger(parts).corrected).toBe(0);
  expect(explanationRow(ledger, 'a')).toMatchObject(expected);
});

test('words of another bundle that nobody has signed, and no row of the log names, do not come out by it', async () => {
  const vendor = makeVendorKey();
  const verification = { keys: () => [vendor.publicKey], toleranceMs: 300_000 };
  const entries = [newAt(1, 'a', { summary: CLEAN }), invalidationAt(2, 'x')];
  for (const entry of entries) takeIn(parts, entry);
  const body = bodyOf(bundleOf(1, [newAt(2, 'a', { summary: '코스닥이 크게 올랐습니다.' })]));
  // The damage has `a` followed again, whose row says that a later entry gave its words.
  onDisk(`DROP TRIGGER raw_bundle_is_never_updated; DELETE FROM held_invalidation;
    UPDATE raw_bundle SET ${bodySet(body)} WHERE cursor_from = 1;
    UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 0; UPDATE explanation SET cursor = 2`);
  const pull: Pull = async (asked) => {
    const answer = await cloudWith(entries)(asked, new AbortController().signal);
    const of = { tenantId: TENANT, after: asked.after, head: 99, body: Buffer.from(answer.body) };
    return { ...answer, statement: statementOf(vendor, { ...of, at: parts.clock.now() }) };
  };
  expect(await repairRawBundles({ ...parts, pull, verification })).toEqual([{ cursorFrom: 0, cursorTo: 1 }]);
  expect(explanationRow(ledger, 'a')).toMatchObject({ summary: CLEAN, published_summary: CLEAN });
  expect(verifyLedger(ledger, verification.keys()).findings.join()).toContain('signed the raw bundle after cursor 1');
});

describe('an id that came several times (D37) follows from all of its records', () => {
  const texts = { A: CLEAN, B: REVIEWED, C: '코스닥이 내렸습니다.' };
  type Text = keyof typeof texts;
  const come = (ids: string): RawEntry[] =>
    [...ids].map((text, index) => newAt(index + 1, 'a', { summary: texts[text as Text] }));

  test.each([
    ['AAB', 'BAB', 'B', 3],
    ['AB', 'BB', 'B', 1],
    ['AA', 'BA', 'A', 2],
    ['AAA', 'ABA', 'A', 3],
    ['AAA', 'ABB', 'B', 2],
    ['ABB', 'AAB', 'B', 3],
    ['AB', 'AC', 'C', 2],
    ['AAC', 'BCC', 'C', 2],
  ] as const)('%s, damaged where the cloud sends %s now', async (was, now, text, cursor) => {
    for (const entry of come(was)) takeIn(parts, entry);
    const places = [...was].map((_, index) => index).filter((index) => was[index] !== now[index]);
    onDisk(
      `DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from IN (${places.join()})`,
    );
    expect(await repair(come(now))).toHaveLength(places.length);
    expect(explanationRow(ledger, 'a')).toMatchObject({ summary: texts[text], cursor });
    expect(verifyLedger(ledger).findings).toEqual([]);
    expect(rebuildLedger(parts)).toMatchObject({ corrected: 0, restored: 0, withdrawn: 0 });
  });
});

test('a damaged bundle stays where fewer entries than it held reach beyond its range', async () => {
  takeIn(parts, newAt(1, 'a'), newAt(2, 'b'));
  takeIn(parts, newAt(3, 'c'));
  onDisk("DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'7b7d' WHERE cursor_from = 0");
  await expect(repair([newAt(3, 'c')])).rejects.toThrow('other records there now: they end at cursor 3');
  expect(ledger.all(sqlite.selectFrom('raw_bundle').select(['cursor_from', 'cursor_to']))).toEqual([
    { cursor_from: 0, cursor_to: 2 },
    { cursor_from: 2, cursor_to: 3 },
  ]);
});

describe('a hole in the raw bundles', () => {
  const all = [
    newAt(1, 'a'),
    newAt(3, 'b'),
    { cursor: 4, delivery_type: 'CORRECTION' },
    newAt(5, 'c'),
    invalidationAt(8, 'b'),
    newAt(9, 'd'),
  ];
  const [first, ...rest] = all;
  beforeEach(() => {
    if (first === undefined) return;
    takeIn(parts, first);
    takeIn(parts, ...rest.slice(0, 2));
    takeIn(parts, ...rest.slice(2, 4));
    takeIn(parts, ...rest.slice(4));
  });
  const lose = (where: string): void => {
    onDisk(`DROP TRIGGER raw_bundle_is_never_deleted; DELETE FROM raw_bundle WHERE ${where}`);
    expect(verifyLedger(ledger).findings).not.toEqual([]);
  };
  // A hole of several bundles keeps only the first time of reception.
  const before = () =>
    ledger
      .all(sqlite.selectFrom('explanation').selectAll().orderBy('id'))
      .map(({ received_at: _at, version: _version, ...row }) => row);

  test.each([
    ['in the middle', 'cursor_from = 1', { cursorFrom: 1, cursorTo: 4 }],
    ['of several bundles', 'cursor_from IN (1, 4)', { cursorFrom: 1, cursorTo: 8 }],
    ['at the beginning', 'cursor_from = 0', { cursorFrom: 0, cursorTo: 1 }],
    ['at the end', 'cursor_from = 8', { cursorFrom: 8, cursorTo: 9 }],
  ])('%s is filled from the cloud, and nothing else changes', async (_, where, range) => {
    const rows = before();
    lose(where);
    expect(await repair(all)).toEqual([range]);
    expect(before()).toEqual(rows);
    rebuildLedger(parts);
    expect(verifyLedger(ledger).findings).toEqual([]);
    expect(before()).toEqual(rows);
  });
  test('stays where the cloud has nothing there any more, or other cursors', async () => {
    lose('cursor_from = 1');
    await expect(repair([])).rejects.toThrow('The cloud has nothing after cursor 1');
    await expect(repair([newAt(1, 'a'), newAt(3, 'b'), newAt(6, 'x')])).rejects.toThrow(RepairError);
    expect(ledger.all(sqlite.selectFrom('raw_bundle').select('cursor_from'))).toHaveLength(3);
  });
});
