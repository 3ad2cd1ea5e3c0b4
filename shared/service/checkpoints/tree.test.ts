/** The tree of an audit log: every row of every length is proved, and nothing else is. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { leadsTo, leafOf, nodeOf, treePath, treeRoot, type Subtrees } from './tree.ts';

const rowHash = (row: number): string => hash('sha256', `row ${row}`);
const subtrees: Subtrees = (level, index) =>
  level === 0 ? leafOf(rowHash(index + 1)) : nodeOf(subtrees(level - 1, 2 * index), subtrees(level - 1, 2 * index + 1));

test('a path leads from each row to the root of each length, and from no other row or hash', () => {
  for (let rows = 1; rows <= 40; rows += 1) {
    const root = treeRoot(subtrees, rows);
    for (let row = 1; row <= rows; row += 1) {
      const path = treePath(subtrees, row, rows);
      const proof = { row, rowHash: rowHash(row), rows, path };
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(rows)));
      expect(leadsTo(root, proof)).toBe(true);
      expect(leadsTo(root, { ...proof, rowHash: rowHash(row + 1) })).toBe(false);
      expect(leadsTo(root, { ...proof, path: [...path, root] })).toBe(false);
      expect(leadsTo(root, { ...proof, row: rows + 1 })).toBe(false);
      expect(leadsTo(root, { ...proof, row: 0 })).toBe(false);
      if (path.length > 0) expect(leadsTo(root, { ...proof, path: path.slice(1) })).toBe(false);
    }
  }
});

test('the root of RFC 6962 for one leaf and for two is the one that the standard writes', () => {
  expect(treeRoot(subtrees, 1)).toBe(hash('sha256', Buffer.from(`00${rowHash(1)}`, 'hex'), 'hex'));
  const pair = `01${leafOf(rowHash(1)).toString('hex')}${leafOf(rowHash(2)).toString('hex')}`;
  expect(treeRoot(subtrees, 2)).toBe(hash('sha256', Buffer.from(pair, 'hex'), 'hex'));
});
