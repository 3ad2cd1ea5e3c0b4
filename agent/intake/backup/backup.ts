/** `intake backup`: a whole ledger as one file. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { UNTOLD, type Progress, type Stage } from '../../../shared/service/long-work/progress.ts';
import { recordKeyFile } from '../../ledger/made/record-key.ts';
import { LedgerError } from '../../ledger/storage/errors.ts';
import { giveName, LOGS, type SetAside } from '../../ledger/storage/leftovers.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { realPath } from '../../ledger/storage/real-path.ts';
import { readCursors, type Cursors } from '../../ledger/inbox/raw-bundles.ts';
import { chainEnd } from '../../ledger/audit/audit.ts';
import { copyArchives } from './archive.ts';
import { copyStages, MB, STAGES, verifyStages } from '../maintenance/stages.ts';
import { unprovedWaiting, verifyLedger } from '../maintenance/verify.ts';

/** Why a backup was not written or not restored; the message is the whole story. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** A ledger's position: its cursors, and the last action of people or programs in it. */
export interface Position extends Cursors {
  actions: number;
  /** The hash of that action, which covers every action before it. */
  actionsHash: string;
}

export const backupStages = (ledger: Ledger): Stage[] => [
  ...copyStages(ledger, ledger.file),
  ...verifyStages(ledger, ledger.file),
];

/**
 * Copies a ledger, which may be in use, into a new file; checks the whole copy before it gets its name.
 *
 * @param progress told the stages of `backupStages`
 * @throws BackupError, StoppedError: nothing is left of the file then
 */
export async function backupLedger(
  ledger: Ledger,
  named: string,
  progress: Progress = UNTOLD,
): Promise<Position & { aside: SetAside[]; unjudged: string[] }> {
  const file = realPath(named);
  if (existsSync(file)) throw new BackupError(`${file} exists already: give a new name. Nothing was written.`);
  const unfinished = `${file}.unfinished`;
  try {
    removeFile(unfinished);
    progress.unfinished(unfinished);
    closeSync(openSync(unfinished, 'wx', 0o600));
    await ledger.copyTo(unfinished, (bytes) => progress.at(STAGES.copied, bytes / MB));
    // The archives are copied after the ledger: they only grow, so they hold at least the bodies that the copy refers
    // to.
    copyArchives(ledger, path.dirname(realPath(ledger.file)), path.dirname(file), progress);
    const { position, unjudged } = soundCopy(unfinished, 'The copy', recordKeyFile(ledger.file), progress);
    sync(unfinished);
    const aside = giveName(unfinished, file);
    progress.unfinished(null);
    sync(path.dirname(file));
    return { ...position, aside, unjudged };
  } catch (error) {
    removeFile(unfinished);
    throw asBackupError(error, `The backup ${file} could not be written`);
  }
}

/**
 * A file that an earlier attempt may have left, with its log: SQLite would write that into the next file of the name.
 */
export function removeFile(file: string): void {
  for (const end of ['', ...LOGS]) rmSync(`${file}${end}`, { force: true });
}

/**
 * Opens a copy, migrates it to the present schema, checks all of it, and leaves it as one file without a log.
 *
 * @param recordKey the file of the host's key (D199), which no copy has beside it
 * @param keys the vendor's, for what waits to be applied; empty: none is configured
 */
export function soundCopy(
  file: string,
  name: string,
  recordKey: string | null,
  progress: Progress = UNTOLD,
  keys: readonly KeyObject[] = [],
): { position: Position; notices: string[]; unjudged: string[] } {
  const ledger = openLedger(file, { create: false, isCopy: true, progress });
  try {
    const { findings, notices, unjudged } = verifyLedger(ledger, [], { progress, recordKey });
    findings.push(...unprovedWaiting(ledger, keys));
    if (findings.length > 0) throw new BackupError(`${name} is not sound:\n${findings.slice(0, 10).join('\n')}`);
    const position = positionOf(ledger);
    if (!ledger.foldLog()) throw new BackupError(`${name} is in use by another program.`);
    return { position, notices, unjudged };
  } finally {
    ledger.close();
  }
}

export function positionOf(ledger: Ledger): Position {
  const { seq, hash } = chainEnd(ledger);
  return { ...readCursors(ledger), actions: seq, actionsHash: hash };
}

/** Until this returns, a power cut may undo writes and renames. */
export function sync(place: string): void {
  // Windows has no handle for a folder, and keeps a rename by itself.
  if (process.platform === 'win32' && statSync(place).isDirectory()) return;
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function asBackupError(error: unknown, what: string): unknown {
  if (error instanceof BackupError || error instanceof LedgerError) return new BackupError(`${what}. ${error.message}`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|SQLITE_\w+)$/.test(code) && error instanceof Error
    ? new BackupError(`${what} (${error.message}): check the paths, their permissions and the free space.`)
    : error;
}
