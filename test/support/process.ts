/**
 * Runs the real parts of Causeway as child processes, as in production, for contract, end-to-end and fault tests.
 * Typical use:
 *
 *   const fixture = new TestFixture();
 *   afterAll(() => fixture.clear());
 *
 *   const home = fixture.folder('cloud');
 *   const cloud = fixture.start('cloud/main.ts', { env: { CAUSEWAY_HOME: home, CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0' } });
 *   const { url } = await cloud.listening('sync');
 *   await waitFor('the first record', async () => (await count()) > 0);
 *   expect(await cloud.stop()).toEqual({ code: 0, signal: null });
 *
 * Nothing here sleeps for a fixed time: every wait has a condition, and fails at a deadline with the process's output.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { threadsOf } from './threads.ts';

/** The project's folder; script paths are relative to it. */
export const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Time limit in ms for steps that normally take well under a second. Two busy cores are slow. */
const PATIENCE_MS = 30_000;
/** The time within which every part must have stopped gracefully (D40), in ms. */
const STOP_MS = 10_000;

/** One line of a part's log (pino): fields as the part wrote them. */
export type LogLine = { msg?: unknown; level?: unknown } & Record<string, unknown>;

/** The log line of a listener that is up. `url` has the port that it really bound. */
export interface Listening {
  part: string;
  name: string;
  url: string;
}

/** The end of a process: an exit code, or the signal that ended it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StartOptions {
  args?: string[];
  /**
   * Variables on top of this process's own, without its `CAUSEWAY_*` ones, so that a test never depends on the shell it
   * was started from. `undefined` removes a variable.
   */
  env?: Record<string, string | undefined>;
  /** Working directory; the project by default. */
  cwd?: string;
  /** Program to run instead of this Node; then `script` is its first argument. */
  program?: string;
}

/** A condition did not become true in time, or can no longer become true. */
export class WaitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WaitError';
  }
}

/** One real child process, the leader of its own process group. Created by `startPart` or `TestFixture.start`. */
export class Part {
  readonly name: string;
  readonly child: ChildProcess;
  /** All output so far. */
  stdout = '';
  stderr = '';
  /** The lines of stdout that are JSON objects, in order. */
  readonly logs: LogLine[] = [];
  /** Settles when the process has ended and all of its output has arrived. Never rejects. */
  readonly exited: Promise<Exit>;
  #exit: Exit | null = null;
  readonly #changed = new Set<() => void>();

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.child = child;
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        this.#exit ??= exit;
        this.#notify();
        resolve(this.#exit);
      };
      child.once('close', (code, signal) => end({ code, signal }));
      child.once('error', (error) => {
        this.stderr += `${error.message}\n`;
        if (child.pid === undefined) end({ code: null, signal: null });
      });
    });
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.#takeLine(line));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#notify();
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new WaitError(`${this.name} could not be started: ${this.stderr}`);
    return this.child.pid;
  }

  /** The exit of the process, or null while it runs. */
  get exit(): Exit | null {
    return this.#exit;
  }

  /** Waits for the log line of a listener (any, without a name), past or future. */
  async listening(name?: string, ms: number = PATIENCE_MS): Promise<Listening> {
    const line = await this.logLine(
      name === undefined ? 'a listener' : `listener "${name}"`,
      (entry) => entry.msg === 'listening' && (name === undefined || entry['name'] === name),
      ms,
    );
    return { part: String(line['part']), name: String(line['name']), url: String(line['url']) };
  }

  /** Waits for the first matching log line, past or future. `what` names it in the failure. */
  async logLine(what: string, fits: (line: LogLine) => boolean, ms: number = PATIENCE_MS): Promise<LogLine> {
    return this.#until(what, () => this.logs.find(fits), ms);
  }

  /** Waits for a text, or a match, in stdout or stderr: for output other than log lines, such as a table. */
  async output(wanted: string | RegExp, ms: number = PATIENCE_MS): Promise<void> {
    const holds = (text: string): boolean => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
    await this.#until(String(wanted), () => (holds(this.stdout) || holds(this.stderr) ? true : undefined), ms);
  }

  /** Waits for the process to end by itself. */
  async ended(ms: number = PATIENCE_MS): Promise<Exit> {
    return this.#until('its end', () => this.#exit ?? undefined, ms, true);
  }

  /**
   * Stops the process and waits for its end. A process that has not stopped in time is killed and the call fails: a
   * part that does not stop is a defect.
   */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM', ms: number = STOP_MS): Promise<Exit> {
    if (this.#exit !== null) return this.#exit;
    this.child.kill(signal);
    try {
      return await this.ended(ms);
    } catch (error) {
      const threads = this.#exit === null ? threadsOf(this.pid) : '';
      await this.kill();
      if (error instanceof WaitError && threads !== '') error.message += `\n--- its threads ---\n${threads}\n---`;
      throw error;
    }
  }

  /** Ends the process and everything in its group at once (SIGKILL), as a crash or power cut would. */
  async kill(): Promise<Exit> {
    killGroup(this.child);
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#exit === null) await this.stop();
  }

  async #until<T>(what: string, find: () => T | undefined, ms: number, orExit = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#changed.delete(check);
        act();
      };
      const check = (): void => {
        const found = find();
        if (found !== undefined) settle(() => resolve(found));
        else if (this.#exit !== null && !orExit) {
          const { code, signal } = this.#exit;
          settle(() =>
            reject(new WaitError(`${this.name} ended (code ${code}, signal ${signal}) before ${what}.${this.#said()}`)),
          );
        }
      };
      const timer = setTimeout(() => {
        settle(() => reject(new WaitError(`${this.name}: waited ${ms} ms in vain for ${what}.${this.#said()}`)));
      }, ms);
      this.#changed.add(check);
      check();
    });
  }

  #takeLine(line: string): void {
    this.stdout += `${line}\n`;
    if (line.startsWith('{')) {
      try {
        const parsed: unknown = JSON.parse(line);
        if (typeof parsed === 'object' && parsed !== null) this.logs.push(parsed as LogLine);
      } catch {
        // A line that only looks like JSON is ordinary output.
      }
    }
    this.#notify();
  }

  #notify(): void {
    for (const check of this.#changed) check();
  }

  #said(): string {
    const tail = (text: string): string => text.slice(-4_000).trimEnd();
    return `\n--- its stdout ---\n${tail(this.stdout)}\n--- its stderr ---\n${tail(this.stderr)}\n---`;
  }
}

const alive = new Set<ChildProcess>();
// A worker that ends early must not leave its parts behind. On exit they are killed, not stopped.
process.on('exit', () => {
  for (const child of alive) killGroup(child);
});

/** Parts that have left no process in their group. The system may give its number to another test's browser. */
const empty = new WeakSet<ChildProcess>();

/** A group outlives its leader, so this also kills the processes of a dead leader. */
const killGroup = (child: ChildProcess): boolean => signalGroup(child, 'SIGKILL');

/** Whether a process was there to take the signal; 0 only asks. */
function signalGroup(child: ChildProcess, signal: 'SIGKILL' | 0): boolean {
  if (child.pid === undefined || empty.has(child)) return false;
  try {
    return process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

/** The variable that names the folder of the bundles in a whole run; see `bundles.ts`. */
export const BUNDLES = 'CAUSEWAY_TEST_BUNDLES';

/** The file to start for a script of the project, `cloud/main.ts`: its bundle if this run has one, or its source. */
export function entryOf(script: string): string {
  const bundles = process.env[BUNDLES];
  const bundle = bundles === undefined ? undefined : path.join(bundles, script.replace(/\.ts$/, '.js'));
  return bundle !== undefined && existsSync(bundle) ? bundle : path.resolve(PROJECT, script);
}

/** What the first start of bundles has compiled, which takes a fifth of a start: a variable for those that follow. */
export const compiledOf = (bundles: string): Record<string, string> => ({
  NODE_COMPILE_CACHE: path.join(bundles, 'compiled'),
});

/** Starts a script of the project (path from the project's folder, `cloud/main.ts`) on this Node. */
export function startPart(script: string, options: StartOptions = {}): Part {
  const bundles = process.env[BUNDLES];
  const own = Object.entries(process.env).filter(
    ([name]) => name === RUN_MARK || !/^(CAUSEWAY_|VITEST|NODE_OPTIONS$|NODE_ENV$|NODE_CHANNEL_)/.test(name),
  );
  const env = Object.fromEntries(
    [...own, ...Object.entries({ ...(bundles === undefined ? {} : compiledOf(bundles)), ...options.env })].filter(
      ([, value]) => value !== undefined,
    ),
  );
  // A bundle has its modules in it, so what Node is to import first would change others.
  const importsFirst = options.env?.['NODE_OPTIONS']?.includes('--import') === true;
  const entry = importsFirst ? path.resolve(PROJECT, script) : entryOf(script);
  const file = options.program === undefined ? entry : script;
  const child = spawn(options.program ?? process.execPath, [file, ...(options.args ?? [])], {
    cwd: options.cwd ?? PROJECT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that `kill` reaches the part's own children.
    detached: process.platform !== 'win32',
  });
  alive.add(child);
  child.once('close', () => alive.delete(child));
  child.once('exit', () => {
    if (!signalGroup(child, 0)) empty.add(child);
  });
  return new Part([script, ...(options.args ?? [])].join(' '), child);
}

/** The variable by which the runner finds processes that a suite has left behind. */
export const RUN_MARK = 'CAUSEWAY_TEST_RUN';

/** Owns the processes and folders of a test, and removes them in reverse order. */
export class TestFixture {
  readonly #parts: Part[] = [];
  readonly #folders: string[] = [];

  /** As `startPart`; stopped by `clear`. */
  start(script: string, options: StartOptions = {}): Part {
    const part = startPart(script, options);
    this.#parts.push(part);
    return part;
  }

  /** A new empty folder under the system's temporary one; removed by `clear`. */
  folder(name = 'test'): string {
    const folder = mkdtempSync(path.join(tmpdir(), `causeway-${name}-`));
    this.#folders.push(folder);
    return folder;
  }

  /** Stops the parts, last started first, then removes the folders. Fails if a part did not stop by itself. */
  async clear(): Promise<void> {
    const errors: unknown[] = [];
    for (const part of this.#parts.splice(0).toReversed()) {
      try {
        await part.stop();
        killGroup(part.child);
      } catch (error) {
        errors.push(error);
      }
    }
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('\n'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear();
  }
}

/**
 * Waits until `condition` returns something other than false, null or undefined, and returns it. An error that it
 * throws counts as "not yet" and is reported at the deadline.
 */
export async function waitFor<T>(
  what: string | (() => string),
  condition: () => T | Promise<T>,
  ms: number = PATIENCE_MS,
  everyMs = 25,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + ms;
  let last: unknown;
  for (;;) {
    try {
      last = undefined;
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as Exclude<T, false | null | undefined>;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new WaitError(
        `waited ${ms} ms in vain for ${typeof what === 'string' ? what : what()}${last === undefined ? '' : `; last error: ${last instanceof Error ? last.toString() : JSON.stringify(last)}`}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Whether a process runs. A zombie, which has ended and waits for its parent, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A TCP port on loopback that was free a moment ago. Prefer port 0 and `listening` where a part allows it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
