/**
 * A user's choice for this program on this machine: the console that it shows, the services beside a local one, the
 * source of updates. Kept in a file of the program's own, and accepted only when valid. Pure.
 */
import * as z from 'zod/mini';
import { consoleAddress, serverAddress } from '../security/addresses.ts';
import { readAuthorities } from '../security/authority.ts';

/** The console API, and the services chosen beside it, run on this machine. */
export interface LocalChoice {
  mode: 'local';
  /** The address that the Intake pulls from; null: it is not started here. */
  intake: IntakeChoice | null;
  /** The provision API's listener, `host:port`; null: it is not started here. */
  provision: string | null;
}

/** Paths of files, empty for none. */
export interface IntakeChoice {
  upstream: string;
  certificate: string;
  key: string;
  authority: string;
  /** The vendor's public key: with it the Intake accepts nothing without a signed statement (D59). */
  verifyKey: string;
  /** The tenant number that the vendor assigns (D130); empty in a choice older than this field. */
  tenant: string;
}

/** The console API of another host. */
export interface ConnectedChoice {
  mode: 'connected';
  address: string;
  /** The authority of its certificate, PEM; empty for http on this machine. */
  authority: string;
}

/** The source of updates, inside the tenant's network. */
export interface UpdateChoice {
  feed: string;
  /** The authority of the feed's certificate, PEM; empty for http on this machine. */
  authority: string;
}

export interface ProgramSettings {
  /** Null: no choice yet. */
  console: LocalChoice | ConnectedChoice | null;
  /** Null: no updates. */
  updates: UpdateChoice | null;
  /** Whether the window is excluded from screenshots and shared screens, if the system supports that. */
  contentProtection: boolean;
  /** Whether the program stays in the tray when its window is closed. */
  keepRunning: boolean;
  /** Minutes without any input on this computer after which the session ends (D234); 0: the console's own limit alone. */
  lockMinutes: number;
}

/** The console ends an unused session after 30 minutes itself (D9). */
export const MOST_LOCK_MINUTES = 30;
const LOCK_MINUTES = 15;

export const NOTHING_CHOSEN: ProgramSettings = {
  console: null,
  updates: null,
  contentProtection: false,
  keepRunning: false,
  lockMinutes: LOCK_MINUTES,
};

/** The faults of the settings, one for each field that the user must correct. */
export type SettingsProblem =
  | 'address'
  | 'authority'
  | 'upstream'
  | 'intake-files'
  | 'tenant'
  | 'provision'
  | 'feed'
  | 'feed-authority';

/** The outcome of a choice. */
export type SaveAnswer =
  | { kind: 'saved' }
  | { kind: 'wrong'; problems: SettingsProblem[] }
  | { kind: 'not-written'; reason: string };

const line = z.string().check(z.maxLength(1_000));
const pem = z.string().check(z.maxLength(100_000));

export const CONSOLE_SCHEMA = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('local'),
    intake: z.nullable(
      z.strictObject({
        upstream: line,
        certificate: line,
        key: line,
        authority: line,
        // Absent in files of earlier versions.
        verifyKey: z._default(line, ''),
        tenant: z._default(line, ''),
      }),
    ),
    provision: z.nullable(line),
  }),
  z.strictObject({ mode: z.literal('connected'), address: line, authority: pem }),
]) satisfies z.ZodMiniType<LocalChoice | ConnectedChoice>;

export const UPDATES_SCHEMA = z.strictObject({ feed: line, authority: pem }) satisfies z.ZodMiniType<UpdateChoice>;

export const LOCK_SCHEMA = z.int().check(z.gte(0), z.lte(MOST_LOCK_MINUTES));

export const SETTINGS_SCHEMA = z.strictObject({
  console: z.nullable(CONSOLE_SCHEMA),
  updates: z.nullable(UPDATES_SCHEMA),
  // Absent in files of earlier versions.
  contentProtection: z._default(z.boolean(), false),
  keepRunning: z._default(z.boolean(), false),
  lockMinutes: z._default(LOCK_SCHEMA, LOCK_MINUTES),
}) satisfies z.ZodMiniType<ProgramSettings>;

/** Reads the stored settings; null for an invalid file, or one of another version. */
export function readSettings(text: string): ProgramSettings | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const read = z.safeParse(SETTINGS_SCHEMA, value);
  return read.success && settingsProblems(read.data).length === 0 ? read.data : null;
}

/** The faults to correct before the settings can be used; empty when there are none. */
export function settingsProblems({ console, updates }: ProgramSettings): SettingsProblem[] {
  const problems = console === null ? [] : consoleProblems(console);
  if (updates === null) return problems;
  const feed = serverProblems(updates.feed, updates.authority, serverAddress);
  return [...problems, ...feed.map((one) => (one === 'address' ? 'feed' : 'feed-authority') as SettingsProblem)];
}

function consoleProblems(choice: LocalChoice | ConnectedChoice): SettingsProblem[] {
  return choice.mode === 'local' ? localProblems(choice) : serverProblems(choice.address, choice.authority);
}

function serverProblems(address: string, authority: string, read = consoleAddress): SettingsProblem[] {
  const url = attempt(() => read(address));
  if (url === null) return ['address'];
  // Over http on this machine no certificate is presented.
  const fits = url.protocol === 'http:' ? authority === '' : attempt(() => readAuthorities(authority)) !== null;
  return fits ? [] : ['authority'];
}

const LISTEN = /^(?:\[[\da-fA-F:]+\]|[\w.-]+):\d{1,5}$/;

function localProblems({ intake, provision }: LocalChoice): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  if (intake !== null) {
    if (attempt(() => consoleAddress(intake.upstream)) === null) problems.push('upstream');
    if ((intake.certificate === '') !== (intake.key === '')) problems.push('intake-files');
    if (intake.tenant !== '' && !isTenant(intake.tenant)) problems.push('tenant');
  }
  if (provision !== null && !LISTEN.test(provision)) problems.push('provision');
  return problems;
}

const isTenant = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

/**
 * A newly chosen Intake names its tenant, so that a relay cannot decide the tenant of the ledger (D144). An earlier
 * choice may go on without: its ledger knows its tenant since the first bundle.
 */
export function lacksTenant(asked: ProgramSettings, before: ProgramSettings): boolean {
  const intakeOf = ({ console }: ProgramSettings): IntakeChoice | null =>
    console?.mode === 'local' ? console.intake : null;
  return intakeOf(asked)?.tenant === '' && intakeOf(before)?.tenant !== '';
}

/** The variables (D42) of a local console's services, from the user's choice. */
export function variablesOf({ intake, provision }: LocalChoice): Record<string, string> {
  const variables = {
    CAUSEWAY_INTAKE_UPSTREAM: intake?.upstream ?? '',
    CAUSEWAY_INTAKE_CERT: intake?.certificate ?? '',
    CAUSEWAY_INTAKE_KEY: intake?.key ?? '',
    CAUSEWAY_INTAKE_CA: intake?.authority ?? '',
    CAUSEWAY_INTAKE_VERIFY_KEY: intake?.verifyKey ?? '',
    CAUSEWAY_INTAKE_TENANT: intake?.tenant ?? '',
    CAUSEWAY_PROVISION_LISTEN: provision ?? '',
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
