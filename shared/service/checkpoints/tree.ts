/**
 * The tree over the row hashes of an audit log (RFC 6962, section 2.1). A checkpoint signs its root, so that one row is
 * proved by some twenty hashes and not by the content of every row up to the checkpoint. Row 1 is leaf 0.
 */
import { hash } from 'node:crypto';

/** The root of a whole subtree: of the 2^level leaves from index * 2^level on. */
export type Subtrees = (level: number, index: number) => Buffer;

/** @param rowHash of the row, hexadecimal */
export const leafOf = (rowHash: string): Buffer =>
  hash('sha256', Buffer.concat([Buffer.of(0), Buffer.from(rowHash, 'hex')]), 'buffer');

export const nodeOf = (left: Buffer, right: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer');

/** The largest power of two below a size of at least 2. */
const splitOf = (size: number): number => 2 ** Math.ceil(Math.log2(size) - 1);

/** The root over `size` leaves from `from` on. */
function rootOver(subtrees: Subtrees, from: number, size: number): Buffer {
  const level = Math.log2(size);
  if (Number.isInteger(level)) return subtrees(level, from / size);
  const left = splitOf(size);
  return nodeOf(rootOver(subtrees, from, left), rootOver(subtrees, from + left, size - left));
}

/** The root over the first rows of a log, hexadecimal. */
export const treeRoot = (subtrees: Subtrees, rows: number): string => rootOver(subtrees, 0, rows).toString('hex');

/** The hashes that lead from a row to the root over the first `rows` rows, hexadecimal. */
export function treePath(subtrees: Subtrees, row: number, rows: number): string[] {
  const path: string[] = [];
  let [from, size] = [0, rows];
  while (size > 1) {
    const left = splitOf(size);
    if (row - 1 < from + left) {
      path.unshift(rootOver(subtrees, from + left, size - left).toString('hex'));
      size = left;
    } else {
      path.unshift(rootOver(subtrees, from, left).toString('hex'));
      from += left;
      size -= left;
    }
  }
  return path;
}

/** Whether a path leads from a row to the root (RFC 9162, section 2.1.3.2). */
export function leadsTo(
  root: string,
  { row, rowHash, rows, path }: { row: number; rowHash: string; rows: number; path: readonly string[] },
): boolean {
  let [at, last] = [row - 1, rows - 1];
  if (at < 0 || at > last) return false;
  let node = leafOf(rowHash);
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      node = nodeOf(Buffer.from(sibling, 'hex'), node);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else node = nodeOf(node, Buffer.from(sibling, 'hex'));
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && node.toString('hex') === root;
}
