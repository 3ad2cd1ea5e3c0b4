/**
 * A checkpoint of an audit log: its length and last hash, signed and kept on another machine. A chain of hashes alone
 * shows neither a removed tail nor a recomputed chain; a checkpoint shows both.
 */
import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { CheckpointDifference } from '../../wire/console/constants.ts';

/** The logs that are signed, by their tables. */
export type LogName = 'console_action_log' | 'admin_activity_log';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const checkpointSchema = z.strictObject({
  /** 2: with `root`. */
  v: z.union([z.literal(1), z.literal(2)]),
  log: z.enum(['console_action_log', 'admin_activity_log']),
  /** The number of the last row, counted from 1. */
  rows: z.int().min(1),
  /** Of that row. */
  hash: sha256,
  /** The hash of the first row: it tells one log from another. */
  first: sha256,
  /** The root of the tree over the hashes of these rows (`tree.ts`). */
  root: sha256.optional(),
  at: z.iso.datetime(),
  /** The public key, SPKI in base64. */
  key: z.string(),
  /** Ed25519 over the lines of `signedText`, base64. */
  signature: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** A file of checkpoints cannot be used: it is unreadable, or a signature does not fit. */
export class CheckpointError extends Error {
  override name = 'CheckpointError';
}

/** The end of a log, and the row that tells it from others. */
export interface LogEnd {
  rows: number;
  hash: string;
  first: string;
  root?: string;
}

function signedText({ v, log, rows, hash: end, first, root, at, key }: Omit<Checkpoint, 'signature'>): Buffer {
  const told = [log, rows, end, first, ...(root === undefined ? [] : [root]), at, key];
  return Buffer.from(`causeway checkpoint ${v}\n${told.join('\n')}\n`);
}

/** @param key the private key */
export function signCheckpoint(log: LogName, end: LogEnd, at: Date, key: KeyObject): Checkpoint {
  const { rows, hash: last, first, root } = end;
  const told = { log, rows, hash: last, first, at: at.toISOString(), key: publicText(key) } as const;
  const unsigned = root === undefined ? ({ v: 1, ...told } as const) : ({ v: 2, ...told, root } as const);
  return { ...unsigned, signature: sign(null, signedText(unsigned), key).toString('base64') };
}

/** A public key as a checkpoint holds it. @param key either half */
export function publicText(key: KeyObject): string {
  const half = key.type === 'public' ? key : createPublicKey(key);
  return half.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** A short name of a key, for file names and messages. @param text as a checkpoint holds it */
export const keyName = (text: string): string => hash('sha256', Buffer.from(text, 'base64'), 'hex').slice(0, 16);

/**
 * Reads the lines of a file of checkpoints. A line that was cut off while being written is counted and skipped.
 *
 * @param pinned the only key that counts; without it the lines must agree on the one that they hold
 * @throws CheckpointError for a file without a checkpoint, another log's, or a signature that does not fit
 */
export function readCheckpoints(
  text: string,
  log: LogName,
  pinned?: KeyObject,
): { checkpoints: Checkpoint[]; torn: number; key: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map(parse);
  const checkpoints = found.filter((one) => one !== null);
  const [one] = checkpoints;
  if (one === undefined) throw new CheckpointError('The file holds no checkpoint.');
  const key = pinned === undefined ? one.key : publicText(pinned);
  for (const checkpoint of checkpoints) {
    const said = `The checkpoint of ${checkpoint.at}`;
    if (checkpoint.log !== log) throw new CheckpointError(`${said} is of ${checkpoint.log}, not of ${log}.`);
    if (checkpoint.key !== key)
      throw new CheckpointError(
        `${said} is signed with the key ${keyName(checkpoint.key)}, not with ${keyName(key)}: it is not believed.`,
      );
    if (!fits(checkpoint))
      throw new CheckpointError(`The signature of ${said.toLowerCase()} does not fit: it was changed.`);
  }
  return { checkpoints, torn: found.length - checkpoints.length, key };
}

/** The checkpoints of a file that sign a tree, in its order; lines that are none are left out. */
export const treesOf = (text: string): Checkpoint[] =>
  text
    .split('\n')
    .map(parse)
    .filter((one) => one !== null)
    .filter(({ root }) => root !== undefined);

/**
 * For each of these rows the first checkpoint that signs a tree with it; only the chosen signatures are checked, because
 * a file of years holds tens of thousands.
 */
export function nextCheckpoints(trees: readonly Checkpoint[], rows: readonly number[]): Checkpoint[] {
  const chosen = rows.flatMap((row) => trees.find((one) => one.rows >= row) ?? []);
  return [...new Set(chosen)].filter(fits);
}

function parse(line: string): Checkpoint | null {
  try {
    return checkpointSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Whether its key has signed it. Says nothing about whose key that is. */
export function fits(checkpoint: Checkpoint): boolean {
  if ((checkpoint.v === 2) !== (checkpoint.root !== undefined)) return false;
  const signature = Buffer.from(checkpoint.signature, 'base64');
  // One signature has one spelling.
  if (signature.toString('base64') !== checkpoint.signature) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(checkpoint.key, 'base64'), type: 'spki', format: 'der' });
    return key.asymmetricKeyType === 'ed25519' && verify(null, signedText(checkpoint), key, signature);
  } catch {
    return false;
  }
}

/** The rows that a comparison of a log with its checkpoints needs. */
export interface LogView {
  rows: number;
  /** Hashes of the requested rows that exist. */
  hashes: ReadonlyMap<number, string>;
  /** The rows that record a restore from a backup. */
  restores: readonly { row: number; at: string }[];
}

export interface Difference {
  kind: CheckpointDifference;
  /** The first difference is one of these rows. */
  from: number;
  to: number;
  /** When the row `to` was signed. */
  signedAt: string;
  /** The log's record of a restore; null where none explains the difference. */
  restoredAt: string | null;
}

/** The rows that `compare` has to read. */
export const rowsToCompare = (checkpoints: readonly Pick<Checkpoint, 'rows'>[]): number[] => [
  ...new Set([1, ...checkpoints.map(({ rows }) => rows)]),
];

/**
 * Compares a log with an intact chain with its checkpoints. A row that agrees proves every row before it. A difference
 * that a restore explains is a fork; other differences take precedence.
 *
 * @param checkpoints in the order in which they were signed
 * @returns the first difference; null when there is none
 */
export function compare(checkpoints: readonly Checkpoint[], view: LogView, now: Date): Difference | null {
  const agrees = ({ rows, hash: signed }: Checkpoint): boolean => view.hashes.get(rows) === signed;
  const agreed = checkpoints.filter(agrees);
  const wasAhead = signedAhead(checkpoints, now);
  const before: Checkpoint[] = [];
  const differing = checkpoints
    .flatMap((checkpoint) => {
      if (!agrees(checkpoint)) return { checkpoint, restored: restoreBefore(checkpoint, view, before, wasAhead) };
      before.push(checkpoint);
      return [];
    })
    .toSorted((one, other) => one.checkpoint.rows - other.checkpoint.rows);
  const found = differing.find(({ restored }) => restored === undefined) ?? differing[0];
  if (found === undefined) return null;
  const { checkpoint, restored } = found;
  const { rows: to, at: signedAt } = checkpoint;
  if (restored !== undefined) {
    const last = differing.at(-1)?.checkpoint ?? checkpoint;
    return { kind: 'FORKED', from: restored.row, to: last.rows, signedAt: last.at, restoredAt: restored.at };
  }
  const from = lastBelow(agreed, to) + 1;
  if (view.rows > 0 && view.hashes.get(1) !== checkpoint.first)
    return { kind: 'OTHER', from: 1, to, signedAt, restoredAt: null };
  if (view.rows < to) return { kind: 'REMOVED', from: view.rows + 1, to, signedAt, restoredAt: null };
  return { kind: 'RECOMPUTED', from, to, signedAt, restoredAt: null };
}

const lastBelow = (checkpoints: readonly Checkpoint[], bound: number): number =>
  checkpoints.reduce((last, { rows }) => (rows < bound ? Math.max(last, rows) : last), 0);

/** Those that were signed while the clock was ahead: an earlier time comes after theirs, or theirs is yet to come. */
function signedAhead(checkpoints: readonly Checkpoint[], now: Date): ReadonlySet<Checkpoint> {
  let earliest = now.toISOString();
  return new Set(
    checkpoints.toReversed().filter(({ at }) => {
      if (at > earliest) return true;
      earliest = at;
      return false;
    }),
  );
}

/**
 * The restore after which the log diverged from this checkpoint, if the log records one.
 *
 * @param before the checkpoints that were signed earlier and agree: a later one agrees by another history
 */
function restoreBefore(
  checkpoint: Checkpoint,
  { restores, hashes }: LogView,
  before: readonly Checkpoint[],
  wasAhead: ReadonlySet<Checkpoint>,
) {
  const { rows, at, first } = checkpoint;
  if (hashes.get(1) !== first) return undefined;
  const base = lastBelow(before, rows);
  return restores.find(
    (restore) => restore.row > base && restore.row <= rows && (restore.at >= at || wasAhead.has(checkpoint)),
  );
}

/** The exit codes of `audit verify --checkpoint`, beside 1 for a chain that is broken. */
export const DIFFERENCE_EXIT: Readonly<Record<CheckpointDifference, number>> = {
  REMOVED: 3,
  RECOMPUTED: 4,
  OTHER: 5,
  FORKED: 6,
};
/** Exit code when the checkpoints themselves are not trusted. */
export const UNBELIEVED_EXIT = 7;

/** One sentence that names the first difference. */
export function differenceInWords({ kind, from, to, signedAt, restoredAt }: Difference): string {
  switch (kind) {
    case 'REMOVED':
      return `The end of the audit log was removed: it has no row ${from}, and row ${to} was signed at ${signedAt}.`;
    case 'RECOMPUTED':
      return `The audit log was written anew: the first row that differs is one of ${from} to ${to}, as they were signed at ${signedAt}.`;
    case 'OTHER':
      return `The audit log differs from its first row on: the checkpoint of ${signedAt} is of another log, or this one was written anew as a whole.`;
    case 'FORKED':
      return `The audit log was restored from a backup at ${restoredAt ?? ''} (row ${from}); the rows ${from} to ${to} that were signed until ${signedAt} are not in it. If no restore was ordered, take this for a removed end.`;
    default:
      return kind satisfies never;
  }
}

/** Written out for `--help`. */
export const EXIT_HELP =
  'Exit codes: 0 whole, 1 a row does not fit the chain, 2 usage, 3 rows removed from the end, 4 written anew, ' +
  '5 another log, 6 restored from a backup, 7 the checkpoints are not believed.';
