/** The tree over the audit log: the same with kept blocks and without, and a changed block is found. */
import { beforeEach, expect, test } from 'vitest';
import { leadsTo } from '../../../shared/service/checkpoints/tree.ts';
import { loseActions, testLedger } from '../../../test/support/agent/ledger.ts';
import { recordAction, rowHash } from './audit.ts';
import { endOf } from './checkpoint.ts';
import { brokenBlock, keepBlocks, LogNotWholeError, logTree } from './log-tree.ts';

let made: ReturnType<typeof testLedger>;
beforeEach(() => {
  made = testLedger();
});

const act = { at: '2026-11-20T00:00:00.000Z', actor: { kind: 'SYSTEM' }, action: 'a', targetType: 't' } as const;

function grow(rows: number): void {
  made.ledger.write((tx) => {
    for (let n = 0; n < rows; n += 1) recordAction(tx, { ...act, targetId: String(n), detail: {} });
  });
}
/** So many rows that are not worth their hashing: the tree takes the hashes as they are told. */
function growQuickly(rows: number): void {
  grow(1);
  made.ledger.write((tx) => {
    const table = { sql: "SELECT name FROM pragma_table_info('console_action_log')", parameters: [] };
    const values = tx
      .all<{ name: string }>(table)
      .map(({ name }) => ({ seq: 'n', hash: 'lower(hex(randomblob(32)))' })[name] ?? `first.${name}`);
    const sql = `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
      INSERT INTO console_action_log SELECT ${values.join()} FROM numbers, (SELECT * FROM console_action_log) AS first`;
    tx.run({ sql, parameters: [] });
  });
}
const blocks = (): number =>
  made.ledger.first<{ n: number }>({ sql: 'SELECT count(*) AS n FROM audit_block', parameters: [] })?.n ?? 0;

test('every row leads to the root, before and after blocks are kept', () => {
  const { ledger } = made;
  grow(1_300);
  const before = logTree(ledger).root(1_300);
  expect(ledger.write(keepBlocks)).toBe(false);
  expect(blocks()).toBe(5);
  grow(1);
  const tree = logTree(ledger);
  expect(tree.root(1_300)).toBe(before);
  for (const row of [1, 2, 255, 256, 257, 1_024, 1_280, 1_281, 1_300])
    expect(leadsTo(before, { row, rowHash: rowHash(ledger, row), rows: 1_300, path: tree.path(row, 1_300) })).toBe(
      true,
    );
  expect(tree.path(700, 1_300).length).toBeLessThanOrEqual(11);
  expect(brokenBlock(ledger)).toBeNull();
});

test('a root over whole groups is that of all rows, and a group that does not follow from its blocks is found', () => {
  const { ledger } = made;
  const rows = 65_536 + 300;
  growQuickly(rows);
  const before = logTree(ledger);
  const root = before.root(rows);
  const path = before.path(70, rows);
  while (ledger.write(keepBlocks));
  const groups = (): unknown => ledger.first({ sql: 'SELECT count(*) AS n FROM audit_group', parameters: [] });
  expect(groups()).toEqual({ n: 1 });
  const after = logTree(ledger);
  expect([after.root(rows), after.path(70, rows)]).toEqual([root, path]);
  expect(brokenBlock(ledger)).toBeNull();
  ledger.write((tx) => {
    tx.run({ sql: 'DROP TRIGGER audit_group_is_never_updated', parameters: [] });
    tx.run({ sql: "UPDATE audit_group SET root = x'00'", parameters: [] });
  });
  expect(brokenBlock(ledger)).toBe(0);
}, 120_000);

test('blocks are kept some at a time', () => {
  grow(256 * 9);
  expect([made.ledger.write(keepBlocks), blocks()]).toEqual([true, 8]);
  expect([made.ledger.write(keepBlocks), blocks()]).toEqual([false, 9]);
  expect([made.ledger.write(keepBlocks), blocks()]).toEqual([false, 9]);
});

test('a kept root is never changed, and one that does not follow from its rows is found', () => {
  const { ledger } = made;
  grow(600);
  const run = (sql: string) => ledger.write((tx) => tx.run({ sql, parameters: [] }));
  run("INSERT INTO audit_block (block, root) VALUES (0, x'00')");
  expect(brokenBlock(ledger)).toBe(0);
  expect(() => run("UPDATE audit_block SET root = x'01'")).toThrow('never changed');
  expect(() => run('DELETE FROM audit_block')).toThrow('never deleted');
});

test('a lost row is named where a block is to be kept, and where a proof needs it', () => {
  const { ledger, file } = made;
  grow(600);
  ledger.write(keepBlocks);
  loseActions(file, 'seq IN (300, 590)');
  const path = (): unknown => logTree(ledger).path(520, 600);
  expect(path).toThrow(LogNotWholeError);
  expect(path).toThrow(
    'The audit log lacks row 590, so nothing can be proved by it: run "audit verify" on the ledger\'s host, and restore the ledger from a backup.',
  );
  grow(200);
  expect(() => ledger.write(keepBlocks)).toThrow('The audit log lacks a part of the rows 513 to 768');
});

test('a log without its first row is not an empty one', () => {
  const { ledger, file } = made;
  expect(endOf(ledger)).toBeNull();
  grow(3);
  expect(endOf(ledger)).toMatchObject({ rows: 3 });
  loseActions(file, 'seq = 1');
  expect(() => endOf(ledger)).toThrow('The audit log lacks row 1');
});
