/**
 * `npm run console-api -- dossier …`: makes a dossier on the ledger's host (D166), without a PDF, which only the desktop
 * program can print. It may run while the services do.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commandActor } from '../../../agent/ledger/audit/audit.ts';
import { LogNotWholeError } from '../../../agent/ledger/audit/log-tree.ts';
import { asLedgerError, LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { subjectOfDays, type SubjectQuery } from '../../../agent/ledger/dossier/collect.ts';
import { DossierError, DossierTooLargeError, NothingToTellError } from '../../../agent/ledger/dossier/errors.ts';
import { makeDossier } from '../../../agent/ledger/dossier/make.ts';
import { InstantAheadError } from '../../../agent/ledger/shown/shown-at.ts';
import { RecordNotWholeError, UnknownTickerError } from '../../../agent/ledger/shown/errors.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { CheckpointError } from '../../../shared/service/checkpoints/checkpoint.ts';
import { checkpointKey } from '../../../shared/service/checkpoints/key.ts';
import { storedTrees } from '../../../shared/service/checkpoints/schedule.ts';
import { ConfigurationError, readVariables } from '../../../shared/service/variables.ts';
import { isCalendarDate } from '../../../shared/time/kst.ts';
import { DOSSIER_VARIABLES, checkpointKeyFile } from '../context/settings.ts';
import type { CommandParts } from './audit.ts';

export const DOSSIER_HELP = `Dossiers (CAUSEWAY_LEDGER names the ledger's file):
  dossier --explanation ID --file FILE                       what is on record of one explanation, in one signed file
  dossier --ticker CODE --from DATE --to DATE --file FILE    the same of all that was shown of a ticker on these Korean days
  audit key prints the public key by which "causeway-agent verify-dossier FILE --tenant-key KEY" checks it.
`;

/** Expected refusals: the message is complete. */
const REFUSALS = [
  CheckpointError,
  ConfigurationError,
  DossierError,
  DossierTooLargeError,
  InstantAheadError,
  LedgerError,
  LogNotWholeError,
  NothingToTellError,
  RecordNotWholeError,
  UnknownTickerError,
];

/** @returns the exit code: 0 made, 1 not made, 2 wrong arguments */
export async function runDossierCommand(args: readonly string[], parts: CommandParts): Promise<number> {
  const asked = read(args);
  if (asked === null) {
    parts.complain(DOSSIER_HELP);
    return 2;
  }
  try {
    await make(asked, parts);
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !(isFileError(error) || REFUSALS.some((kind) => error instanceof kind)))
      throw error;
    parts.complain(error.message);
    return error instanceof ConfigurationError ? 2 : 1;
  }
}

const isFileError = (error: Error): boolean => 'syscall' in error;

async function make(
  { subject, file }: { subject: SubjectQuery; file: string },
  { env, clock, print, progress }: CommandParts,
): Promise<void> {
  const variables = readVariables(DOSSIER_VARIABLES, env);
  const key = await checkpointKey(checkpointKeyFile(variables));
  const ledger = openLedger(variables.CAUSEWAY_LEDGER, { create: false, progress });
  try {
    const { bytes } = await makeDossier(
      {
        ledger,
        now: clock.now(),
        write: (work) => Promise.resolve(ledger.write(work)),
        key,
        checkpoints: await storedTrees(variables.CAUSEWAY_CHECKPOINT_FOLDER ?? null, 'console_action_log'),
        actor: commandActor(),
      },
      subject,
    );
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
    print(`Written: ${file}, ${bytes.length} bytes. Check it: causeway-agent verify-dossier ${file}`);
  } catch (error) {
    throw asLedgerError(ledger.file, error);
  } finally {
    ledger.close();
  }
}

const ID = /^[\w-]{22}$/;

/** One id in 64 begins with a dash, which `parseArgs` takes for an option: `--explanation -x` is `--explanation=-x`. */
function withValues(args: readonly string[]): string[] {
  const at = args.indexOf('--explanation');
  const id = args[at + 1];
  if (at < 0 || id === undefined || !ID.test(id)) return [...args];
  return [...args.slice(0, at), `--explanation=${id}`, ...args.slice(at + 2)];
}

/** Null for wrong arguments. */
function read(args: readonly string[]): { subject: SubjectQuery; file: string } | null {
  const text = { type: 'string' } as const;
  let values: Partial<Record<'explanation' | 'ticker' | 'from' | 'to' | 'file', string>>;
  try {
    ({ values } = parseArgs({
      args: withValues(args),
      options: { explanation: text, ticker: text, from: text, to: text, file: text },
    }));
  } catch {
    return null;
  }
  const { explanation, ticker, from, to, file } = values;
  if (file === undefined || (explanation === undefined) === (ticker === undefined)) return null;
  if (explanation !== undefined)
    return from === undefined && to === undefined ? { subject: { kind: 'EXPLANATION', id: explanation }, file } : null;
  if (ticker === undefined || from === undefined || to === undefined || from > to) return null;
  if (!isCalendarDate(from) || !isCalendarDate(to)) return null;
  return { subject: subjectOfDays(ticker, from, to), file };
}
