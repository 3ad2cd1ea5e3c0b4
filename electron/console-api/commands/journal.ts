/** `npm run console-api -- journal …`: verifies the decision journal (D139), and lets it continue after a loss. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  confirmKeyCopy,
  journalKeyFile,
  JournalKeyError,
  readJournalKeys,
} from '../../../agent/ledger/journal/journal-key.ts';
import { beginAnew, captureDecisions, journalState, succeedJournalKey } from '../../../agent/ledger/journal/journal.ts';
import { JournalError } from '../../../agent/ledger/journal/segments.ts';
import { LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { lockJournal } from '../../../agent/ledger/storage/single-writer-lock.ts';
import { ConfigurationError, readVariables, variable } from '../../../shared/service/variables.ts';
import type { CommandParts } from './audit.ts';

export const JOURNAL_HELP = `Decision journal (CAUSEWAY_LEDGER and CAUSEWAY_DECISION_JOURNAL name the ledger and the folder):
  journal verify   reads all of it, and says how far it and the ledger go
  journal key      makes another journal key, which seals from the next start on; the ones before go on proving their records
  journal copied FILE
                   confirms that FILE, which lies on another host or disk, is a copy of the journal key: the doctor warns until then
  journal begin    lets it go on from where the ledger stands, where a part of it is lost: make a backup first, because
                   no replay goes past the place; refused while the console API runs; makes the journal key where there is none
`;

const COMMANDS = ['verify', 'key', 'copied', 'begin'];

const VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text),
  CAUSEWAY_DECISION_JOURNAL: variable.required('folder of the decision journal', variable.text),
};

/** @throws JournalWriterRunsError, JournalError, JournalKeyError */
async function makeKey(ledger: Ledger, folder: string, print: (line: string) => void): Promise<void> {
  const release = lockJournal(ledger.file);
  try {
    const file = journalKeyFile(ledger.file);
    await succeedJournalKey(ledger, folder);
    print(`Another journal key was made: copy ${file} to another host or disk, then "journal copied FILE".`);
  } finally {
    release();
  }
}

/**
 * On record, because it is a promise of a person's. The doctor's rule for journal and backups holds here too.
 *
 * @throws JournalKeyError
 */
function confirmCopy(ledger: Ledger, copy: string, folder: string, { clock, print }: CommandParts): void {
  const file = journalKeyFile(ledger.file);
  const [key] = readJournalKeys(file);
  if (key === undefined) throw new JournalKeyError(`There is no journal key ${file}: "journal begin" makes one.`);
  if (!existsSync(copy)) throw new JournalKeyError(`There is no file ${copy}: copy ${file} there first.`);
  if (realpathSync(file) === realpathSync(copy))
    throw new JournalKeyError(`${copy} is the journal key itself: name a copy on another host or disk.`);
  if (isWithin(copy, folder))
    throw new JournalKeyError(
      `${copy} lies in the folder of the journal, where whoever takes it could write records: put the copy on another host or disk.`,
    );
  const known = readJournalKeys(copy).map(({ id }) => id);
  if (!readJournalKeys(file).every(({ id }) => known.includes(id)))
    throw new JournalKeyError(`${copy} does not hold all keys of ${file}: copy it there again.`);
  captureDecisions(ledger);
  ledger.write((tx) => confirmKeyCopy(tx, key.id, clock.now().toISOString()));
  print(`On record: the journal key has a copy. Keep ${copy} secret, and apart from the journal and the backups.`);
  const disk = statSync(copy).dev;
  if (disk === statSync(file).dev)
    print(`But ${copy} is on the same disk as the journal key: one fault takes both. Use another host or disk.`);
  else if (existsSync(folder) && disk === statSync(folder).dev)
    print(`But ${copy} is on the disk of the journal: whoever takes that disk can write records. Use another one.`);
}

/** Whether a file lies in a folder, wherever links lead. */
function isWithin(file: string, folder: string): boolean {
  if (!existsSync(folder)) return false;
  const way = path.relative(realpathSync(folder), realpathSync(file));
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** @throws JournalWriterRunsError */
async function beginAlone(ledger: Ledger, folder: string): Promise<void> {
  const release = lockJournal(ledger.file);
  try {
    await beginAnew(ledger, folder);
  } finally {
    release();
  }
}

/** @returns the exit code: 0 intact or done, 1 broken or not done, 2 for wrong usage */
export async function runJournalCommand(args: readonly string[], parts: CommandParts): Promise<0 | 1 | 2> {
  const [command = '', copy, ...more] = args;
  if (!COMMANDS.includes(command) || (copy !== undefined) !== (command === 'copied') || more.length > 0) {
    parts.complain(JOURNAL_HELP);
    return 2;
  }
  try {
    const { CAUSEWAY_LEDGER: file, CAUSEWAY_DECISION_JOURNAL: folder } = readVariables(VARIABLES, parts.env);
    const ledger = openLedger(file, { create: false, progress: parts.progress });
    try {
      if (command === 'key') await makeKey(ledger, folder, parts.print);
      if (copy !== undefined) confirmCopy(ledger, copy, folder, parts);
      if (command === 'key' || copy !== undefined) return 0;
      if (command === 'begin') await beginAlone(ledger, folder);
      const { said, isWhole } = journalState(ledger, folder);
      (isWhole ? parts.print : parts.complain)(`The decision journal in ${folder}: ${said}.`);
      return isWhole ? 0 : 1;
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof LedgerError || error instanceof JournalError))
      throw error;
    parts.complain(error.message);
    return 1;
  }
}
