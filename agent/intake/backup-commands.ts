/** The commands that copy the ledger away and take it back: `backup`, `backups`, `archive`, `restore`. */
import { journalKeyFile, readJournalKeys, withKeyCopy } from '../ledger/journal/journal-key.ts';
import { readVariables } from '../../shared/service/variables.ts';
import type { Moved } from '../ledger/inbox/raw-archive.ts';
import type { SetAside } from '../ledger/storage/leftovers.ts';
import { RecordKeyFile, recordKeyFile } from '../ledger/made/record-key.ts';
import { createEntryScreening } from './apply/screening.ts';
import { PROGRESS_VARIABLE } from '../../shared/service/long-work/supervise.ts';
import { LEDGER_LONG, UsageError, withLedger, type Command, type CommandContext } from './command.ts';
import { createUpstream } from './receive/pull.ts';
import { provedBy } from './receive/proved.ts';
import { INTAKE_VARIABLES, readSettings, verificationOf } from './settings.ts';
import { ARCHIVE_VARIABLES, archiveRawBodies, archiveStages } from './backup/archive.ts';
import { backupLedger, backupStages } from './backup/backup.ts';
import { addBackup, BACKUPS_VARIABLES } from './backup/backups.ts';
import { catchUp } from './backup/catch-up.ts';
import { lossText } from './backup/journal/words.ts';
import { restoreLedger } from './backup/restore.ts';
import { restoreStages } from './maintenance/stages.ts';

export const JOURNAL_VARIABLE = { CAUSEWAY_DECISION_JOURNAL: INTAKE_VARIABLES.CAUSEWAY_DECISION_JOURNAL };
const NO_BACKUP = 'No backup was written, and nothing of it is left. Run the command again: it begins anew.';
const MOVED_STAYS = 'Bodies that were moved stay in the archive. Run the command again: it goes on with the next one.';

const LEFT_OUT =
  'It holds the ledger and its archives. Not in it: the settings, certificates and keys (/etc/causeway, checkpoint.key, record.key, journal.key), and the ' +
  'decision journal. Copy them apart from it.';

export const BACKUP_COMMANDS: Readonly<Record<string, Command>> = {
  backup: {
    usage: 'backup FILE',
    about: 'Copies the ledger, which may be in use, into a new file and verifies the copy.',
    variables: LEDGER_LONG,
    operands: 1,
    again: NO_BACKUP,
    run: (context, file) =>
      withLedger(context, async (ledger) => {
        context.progress.plan(backupStages(ledger));
        const { committed, actions, aside, unjudged } = await backupLedger(ledger, file, context.progress);
        tellAside(context, aside);
        context.print(`Written and verified: ${file}, up to cursor ${committed} and row ${actions} of the audit log.`);
        for (const said of unjudged) context.print(said);
        context.print(LEFT_OUT);
        return 0;
      }),
  },
  backups: {
    usage: 'backups',
    about: 'Writes one more backup, with the time in its name, into a folder, and removes the oldest: for a schedule.',
    variables: { ...BACKUPS_VARIABLES, ...PROGRESS_VARIABLE },
    operands: 0,
    again: `A backup that this run has not named was not written, and nothing of it is left. ${MOVED_STAYS}`,
    run: (context) =>
      withLedger(context, async (ledger) => {
        const { progress, clock } = context;
        const now = clock.now();
        const values = readVariables(BACKUPS_VARIABLES, context.env);
        const days = values.CAUSEWAY_ARCHIVE_AFTER_DAYS;
        const moving = days === undefined ? [] : archiveStages(ledger, days, now);
        progress.plan([...backupStages(ledger), ...moving]);
        const folder = values.CAUSEWAY_BACKUP_FOLDER;
        const made = await addBackup(ledger, folder, values.CAUSEWAY_BACKUP_KEEP, now, progress);
        tellAside(context, made.aside);
        context.print(`Written and verified: ${made.file}, up to cursor ${made.position.committed}.`);
        for (const said of made.unjudged) context.print(said);
        for (const name of made.removed) context.print(`Removed: ${name}.`);
        context.print(LEFT_OUT);
        if (made.isOnSameDisk)
          context.print(
            `${folder} is on the disk of the ledger: one fault would destroy both. Use another disk, or copy it away.`,
          );
        if (days !== undefined) context.print(movedText(archiveRawBodies(ledger, days, now, progress)));
        return 0;
      }),
  },
  archive: {
    usage: 'archive',
    about: 'Moves raw bodies of a certain age into compressed files beside the ledger. "verify" checks them there too.',
    variables: { ...ARCHIVE_VARIABLES, ...PROGRESS_VARIABLE },
    operands: 0,
    again: MOVED_STAYS,
    run: (context) =>
      withLedger(context, (ledger) => {
        const { CAUSEWAY_ARCHIVE_AFTER_DAYS: days } = readVariables(ARCHIVE_VARIABLES, context.env);
        const now = context.clock.now();
        context.progress.plan(archiveStages(ledger, days, now));
        context.print(movedText(archiveRawBodies(ledger, days, now, context.progress)));
        return 0;
      }),
  },
  restore: {
    usage: 'restore FILE [--hold-all | --accept-older] [--journal-key FILE] [--accept-unproved-journal]',
    about:
      'Replaces the ledger, which must not be in use and is kept under another name, by a backup. Refuses a backup that is ' +
      'older than the present ledger or the cloud: every decision since then would be lost. --hold-all restores it ' +
      'nevertheless and sends every exposed text to review; --accept-older restores it and leaves them exposed. Changes of the decision journal ' +
      'are proved by journal.key beside the ledger; --journal-key names its copy, which is put there once the ledger is restored. ' +
      '--accept-unproved-journal makes the others again too, and names each.',
    variables: INTAKE_VARIABLES,
    operands: 1,
    flags: ['--accept-older', '--hold-all', '--accept-unproved-journal'],
    options: ['--journal-key'],
    again:
      'At every moment the name of the ledger belongs to one whole ledger, the previous one or the restored one; "status" says ' +
      'which. Run "restore" again: it begins anew.',
    run: async ({ env, clock, log, print, progress }, backup, flags, options) => {
      if (flags.has('--hold-all') && flags.has('--accept-older'))
        throw new UsageError('restore takes --hold-all or --accept-older, not both.');
      const settings = readSettings(env);
      const upstream = createUpstream(settings.upstream, settings.identity.read());
      const verification = verificationOf(settings);
      const [keyFile, keyCopy] = [journalKeyFile(settings.ledger), options.get('--journal-key')];
      const proof = keyCopy === undefined ? { keys: readJournalKeys(keyFile) } : withKeyCopy(keyFile, keyCopy);
      progress.plan(restoreStages(backup));
      try {
        const { position, notices, kept, aside, behind, held, replayed, lost, numbersClosed } = await restoreLedger({
          file: settings.ledger,
          backup,
          older: flags.has('--hold-all') ? 'HELD' : flags.has('--accept-older') ? 'EXPOSED' : 'REFUSED',
          pull: upstream.pull,
          verification,
          tenantId: settings.tenantId,
          journal: readVariables(JOURNAL_VARIABLE, env).CAUSEWAY_DECISION_JOURNAL ?? null,
          proof: { ...proof, acceptsUnproved: flags.has('--accept-unproved-journal') },
          catchUp: (ledger, between) => {
            const screenEntry = createEntryScreening(log, undefined, new RecordKeyFile(recordKeyFile(settings.ledger)));
            const { limit, pollMs: periodMs, tenantId } = settings;
            const reception = { ledger, pull: upstream.pull, clock, log, limit, periodMs, verification, tenantId };
            const isProved = provedBy(ledger, verification);
            return catchUp(reception, { ledger, clock, log, screenEntry, isProved }, between);
          },
          now: clock.now(),
          progress,
        });
        print(`Restored up to cursor ${position.committed} and row ${position.actions} of the audit log.`);
        for (const notice of notices) print(notice);
        if (kept !== null) print(`The ledger that stood there is kept as ${kept}.`);
        tellAside({ print, log }, aside, kept);
        for (const line of lossText(replayed, lost)) print(line);
        if (numbersClosed) print(NUMBERS_CLOSED);
        if (held !== null)
          print(
            `${held} texts that channels would get are in review, and no channel gets them before a person has approved them. ` +
              (replayed === null || replayed.unmade.length > 0 || replayed.lacking !== null
                ? 'Policy, scope and accounts are those of the backup: check them before you start the provision API.'
                : 'Policy, scope and accounts are those that the journal holds.'),
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

const NUMBERS_CLOSED =
  'Approval numbers that were given after the backup are not known, so no text that needs one can be approved: a reviewer states ' +
  'on the screen Settings, under Approval numbers, from which number they go on.';

/** @param kept the new name of the ledger that stood there; its own log has gone with it */
function tellAside(
  { print, log }: Pick<CommandContext, 'print' | 'log'>,
  aside: readonly SetAside[],
  kept: string | null = null,
): void {
  for (const { from, to } of aside) {
    const isItsOwn = kept !== null && to.startsWith(`${kept}-`);
    const lay = isItsOwn ? 'lay beside the ledger that stood there' : 'lay there without its ledger';
    print(`${from} ${lay} and is kept as ${to}: it may hold the last decisions of that ledger.`);
    log.warn(
      { from, to },
      isItsOwn ? 'the log of the former ledger was kept' : 'a log without its ledger was set aside',
    );
  }
}

function movedText({ bundles, bytes, archived }: Moved): string {
  return `Moved into the archive: ${bundles} raw bodies, ${bytes} bytes, ${archived} there.`;
}
