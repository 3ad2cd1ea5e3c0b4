/** The doctor's checks of the ledger: its file, pages and chain, the free space, and the state of the reception. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SyncAlarm, SyncStatus } from '../../../shared/wire/console/console.ts';
import { brokenChain, verifyChain } from '../../ledger/audit/audit.ts';
import {
  LedgerDamagedError,
  LedgerError,
  LedgerLogLeftError,
  LedgerOfAnotherError,
} from '../../ledger/storage/errors.ts';
import { logWithoutLedger } from '../../ledger/storage/leftovers.ts';
import { thingFindings } from '../../ledger/audit/thing-findings.ts';
import { readRecordKey, recordKeyFault, recordKeyFile } from '../../ledger/made/record-key.ts';
import { tellsThings } from '../../ledger/audit/thing-check.ts';
import { brokenRecord } from '../../ledger/shown/shown-facts.ts';
import { heldTickers } from '../../ledger/serving/record.ts';
import { isHeldByAnother } from '../../ledger/storage/write-lock.ts';
import { inspectLedger } from '../../ledger/storage/inspect.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { realPath } from '../../ledger/storage/real-path.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { lockMaintenance, UpkeepRunsAlreadyError } from '../../ledger/storage/single-writer-lock.ts';
import { syncStatus } from '../../ledger/inbox/sync-state.ts';
import { warn, ok, skipped, wrong, type Finding } from '../../../shared/service/findings.ts';
import { barredFolder, checkNamedFile } from './check-files.ts';
import type { Account } from '../../../shared/service/install/account.ts';

const MB = 1_000_000;
/** With less, SQLite soon cannot write. */
const NEEDED_BYTES = 200 * MB;
/** Reading all of a larger one takes too long here; `intake verify` does it. */
const LARGEST_CHECKED = 2 * 1024 ** 3;
/** The log is written back at 64 MB; a larger one is held open by another process. */
const LARGE_LOG_BYTES = 256 * MB;

export interface LedgerState {
  findings: Finding[];
  /** The state of the ledger; null where it is unreadable or missing. */
  state: { tenantId: number | null; status: SyncStatus } | null;
}

export function checkLedger(
  file: string,
  account: Account | null,
  freeBytes: (folder: string) => number,
  now: Date,
): LedgerState {
  const place = path.resolve(realPath(file));
  const folder = path.dirname(place);
  const barred = account === null ? null : barredFolder(file, account);
  if (account !== null && barred !== null)
    return {
      findings: [
        wrong('ledger', `the user ${account.name} may not enter ${barred}`, `chown or chmod it for ${account.name}`),
      ],
      state: null,
    };
  if (!existsSync(folder))
    return {
      findings: [wrong('ledger', `the folder ${folder} does not exist`, 'make it, or correct CAUSEWAY_LEDGER')],
      state: null,
    };
  const findings = [checkSpace(file, folder, freeBytes)];
  const left = logWithoutLedger(place);
  if (left !== null) {
    findings.push(unopened(new LedgerLogLeftError(place, left)));
    return { findings, state: null };
  }
  if (!existsSync(file)) {
    findings.push(
      warn(
        'ledger',
        `${file} does not exist yet`,
        'nothing, if this is the first start: it is made then. Else correct CAUSEWAY_LEDGER, or restore a backup',
      ),
    );
    return { findings, state: null };
  }
  const access = checkNamedFile({ variable: 'CAUSEWAY_LEDGER', file, secret: true, written: true }, account);
  findings.push(...access);
  if (access.some(({ verdict }) => verdict === 'WRONG')) return { findings, state: null };
  try {
    return checkContents(file, findings, now);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    findings.push(unopened(error));
    return { findings, state: null };
  }
}

/** Whether another program keeps the parts from writing; waits ten seconds only where the lock is taken. */
export async function checkWriteLock(file: string, heldMs?: number): Promise<Finding[]> {
  if (!(await isHeldByAnother(file, heldMs))) return [];
  return [
    wrong(
      'ledger',
      'another program has held its write lock for ten seconds: nothing is received, withdrawn or changed',
      `find the program and end it (on Linux: fuser -v ${file}); mostly it is a copy or a backup by another tool`,
    ),
  ];
}

/** A ledger that cannot be opened. Only a damaged one is restored: what is in the way of another one can be moved. */
function unopened(error: LedgerError): Finding {
  if (error instanceof LedgerOfAnotherError) return skipped('ledger', error.message);
  const page = error instanceof LedgerDamagedError ? 'backup.md, "Restore"' : 'worst-day.md';
  return wrong('ledger', error.message, `see agent/operations/guide/${page}`);
}

function checkContents(file: string, findings: Finding[], now: Date): LedgerState {
  const check = statSync(file).size <= LARGEST_CHECKED;
  const { version, isOlder, fault, schema } = inspectLedger(file, { check });
  if (fault !== null) {
    findings.push(
      wrong(
        'ledger',
        `its pages are damaged (${fault})`,
        'stop the services and restore a backup: intake restore FILE',
      ),
    );
    return { findings, state: null };
  }
  if (isOlder) {
    findings.push(
      warn(
        'ledger',
        `it has the older schema version ${version}`,
        'make a backup; the next start of a part brings it up to date',
      ),
    );
    return { findings, state: null };
  }
  findings.push(
    ...schema.map((said) => wrong('ledger', said, 'investigate the change, and restore a backup from before it')),
  );
  const ledger = openLedger(file, { create: false, busyTimeoutMs: 3_000 });
  try {
    const log = statSync(`${realPath(file)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (log > LARGE_LOG_BYTES)
      findings.push(
        warn(
          'ledger',
          `its log has grown to ${Math.round(log / MB)} MB`,
          'some program reads for very long: restart provision and console API',
        ),
      );
    findings.push(
      check
        ? ok('ledger', `schema version ${version}, and its pages are sound`)
        : skipped('ledger', `schema version ${version}; it is too large to be read now: run "intake verify"`),
    );
    if (check) {
      const chain = ledger.read((reader) => verifyChain(reader));
      findings.push(
        chain.ok
          ? ok('audit log', 'its chain is whole')
          : wrong('audit log', brokenChain(chain), 'keep the file as it is, and investigate the change'),
      );
    }
    if (check) findings.push(...checkThings(ledger), checkRecord(ledger, now));
    findings.push(...checkHeldWithdrawals(ledger));
    const state = ledger.read((reader) => ({
      tenantId: readCursors(reader).tenantId,
      status: syncStatus(reader, now),
    }));
    return { findings, state };
  } finally {
    ledger.close();
  }
}

/** Whether policies, accounts and settings are as the audit log tells (D199), and the key that proves it is there. */
function checkThings(ledger: Ledger): Finding[] {
  const about = 'what the audit log tells';
  const file = recordKeyFile(ledger.file) ?? '';
  const { findings, unjudged } = ledger.read((reader) => thingFindings(reader, readRecordKey(file)));
  const fault = recordKeyFault(file);
  const told = [
    ...findings.map((said) =>
      wrong(
        about,
        said.replace(/\.$/, ''),
        'find out who wrote there; restore an earlier backup, or have "console-api audit begin" put it on record and set it right in the console',
      ),
    ),
    ...unjudged.map((said) => warn(about, 'some of it could not be judged without the record key', said)),
  ];
  if (told.length === 0) told.push(ok(about, 'policies, accounts and settings are as its rows tell'));
  if (ledger.read(tellsThings) && fault !== null)
    told.push(
      wrong('record key', fault, 'put its copy there; where it is lost, "console-api audit begin" makes another'),
    );
  return told;
}

/** Whether what was shown can be told (D156): the console answers SHOWN4091 otherwise, and no dossier can be made. */
function checkRecord(ledger: Ledger, now: Date): Finding {
  const broken = ledger.read((reader) => brokenRecord(reader, now));
  return broken === null
    ? ok('what was shown', 'its record leads to the texts that are provided now')
    : wrong(
        'what was shown',
        `${broken.replace(/: run .*$/, '')} (SHOWN4091)`,
        'run "intake verify"; it names the rows that differ, and "intake rebuild" makes them anew; a row of the record or of the audit log comes back with a backup alone',
      );
}

/** Tickers that a rebuild hides. A running rebuild ends that; an interrupted one has to be run again. */
function checkHeldWithdrawals(ledger: Ledger): Finding[] {
  const held = ledger.read(heldTickers);
  if (held === 0) return [];
  const said = `no text of ${held} tickers is provided to any channel`;
  if (isMaintained(ledger.file))
    return [warn('rebuild', `${said}, while a command works on the ledger`, 'wait until it has ended')];
  return [wrong('rebuild', `${said}: a rebuild was interrupted`, 'run "intake rebuild" again')];
}

function isMaintained(file: string): boolean {
  try {
    lockMaintenance(file)();
    return false;
  } catch (error) {
    if (!(error instanceof UpkeepRunsAlreadyError)) throw error;
    return true;
  }
}

function checkSpace(file: string, folder: string, freeBytes: (folder: string) => number): Finding {
  const free = freeBytes(folder);
  const size = existsSync(file) ? statSync(file).size : 0;
  const said = `${Math.floor(free / MB)} MB are free in ${folder}`;
  if (free < NEEDED_BYTES)
    return wrong('disk', said, 'make room at once: nothing can be received or decided without it');
  if (free < size + NEEDED_BYTES)
    return warn(
      'disk',
      `${said}, less than the ledger itself has (${Math.ceil(size / MB)} MB)`,
      'make room: a backup or an update needs as much again',
    );
  return ok('disk', said);
}

/** Whether pulls continue, and their results. */
export function checkReception(status: SyncStatus, pollMs: number, now: Date): Finding[] {
  const about = 'reception';
  if (status.lastAttemptAt === null)
    return [warn(about, 'the Intake has not pulled yet', 'start the Intake: causeway-agent service status intake')];
  const age = now.getTime() - Date.parse(status.lastAttemptAt);
  const findings: Finding[] = [];
  if (age > 3 * pollMs + 60_000) {
    const said = `the last poll was at ${status.lastAttemptAt}, ${Math.round(age / 60_000)} minutes ago`;
    findings.push(wrong(about, said, 'the Intake does not run, or hangs: causeway-agent service status intake'));
  }
  if (status.state !== 'OK') {
    findings.push(
      wrong(
        about,
        `${status.state}: ${status.lastError?.message ?? 'no reason is noted'}`,
        `see ${status.state} in agent/intake/README.md`,
      ),
    );
  } else if (findings.length === 0) {
    findings.push(
      ok(
        about,
        `the last poll succeeded at ${status.lastAttemptAt}; ${status.lag ?? 0} entries wait at the cloud` +
          (status.waitSeconds === null ? '' : ', and the Intake is connected and waits for news'),
      ),
    );
  }
  if (status.waitCutSeconds !== null)
    findings.push(
      warn(
        about,
        `something between here and the cloud cuts connections that wait after ${status.waitCutSeconds} s: news comes later`,
        'lengthen the idle time of proxies and balancers on the way to a minute, or lower CAUSEWAY_INTAKE_WAIT_SECONDS',
      ),
    );
  if (status.appliedCursor < status.committedCursor)
    findings.push(
      warn(
        about,
        `received up to ${status.committedCursor}, applied only up to ${status.appliedCursor}`,
        'look again in a minute; if it stays, see the log of the Intake',
      ),
    );
  const set: [number, string, string][] = [
    [
      status.rejectedEntries,
      'entries were rejected because they are not valid',
      'see Cloud Sync in the console; after an update run "intake replay"',
    ],
    [status.heldInvalidations, 'withdrawals wait for an original that has not arrived', 'tell the vendor'],
    [
      status.quarantinedUnseen,
      'bundles broke the rules and are kept apart',
      'tell the vendor, and say so with "intake acknowledge"',
    ],
  ];
  for (const [count, said, todo] of set) if (count > 0) findings.push(warn(about, `${count} ${said}`, todo));
  // The alarms that no state reports; every other alarm is reported above.
  const raised = (alarm: SyncAlarm): boolean => status.alarms.includes(alarm);
  if (raised('STALLED'))
    findings.push(
      wrong(about, 'the cloud announces records that it does not send', 'tell the vendor, and check the relay'),
    );
  if (raised('QUIET'))
    findings.push(warn(about, 'no record has come for two whole weekdays', 'ask the vendor whether there were any'));
  if (raised('CLOCK_OFF'))
    findings.push(
      wrong(
        about,
        'the clocks of this host and of the cloud are more than two minutes apart',
        'set this host’s clock by a time server; where it is right, tell the vendor',
      ),
    );
  if (raised('DARK_TICKERS'))
    findings.push(
      warn(
        about,
        `nothing is provided of ${status.darkTickers.slice(0, 5).join(', ')}${status.darkTickers.length > 5 ? ` and ${status.darkTickers.length - 5} more` : ''}, although texts came after the one that keeps them back`,
        'look at the explanations of the ticker in the console, and approve the right one',
      ),
    );
  if (raised('RAW_DAMAGED'))
    findings.push(
      wrong(
        about,
        'a raw record is damaged on the disk or not signed by the vendor, and after it only withdrawals are applied',
        'intake repair',
      ),
    );
  return findings;
}
