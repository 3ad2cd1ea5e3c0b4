/**
 * The one map of what passes between the program and its pages. The status page asks for what it shows;
 * the console's page tells how its work stands, for tray and notifications, and learns nothing.
 */
import type { LedgerProblem } from '../../agent/ledger/errors.ts';
import type { ConsoleReport } from '../../shared/wire/program.ts';

/** What the status page tells. Times are durations in ms, so that no clock has to agree. */
export type ShellState =
  /** Local mode: the console API is starting. */
  | { kind: 'starting' }
  /** An address is being tried. */
  | { kind: 'connecting'; address: string }
  /** No answer. `reason` is the network's own word, for example `ERR_CONNECTION_REFUSED`. */
  | { kind: 'unreachable'; address: string; reason: string; retryInMs: number }
  /** It answers, but not with a console. */
  | { kind: 'refused'; address: string; reason: string; retryInMs: number }
  /** The page's process ended. */
  | { kind: 'crashed'; reason: string; retryInMs: number }
  /** Local mode: the console API ended or could not start. `words` are its last lines on stderr. */
  | { kind: 'service-ended'; reason: string; words: string; retryInMs: number }
  /** Local mode: the console API ended because its ledger cannot be used. */
  | { kind: `ledger-${LedgerProblem}`; words: string; retryInMs: number };

/** Asked by the page, answered by the program. */
export interface Requests {
  'shell:state': { args: []; answer: ShellState };
  'shell:retry': { args: []; answer: null };
  /** Told by the console. */
  'console:report': { args: [ConsoleReport]; answer: null };
}

/** Told by the program to the page. */
export interface Pushes {
  'shell:state-changed': ShellState;
}

export type RequestChannel = keyof Requests;
export type PushChannel = keyof Pushes;
