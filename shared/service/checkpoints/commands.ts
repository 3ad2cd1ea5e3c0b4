/** The checkpoints in the `audit` commands of both sides. */
import { readFile } from 'node:fs/promises';
import { createPublicKey } from 'node:crypto';
import { pinnedKey, checkpointKey } from './key.ts';
import {
  CheckpointError,
  compare,
  DIFFERENCE_EXIT,
  differenceInWords,
  keyName,
  readCheckpoints,
  rowsToCompare,
  UNBELIEVED_EXIT,
} from './checkpoint.ts';
import { viewInSteps, type AuditLog } from './schedule.ts';

interface Output {
  print(line: string): void;
  complain(line: string): void;
}

/**
 * Compares a log whose chain is intact with a file of checkpoints, and prints the result.
 *
 * @param keyFile the public key that was kept elsewhere
 * @returns the exit code
 */
export async function verifyCheckpoints(
  log: AuditLog,
  { file, keyFile, now }: { file: string; keyFile: string | undefined; now: Date },
  { print, complain }: Output,
): Promise<number> {
  let read: ReturnType<typeof readCheckpoints>;
  try {
    const pinned = keyFile === undefined ? undefined : await pinnedKey(keyFile);
    read = readCheckpoints(await readFile(file, 'utf8'), log.name, pinned);
  } catch (error) {
    if (!(error instanceof CheckpointError || isFileError(error))) throw error;
    complain(error.message);
    return UNBELIEVED_EXIT;
  }
  const { checkpoints, torn, key } = read;
  const last = checkpoints.at(-1);
  if (keyFile === undefined)
    print(`The checkpoints name the key ${keyName(key)} themselves: give --key with the public key that you keep.`);
  if (torn > 0) print(`${torn} lines of ${file} are no checkpoints and were skipped.`);
  const view = await viewInSteps(log, rowsToCompare(checkpoints));
  const difference = compare(checkpoints, view, now);
  if (difference !== null) {
    complain(differenceInWords(difference));
    return DIFFERENCE_EXIT[difference.kind];
  }
  // Those before a restore may be of rows that are no more.
  const trees = checkpoints.filter(({ root, rows, hash }) => root !== undefined && view.hashes.get(rows) === hash);
  const roots = log.roots?.(trees.map(({ rows }) => rows));
  const other = roots === undefined ? undefined : trees.find(({ rows, root }) => roots.get(rows) !== root);
  if (other !== undefined) {
    complain(
      `The tree over the first ${other.rows} rows has another root than the checkpoint of ${other.at}: rows were changed, or the roots that are kept of them.`,
    );
    return DIFFERENCE_EXIT.RECOMPUTED;
  }
  print(`It agrees with ${checkpoints.length} checkpoints, the last of ${last?.at ?? ''} for row ${last?.rows ?? 0}.`);
  return 0;
}

/** Prints the public half of the signing key; creates the key if it is missing. */
export async function printKey(keyFile: string, { print }: Output): Promise<void> {
  const key = createPublicKey(await checkpointKey(keyFile));
  print(key.export({ type: 'spki', format: 'pem' }).toString().trimEnd());
}

const isFileError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;
