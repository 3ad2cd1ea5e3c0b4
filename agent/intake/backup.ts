/** `intake backup` and `intake restore`: a whole ledger as one file, and back. */
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { LedgerError } from '../ledger/errors.ts';
import { openLedger, type Ledger } from '../ledger/ledger.ts';
import { readCursors, type Cursors } from '../ledger/raw-bundles.ts';
import { newestActionSeq } from '../ledger/audit.ts';
import { judgeAnswer } from './answer.ts';
import { NoAnswerError, OversizedAnswerError, type Pull } from './pull.ts';
import { verifyLedger } from './verify.ts';

/** Why a backup was not written or not restored; the message is the whole story. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** Where a ledger stands: as far as it has received, and the last action that people or programs took in it. */
export interface Position extends Cursors {
  actions: number;
}

/**
 * Copies a ledger, which may be in use, into a new file; looks at all of the copy before it gets its name.
 *
 * @throws BackupError
 */
export async function backupLedger(ledger: Ledger, file: string): Promise<Position> {
  if (existsSync(file)) throw new BackupError(`${file} exists already: give a new name. Nothing was written.`);
  const unfinished = `${file}.unfinished`;
  try {
    removeFile(unfinished);
    closeSync(openSync(unfinished, 'wx', 0o600));
    await ledger.copyTo(unfinished);
    const position = soundPosition(unfinished, 'The copy');
    sync(unfinished);
    renameSync(unfinished, file);
    sync(path.dirname(file));
    return position;
  } catch (error) {
    removeFile(unfinished);
    throw asBackupError(error, `The backup ${file} could not be written`);
  }
}

/** A file that an earlier attempt may have left, with its log: SQLite would write that into the next file of the name. */
function removeFile(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

export interface RestoreParts {
  /** The ledger's place. */
  file: string;
  backup: string;
  acceptOlder: boolean;
  /** Asks the cloud, by way of the upstream. */
  pull: Pull;
  /** Brings the ledger up to where the cloud stands; null, or why it could not. */
  converge(ledger: Ledger): Promise<string | null>;
  now: Date;
}

export interface Restored {
  position: Position;
  /** Where the ledger that stood there is kept; null when there was none. */
  kept: string | null;
  /** Why what the cloud has withdrawn since the backup may not be known yet; null: all of it is. */
  behind: string | null;
}

/**
 * Puts a backup in the ledger's place. What stood there is kept beside it under another name. Before it gets
 * its name it receives what the cloud has delivered since, so that nothing withdrawn meanwhile is ever shown.
 *
 * @throws BackupError
 */
export async function restoreLedger(parts: RestoreParts): Promise<Restored> {
  const { file, backup } = parts;
  const incoming = `${file}.incoming`;
  try {
    removeFile(incoming);
    closeSync(openSync(incoming, 'wx', 0o600));
    copyFileSync(backup, incoming);
    const position = soundPosition(incoming, `The backup ${backup}`);
    const present = existsSync(file) ? takeAlone(file) : null;
    refuseOther(present, position);
    if (!parts.acceptOlder) await refuseOlder(parts, present, position);
    const behind = await catchUp(incoming, parts);
    sync(incoming);
    const kept = !existsSync(file) ? null : `${file}.before-${parts.now.toISOString().replaceAll(/[:.]/g, '-')}`;
    if (kept !== null) keepAside(file, kept);
    renameSync(incoming, file);
    sync(path.dirname(file));
    return { position, kept, behind };
  } catch (error) {
    removeFile(incoming);
    throw asBackupError(error, `The backup ${backup} was not restored`);
  }
}

async function catchUp(file: string, { converge }: RestoreParts): Promise<string | null> {
  const ledger = openLedger(file, { create: false });
  try {
    const behind = await converge(ledger);
    ledger.foldLog();
    return behind;
  } finally {
    ledger.close();
  }
}

/** Opens a copy, brings it to the present schema, looks at all of it, and leaves it as one file without a log beside it. */
function soundPosition(file: string, name: string): Position {
  const ledger = openLedger(file, { create: false });
  try {
    const { findings } = verifyLedger(ledger);
    if (findings.length > 0) throw new BackupError(`${name} is not sound:\n${findings.slice(0, 10).join('\n')}`);
    const position = positionOf(ledger);
    if (!ledger.foldLog()) throw new BackupError(`${name} is in use by another program.`);
    return position;
  } finally {
    ledger.close();
  }
}

function positionOf(ledger: Ledger): Position {
  return { ...readCursors(ledger), actions: newestActionSeq(ledger) };
}

/** Where the present ledger stands, when nobody else has it open. Null when it cannot be read at all: then there is nothing to lose. */
function takeAlone(file: string): Position | null {
  let ledger: Ledger;
  try {
    ledger = openLedger(file, { create: false, busyTimeoutMs: 1_000 });
  } catch (error) {
    if (error instanceof LedgerError && error.name !== 'LedgerDamagedError') throw error;
    return null;
  }
  try {
    const position = positionOf(ledger);
    if (!ledger.foldLog()) {
      throw new BackupError(
        `The ledger ${file} is in use: stop the Intake, the provision API and the console API first.`,
      );
    }
    return position;
  } finally {
    ledger.close();
  }
}

function refuseOther(present: Position | null, backup: Position): void {
  if (present?.tenantId === undefined || present.tenantId === null || backup.tenantId === null) return;
  if (present.tenantId !== backup.tenantId) {
    throw new BackupError(
      `The backup belongs to tenant ${backup.tenantId}, and the present ledger to tenant ${present.tenantId}.`,
    );
  }
}

const WHAT_OLDER_MEANS =
  'With an older ledger, every decision and setting that was made after the backup is lost: what was stopped, rejected or ' +
  'blocked since then is screened anew when the cloud sends it again, and may be shown to customers without a person ' +
  'having looked. If that is acceptable, say --accept-older, and look through the audit log of the ledger that is kept.';

/** Whether the cloud or the present ledger has gone on since the backup was made. */
async function refuseOlder({ pull, now }: RestoreParts, present: Position | null, backup: Position): Promise<void> {
  if (present !== null && present.committed > backup.committed) {
    throw new BackupError(
      `The backup ends at cursor ${backup.committed}, and the present ledger at ${present.committed}. ${WHAT_OLDER_MEANS}`,
    );
  }
  if (present !== null && present.actions > backup.actions) {
    throw new BackupError(
      `The present ledger holds ${present.actions - backup.actions} actions that the backup does not have. ${WHAT_OLDER_MEANS}`,
    );
  }
  const ahead = await cloudAhead(pull, backup, now);
  if (ahead !== null) throw new BackupError(`${ahead} ${WHAT_OLDER_MEANS}`);
}

/** A sentence when the cloud has records after the backup's cursor, or cannot be asked; else null. */
async function cloudAhead(pull: Pull, { committed, tenantId }: Position, now: Date): Promise<string | null> {
  const unknown = (why: string): string =>
    `Whether the cloud has gone on after the backup's cursor ${committed} cannot be told: ${why}`;
  let answer;
  try {
    answer = await pull({ after: committed, limit: 1 }, new AbortController().signal);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof OversizedAnswerError) return unknown(`${error.message}.`);
    throw error;
  }
  // The signature is looked at when the Intake takes the bundle in; here nothing is taken in.
  const judged = judgeAnswer(answer, { after: committed, tenantId, lastHead: null, verifyKey: null, now });
  switch (judged.kind) {
    case 'NOTHING_NEW':
      return null;
    case 'BUNDLE':
      return `The backup ends at cursor ${committed}, and the cloud has records after it.`;
    case 'FAILED':
      // A cloud that is behind has lost records; the Intake says so by itself (D31).
      return judged.state === 'REGRESSED' ? null : unknown(judged.message);
  }
}

/** With the log, if a damaged ledger has left one: beside another file it would be taken for that file's. */
function keepAside(file: string, kept: string): void {
  for (const end of ['', '-wal', '-shm']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${kept}${end}`);
}

/** Until this returns, a power cut may take away what was written or renamed. */
function sync(place: string): void {
  // Windows has no handle for a folder, and keeps a rename by itself.
  if (process.platform === 'win32' && statSync(place).isDirectory()) return;
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function asBackupError(error: unknown, what: string): unknown {
  if (error instanceof BackupError || error instanceof LedgerError) return new BackupError(`${what}. ${error.message}`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|SQLITE_\w+)$/.test(code) && error instanceof Error
    ? new BackupError(`${what} (${error.message}): check the paths, their permissions and the free space.`)
    : error;
}
