import path from 'node:path';
import { codeOf } from '../../../shared/service/error-code.ts';
import { refuseRootInFolderOfAnother, UntrustedPlaceError } from '../../../shared/service/trusted-place.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { realPath } from './real-path.ts';

/** The reason why a ledger cannot be used. Each message is one sentence that says what to do. */
export class LedgerError extends Error {
  override name = 'LedgerError';
}

/**
 * Root may work on a service's ledger only as the service's user: `-wal`, `-shm` and locks beside it are opened by
 * their names.
 */
export class LedgerOfAnotherError extends LedgerError {
  override name = 'LedgerOfAnotherError';
}

/** @throws LedgerOfAnotherError */
export function refuseAnothersLedger(file: string): void {
  try {
    for (const place of [path.resolve(file), realPath(file)]) refuseRootInFolderOfAnother(path.dirname(place));
  } catch (error) {
    if (!(error instanceof UntrustedPlaceError)) throw error;
    throw new LedgerOfAnotherError(`The ledger ${file} is not opened: ${error.message}`);
  }
}

/** There is no such file. */
export class LedgerMissingError extends LedgerError {
  override name = 'LedgerMissingError';
  constructor(file: string) {
    super(`There is no ledger ${file}: check the path.`);
  }
}

/** The file was written by a newer version of the program. */
export class LedgerTooNewError extends LedgerError {
  override name = 'LedgerTooNewError';
  constructor(file: string, found: number, known: number) {
    super(
      `The ledger ${file} has schema version ${found}, written by a newer Causeway, and this part (Causeway ${PRODUCT_VERSION}) ` +
        `knows only up to ${known}: upgrade this part to the version of the newest one on this ledger (Intake, provision and ` +
        'console API belong to one version), then start it again. Nothing was changed.',
    );
  }
}

/** Another process holds the file for longer than we wait. */
export class LedgerLockedError extends LedgerError {
  override name = 'LedgerLockedError';
  constructor(file: string) {
    super(`The ledger ${file} is locked by another program: end the program that holds it, then try again.`);
  }
}

/** The file is no ledger, or its pages are damaged. */
export class LedgerDamagedError extends LedgerError {
  override name = 'LedgerDamagedError';
  constructor(file: string, detail: string) {
    // SQLite reports damage in several lines.
    const told = detail.replaceAll(/\s+/g, ' ');
    super(`The ledger ${file} is damaged or is not a ledger (${told}): restore it from a backup.`);
  }
}

/** The file or its folder cannot be read or written. */
export class LedgerUnreachableError extends LedgerError {
  override name = 'LedgerUnreachableError';
  constructor(
    file: string,
    detail: string,
    message = `The ledger ${file} cannot be opened for writing (${detail}): check the path, its permissions and the free space.`,
  ) {
    super(message);
  }
}

/** There is no space left for it. */
export class LedgerFullError extends LedgerUnreachableError {
  override name = 'LedgerFullError';
  constructor(file: string, detail: string) {
    super(file, detail, `There is no free space left for the ledger ${file} (${detail}): make room on its disk.`);
  }
}

/** The file is readable but not writable. */
export class LedgerReadOnlyError extends LedgerUnreachableError {
  override name = 'LedgerReadOnlyError';
  constructor(file: string, detail: string) {
    super(
      file,
      detail,
      `The ledger ${file} may only be read (${detail}): check its permissions, those of its folder, and whether its disk is mounted for writing.`,
    );
  }
}

/** The disk fails to read or write. */
export class LedgerDiskError extends LedgerUnreachableError {
  override name = 'LedgerDiskError';
  constructor(file: string, detail: string) {
    super(
      file,
      detail,
      `The disk of the ledger ${file} does not read or write (${detail}): look at the disk and its free space, then run "verify".`,
    );
  }
}

/** There is no such file, but a log of one: it may hold the only copy of committed decisions. */
export class LedgerLogLeftError extends LedgerUnreachableError {
  override name = 'LedgerLogLeftError';
  constructor(file: string, log: string) {
    super(
      file,
      log,
      `There is no ledger ${file}, but the log of one, ${log}, whose last decisions may be in no other file: see whether its ` +
        'disk is mounted and put the ledger back beside its log, or restore a backup with "intake restore", which keeps ' +
        'the log under another name. Nothing was changed.',
    );
  }
}

/** Whether another connection had the lock. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY');

/** Turns SQLite's errors into the named errors here; leaves all others unchanged. */
export function asLedgerError(file: string, error: unknown): unknown {
  if (error instanceof LedgerError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return new LedgerLockedError(file);
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB'))
    return new LedgerDamagedError(file, message);
  if (/^(?:SQLITE_FULL|ENOSPC$|EDQUOT$)/.test(code)) return new LedgerFullError(file, message);
  if (/^(?:SQLITE_READONLY|SQLITE_PERM|EROFS$)/.test(code)) return new LedgerReadOnlyError(file, message);
  if (/^(?:SQLITE_IOERR|EIO$)/.test(code)) return new LedgerDiskError(file, message);
  if (code.startsWith('SQLITE_CANTOPEN')) return new LedgerUnreachableError(file, message);
  // The system's own: the file cannot be made.
  if (/^E[A-Z]+$/.test(code)) return new LedgerUnreachableError(file, message);
  return error;
}

/**
 * Whether the ledger itself is at fault (no space, a lock, I/O): every SQLite error except a constraint, which concerns
 * a row.
 */
export function isLedgerFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_') && !code.startsWith('SQLITE_CONSTRAINT');
}

/** Exit codes of a service whose ledger cannot be used, so that its supervisor can say what to do. */
export const LEDGER_EXIT_CODES = {
  'too-new': 71,
  locked: 72,
  damaged: 73,
  unreachable: 74,
} as const;
/** The exit code of a service that may run only once on a ledger and finds another instance. */
export const RUNS_ALREADY_EXIT_CODE = 75;
export type LedgerProblem = keyof typeof LEDGER_EXIT_CODES;

/** The problem of the ledger behind an error; null for any other error. */
export function ledgerProblemOf(error: unknown): LedgerProblem | null {
  if (error instanceof LedgerTooNewError) return 'too-new';
  if (error instanceof LedgerLockedError) return 'locked';
  if (error instanceof LedgerDamagedError) return 'damaged';
  return error instanceof LedgerUnreachableError ? 'unreachable' : null;
}

/** The exit code of a service that cannot continue: 1 where its ledger is not at fault. */
export function exitCodeOf(error: unknown): number {
  const problem = ledgerProblemOf(error);
  return problem === null ? 1 : LEDGER_EXIT_CODES[problem];
}
