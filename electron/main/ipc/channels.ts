/**
 * The map of messages between the program and its pages. The status page requests its content; the setup page requests
 * the present choice and returns the user's; the console's page reports its state for tray and notifications and its
 * colours and language, offers its acts for the menus (D234), and opens the system's browser for a sign-in (D21).
 */
import type { LedgerProblem } from '../../../agent/ledger/storage/errors.ts';
import type { ColourScheme, ConsoleReport, MenuAct } from '../../../shared/wire/console/program.ts';
import type { SignInReturn } from '../../../shared/wire/sign-in.ts';
import type { Distrust } from '../security/authority.ts';
import type { ServiceStatus } from '../services/local-service.ts';
import type { ProgramSettings, SaveAnswer } from '../settings/settings.ts';
import type { Language } from '../texts/texts.ts';

/** The state that the status page shows. Times are durations in ms, so that clocks need not agree. */
export type ShellState =
  /** Local mode: the console API is starting. */
  | { kind: 'starting' }
  /** An address is being tried. */
  | { kind: 'connecting'; address: string }
  /** No answer. `reason` is the network's code, for example `ERR_CONNECTION_REFUSED`. */
  | { kind: 'unreachable'; address: string; reason: string; retryInMs: number }
  /** It answers, but is not a console. */
  | { kind: 'refused'; address: string; reason: string; retryInMs: number }
  /** The pinned authority did not issue its certificate. */
  | { kind: 'untrusted'; address: string; reason: Distrust; retryInMs: number }
  /** Its version does not work with this program. `reason`: the versions of program and console. */
  | { kind: 'other-version'; address: string; reason: string; older: 'program' | 'console'; retryInMs: number }
  /** The page's process ended. */
  | { kind: 'crashed'; reason: string; retryInMs: number }
  /** Local mode: the console API ended or could not start. `words` are its last lines on stderr. */
  | { kind: 'service-ended'; reason: string; words: string; retryInMs: number }
  /** Local mode: the console API ended because its ledger cannot be used. */
  | { kind: `ledger-${LedgerProblem}`; words: string; retryInMs: number }
  /**
   * The files beside the program differ from the packed ones: nothing is started. `words` names the files, one per
   * line.
   */
  | { kind: 'altered'; words: string };

/** The console's last known state, by durations in ms. */
export interface Seen {
  /** Since its last good answer. */
  answeredMs: number;
  /** Null without a login. */
  queue: { waiting: number; oldestMs: number | null } | null;
}

/** The content of the setup page. */
export interface SetupView {
  /** The system's language, Korean if unknown. */
  language: Language;
  settings: ProgramSettings;
  /** The settings fixed by the administrator or the environment. */
  fixed: Record<keyof ProgramSettings, boolean>;
  /** No earlier settings exist to return to. */
  isFirst: boolean;
  /** The console in use and its address; null: none is chosen, or a local one has no address yet. */
  inUse: { mode: 'local' | 'connected'; address: string | null } | null;
  services: ServiceStatus[];
}

/** Requests of a page to the program. */
export interface Requests {
  'shell:state': { args: []; answer: ShellState };
  /** Null: the console has not answered since the program was started. */
  'shell:seen': { args: []; answer: Seen | null };
  /** Retries at once. */
  'shell:retry': { args: []; answer: null };
  'setup:read': { args: []; answer: SetupView };
  'setup:save': { args: [ProgramSettings]; answer: SaveAnswer };
  /** Reported by the console. */
  'console:report': { args: [ConsoleReport]; answer: null };
  /** The colour scheme that the user has chosen there. */
  'console:appear': { args: [ColourScheme]; answer: null };
  /** The language that the user has chosen there. */
  'console:speak': { args: [Language]; answer: null };
  /** The page's acts for the menus; none without a user. */
  'console:menu': { args: [MenuAct[]]; answer: null };
  /** The page as a PDF, as it would be printed. */
  'console:print': { args: []; answer: Uint8Array };
  /** Begins a sign-in: the port to listen on; answers with the address that the browser returns to. */
  'sign-in:listen': { args: [number]; answer: string | null };
  /** Opens the provider in the system's browser; answers with the provider's result. */
  'sign-in:open': { args: [string]; answer: SignInReturn };
}

/** Messages of the program to a page. */
export interface Pushes {
  'shell:state-changed': ShellState;
  /** Runs one of the page's acts, by its id. */
  'console:act': string;
  /** Nobody has used the computer for a while: the page ends its session. */
  'console:lock': null;
}

export type RequestChannel = keyof Requests;
export type PushChannel = keyof Pushes;
