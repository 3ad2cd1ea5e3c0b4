/** `npm run console-api -- journal …`: verifies the decision journal (D139), and lets it continue after a loss. */
import { beginAnew, journalState } from '../../../agent/ledger/journal/journal.ts';
import { LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { lockJournal } from '../../../agent/ledger/storage/single-writer-lock.ts';
import { ConfigurationError, readVariables, variable } from '../../../shared/service/variables.ts';
import type { CommandParts } from './audit.ts';

export const JOURNAL_HELP = `Decision journal (CAUSEWAY_LEDGER and CAUSEWAY_DECISION_JOURNAL name the ledger and the folder):
  journal verify   reads all of it, and says how far it and the ledger go
  journal begin    lets it go on from where the ledger stands, where a part of it is lost: make a backup first, because
                   no replay goes past the place; refused while the console API runs
`;

const VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text),
  CAUSEWAY_DECISION_JOURNAL: variable.required('folder of the decision journal', variable.text),
};

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
  const [command, ...more] = args;
  if ((command !== 'verify' && command !== 'begin') || more.length > 0) {
    parts.complain(JOURNAL_HELP);
    return 2;
  }
  try {
    const { CAUSEWAY_LEDGER: file, CAUSEWAY_DECISION_JOURNAL: folder } = readVariables(VARIABLES, parts.env);
    const ledger = openLedger(file, { create: false, progress: parts.progress });
    try {
      if (command === 'begin') await beginAlone(ledger, folder);
      const { said, isWhole } = journalState(ledger, folder);
      (isWhole ? parts.print : parts.complain)(`The decision journal in ${folder}: ${said}.`);
      return isWhole ? 0 : 1;
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof LedgerError)) throw error;
    parts.complain(error.message);
    return 1;
  }
}
