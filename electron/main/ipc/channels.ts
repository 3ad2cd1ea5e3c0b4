/**
 * The one map of what passes between the program and its pages. The status page asks for what it shows; the
 * setup page for what is chosen, and hands back what a person chose; the console's page tells how its work
 * stands, for tray and notifications, and which colours it has, and has the system's browser opened when somebody signs
 * in (D21).
 */
import type { LedgerProblem } from '../../../agent/ledger/storage/errors.ts';
import type { ColourScheme, ConsoleReport } from '../../../shared/wire/console/program.ts';
import type { SignInReturn } from '../../../shared/wire/sign-in.ts';
import type { Distrust } from '../security/authority.ts';
import type { ServiceName } from '../services/local-service.ts';
import type { ProgramSettings, SettingsProblem } from '../settings/settings.ts';
import type { Language } from '../texts/texts.ts';

/** The state that the status page tells. Times are durations in ms, so that no clock has to agree. */
export type ShellState =
  /** Local mode: the console API is starting. */
  | { kind: 'starting' }
  /** An address is being tried. */
  | { kind: 'connecting'; address: string }
  /** No answer. `reason` is the network's own word, for example `ERR_CONNECTION_REFUSED`. */
  | { kind: 'unreachable'; address: string; reason: string; retryInMs: number }
  /** It answers, but not with a console. */
  | { kind: 'refused'; address: string; reason: string; retryInMs: number }
  /** Its certificate is not one that the pinned authority answers for. */
  | { kind: 'untrusted'; address: string; reason: Distrust; retryInMs: number }
  /** It is of a version that does not fit this program's. `reason`: the program's version and the console's. */
  | { kind: 'other-version'; address: string; reason: string; older: 'program' | 'console'; retryInMs: number }
  /** The page's process ended. */
  | { kind: 'crashed'; reason: string; retryInMs: number }
  /** Local mode: the console API ended or could not start. `words` are its last lines on stderr. */
  | { kind: 'service-ended'; reason: string; words: string; retryInMs: number }
  /** Local mode: the console API ended because its ledger cannot be used. */
  | { kind: `ledger-${LedgerProblem}`; words: string; retryInMs: number }
  /**
   * The files beside the program are not the packed ones: nothing of them is started. `words` name the files, one a
   * line.
   */
  | { kind: 'altered'; words: string };

/** The console's last known state, by durations in ms. */
export interface Seen {
  /** Since its last good answer. */
  answeredMs: number;
  /** Null where nobody was logged in. */
  queue: { waiting: number; oldestMs: number | null } | null;
}

/** The state of a service of a local console. `words` are its last ones when it has ended. */
export interface ServiceStanding {
  name: ServiceName;
  state: 'starting' | 'running' | 'elsewhere' | 'ended';
  words: string;
}

/** The content of the setup page. */
export interface SetupView {
  /** The system's, Korean where that is unknown. */
  language: Language;
  settings: ProgramSettings;
  /** The settings of the administrator or the environment, which cannot be chosen here. */
  fixed: Record<keyof ProgramSettings, boolean>;
  /** There is nothing to go back to. */
  isFirst: boolean;
  services: ServiceStanding[];
}

/** The outcome of a choice. */
export type SaveAnswer =
  | { kind: 'saved' }
  | { kind: 'wrong'; problems: SettingsProblem[] }
  | { kind: 'not-written'; reason: string };

/** Asked by a page, answered by the program. */
export interface Requests {
  'shell:state': { args: []; answer: ShellState };
  /** Null: the console has not answered since the program was started. */
  'shell:seen': { args: []; answer: Seen | null };
  /** Tries again at once; on the setup page: leaves it for the console. */
  'shell:retry': { args: []; answer: null };
  'setup:read': { args: []; answer: SetupView };
  'setup:save': { args: [ProgramSettings]; answer: SaveAnswer };
  /** Told by the console. */
  'console:report': { args: [ConsoleReport]; answer: null };
  /** Which colours a person has chosen there. */
  'console:appear': { args: [ColourScheme]; answer: null };
  /** The console's page signs somebody in: the port to listen at, and where the browser comes back to then. */
  'sign-in:listen': { args: [number]; answer: string | null };
  /** Opens the provider in the system's browser; the answer is what came back from it. */
  'sign-in:open': { args: [string]; answer: SignInReturn };
}

/** Told by the program to the page. */
export interface Pushes {
  'shell:state-changed': ShellState;
}

export type RequestChannel = keyof Requests;
export type PushChannel = keyof Pushes;
