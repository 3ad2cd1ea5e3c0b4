/** The audit log as its checkpoints see it (D19). */
import { sql } from 'kysely';
import type { LogEnd, LogView } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { AuditLog } from '../../../shared/service/checkpoints/schedule.ts';
import { chainEnd } from './audit.ts';
import { keepBlocks, LogNotWholeError, logTree } from './log-tree.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared } from '../storage/query.ts';

const hashesOf = prepared(
  (rows: string) => sql<{ seq: number; hash: string }>`
  SELECT seq, hash FROM console_action_log WHERE seq IN (SELECT value FROM json_each(+${rows}))`,
);
const restores = prepared(
  () => sql<{ row: number; at: string }>`
  SELECT seq AS row, at FROM console_action_log WHERE action = 'ledger.restore' ORDER BY seq`,
);

interface Reading {
  read<T>(work: (reader: LedgerReader) => T): T;
}
type Write = <T>(work: (tx: LedgerTransaction) => T) => Promise<T>;

/** Keeps the roots of all whole blocks, in steps between which others write. */
export async function keepAllBlocks(write: Write): Promise<void> {
  while (await write(keepBlocks));
}

/** @param write where checkpoints are signed: their trees are kept then */
export function auditLogOf(ledger: Reading, write?: Write): AuditLog {
  return {
    name: 'console_action_log',
    end: async () => {
      if (write !== undefined) await keepAllBlocks(write);
      return ledger.read(endOf);
    },
    view: (rows) => Promise.resolve(ledger.read((reader) => viewOf(reader, rows))),
    roots: (rows) => rootsOf(ledger, rows),
  };
}

/** Roots of one tree: it remembers what it has read, so another one begins after some. */
const TREES = 500;

function rootsOf(ledger: Reading, rows: readonly number[]): Map<number, string> {
  const roots = new Map<number, string>();
  for (let at = 0; at < rows.length; at += TREES)
    ledger.read((reader) => {
      const tree = logTree(reader);
      for (const each of rows.slice(at, at + TREES)) roots.set(each, tree.root(each));
    });
  return roots;
}

/** The last row, with the tree over the whole log; null while it is empty. @throws LogNotWholeError */
export function endOf(reader: LedgerReader): LogEnd | null {
  const { seq, hash } = chainEnd(reader);
  if (seq === 0) return null;
  const [first] = reader.all(hashesOf('[1]'));
  if (first === undefined) throw new LogNotWholeError('row 1');
  return { rows: seq, hash, first: first.hash, root: logTree(reader).root(seq) };
}

export function viewOf(reader: LedgerReader, rows: readonly number[]): LogView {
  return {
    rows: chainEnd(reader).seq,
    hashes: new Map(reader.all(hashesOf(JSON.stringify(rows))).map(({ seq, hash }) => [seq, hash])),
    restores: reader.all(restores()),
  };
}
