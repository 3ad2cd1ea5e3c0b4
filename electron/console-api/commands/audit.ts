/**
 * `npm run console-api -- audit …`: whether the audit log is intact (D19) and agrees with the signed checkpoints kept
 * elsewhere. All commands may run while the services do.
 */
import { parseArgs } from 'node:util';
import { brokenChain, chainEnd, commandActor, verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { brokenBlock } from '../../../agent/ledger/audit/log-tree.ts';
import { thingFindings } from '../../../agent/ledger/audit/thing-findings.ts';
import { beginRecord } from '../../../agent/ledger/audit/record-begins.ts';
import { forgetSessions } from '../../../agent/ledger/accounts/sessions.ts';
import { makeRecordKey, readRecordKey, recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import { auditLogOf } from '../../../agent/ledger/audit/checkpoint.ts';
import { LedgerError } from '../../../agent/ledger/storage/errors.ts';
import { captureDecisions } from '../../../agent/ledger/journal/journal.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { CheckpointError, EXIT_HELP } from '../../../shared/service/checkpoints/checkpoint.ts';
import { printKey, verifyCheckpoints } from '../../../shared/service/checkpoints/commands.ts';
import { ConfigurationError, readVariables } from '../../../shared/service/variables.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { checkpointKeyFile, LEDGER_VARIABLES } from '../context/settings.ts';

export const AUDIT_HELP = `Audit log (CAUSEWAY_LEDGER names the ledger's file):
  audit verify                                  follows the chain and names the first broken row
  audit verify --checkpoint FILE [--key FILE]   the same, and names the first difference from the checkpoints in FILE;
                                                --key: the public key (PEM) that must have signed them
  audit begin                                   puts policies, accounts, credentials, channels, scope, notes and settings on
                                                record as they are now, and makes the record key where there is none:
                                                after a lost key, or once each finding of "audit verify" is explained
  audit key                                     prints the public key of the checkpoints; makes it where there is none
  ${EXIT_HELP}
`;

export interface CommandParts {
  env: Record<string, string | undefined>;
  clock: Clock;
  print(line: string): void;
  complain(line: string): void;
  /** Told how far a long command is, and the migration before it. */
  progress?: Progress;
}

const ROWS = 'rows of the audit log';
const BLOCKS = 'rows of its kept blocks';

/** What is said after a stop of the command, which is a long one (D183); null where the arguments name another. */
export const longAudit = ([command]: readonly string[]): string | null =>
  command === 'verify' ? 'Nothing was changed. Run it again: it begins with the first row.' : null;

/** @returns the exit code, as in `AUDIT_HELP` @throws StoppedError */
export async function runAuditCommand(args: readonly string[], parts: CommandParts): Promise<number> {
  const asked = read(args);
  if (asked === null) {
    parts.complain(AUDIT_HELP);
    return 2;
  }
  try {
    const variables = readVariables(LEDGER_VARIABLES, parts.env);
    if (asked.command === 'begin') beginAnew(variables.CAUSEWAY_LEDGER, parts);
    else if (asked.command === 'key') await printKey(checkpointKeyFile(variables), parts);
    else return await verifyLog(variables.CAUSEWAY_LEDGER, asked, parts);
    return 0;
  } catch (error) {
    const isTold = [ConfigurationError, CheckpointError, LedgerError].some((kind) => error instanceof kind);
    if (!isTold || !(error instanceof Error)) throw error;
    parts.complain(error.message);
    return 1;
  }
}

interface AuditCommand {
  command: 'verify' | 'key' | 'begin';
  checkpoint: string | undefined;
  key: string | undefined;
}

/** Null for invalid usage. */
function read(args: readonly string[]): AuditCommand | null {
  const options = { checkpoint: { type: 'string' }, key: { type: 'string' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    return null;
  }
  const { values, positionals } = parsed;
  const [command, ...more] = positionals;
  const { checkpoint, key } = values;
  if (more.length > 0 || (key !== undefined && checkpoint === undefined)) return null;
  if (command === 'verify') return { command, checkpoint, key };
  return (command === 'key' || command === 'begin') && checkpoint === undefined ? { command, checkpoint, key } : null;
}

/** Findings that one row of the log names. */
const MOST_ACCEPTED = 50;

/** What was found until now stays on record in the row that begins. */
function beginAnew(file: string, { clock, progress, print }: CommandParts): void {
  const ledger = openLedger(file, { create: false, progress });
  try {
    captureDecisions(ledger);
    const place = recordKeyFile(file);
    const { findings } = ledger.read((reader) => thingFindings(reader, readRecordKey(place)));
    const isMade = place !== null && readRecordKey(place) === null && makeRecordKey(place) !== null;
    const why = { findings: findings.slice(0, MOST_ACCEPTED), found: findings.length, newKey: isMade };
    const things = ledger.write((tx) => {
      // Another key has sealed them, or nobody knows who began them.
      forgetSessions(tx);
      return beginRecord(tx, { at: clock.now().toISOString(), actor: commandActor(), why });
    });
    for (const said of findings) print(said);
    print(
      `On record as they are now: ${things} policies, accounts, credentials, channels, scope entries, notes and settings.`,
    );
    if (isMade) print(`A new record key was made: copy ${place} to where the other keys are kept.`);
  } finally {
    ledger.close();
  }
}

async function verifyLog(file: string, { checkpoint, key }: AuditCommand, parts: CommandParts): Promise<number> {
  const { progress = UNTOLD } = parts;
  const ledger = openLedger(file, { create: false, progress });
  try {
    const { seq: units } = chainEnd(ledger);
    progress.plan([ROWS, BLOCKS].map((name) => ({ name, units })));
    const chain = ledger.read((reader) => verifyChain(reader, (rows) => progress.at(ROWS, rows)));
    if (!chain.ok) {
      parts.complain(brokenChain(chain));
      return 1;
    }
    const block = ledger.read((reader) => brokenBlock(reader, (rows) => progress.at(BLOCKS, rows)));
    if (block !== null) {
      parts.complain(`The kept root of block ${block} of the audit log does not follow from its rows.`);
      return 1;
    }
    const things = ledger.read((reader) => thingFindings(reader, readRecordKey(recordKeyFile(file))));
    for (const said of things.findings) parts.complain(said);
    const isSound = things.findings.length + things.unjudged.length === 0;
    parts.print(`The audit log is whole: ${chain.rows} rows.`);
    if (isSound) parts.print('Policies, accounts, channels, scope, notes and settings are as its rows tell.');
    for (const said of things.unjudged) parts.complain(said);
    const against = { file: checkpoint ?? '', keyFile: key, now: parts.clock.now() };
    const differs = checkpoint === undefined ? 0 : await verifyCheckpoints(auditLogOf(ledger), against, parts);
    return differs === 0 && !isSound ? 1 : differs;
  } finally {
    ledger.close();
  }
}
