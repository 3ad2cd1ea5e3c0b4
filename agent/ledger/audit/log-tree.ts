/**
 * The tree over the hashes of the audit log's rows. The root of each whole block of 256 rows is kept in `audit_block`, so
 * that the root of the log costs one hash for each 256 rows; what is not kept yet is computed.
 *
 * Written out: it walks the log by the thousand rows.
 */
import { leafOf, nodeOf, treePath, treeRoot, type Subtrees } from '../../../shared/service/checkpoints/tree.ts';
import { statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import { chainEnd } from './audit.ts';

const LEVEL = 8;
const ROWS = 2 ** LEVEL;

const hashesOf = statement<[{ from: number; to: number }], { hash: string }>(
  'SELECT hash FROM console_action_log WHERE seq BETWEEN @from AND @to ORDER BY seq',
);
const keptBlocks = statement<[], { block: number; root: Buffer }>('SELECT block, root FROM audit_block ORDER BY block');
const lastBlock = statement<[], { block: number }>('SELECT block FROM audit_block ORDER BY block DESC LIMIT 1');
const keepBlock = statement<[{ block: number; root: Uint8Array }]>(
  'INSERT INTO audit_block (block, root) VALUES (@block, @root)',
);

/** The rows of the log as a tree, as one view of the ledger has them. */
export interface LogTree {
  /** @param rows of the log from its first on */
  root(rows: number): string;
  path(row: number, rows: number): string[];
}

export function logTree(reader: LedgerReader): LogTree {
  const known = new Map<string, Buffer>(reader.all(keptBlocks()).map(({ block, root }) => [`${LEVEL} ${block}`, root]));
  const subtrees: Subtrees = (level, index) => {
    const name = `${level} ${index}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    if (level < LEVEL) {
      // One reading for all subtrees of the block.
      addLeaves(reader, known, Math.floor((index * 2 ** level) / ROWS));
      const leaf = known.get(name);
      if (leaf !== undefined) return leaf;
      if (level === 0) throw new RangeError(`the audit log has no row ${index + 1}`);
    }
    const node = nodeOf(subtrees(level - 1, 2 * index), subtrees(level - 1, 2 * index + 1));
    known.set(name, node);
    return node;
  };
  return {
    root: (rows) => treeRoot(subtrees, rows),
    path: (row, rows) => treePath(subtrees, row, rows),
  };
}

function addLeaves(reader: LedgerReader, known: Map<string, Buffer>, block: number): void {
  const from = block * ROWS;
  if (known.has(`0 ${from}`)) return;
  for (const [index, leaf] of leavesOf(reader, block).entries()) known.set(`0 ${from + index}`, leaf);
}

const leavesOf = (reader: LedgerReader, block: number): Buffer[] =>
  reader.all(hashesOf({ from: block * ROWS + 1, to: (block + 1) * ROWS })).map(({ hash }) => leafOf(hash));

function blockRoot(reader: LedgerReader, block: number): Buffer {
  let nodes = leavesOf(reader, block);
  while (nodes.length > 1)
    nodes = nodes.flatMap((left, index) => {
      const right = nodes[index + 1];
      return index % 2 === 1 || right === undefined ? [] : [nodeOf(left, right)];
    });
  const [root] = nodes;
  if (root === undefined) throw new RangeError(`the audit log has no rows of block ${block}`);
  return root;
}

/** Blocks of one step: some milliseconds with the write lock. */
const STEP = 8;

/** Keeps the roots of whole blocks that are not kept yet, some at a time. @returns whether there are more */
export function keepBlocks(tx: LedgerTransaction): boolean {
  const whole = Math.floor(chainEnd(tx).seq / ROWS);
  const first = (tx.first(lastBlock())?.block ?? -1) + 1;
  const end = Math.min(whole, first + STEP);
  for (let block = first; block < end; block += 1) tx.run(keepBlock({ block, root: blockRoot(tx, block) }));
  return end < whole;
}

/**
 * The first block whose root does not follow from its rows; null where all do. Reads the whole log; `told` gets the rows
 * so far.
 */
export function brokenBlock(reader: LedgerReader, told: (rows: number) => void = () => undefined): number | null {
  for (const { block, root } of reader.all(keptBlocks())) {
    if (!blockRoot(reader, block).equals(root)) return block;
    told((block + 1) * ROWS);
  }
  return null;
}
