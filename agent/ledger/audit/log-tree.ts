/**
 * The tree over the hashes of the audit log's rows. The root of each whole block of 256 rows is kept in `audit_block`,
 * and that of each 256 blocks in `audit_group`, so that a root or a path in a log of millions of rows reads some hundred
 * hashes; what is not kept yet is computed.
 */
import { sql } from 'kysely';
import { leafOf, nodeOf, treePath, treeRoot, type Subtrees } from '../../../shared/service/checkpoints/tree.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { AuditBlockTable, AuditGroupTable } from '../storage/tables.ts';
import { chainEnd } from './audit.ts';

/** The log, or its kept roots, have lost a part: nothing can be proved by them. */
export class LogNotWholeError extends Error {
  override name = 'LogNotWholeError';
  constructor(lacking: string) {
    super(
      `The audit log lacks ${lacking}, so nothing can be proved by it: run "audit verify" on the ledger's host, and restore the ledger from a backup.`,
    );
  }
}

const LEVEL = 8;
/** Rows of a block, and blocks of a group. */
const WIDTH = 2 ** LEVEL;

const hashesOf = prepared(
  ({ from, to }: Span) => sql<{ seq: number; hash: string }>`
  SELECT seq, hash FROM console_action_log WHERE seq BETWEEN ${from} AND ${to} ORDER BY seq`,
);
const storedBlocks = prepared(
  ({ from, to }: Span) => sql<{ block: number; root: Buffer }>`
  SELECT block, root FROM audit_block WHERE block BETWEEN ${from} AND ${to} ORDER BY block`,
);
const lastBlock = prepared(() =>
  sqlite.selectFrom('audit_block').select(({ fn }) => fn.max<number | null>('block').as('last')),
);
const keepBlock = prepared(({ block, root }: AuditBlockTable) =>
  sqlite.insertInto('audit_block').values({ block, root }),
);
const storedGroups = prepared(
  () => sql<{ group: number; root: Buffer }>`SELECT block_group AS "group", root FROM audit_group ORDER BY block_group`,
);
const lastGroup = prepared(() =>
  sqlite.selectFrom('audit_group').select(({ fn }) => fn.max<number | null>('block_group').as('last')),
);
const keepGroup = prepared(({ block_group, root }: AuditGroupTable) =>
  sqlite.insertInto('audit_group').values({ block_group, root }),
);

/** The rows of the log as a tree, as one view of the ledger has them. */
export interface LogTree {
  /** @param rows of the log from its first on @throws LogNotWholeError, as `path` does */
  root(rows: number): string;
  path(row: number, rows: number): string[];
}

export function logTree(reader: LedgerReader): LogTree {
  const nameOf = (level: number, index: number): string => `${level} ${index}`;
  const known = new Map(reader.all(storedGroups()).map(({ group, root }) => [nameOf(2 * LEVEL, group), root]));
  const read = new Set<string>();
  const addBlocks = (group: number): void => {
    if (read.has(nameOf(2 * LEVEL, group))) return;
    read.add(nameOf(2 * LEVEL, group));
    for (const { block, root } of reader.all(storedBlocks(spanOf(group)))) known.set(nameOf(LEVEL, block), root);
  };
  const addLeaves = (block: number): void => {
    if (read.has(nameOf(LEVEL, block))) return;
    read.add(nameOf(LEVEL, block));
    for (const { seq, hash } of rowsOf(reader, block)) known.set(nameOf(0, seq - 1), leafOf(hash));
  };
  const subtrees: Subtrees = (level, index) => {
    const name = nameOf(level, index);
    // One reading for all subtrees of the group, and of the block.
    if (!known.has(name) && level >= LEVEL && level < 2 * LEVEL)
      addBlocks(Math.floor((index * 2 ** (level - LEVEL)) / WIDTH));
    if (!known.has(name) && level < LEVEL) addLeaves(Math.floor((index * 2 ** level) / WIDTH));
    const found = known.get(name);
    if (found !== undefined) return found;
    if (level === 0) throw new LogNotWholeError(`row ${index + 1}`);
    const node = nodeOf(subtrees(level - 1, 2 * index), subtrees(level - 1, 2 * index + 1));
    known.set(name, node);
    return node;
  };
  return {
    root: (rows) => treeRoot(subtrees, rows),
    path: (row, rows) => treePath(subtrees, row, rows),
  };
}

type Span = { from: number; to: number };
/** The first and the last of the parts of a block or a group. */
const spanOf = (index: number): Span => ({ from: index * WIDTH, to: (index + 1) * WIDTH - 1 });

const rowsOf = (reader: LedgerReader, block: number): { seq: number; hash: string }[] => {
  const { from, to } = spanOf(block);
  return reader.all(hashesOf({ from: from + 1, to: to + 1 }));
};

/** The root over all parts of a block or a group; null where some are missing. */
function rootOf(parts: readonly Buffer[]): Buffer | null {
  if (parts.length !== WIDTH) return null;
  let nodes = parts;
  while (nodes.length > 1)
    nodes = nodes.flatMap((left, index) => {
      const right = nodes[index + 1];
      return index % 2 === 1 || right === undefined ? [] : [nodeOf(left, right)];
    });
  return nodes[0] ?? null;
}

const blockRoot = (reader: LedgerReader, block: number): Buffer | null =>
  rootOf(rowsOf(reader, block).map(({ hash }) => leafOf(hash)));
const groupRoot = (reader: LedgerReader, group: number): Buffer | null =>
  rootOf(reader.all(storedBlocks(spanOf(group))).map(({ root }) => root));

function whole(root: Buffer | null, of: string): Buffer {
  if (root === null) throw new LogNotWholeError(`a part of ${of}`);
  return root;
}

/** Blocks, and groups, of one step: some milliseconds with the write lock. */
const STEP = 8;

/** Keeps the roots of whole blocks and groups that are not kept yet, some at a time. @returns whether there are more @throws LogNotWholeError */
export function keepBlocks(tx: LedgerTransaction): boolean {
  const blocks = Math.floor(chainEnd(tx).seq / WIDTH);
  const first = (tx.first(lastBlock())?.last ?? -1) + 1;
  const end = Math.min(blocks, first + STEP);
  for (let block = first; block < end; block += 1)
    tx.run(
      keepBlock({
        block,
        root: whole(blockRoot(tx, block), `the rows ${block * WIDTH + 1} to ${(block + 1) * WIDTH}`),
      }),
    );
  const groups = Math.floor(Math.max(end, first) / WIDTH);
  const firstGroup = (tx.first(lastGroup())?.last ?? -1) + 1;
  const endGroup = Math.min(groups, firstGroup + STEP);
  for (let group = firstGroup; group < endGroup; group += 1)
    tx.run(keepGroup({ block_group: group, root: whole(groupRoot(tx, group), `the kept roots of group ${group}`) }));
  return end < blocks || endGroup < groups;
}

/**
 * The first block whose root, or that of its group, does not follow from its rows; null where all do. Reads the whole
 * log; `told` gets the rows so far.
 */
export function brokenBlock(reader: LedgerReader, told: (rows: number) => void = () => undefined): number | null {
  for (const { block, root } of reader.all(storedBlocks({ from: 0, to: Number.MAX_SAFE_INTEGER }))) {
    if (blockRoot(reader, block)?.equals(root) !== true) return block;
    told((block + 1) * WIDTH);
  }
  const group = reader.all(storedGroups()).find((one) => groupRoot(reader, one.group)?.equals(one.root) !== true);
  return group === undefined ? null : group.group * WIDTH;
}
