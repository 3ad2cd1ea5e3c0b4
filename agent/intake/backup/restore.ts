/** `intake restore`: replaces a ledger by a backup. */
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { forgetSessions } from '../../ledger/accounts/sessions.ts';
import {
  actionsAfter,
  commandActor,
  endExceptRestores,
  goesOnFrom,
  lastActionAt,
  rowHash,
} from '../../ledger/audit/audit.ts';
import { beginRecord } from '../../ledger/audit/record-begins.ts';
import { recordKeyFile } from '../../ledger/made/record-key.ts';
import { asLedgerError, LedgerDamagedError, LedgerError } from '../../ledger/storage/errors.ts';
import { inspectLedger } from '../../ledger/storage/inspect.ts';
import { lastFactAt, recordRestored } from '../../ledger/serving/record.ts';
import { isThere, logBeside, LOGS, logWithoutLedger, type SetAside } from '../../ledger/storage/leftovers.ts';
import { Ledger, openLedger } from '../../ledger/storage/ledger.ts';
import { openReadOnly } from '../../ledger/storage/read-only.ts';
import { realPath } from '../../ledger/storage/real-path.ts';
import { holdEveryText } from './hold-all.ts';
import { lockOutIntake, lockMaintenance } from '../../ledger/storage/single-writer-lock.ts';
import { classifyResponse } from '../receive/classify-response.ts';
import { journalKeyFile, readJournalKeys, type JournalKeys } from '../../ledger/journal/journal-key.ts';
import { captureDecisions } from '../../ledger/journal/journal.ts';
import { noteUnrecorded, placeOf, type Place } from '../../ledger/journal/records.ts';
import { numbersSince, settleNumbers, type KnownNumbers } from './approval-numbers.ts';
import { copyArchives } from './archive.ts';
import { copyInPieces } from './copy-in-pieces.ts';
import { putFirst, replace } from './put-in-place.ts';
import { MB, STAGES } from '../maintenance/stages.ts';
import { asBackupError, BackupError, positionOf, removeFile, soundCopy, sync, type Position } from './backup.ts';
import {
  beyondBackup,
  clearOutbox,
  goOnFrom,
  Replay,
  type Between,
  type Beyond,
  type Lost,
  type Proof,
  type Replayed,
} from './journal/beyond.ts';
import { NoAnswerError, OversizedAnswerError, type Pull } from '../receive/pull.ts';
import type { Verification } from '../receive/statement.ts';

export interface RestoreParts {
  /** The ledger's place. */
  file: string;
  backup: string;
  /** Whether an older backup is accepted; `HELD`: its exposed texts go to review first. */
  older: 'REFUSED' | 'EXPOSED' | 'HELD';
  /** Asks the cloud, through the upstream. */
  pull: Pull;
  verification: Verification | null;
  /** The tenant of the ledger; absent or null: any, where there is no present ledger. */
  tenantId?: number | null;
  /** Folder of the decision journal; absent or null: none is named. */
  journal?: string | null;
  /** How its records are proved; absent: by the key beside the ledger alone. */
  proof?: Proof;
  /** Brings the ledger up to the cloud's head; returns null, or the reason of a failure. */
  catchUp(ledger: Ledger, between: Between | null): Promise<string | null>;
  now: Date;
  /** Told the stages of `restoreStages`. */
  progress?: Progress;
}

export interface Restored {
  position: Position;
  /** What the backup's check tells beside faults, as what could not be judged without the record key. */
  notices: string[];
  /** The new name of the previous ledger; null when there was none. */
  kept: string | null;
  /** Logs that lay beside the name: of an earlier ledger, or of the damaged one that is kept. */
  aside: SetAside[];
  /** The reason why withdrawals since the backup may be missing; null: all are applied. */
  behind: string | null;
  /** The number of texts that were sent to review; null where the backup's decisions stay. */
  held: number | null;
  /** The changes of the decision journal that were made again; null: there is no journal. */
  replayed: Replayed | null;
  lost: Lost;
  /** Whether no approval number is given until a person has said where they go on. */
  numbersClosed: boolean;
}

/**
 * Replaces the ledger by a backup and keeps the previous ledger beside it under another name. Before the backup gets the
 * ledger's name, it receives everything that the cloud has delivered since, so that no text that was withdrawn meanwhile
 * is exposed.
 *
 * Other processes are locked out meanwhile. At every moment the ledger's name belongs to one complete ledger, the previous
 * or the restored one.
 *
 * @throws BackupError, StoppedError: the previous ledger is the present one then
 */
export async function restoreLedger(parts: RestoreParts): Promise<Restored> {
  const { backup, progress = UNTOLD } = parts;
  // A link stays: the restored file takes the place of what it leads to.
  const file = realPath(parts.file);
  const incoming = `${file}.incoming`;
  // It is removed whatever happens.
  if (realPath(backup) === incoming)
    throw new BackupError(`${backup} is what an earlier restore has left unfinished: name the backup itself.`);
  const releases: (() => void)[] = [];
  try {
    releases.push(lockMaintenance(file));
    releases.push(lockOutIntake(file));
    refuseUnclosed(backup);
    removeFile(incoming);
    progress.unfinished(incoming);
    copyInPieces(backup, incoming, (bytes) => progress.at(STAGES.copied, bytes / MB));
    refuseOtherSchema(incoming, backup);
    bringArchives(incoming, backup, progress);
    const [key, keys] = [recordKeyFile(parts.file), parts.verification?.keys()];
    const { position, ...checked } = soundCopy(incoming, `The backup ${backup}`, key, progress, keys);
    const present = existsSync(file) && logWithoutLedger(file) === null ? holdPresent(file, releases) : null;
    refuseOther(present?.position ?? null, position, parts.tenantId ?? null);
    const numbers = numbersSince(position, present?.ledger ?? null);
    const lost = lostBetween(present?.ledger ?? null, incoming);
    const beyond = beyondOf(incoming, parts, present?.ledger ?? null);
    if (parts.older === 'REFUSED' && beyond !== null) refuseLacking(beyond, lost);
    else if (parts.older === 'REFUSED') {
      if (present !== null) refuseGoneOn(present.position, position, incoming);
      await refuseCloudAhead(parts, position);
    }
    // From here on it goes to its end: the file is a whole ledger.
    progress.unfinished(null);
    const wasThere = existsSync(file);
    recordRestore(incoming, present?.position ?? null, beyond?.records.at(-1) ?? null, parts);
    const { reached, ...caughtUp } = await catchUpCopy(incoming, parts, beyond, numbers);
    sync(incoming);
    const kept = wasThere ? `${file}.before-${parts.now.toISOString().replaceAll(/[:.]/g, '-')}` : null;
    // Windows moves no file that is open, nor another one onto it.
    if (process.platform === 'win32' && kept !== null) release(releases);
    const aside = kept === null ? putFirst(incoming, file) : replace(incoming, file, kept);
    sync(path.dirname(file));
    refuseOtherThan(reached, file);
    // A copy that proves nothing of this journal must not stay to seal it.
    parts.proof?.putDown?.();
    if (parts.older !== 'REFUSED' && beyond !== null) await letJournalGoOn(parts.file, parts.journal ?? null, beyond);
    return { position, notices: [...checked.notices, ...checked.unjudged], kept, aside, lost, ...caughtUp };
  } catch (error) {
    removeFile(incoming);
    throw asBackupError(error, `The backup ${backup} was not restored`);
  } finally {
    release(releases);
  }
}

/** A copy of the file alone would leave out what the log holds. */
function refuseUnclosed(backup: string): void {
  const log = logBeside(realPath(backup));
  if (log !== undefined)
    throw new BackupError(
      `The file ${backup} has a log beside it (${log}), which may hold its last decisions: it is a ledger that was not closed, and no backup. Make one of it by "intake backup" with CAUSEWAY_LEDGER=${backup}, and restore that. Where the log is that of another file, move it away.`,
    );
}

/** Runs before any write: a foreign trigger would already fire during a migration. */
function refuseOtherSchema(incoming: string, backup: string): void {
  const { schema, version } = inspectLedger(incoming, { check: false });
  if (version === 0)
    throw new BackupError(`The file ${backup} holds no ledger: name a file that "intake backup" has written.`);
  if (schema.length > 0)
    throw new BackupError(
      `The backup ${backup} was changed after it was made:\n${schema.slice(0, 10).join('\n')}\nTake an earlier one, and find out who writes there.`,
    );
}

/** Copies the archives beside the backup to the ledger's folder. */
function bringArchives(incoming: string, backup: string, progress: Progress): void {
  const ledger = openLedger(incoming, { create: false, isCopy: true, progress });
  try {
    copyArchives(ledger, path.dirname(realPath(backup)), path.dirname(incoming), progress);
  } finally {
    ledger.close();
  }
}

function release(releases: (() => void)[]): void {
  for (const each of releases.splice(0).toReversed()) each();
}

/**
 * Whatever lies beside the name by now, the ledger that opens under it must be the one that was checked.
 *
 * @throws BackupError
 */
export function refuseOtherThan(reached: Position, file: string): void {
  let found = 'it cannot be read';
  try {
    const ledger = openLedger(file, { create: false, check: true });
    try {
      const faults = ledger.schemaFaults();
      if (faults.length === 0 && isDeepStrictEqual(positionOf(ledger), reached)) return;
      found = faults[0] ?? 'its last row is another one';
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    found = error.message;
  }
  throw new BackupError(
    `The ledger ${file} is not what was restored (${found}): see which program writes in its folder, stop it, and restore again.`,
  );
}

/**
 * Records the restore as the first row after the backup's: it explains checkpoints of rows that the backup lacks.
 */
function recordRestore(incoming: string, present: Position | null, last: Place | null, { file, now }: RestoreParts) {
  const ledger = openLedger(incoming, { create: false, keysBeside: file });
  try {
    const known = [lastActionAt(ledger), lastFactAt(ledger)].filter((at) => at !== null);
    const since = known.toSorted().at(-1) ?? null;
    const replaced = present === null ? {} : { replacedRows: present.actions, replacedHash: present.actionsHash };
    // Records that are made again tell the end of the log that they came from, and none of this one (D140).
    const { seq, hash: journalHash } = last ?? placeOf(ledger);
    ledger.write((tx) => {
      forgetSessions(tx);
      recordRestored(tx, now.toISOString(), since, { ...replaced, ...(seq === 0 ? {} : { journalHash }) });
    });
  } finally {
    ledger.close();
  }
}

function beyondOf(
  incoming: string,
  {
    file,
    journal = null,
    proof = { keys: readJournalKeys(journalKeyFile(file)), acceptsUnproved: false },
  }: RestoreParts,
  present: Ledger | null,
): Beyond | null {
  const ledger = openLedger(incoming, { create: false });
  try {
    return beyondBackup(journal, ledger, present, proof);
  } finally {
    ledger.close();
  }
}

function refuseLacking({ lacking, records }: Beyond, { actions }: Lost): void {
  if (lacking === null) return;
  const known = Object.entries(actions ?? {}).map(([action, count]) => `${count} ${action}`);
  const told = known.length === 0 ? '' : ` The present ledger records ${known.join(', ')} since the backup.`;
  const again = records.length === 0 ? '' : ` ${records.length} changes after the backup could be made again.`;
  throw new BackupError(`${lacking}${again}${told} ${WHAT_OLDER_MEANS}`);
}

async function letJournalGoOn(file: string, journal: string | null, beyond: Beyond): Promise<void> {
  if (journal === null) return;
  const ledger = openLedger(file, { create: false });
  try {
    await goOnFrom(ledger, journal, beyond);
  } finally {
    ledger.close();
  }
}

async function catchUpCopy(
  incoming: string,
  { file, catchUp, older, now, proof }: RestoreParts,
  beyond: Beyond | null,
  known: KnownNumbers | null,
): Promise<Pick<Restored, 'behind' | 'held' | 'replayed' | 'numbersClosed'> & { reached: Position }> {
  const ledger = openLedger(incoming, { create: false, keysBeside: file });
  try {
    const replay = beyond === null ? null : new Replay(ledger, beyond.records, older !== 'REFUSED');
    const behind = await catchUp(ledger, replay);
    if (older === 'REFUSED' && replay !== null && (behind !== null || replay.left > 0))
      throw new BackupError(
        `${replay.left} changes of the decision journal wait for texts that the cloud has not sent (${behind ?? 'it has nothing more'}): ` +
          'try again when it answers. With --hold-all or --accept-older those that need such a text are lost.',
      );
    replay?.makeRest(behind === null ? now : null);
    if (replay !== null && beyond !== null) clearOutbox(ledger, beyond.end);
    // The changes that were made again follow lost ones, of which no row tells: the record begins anew.
    const why = { lostRecords: replay?.unmade.length ?? 0 };
    if (why.lostRecords > 0 && replay !== null && replay.made > 0)
      ledger.write((tx) => beginRecord(tx, { at: now.toISOString(), actor: commandActor(), why }));
    const keys = (): JournalKeys => proof?.keys ?? readJournalKeys(journalKeyFile(file));
    // The last record says what the ledger holds, also where it does not hold that record.
    if (why.lostRecords > 0) ledger.write((tx) => noteUnrecorded(tx, keys()));
    if (older === 'HELD' && behind !== null)
      throw new BackupError(
        `With --hold-all the cloud must have been asked, because a text that comes later is shown as the backup's policy says: ${behind}`,
      );
    captureDecisions(ledger, keys);
    const isWhole = beyond?.lacking === null && replay?.unmade.length === 0;
    const numbersClosed = settleNumbers(ledger, { known, isWhole, now });
    const held = older === 'HELD' ? holdEveryText(ledger, now) : null;
    const reached = positionOf(ledger);
    if (!ledger.foldLog()) throw new BackupError(`${incoming} is in use by another program.`);
    const told = { behind, held, numbersClosed, reached };
    if (replay === null || beyond === null) return { ...told, replayed: null };
    const { made, unmade } = replay;
    const { lacking, unproved, dropped } = beyond;
    return { ...told, replayed: { made, unmade, lacking, unproved, dropped } };
  } finally {
    ledger.close();
  }
}

/**
 * The position of the present ledger, once no other process has it open; from then on none can open it. Null when it
 * cannot be read at all: there is nothing to lose then. A damaged one with a log is only read, and so kept as it is.
 */
function holdPresent(file: string, releases: (() => void)[]): { ledger: Ledger; position: Position } | null {
  let ledger: Ledger;
  let isSound = true;
  try {
    ledger = openLedger(file, {
      create: false,
      busyTimeoutMs: 1_000,
      check: LOGS.some((end) => isThere(`${file}${end}`)),
    });
  } catch (error) {
    if (error instanceof LedgerError && !(error instanceof LedgerDamagedError)) throw error;
    const db = openReadOnly(file);
    if (db === null) return null;
    ledger = new Ledger(file, db);
    isSound = false;
  }
  releases.push(() => ledger.close());
  try {
    if (isSound && !ledger.holdAlone()) {
      throw new BackupError(
        `The ledger ${file} is in use: stop the Intake, the provision API and the console API first.`,
      );
    }
    const { seq: actions, hash: actionsHash } = endExceptRestores(ledger);
    return { ledger, position: { ...positionOf(ledger), actions, actionsHash } };
  } catch (error) {
    // The damaged pages may be read only now: the ledger opens, and its position cannot be read.
    if (asLedgerError(file, error) instanceof LedgerDamagedError) return null;
    throw error;
  }
}

function refuseOther(present: Position | null, backup: Position, named: number | null): void {
  if (backup.tenantId === null) return;
  if (named !== null && named !== backup.tenantId)
    throw new BackupError(
      `The backup belongs to tenant ${backup.tenantId}, and CAUSEWAY_INTAKE_TENANT names tenant ${named}.`,
    );
  if (present !== null && present.tenantId !== null && present.tenantId !== backup.tenantId) {
    throw new BackupError(
      `The backup belongs to tenant ${backup.tenantId}, and the present ledger to tenant ${present.tenantId}.`,
    );
  }
}

const WHAT_OLDER_MEANS =
  'With an older ledger, every decision and setting that was made after the backup is lost: a text that was stopped, ' +
  'rejected or blocked since then is screened again when the cloud sends it again. With --hold-all no text is shown ' +
  'before a person has approved it again; with --accept-older such a text may be shown to customers at once. In either ' +
  'case read the audit log of the ledger that is kept.';

/** Refuses a backup that lacks something of the present ledger. The backup lies in `incoming`. */
function refuseGoneOn(present: Position, backup: Position, incoming: string): void {
  if (present.committed > backup.committed) {
    throw new BackupError(
      `The backup ends at cursor ${backup.committed}, and the present ledger at ${present.committed}. ${WHAT_OLDER_MEANS}`,
    );
  }
  if (present.actions > backup.actions) {
    throw new BackupError(
      `The present ledger holds ${present.actions - backup.actions} actions that the backup does not have. ${WHAT_OLDER_MEANS}`,
    );
  }
  // After a restore both ledgers may have continued separately: equal numbers prove nothing then.
  if (!holdsActionsOf(incoming, present)) {
    throw new BackupError(
      `The backup is not a later copy of the present ledger: up to row ${present.actions} their audit logs say different ` +
        `things, so the present one holds actions that the backup does not have. ${WHAT_OLDER_MEANS}`,
    );
  }
}

/** @param present null without a readable present ledger */
function lostBetween(present: Ledger | null, incoming: string): Lost {
  const backup = openLedger(incoming, { create: false });
  try {
    const since = lastActionAt(backup);
    if (present === null) return { since, actions: null };
    const isCommon = (seq: number): boolean => goesOnFrom(backup, { seq, hash: rowHash(present, seq) });
    // Logs that are equal at a row are equal before it: bisects for the last common row.
    let [both, one] = [0, endExceptRestores(present).seq + 1];
    while (one - both > 1) {
      const middle = Math.floor((both + one) / 2);
      if (isCommon(middle)) both = middle;
      else one = middle;
    }
    return { since, actions: actionsAfter(present, both) };
  } finally {
    backup.close();
  }
}

function holdsActionsOf(file: string, { actions, actionsHash }: Position): boolean {
  const ledger = openLedger(file, { create: false });
  try {
    return goesOnFrom(ledger, { seq: actions, hash: actionsHash });
  } finally {
    ledger.close();
  }
}

async function refuseCloudAhead(parts: RestoreParts, backup: Position): Promise<void> {
  const ahead = await cloudAhead(parts, backup);
  if (ahead !== null) throw new BackupError(`${ahead} ${WHAT_OLDER_MEANS}`);
}

/** A sentence when the cloud has records after the backup's cursor, or cannot be asked; else null. */
async function cloudAhead(
  { pull, verification, now, tenantId: named = null }: RestoreParts,
  { committed, tenantId: bound }: Position,
): Promise<string | null> {
  const unknown = (why: string): string =>
    `It is not known whether the cloud has records after the backup's cursor ${committed}: ${why}`;
  let answer;
  try {
    answer = await pull({ after: committed, limit: 1 }, new AbortController().signal);
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof OversizedAnswerError) return unknown(`${error.message}.`);
    throw error;
  }
  // This pull stores nothing, but a relay's false "nothing new" would lose decisions: the statement is checked.
  const tenantId = bound ?? named;
  const classified = classifyResponse(answer, { after: committed, tenantId, lastHead: null, verification, now });
  switch (classified.kind) {
    case 'NOTHING_NEW':
      return null;
    case 'BUNDLE':
      return `The backup ends at cursor ${committed}, and the cloud has records after it.`;
    case 'FAILED':
      // A cloud behind the backup has lost records; the Intake reports that itself (D31).
      return classified.state === 'REGRESSED' ? null : unknown(classified.message);
  }
}
