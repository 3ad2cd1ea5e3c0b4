/**
 * The window's content: the console while it can be loaded, else a page of the program that names the fault and retries.
 * This file uses no Electron: the window is behind `View`.
 */
import type { Distrust } from '../security/authority.ts';
import type { ShellState } from '../ipc/channels.ts';
import type { Log } from '../diagnostics/log.ts';
import { backOffMs, type Schedule } from '../services/schedule.ts';

export interface View {
  /** Begins to load the console; `loaded` or `failed` reports the outcome. */
  showConsole(address: URL): void;
  showStatus(state: ShellState): void;
}

/** Why the console could not be shown. */
export type Problem =
  /** `reason` is the code of the network or browser. */
  | { kind: 'unreachable' | 'refused' | 'crashed'; reason: string }
  | { kind: 'untrusted'; reason: Distrust }
  /** Its version does not work with this program; `reason` names both versions. */
  | { kind: 'other-version'; reason: string; older: 'program' | 'console' };

/** Probes whether a console answers at an address. Null: it does. */
export type Probe = (address: URL) => Promise<Problem | null>;

/** All in ms. */
export const PATIENCE = {
  firstRetryMs: 1_000,
  mostRetryMs: 10_000,
  /** How long the console's page may take to load. */
  loadMs: 30_000,
  /** A shorter outage gets no page of its own. */
  noticeMs: 300,
  /** The same at a start: a status page costs a process, and the hidden window can wait. */
  startNoticeMs: 1_000,
} as const;

type Phase =
  | { name: 'none'; cancel: () => void }
  /** The address is probed before the window goes there, so that the window does not flicker. */
  | { name: 'probing'; address: URL; cancel: () => void }
  /** The window loads the console. */
  | { name: 'loading'; address: URL; cancel: () => void }
  | { name: 'shown'; address: URL; cancel: () => void }
  | { name: 'waiting'; address: URL; cancel: () => void };

const nothing = (): void => undefined;

export class Connection {
  readonly #view: View;
  readonly #probe: Probe;
  readonly #schedule: Schedule;
  readonly #log: Log;
  /** `cancel` cancels the timer of the phase. */
  #phase: Phase = { name: 'none', cancel: nothing };
  #failures = 0;
  #closed = false;

  constructor(view: View, probe: Probe, schedule: Schedule, log: Log) {
    this.#view = view;
    this.#probe = probe;
    this.#schedule = schedule;
    this.#log = log;
  }

  /** The address that the window shows or tries to show, or null. */
  get address(): URL | null {
    return this.#phase.name === 'none' ? null : this.#phase.address;
  }

  get isShown(): boolean {
    return this.#phase.name === 'shown';
  }

  /**
   * Shows the console at an address. A console already on the screen stays untouched. @param answers known to answer,
   * so no probe is needed
   */
  open(address: URL, answers = false): void {
    if (this.#closed) return;
    if (this.#phase.name === 'shown' && this.#phase.address.origin === address.origin) return;
    this.#failures = 0;
    if (answers) this.#load(address);
    else void this.#ask(address);
  }

  /**
   * Shows that there is no address yet, because one is being prepared or failed. A console on the screen stays.
   */
  withdraw(state: ShellState): void {
    if (this.#closed || this.#phase.name === 'shown') return;
    const show = (): void => this.#view.showStatus(state);
    if (state.kind === 'starting') this.#enter({ name: 'none', cancel: this.#schedule(PATIENCE.startNoticeMs, show) });
    else {
      this.#enter({ name: 'none', cancel: nothing });
      show();
    }
  }

  /** Retries at once if it is waiting. */
  retryNow(): void {
    if (this.#phase.name === 'waiting') void this.#ask(this.#phase.address);
  }

  /** The console's page has loaded. */
  loaded(): void {
    if (this.#phase.name !== 'loading') return;
    const { address } = this.#phase;
    this.#enter({ name: 'shown', address, cancel: nothing });
    this.#failures = 0;
    this.#log.info('window shown', { url: address.href });
  }

  /** The console's page could not be loaded, or is gone. */
  failed(problem: Problem): void {
    if (this.#phase.name === 'loading' || this.#phase.name === 'shown') this.#wait(this.#phase.address, problem);
  }

  /** Shows the reason in place of any content, and stops retrying. */
  end(state: ShellState): void {
    this.close();
    this.#view.showStatus(state);
  }

  /** Stops retrying. */
  close(): void {
    this.#enter({ name: 'none', cancel: nothing });
    this.#closed = true;
  }

  async #ask(address: URL): Promise<void> {
    const notice = (): void => this.#view.showStatus({ kind: 'connecting', address: address.href });
    const phase: Phase = { name: 'probing', address, cancel: this.#schedule(PATIENCE.noticeMs, notice) };
    this.#enter(phase);
    const problem = await this.#probe(address);
    // The address may have changed meanwhile, or the program may have ended.
    if (this.#phase !== phase) return;
    if (problem === null) this.#load(address);
    else this.#wait(address, problem);
  }

  #load(address: URL): void {
    const tooLate = (): void => this.failed({ kind: 'unreachable', reason: 'ERR_TIMED_OUT' });
    this.#enter({ name: 'loading', address, cancel: this.#schedule(PATIENCE.loadMs, tooLate) });
    this.#view.showConsole(address);
  }

  #wait(address: URL, problem: Problem): void {
    this.#failures += 1;
    const retryInMs = backOffMs(this.#failures, PATIENCE.firstRetryMs, PATIENCE.mostRetryMs);
    this.#log.warn('console not shown', { url: address.href, kind: problem.kind, reason: problem.reason, retryInMs });
    this.#enter({ name: 'waiting', address, cancel: this.#schedule(retryInMs, () => void this.#ask(address)) });
    this.#view.showStatus(stateOf(problem, address.href, retryInMs));
  }

  #enter(phase: Phase): void {
    this.#phase.cancel();
    this.#phase = phase;
  }
}

function stateOf(problem: Problem, address: string, retryInMs: number): ShellState {
  switch (problem.kind) {
    case 'crashed':
      return { kind: 'crashed', reason: problem.reason, retryInMs };
    case 'untrusted':
      return { kind: 'untrusted', address, reason: problem.reason, retryInMs };
    case 'unreachable':
    case 'refused':
      return { kind: problem.kind, address, reason: problem.reason, retryInMs };
    case 'other-version':
      return { kind: 'other-version', address, reason: problem.reason, older: problem.older, retryInMs };
    default:
      return problem satisfies never;
  }
}
