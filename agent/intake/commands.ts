/**
 * The command line of the Intake: without an argument it runs the service, with one the named command. Each command
 * opens the ledger by itself; all but `restore` and `set-aside` may run beside the Intake.
 */
import type { KeyObject } from 'node:crypto';
import { StoppedError, type Stage } from '../../shared/service/long-work/progress.ts';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { asLedgerError } from '../ledger/storage/errors.ts';
import { journalState } from '../ledger/journal/journal.ts';
import { placeOf } from '../ledger/journal/records.ts';
import { heldTickers } from '../ledger/serving/record.ts';
import { isHeldByAnother } from '../ledger/storage/write-lock.ts';
import { openLedgerToRead, type Ledger } from '../ledger/storage/ledger.ts';
import { LEDGER_VERSION } from '../ledger/storage/migrate.ts';
import { acknowledgeQuarantine } from '../ledger/inbox/quarantine.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../ledger/inbox/sync-state.ts';
import {
  applyParts,
  LEDGER_ALONE,
  LEDGER_LONG,
  LEDGER_STATED,
  UsageError,
  verifyKeysIn,
  withLedger,
  withLedgerAlone,
  withoutIntake,
  type Command,
  type CommandContext,
} from './command.ts';
import { BACKUP_COMMANDS, JOURNAL_VARIABLE } from './backup-commands.ts';
import { METRICS_VARIABLES, metricsText } from './metrics.ts';
import { createUpstream } from './receive/pull.ts';
import { rebuildLedger } from './maintenance/rebuild.ts';
import { repairRawBundles } from './maintenance/repair.ts';
import { replayRejected } from './maintenance/replay.ts';
import { deriveStages, STAGES, rebuildStages, verifyStages } from './maintenance/stages.ts';
import { truncateAfter } from './maintenance/truncate.ts';
import { INTAKE_VARIABLES, readCertificateFile, readSettings, verificationOf } from './settings.ts';
import { verifyLedger, type Verified } from './maintenance/verify.ts';
import { markOf } from './maintenance/verify-mark.ts';

const STATUS_VARIABLES = { ...LEDGER_ALONE, ...JOURNAL_VARIABLE };
const MOST_FINDINGS = 50;

export const COMMANDS: Readonly<Record<string, Command>> = {
  status: {
    usage: 'status',
    about:
      'Prints the state of the reception as JSON: the sync status, the tenant, the number of tickers that a rebuild hides, ' +
      'the decision journal (with its folder, whether all is in it), and the versions of schema and program.',
    variables: STATUS_VARIABLES,
    operands: 0,
    run: async (context) => {
      const { CAUSEWAY_LEDGER: file, CAUSEWAY_DECISION_JOURNAL: folder } = readVariables(STATUS_VARIABLES, context.env);
      const isHeld = await isHeldByAnother(file);
      const ledger = openLedgerToRead(file, context.progress);
      try {
        const status = ledger.read((reader) => ({
          tenantId: readCursors(reader).tenantId,
          ...syncStatus(reader, context.clock.now(), isHeld),
          heldTickers: heldTickers(reader),
          decisionJournal: journalReportOf(ledger, folder),
          schemaVersion: LEDGER_VERSION,
          version: PRODUCT_VERSION,
        }));
        context.print(JSON.stringify(status, null, 2));
        return 0;
      } catch (error) {
        throw asLedgerError(file, error);
      } finally {
        ledger.close();
      }
    },
  },
  verify: {
    usage: 'verify',
    about:
      'Checks everything: the pages, the hashes, ranges and statements of the raw bundles, the domain against its projection from ' +
      'them, the states against their history, the audit log, the search index. Exit code 1 when anything is wrong or could not be judged.',
    variables: LEDGER_STATED,
    operands: 0,
    again:
      'Nothing was changed. Run "verify" again within a day: it goes on after the pages, raw bundles and rows of the audit ' +
      'log that it has found sound.',
    run: (context) =>
      withLedger(context, (ledger) => {
        const verified = verifyOnward(context, ledger, verifyKeysIn(context.env));
        const { findings, notices, unjudged, rawBundles, entries, explanations, actions } = verified;
        context.print(
          `Checked ${rawBundles} raw bundles with ${entries} applied entries, ${explanations} explanations and ${actions} rows of the audit log.`,
        );
        printMost(context, findings);
        if (notices.length > 0) context.print('Known states that are no damage:');
        printMost(context, notices);
        for (const said of unjudged) context.print(said);
        context.print(soundness(findings.length, unjudged.length));
        return findings.length + unjudged.length === 0 ? 0 : 1;
      }),
  },
  rebuild: {
    usage: 'rebuild',
    about:
      'Derives the domain again from the raw bundles and the journals. Human decisions stay, and what is right already is not touched.',
    variables: LEDGER_STATED,
    operands: 0,
    again:
      'What was corrected stays so, and every transaction has left whole rows. Tickers that were hidden stay hidden until ' +
      '"rebuild" has run to its end: run it again, it leaves right what is right.',
    run: (context) =>
      withLedgerAlone(context, (ledger) => {
        context.progress.plan(rebuildStages(ledger));
        const rebuilt = rebuildLedger(applyParts(context, ledger), undefined, context.progress);
        const { restored, corrected, withdrawn, left } = rebuilt;
        context.print(
          `Rebuilt: ${restored} explanations restored, ${corrected} corrected, ${withdrawn} withdrawn that follow from no raw bundle.`,
        );
        if (left > 0)
          context.print(
            `${left} were marked withdrawn without a withdrawal on record: they stay withdrawn, because no command reverses a withdrawal.`,
          );
        return 0;
      }),
  },
  migrate: {
    usage: 'migrate',
    about:
      'Migrates the ledger to the schema of this program, after a copy of it. The Intake does the same at its start; run it ' +
      'beforehand where the ledger is large.',
    variables: LEDGER_LONG,
    operands: 0,
    again:
      'Without a whole copy nothing was migrated, and each step is done or not begun. Run "migrate" again, or start the Intake.',
    run: (context) =>
      withLedger(context, (ledger) => {
        context.print(
          ledger.migrated === null
            ? `The ledger has schema version ${LEDGER_VERSION} already.`
            : `Migrated from schema version ${ledger.migrated.from} to ${LEDGER_VERSION}; the copy from before is ${ledger.migrated.copy}.`,
        );
        return 0;
      }),
  },
  replay: {
    usage: 'replay',
    about: 'Applies the rejected entries again, after an update that understands them.',
    variables: LEDGER_STATED,
    operands: 0,
    again: 'Entries that were applied stay applied. Run "replay" again: it tries those that are left.',
    run: (context) =>
      withLedgerAlone(context, (ledger) => {
        context.progress.plan(deriveStages(ledger));
        const { applied, superseded, rejected } = replayRejected(applyParts(context, ledger), context.progress);
        for (const { cursor, reason } of rejected)
          context.print(`The entry at cursor ${cursor} stays rejected: ${reason}`);
        for (const cursor of superseded)
          context.print(`The entry at cursor ${cursor} is superseded: a later one has been applied.`);
        context.print(`Replayed: ${applied.length} entries applied, ${rejected.length} still rejected.`);
        return 0;
      }),
  },
  repair: {
    usage: 'repair',
    about:
      'Asks the cloud again for the ranges of raw bundles that were damaged on the disk, are missing, or wait to be applied and are ' +
      'signed by no verification key at hand. Their bodies are kept in quarantine; a text that differs from what was applied is screened again.',
    variables: INTAKE_VARIABLES,
    operands: 0,
    run: async (context) => {
      const settings = readSettings(context.env);
      const upstream = createUpstream(settings.upstream, settings.identity.read());
      try {
        return await withLedgerAlone(context, async (ledger) => {
          const { pull } = upstream;
          const { clock, print } = context;
          const repaired = await repairRawBundles({
            ...applyParts(context, ledger),
            ledger,
            pull,
            clock,
            verification: verificationOf(settings),
          });
          for (const { cursorFrom, cursorTo } of repaired)
            print(`Repaired: the raw bundle after cursor ${cursorFrom}, up to ${cursorTo}.`);
          print(repaired.length === 0 ? 'No raw bundle is damaged or missing.' : 'Run "verify" to look at the whole.');
          return 0;
        });
      } finally {
        await upstream.close();
      }
    },
  },
  'set-aside': {
    usage: 'set-aside CURSOR',
    about:
      'Moves every raw bundle that reaches beyond a cursor into quarantine. Run it when the vendor says that its records end ' +
      'at that cursor. The committed cursor falls to where the bundles began, and the Intake pulls from there. Explanations ' +
      'that came with the bundles are hidden until the cloud sends them again. Decisions stay on record.',
    variables: LEDGER_STATED,
    operands: 1,
    again: 'Bundles that were moved into quarantine stay there. Run the same "set-aside" again: it moves the rest.',
    run: (context, text) => {
      const cursor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(cursor))
        throw new UsageError(`"${text}" is no cursor: give "set-aside" a whole number.`);
      return withoutIntake(context, (ledger) => {
        context.progress.plan(deriveStages(ledger));
        const done = truncateAfter(applyParts(context, ledger), cursor, context.progress);
        const { before, bundles, committed, hidden, reverted } = done;
        context.print(
          committed === before
            ? `No raw bundle reaches beyond cursor ${cursor}: nothing was changed.`
            : `Moved ${bundles} raw bundles into quarantine; the committed cursor was ${before} and is ${committed}. ${hidden} explanations are hidden until the cloud sends them again, ${reverted} have their earlier text again.`,
        );
        return 0;
      });
    },
  },
  acknowledge: {
    usage: 'acknowledge',
    about:
      'Records in the audit log that you have looked at the violating answers in quarantine, and ends their alarm. The ' +
      'answers stay in quarantine.',
    variables: LEDGER_ALONE,
    operands: 0,
    run: (context) =>
      withLedger(context, (ledger) => {
        const seen = ledger.write((tx) => acknowledgeQuarantine(tx, context.clock.now().toISOString()));
        context.print(seen === 0 ? 'There is nothing to acknowledge.' : `Acknowledged: ${seen} bundles in quarantine.`);
        return 0;
      }),
  },
  metrics: {
    usage: 'metrics',
    about: 'Prints the figures of the ledger and the certificate for Prometheus. It reads the whole audit log.',
    variables: METRICS_VARIABLES,
    operands: 0,
    run: (context) =>
      withLedger(context, async (ledger) => {
        const values = readVariables(METRICS_VARIABLES, context.env);
        const { CAUSEWAY_INTAKE_CERT: file, CAUSEWAY_BACKUP_FOLDER: backups = null } = values;
        const certificate = file === undefined ? null : readCertificateFile(file);
        context.print(
          (
            await metricsText(ledger, certificate, context.clock.now(), backups, await isHeldByAnother(ledger.file))
          ).trimEnd(),
        );
        return 0;
      }),
  },
  ...BACKUP_COMMANDS,
};

/** Goes on where an earlier run was stopped, and leaves a mark where this one is. */
function verifyOnward(
  { clock, print, progress }: CommandContext,
  ledger: Ledger,
  keys: readonly KeyObject[],
): Verified {
  const mark = markOf(ledger, keys, clock.now());
  const { pages, received, rows } = mark.done;
  if (mark.since !== null)
    print(
      `Goes on from the run of ${mark.since}, which has found sound: ${pages ? 'the pages, ' : ''}${received.bundles} raw bundles, ${rows.seq} rows of the audit log.`,
    );
  const isDone = ({ name, units }: Stage): boolean =>
    (name === STAGES.pages && pages) ||
    (name === STAGES.received && received.cursor >= units) ||
    (name === STAGES.chain && rows.seq >= units);
  progress.plan(verifyStages(ledger, ledger.file).filter((each) => !isDone(each)));
  try {
    const verified = verifyLedger(ledger, keys, { progress, mark });
    mark.forget();
    return verified;
  } catch (error) {
    if (error instanceof StoppedError) mark.keep();
    throw error;
  }
}

/** Null where no journal was ever kept; `isWhole` is null where no folder is named. */
function journalReportOf(
  reader: Ledger,
  folder: string | undefined,
): { record: number; isWhole: boolean | null; message: string | null } | null {
  const { seq: record } = placeOf(reader);
  if (folder === undefined) return record === 0 ? null : { record, isWhole: null, message: null };
  try {
    const { said: message, isWhole } = journalState(reader, folder);
    return { record, isWhole, message };
  } catch (error) {
    return { record, isWhole: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** What is said of a long command after its stop; null where the arguments name none, or are wrong. */
export function longCommand([name = '', ...rest]: readonly string[]): string | null {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return rest.includes('--help') ? null : (command?.again ?? null);
}

/** @throws UsageError, ConfigurationError, LedgerError, StoppedError and the errors of the command */
export async function runCommand([name = '', ...rest]: readonly string[], context: CommandContext): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown argument "${name}"; see --help.`);
  if (rest.includes('--help')) {
    context.print(helpText(`npm run intake -- ${command.usage}`, command.about, command.variables).trimEnd());
    return 0;
  }
  const { flags, operands, options } = argumentsOf(rest, command);
  const unknown = [...flags].find((flag) => command.flags?.includes(flag) !== true);
  if (unknown !== undefined) throw new UsageError(`"${name}" knows no ${unknown}: it is called as "${command.usage}".`);
  if (operands.length !== command.operands) throw new UsageError(`"${name}" is called as "${command.usage}".`);
  return command.run(context, operands[0] ?? '', flags, options);
}

/** @throws UsageError for an option without its value */
function argumentsOf(
  given: readonly string[],
  { usage, options: known = [] }: Command,
): { flags: Set<string>; operands: string[]; options: Map<string, string> } {
  const found = { flags: new Set<string>(), operands: [] as string[], options: new Map<string, string>() };
  const left = [...given];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const name = next;
    if (known.includes(name)) {
      const value = left.shift();
      if (value === undefined || value.startsWith('-')) throw new UsageError(`${name} needs a file: "${usage}".`);
      found.options.set(name, value);
    } else if (name.startsWith('-')) found.flags.add(name);
    else found.operands.push(name);
  }
  return found;
}

/** The lines of `--help` that list the commands. */
export function commandsHelp(): string {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  const lines = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
  return ['Commands, each with a --help of its own:', ...lines, ''].join('\n');
}

function soundness(findings: number, unjudged: number): string {
  if (findings > 0) return `The ledger is not sound: ${findings} found.`;
  return unjudged === 0 ? 'The ledger is sound.' : 'The ledger is sound as far as it could be judged.';
}

function printMost({ print }: CommandContext, sentences: readonly string[]): void {
  for (const sentence of sentences.slice(0, MOST_FINDINGS)) print(sentence);
  if (sentences.length > MOST_FINDINGS) print(`And ${sentences.length - MOST_FINDINGS} more.`);
}
