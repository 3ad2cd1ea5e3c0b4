/**
 * The command line of the Intake: without an argument it runs the service, with one the named command. Each command
 * opens the ledger by itself; all but `restore` and `set-aside` may run beside the Intake.
 */
import type { Logger } from 'pino';
import { helpText, readVariables, variable, type Variables } from '../../shared/service/variables.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { asLedgerError } from '../ledger/storage/errors.ts';
import { heldTickers } from '../ledger/serving/visibility.ts';
import { openLedger, openLedgerToRead, type Ledger } from '../ledger/storage/ledger.ts';
import { claimFromIntake, claimUpkeep } from '../ledger/storage/single-writer-lock.ts';
import { LEDGER_VERSION } from '../ledger/storage/migrate.ts';
import { acknowledgeQuarantine } from '../ledger/inbox/quarantine.ts';
import type { Moved } from '../ledger/inbox/raw-archive.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { syncStatus } from '../ledger/inbox/sync-state.ts';
import type { ApplyParts } from './apply/apply.ts';
import { ARCHIVE_VARIABLES, archiveRawBodies } from './maintenance/archive.ts';
import { backupLedger } from './maintenance/backup.ts';
import { addBackup, BACKUPS_VARIABLES } from './maintenance/backups.ts';
import { catchUp } from './maintenance/catch-up.ts';
import { METRICS_VARIABLES, metricsText } from './metrics.ts';
import { createUpstream } from './receive/pull.ts';
import { rebuildLedger } from './maintenance/rebuild.ts';
import { repairRawBundles } from './maintenance/repair.ts';
import { replayRejected } from './maintenance/replay.ts';
import { lossText } from './maintenance/journal/words.ts';
import { restoreLedger } from './maintenance/restore.ts';
import { createEntryScreening } from './apply/screening.ts';
import { truncateAfter } from './maintenance/truncate.ts';
import { INTAKE_VARIABLES, readCertificateFile, readSettings, readVerifyKeyFile, verificationOf } from './settings.ts';
import { verifyLedger } from './maintenance/verify.ts';

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface CommandContext {
  env: Record<string, string | undefined>;
  clock: Clock;
  log: Logger;
  print(line: string): void;
}

interface Command {
  usage: string;
  about: string;
  variables: Variables;
  /** The number of arguments after the name. */
  operands: 0 | 1;
  flags?: readonly string[];
  /** @returns the exit code */
  run(context: CommandContext, operand: string, flags: ReadonlySet<string>): number | Promise<number>;
}

const LEDGER_ALONE = { CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text) };
/** With the vendor's key, verify checks the signatures of the statements too. */
const VERIFY_VARIABLES = {
  ...LEDGER_ALONE,
  CAUSEWAY_INTAKE_VERIFY_KEY: INTAKE_VARIABLES.CAUSEWAY_INTAKE_VERIFY_KEY,
};
const JOURNAL_VARIABLE = {
  CAUSEWAY_DECISION_JOURNAL: variable.optional(
    'folder of the decision journal, whose changes are made again on top of the backup; not set: there is none',
    variable.text,
  ),
};
const RESTORE_VARIABLES = { ...INTAKE_VARIABLES, ...JOURNAL_VARIABLE };
const MOST_FINDINGS = 50;

export const COMMANDS: Readonly<Record<string, Command>> = {
  status: {
    usage: 'status',
    about:
      'Prints the state of the reception as JSON: the sync status, the tenant, the number of tickers that a rebuild hides, and the versions of schema and program.',
    variables: LEDGER_ALONE,
    operands: 0,
    run: (context) => {
      const { CAUSEWAY_LEDGER: file } = readVariables(LEDGER_ALONE, context.env);
      const ledger = openLedgerToRead(file);
      try {
        const status = ledger.read((reader) => ({
          tenantId: readCursors(reader).tenantId,
          ...syncStatus(reader, context.clock.now()),
          heldTickers: heldTickers(reader),
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
      'them, the states against their history, the audit log, the search index. Exit code 1 when anything is wrong.',
    variables: VERIFY_VARIABLES,
    operands: 0,
    run: (context) =>
      withLedger(context, (ledger) => {
        const { CAUSEWAY_INTAKE_VERIFY_KEY: file } = readVariables(VERIFY_VARIABLES, context.env);
        const keys = file === undefined ? [] : readVerifyKeyFile(file);
        const { findings, notices, rawBundles, entries, explanations, actions, fitNow } = verifyLedger(ledger, keys);
        context.print(
          `Checked ${rawBundles} raw bundles with ${entries} applied entries, ${explanations} explanations and ${actions} rows of the audit log.`,
        );
        printMost(context, findings);
        if (notices.length > 0) context.print('Known states that are no damage:');
        printMost(context, notices);
        if (fitNow > 0) context.print(`${fitNow} rejected entries would fit now: run "replay".`);
        context.print(
          findings.length === 0 ? 'The ledger is sound.' : `The ledger is not sound: ${findings.length} found.`,
        );
        return findings.length === 0 ? 0 : 1;
      }),
  },
  rebuild: {
    usage: 'rebuild',
    about:
      'Derives the domain again from the raw bundles and the journals. Human decisions stay, and what is right already is not touched.',
    variables: LEDGER_ALONE,
    operands: 0,
    run: (context) =>
      withLedgerAlone(context, (ledger) => {
        const { restored, corrected, withdrawn, left } = rebuildLedger(applyParts(context, ledger));
        context.print(
          `Rebuilt: ${restored} explanations restored, ${corrected} corrected, ${withdrawn} withdrawn that follow from no raw bundle.`,
        );
        if (left > 0)
          context.print(
            `${left} said that they were withdrawn, and were not: they are left so, on record, because nothing brings one back.`,
          );
        return 0;
      }),
  },
  replay: {
    usage: 'replay',
    about: 'Applies the rejected entries again, after an update that understands them.',
    variables: LEDGER_ALONE,
    operands: 0,
    run: (context) =>
      withLedgerAlone(context, (ledger) => {
        const { applied, superseded, rejected } = replayRejected(applyParts(context, ledger));
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
      'Asks the cloud again for the ranges of raw bundles that were damaged on the disk or are missing. The damaged bodies are kept in ' +
      'quarantine; a text that differs from what was applied is screened again.',
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
    variables: LEDGER_ALONE,
    operands: 1,
    run: (context, text) => {
      const cursor = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (!Number.isSafeInteger(cursor))
        throw new UsageError(`"${text}" is no cursor: give "set-aside" a whole number.`);
      return withoutIntake(context, (ledger) => {
        const { before, bundles, committed, hidden, reverted } = truncateAfter(applyParts(context, ledger), cursor);
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
  backup: {
    usage: 'backup FILE',
    about: 'Copies the ledger, which may be in use, into a new file and verifies the copy.',
    variables: LEDGER_ALONE,
    operands: 1,
    run: (context, file) =>
      withLedger(context, async (ledger) => {
        const { committed, actions } = await backupLedger(ledger, file);
        context.print(`Written and verified: ${file}, up to cursor ${committed} and row ${actions} of the audit log.`);
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
        context.print((await metricsText(ledger, certificate, context.clock.now(), backups)).trimEnd());
        return 0;
      }),
  },
  backups: {
    usage: 'backups',
    about: 'Writes one more backup, with the time in its name, into a folder, and removes the oldest: for a schedule.',
    variables: BACKUPS_VARIABLES,
    operands: 0,
    run: (context) =>
      withLedger(context, async (ledger) => {
        const values = readVariables(BACKUPS_VARIABLES, context.env);
        const folder = values.CAUSEWAY_BACKUP_FOLDER;
        const made = await addBackup(ledger, folder, values.CAUSEWAY_BACKUP_KEEP, context.clock.now());
        context.print(`Written and verified: ${made.file}, up to cursor ${made.position.committed}.`);
        for (const name of made.removed) context.print(`Removed: ${name}.`);
        if (made.isOnSameDisk)
          context.print(
            `${folder} is on the disk of the ledger: one fault would destroy both. Use another disk, or copy it away.`,
          );
        const days = values.CAUSEWAY_ARCHIVE_AFTER_DAYS;
        if (days !== undefined) context.print(movedText(archiveRawBodies(ledger, days, context.clock.now())));
        return 0;
      }),
  },
  archive: {
    usage: 'archive',
    about: 'Moves raw bodies of a certain age into compressed files beside the ledger. "verify" checks them there too.',
    variables: ARCHIVE_VARIABLES,
    operands: 0,
    run: (context) =>
      withLedger(context, (ledger) => {
        const { CAUSEWAY_ARCHIVE_AFTER_DAYS: days } = readVariables(ARCHIVE_VARIABLES, context.env);
        context.print(movedText(archiveRawBodies(ledger, days, context.clock.now())));
        return 0;
      }),
  },
  restore: {
    usage: 'restore FILE [--hold-all | --accept-older]',
    about:
      'Replaces the ledger, which must not be in use and is kept under another name, by a backup. Refuses a backup that is ' +
      'older than the present ledger or the cloud: every decision since then would be lost. --hold-all restores it ' +
      'nevertheless and sends every exposed text to review; --accept-older restores it and leaves them exposed.',
    variables: RESTORE_VARIABLES,
    operands: 1,
    flags: ['--accept-older', '--hold-all'],
    run: async ({ env, clock, log, print }, backup, flags) => {
      if (flags.size > 1) throw new UsageError('restore takes --hold-all or --accept-older, not both.');
      const settings = readSettings(env);
      const upstream = createUpstream(settings.upstream, settings.identity.read());
      const verification = verificationOf(settings);
      try {
        const { position, kept, behind, held, replayed, lost } = await restoreLedger({
          file: settings.ledger,
          backup,
          older: flags.has('--hold-all') ? 'HELD' : flags.has('--accept-older') ? 'SHOWN' : 'REFUSED',
          pull: upstream.pull,
          verification,
          tenantId: settings.tenantId,
          journal: readVariables(JOURNAL_VARIABLE, env).CAUSEWAY_DECISION_JOURNAL ?? null,
          catchUp: (ledger, between) => {
            const { limit, pollMs: periodMs, tenantId } = settings;
            const reception = { ledger, pull: upstream.pull, clock, log, limit, periodMs, verification, tenantId };
            return catchUp(reception, { ledger, clock, log, screenEntry: createEntryScreening(log) }, between);
          },
          now: clock.now(),
        });
        print(`Restored up to cursor ${position.committed} and row ${position.actions} of the audit log.`);
        if (kept !== null) print(`The ledger that stood there is kept as ${kept}.`);
        for (const line of lossText(replayed, lost)) print(line);
        if (held !== null)
          print(
            `${held} texts that channels would get are in review, and no channel gets them before a person has approved them. ` +
              'Policy, scope and accounts are those of the backup: check them before you start the provision API.',
          );
        print(
          behind === null
            ? 'It has received and applied everything that the cloud has.'
            : `It could not receive what the cloud has delivered since (${behind}): what was withdrawn since is still shown. ` +
                'Start the Intake, wait until "status" says OK, and only then start the provision API.',
        );
        return 0;
      } finally {
        await upstream.close();
      }
    },
  },
};

/** @throws UsageError, ConfigurationError, LedgerError and the errors of the command */
export async function runCommand([name = '', ...rest]: readonly string[], context: CommandContext): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown argument "${name}"; see --help.`);
  if (rest.includes('--help')) {
    context.print(helpText(`npm run intake -- ${command.usage}`, command.about, command.variables).trimEnd());
    return 0;
  }
  const flags = new Set(rest.filter((argument) => argument.startsWith('-')));
  const operands = rest.filter((argument) => !argument.startsWith('-'));
  const unknown = [...flags].find((flag) => command.flags?.includes(flag) !== true);
  if (unknown !== undefined) throw new UsageError(`"${name}" knows no ${unknown}: it is called as "${command.usage}".`);
  if (operands.length !== command.operands) throw new UsageError(`"${name}" is called as "${command.usage}".`);
  return command.run(context, operands[0] ?? '', flags);
}

/** The lines of `--help` that list the commands. */
export function commandsHelp(): string {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  const lines = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
  return ['Commands, each with a --help of its own:', ...lines, ''].join('\n');
}

function movedText({ bundles, bytes, archived }: Moved): string {
  return `Moved into the archive: ${bundles} raw bodies, ${bytes} bytes, ${archived} there.`;
}

function printMost({ print }: CommandContext, sentences: readonly string[]): void {
  for (const sentence of sentences.slice(0, MOST_FINDINGS)) print(sentence);
  if (sentences.length > MOST_FINDINGS) print(`And ${sentences.length - MOST_FINDINGS} more.`);
}

async function withLedger(
  context: CommandContext,
  work: (ledger: Ledger) => number | Promise<number>,
): Promise<number> {
  const { CAUSEWAY_LEDGER: file } = readVariables(LEDGER_ALONE, context.env);
  const ledger = openLedger(file, { create: false });
  try {
    return await work(ledger);
  } catch (error) {
    throw asLedgerError(file, error);
  } finally {
    ledger.close();
  }
}

/** Locks out every other command that changes received records. */
async function withLedgerAlone(
  context: CommandContext,
  work: (ledger: Ledger) => number | Promise<number>,
): Promise<number> {
  const { CAUSEWAY_LEDGER: file } = readVariables(LEDGER_ALONE, context.env);
  return withLedger(context, async (ledger) => {
    const release = claimUpkeep(file);
    try {
      return await work(ledger);
    } finally {
      release();
    }
  });
}

/** Locks out the Intake as well. */
function withoutIntake(context: CommandContext, work: (ledger: Ledger) => number): Promise<number> {
  return withLedgerAlone(context, (ledger) => {
    const release = claimFromIntake(ledger.file);
    try {
      return work(ledger);
    } finally {
      release();
    }
  });
}

function applyParts({ clock, log }: CommandContext, ledger: Ledger): ApplyParts & { ledger: Ledger } {
  return { ledger, clock, log, screenEntry: createEntryScreening(log) };
}
