/**
 * Local mode: runs a packed service (console API, Intake, provision API) as a child process on the packed Node, and
 * restarts it after growing pauses when it ends. This file uses no Electron.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { LEDGER_EXIT_CODES, RUNS_ALREADY_EXIT_CODE, type LedgerProblem } from '../../../agent/ledger/storage/errors.ts';
import type { Log } from '../diagnostics/log.ts';
import { SMALL_NURSERY } from '../../../shared/service/install/part.ts';
import { isLoopbackHost } from '../../../shared/service/http/origins.ts';
import { parseAddress } from '../security/origins.ts';
import { backOffMs, type Schedule } from './schedule.ts';

export type ServiceName = 'console' | 'intake' | 'provision';

/** The state of a service of a local console. `words` are its last ones when it has ended. */
export interface ServiceStatus {
  name: ServiceName;
  state: 'starting' | 'running' | 'elsewhere' | 'ended';
  words: string;
}

export interface ServiceCommand {
  name: ServiceName;
  /** The packed Node. */
  node: string;
  /** Loads the module that ends the service when its standard input closes, so that it never outlives the program. */
  endWithParent: readonly ['--import' | '--require', string];
  /** The service's entry. */
  entry: string;
  /** The service's whole environment, without the variable of `listen`. */
  env: Record<string, string>;
  /** The variable for the loopback address with its previous port; null: the service chooses its address itself. */
  listen: string | null;
  /** The port of `listen` to try first; absent or 0: any. */
  port?: number;
  /** The log message that means that the service works. */
  ready: 'listening' | 'ready';
  /** Whether another program has started it on this machine already. Checked before each start. */
  runsElsewhere(): Promise<boolean>;
}

export interface ServiceTiming {
  /** How long a start may take until the service says `listening`, in ms. */
  startMs: number;
  /** How long a graceful stop may take before it is killed, in ms. */
  stopMs: number;
  firstRestartMs: number;
  mostRestartMs: number;
  /** A service that has run for this long starts with the first pause again, in ms. */
  steadyMs: number;
  /** Interval for checking that the other program's service still runs, in ms. */
  elsewhereMs: number;
}

export const SERVICE_TIMING: ServiceTiming = {
  startMs: 30_000,
  stopMs: 7_000,
  firstRestartMs: 500,
  mostRestartMs: 15_000,
  steadyMs: 60_000,
  elsewhereMs: 30_000,
};

export interface ServiceEnd {
  reason: string;
  words: string;
  /** The fault of its ledger, by its exit code; null where it ended for another reason. */
  ledger: LedgerProblem | null;
  retryInMs: number;
}

export interface ServiceEvents {
  /** A line of its log, as it wrote it. */
  said(line: string): void;
  starting(): void;
  /** It works. The loopback address that it listens on; null where none was assigned. */
  ready(address: URL | null): void;
  /** It runs already and is not started; it is checked at intervals. */
  elsewhere(): void;
  /** It ended unasked. `words` are its last lines on stderr. */
  ended(how: ServiceEnd): void;
}

const LEDGER_PROBLEMS = Object.keys(LEDGER_EXIT_CODES) as LedgerProblem[];

function ledgerProblemBy(code: number | null): LedgerProblem | null {
  return LEDGER_PROBLEMS.find((problem) => LEDGER_EXIT_CODES[problem] === code) ?? null;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How much of the service's stderr is kept for the status page, in characters. */
const WORDS = 2_000;

export class LocalService {
  readonly #command: ServiceCommand;
  readonly #events: ServiceEvents;
  readonly #log: Log;
  readonly #schedule: Schedule;
  readonly #timing: ServiceTiming;
  #child: Child | null = null;
  #exited: Promise<void> = Promise.resolve();
  #stopping = false;
  #asking = false;
  #attempt = 0;
  #cancelRestart: (() => void) | null = null;
  /**
   * The first port. A restarted service takes it again, so that the page keeps its origin and its state.
   */
  #port: number;

  constructor(
    command: ServiceCommand,
    events: ServiceEvents,
    log: Log,
    schedule: Schedule,
    timing: ServiceTiming = SERVICE_TIMING,
  ) {
    this.#command = command;
    this.#port = command.port ?? 0;
    this.#events = events;
    this.#log = log;
    this.#schedule = schedule;
    this.#timing = timing;
  }

  get name(): ServiceName {
    return this.#command.name;
  }

  /** Starts the service, unless it runs elsewhere. Also ends a pause before a restart at once. */
  start(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = null;
    if (this.#child !== null || this.#asking || this.#stopping) return;
    this.#asking = true;
    void this.#command.runsElsewhere().then((runs) => {
      this.#asking = false;
      if (this.#stopping) return;
      if (runs) this.#leaveToOther();
      else this.#spawn();
    });
  }

  #spawn(): void {
    this.#events.starting();
    const { name, node, endWithParent, entry, env, listen } = this.#command;
    const child = spawn(node, [SMALL_NURSERY, ...endWithParent, entry], {
      env: listen === null ? env : { ...env, [listen]: `127.0.0.1:${this.#port}` },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    this.#log.info(`${name} service started`, { servicePid: child.pid ?? null });
    this.#exited = new Promise((resolve) => this.#watch(child, resolve));
  }

  #leaveToOther(): void {
    this.#log.info(`${this.name} service runs already`);
    this.#cancelRestart = this.#schedule(this.#timing.elsewhereMs, () => this.start());
    this.#events.elsewhere();
  }

  /** Stops the service for good: gracefully, then by force. Settles when it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart?.();
    this.#cancelRestart = null;
    const child = this.#child;
    if (child === null) return;
    const cancelKill = this.#schedule(this.#timing.stopMs, () => child.kill('SIGKILL'));
    child.stdin.end();
    await this.#exited;
    cancelKill();
  }

  #watch(child: Child, resolve: () => void): void {
    let words = '';
    let problem: string | null = null;
    let isUp = false;
    const cancelStartLimit = this.#schedule(this.#timing.startMs, () => {
      problem = `it did not say that it works within ${this.#timing.startMs / 1000} s`;
      child.kill('SIGKILL');
    });
    let cancelSteady = (): void => undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#events.said(line);
      const said = isUp ? null : readyLine(line, this.#command);
      if (said === null) return;
      isUp = true;
      cancelStartLimit();
      this.#port = Number(said.address?.port ?? 0);
      cancelSteady = this.#schedule(this.#timing.steadyMs, () => {
        this.#attempt = 0;
      });
      this.#events.ready(said.address);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-WORDS);
    });
    child.stdin.on('error', () => undefined); // It may end before its input is closed.
    child.once('error', (error) => {
      problem ??= error.message;
    });
    child.once('close', (code, signal) => {
      cancelStartLimit();
      cancelSteady();
      this.#child = null;
      const reason = problem ?? (signal === null ? `exit code ${code ?? '?'}` : `signal ${signal}`);
      if (this.#stopping) this.#log.info(`${this.name} service stopped`, { reason });
      else if (code === RUNS_ALREADY_EXIT_CODE) this.#leaveToOther();
      else
        this.#restartLater(
          { reason, words: words.trim(), ledger: problem === null ? ledgerProblemBy(code) : null },
          isUp,
        );
      resolve();
    });
  }

  #restartLater(end: Omit<ServiceEnd, 'retryInMs'>, wasUp: boolean): void {
    // The port may have stopped it: the next try takes any free one.
    if (!wasUp) this.#port = 0;
    this.#attempt += 1;
    const retryInMs = backOffMs(this.#attempt, this.#timing.firstRestartMs, this.#timing.mostRestartMs);
    this.#log.error(`${this.name} service ended`, { ...end, retryInMs });
    this.#cancelRestart = this.#schedule(retryInMs, () => this.start());
    this.#events.ended({ ...end, retryInMs });
  }
}

/** The sign in a line that the service works, or null for any other line. */
function readyLine(line: string, { ready, listen }: ServiceCommand): { address: URL | null } | null {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof entry !== 'object' || entry === null || !('msg' in entry) || entry.msg !== ready) return null;
  if (listen === null) return { address: null };
  const address = 'url' in entry && typeof entry.url === 'string' ? parseAddress(entry.url) : null;
  return address !== null && address.protocol === 'http:' && isLoopbackHost(address.hostname) ? { address } : null;
}
