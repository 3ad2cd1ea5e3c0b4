/** A command of the Intake, and its ways to open the ledger: beside the Intake, alone, or not at all. */
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { readVariables, variable, type Variables } from '../../shared/service/variables.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Progress } from '../../shared/service/long-work/progress.ts';
import { PROGRESS_VARIABLE } from '../../shared/service/long-work/supervise.ts';
import { asLedgerError } from '../ledger/storage/errors.ts';
import { MIGRATED, openLedger, type Ledger } from '../ledger/storage/ledger.ts';
import { RecordKeyFile, recordKeyFile } from '../ledger/made/record-key.ts';
import { lockOutIntake, lockMaintenance } from '../ledger/storage/single-writer-lock.ts';
import { startPolicy, type ApplyParts } from './apply/apply.ts';
import { createEntryScreening } from './apply/screening.ts';
import { provedBy } from './receive/proved.ts';
import { INTAKE_VARIABLES, readVerifyKeyFile } from './settings.ts';

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface CommandContext {
  env: Record<string, string | undefined>;
  clock: Clock;
  log: Logger;
  print(line: string): void;
  /** Of a long command. */
  progress: Progress;
}

export interface Command {
  usage: string;
  about: string;
  variables: Variables;
  /** The number of arguments after the name. */
  operands: 0 | 1;
  flags?: readonly string[];
  /** Flags that the name of a file follows. */
  options?: readonly string[];
  /** Of a long command, which runs in a thread (D183): what a stop leaves, and how the next run goes on. */
  again?: string;
  /** @returns the exit code */
  run(
    context: CommandContext,
    operand: string,
    flags: ReadonlySet<string>,
    options: ReadonlyMap<string, string>,
  ): number | Promise<number>;
}

export const LEDGER_ALONE = { CAUSEWAY_LEDGER: variable.required('file of the ledger', variable.text) };
/** Of a long command. */
export const LEDGER_LONG = { ...LEDGER_ALONE, ...PROGRESS_VARIABLE };
const VERIFY_KEY = { CAUSEWAY_INTAKE_VERIFY_KEY: INTAKE_VARIABLES.CAUSEWAY_INTAKE_VERIFY_KEY };
/** Of one that holds the vendor's statements against the vendor's key. */
export const LEDGER_STATED = { ...LEDGER_LONG, ...VERIFY_KEY };

/** The vendor's keys at hand. @throws StartError for an unusable file */
export function verifyKeysIn(env: CommandContext['env']): readonly KeyObject[] {
  const { CAUSEWAY_INTAKE_VERIFY_KEY: file } = readVariables(VERIFY_KEY, env);
  return file === undefined ? [] : readVerifyKeyFile(file);
}

export async function withLedger(
  context: CommandContext,
  work: (ledger: Ledger) => number | Promise<number>,
): Promise<number> {
  const { CAUSEWAY_LEDGER: file } = readVariables(LEDGER_ALONE, context.env);
  const ledger = openLedger(file, { create: false, progress: context.progress });
  if (ledger.migrated !== null) context.log.info(ledger.migrated, MIGRATED);
  try {
    return await work(ledger);
  } catch (error) {
    throw asLedgerError(file, error);
  } finally {
    ledger.close();
  }
}

/** Locks out every other command that changes received records. */
export async function withLedgerAlone(
  context: CommandContext,
  work: (ledger: Ledger) => number | Promise<number>,
): Promise<number> {
  const { CAUSEWAY_LEDGER: file } = readVariables(LEDGER_ALONE, context.env);
  return withLedger(context, async (ledger) => {
    const release = lockMaintenance(file);
    try {
      return await work(ledger);
    } finally {
      release();
    }
  });
}

/** Locks out the Intake as well. */
export function withoutIntake(context: CommandContext, work: (ledger: Ledger) => number): Promise<number> {
  return withLedgerAlone(context, (ledger) => {
    const release = lockOutIntake(ledger.file);
    try {
      return work(ledger);
    } finally {
      release();
    }
  });
}

/**
 * What a command screens texts with, under the policy that is due by now: the Intake may have been stopped over its start.
 * With the vendor's key it holds texts against their statements.
 */
export function applyParts({ env, clock, log }: CommandContext, ledger: Ledger): ApplyParts & { ledger: Ledger } {
  startPolicy({ ledger, clock, log });
  const screenEntry = createEntryScreening(log, undefined, new RecordKeyFile(recordKeyFile(ledger.file)));
  const keys = verifyKeysIn(env);
  const isProved = provedBy(ledger, keys.length === 0 ? null : { keys: () => keys });
  return { ledger, clock, log, screenEntry, isProved };
}
