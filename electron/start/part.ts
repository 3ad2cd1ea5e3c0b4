/** One part as a child process: started, monitored, restarted when it dies, ended in order. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, renameSync, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import path from 'node:path';

const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;
const END_WITH_WATCHER = new URL('./end-with-watcher.ts', import.meta.url).href;
const LAST_WORDS = 20;
const PINO_WARN = 40;
/** The message of a part's log line that tells the done `share` of its work. */
const PROGRESS = 'progress';

export interface PartSpec {
  name: string;
  /** The script, relative to the project's root. */
  script: string;
  args?: readonly string[];
  /** Its variables; called at every start with its earlier addresses, so that it keeps them. */
  env(previous: ReadonlyMap<string, string>): Record<string, string>;
  /** The names of the listeners that it announces. */
  listeners: readonly string[];
  /** A message that means ready, for a part without a listener. */
  readyMessage?: string;
  /** Restarted when it dies; otherwise its end is only reported. */
  restart: boolean;
}

/** A part ended before it was ready. The message holds its output. */
export class PartFailedError extends Error {
  override name = 'PartFailedError';
}

export interface PartOptions {
  root: string;
  logFile: string;
  /** The environment of every part besides its own variables. */
  baseEnv: Record<string, string | undefined>;
  /** Restarts the part whenever a file that it imports changes. */
  watch: boolean;
  say(line: string): void;
  /** Called when a part tells which share of its work is done, from 0 to 1. */
  reached?(share: number): void;
  /** Called when a part without restart has ended. */
  ended?(code: number | null): void;
}

export class Part {
  readonly spec: PartSpec;
  readonly #options: PartOptions;
  readonly #log: WriteStream;
  /** Listener name to address, as announced. */
  readonly urls = new Map<string, string>();
  /** The trading day that a past replays, told before it is ready. */
  replayedDate: string | null = null;
  #child: ChildProcess | undefined;
  #ending = false;
  #backoffMs = 1_000;
  #restartTimer: NodeJS.Timeout | undefined;
  #lastWords: string[] = [];

  constructor(spec: PartSpec, options: PartOptions) {
    this.spec = spec;
    this.#options = options;
    keepPreviousLog(options.logFile);
    this.#log = createWriteStream(options.logFile, { mode: 0o600 });
  }

  /** Starts it and resolves when it is ready. @throws PartFailedError when it ends before that. */
  async start(): Promise<void> {
    const child = this.#spawn();
    await new Promise<void>((resolve, reject) => {
      let ready = false;
      const waiting = new Set(this.spec.listeners);
      const heard = (line: LogLine | undefined): void => {
        if (line === undefined || ready) return;
        if (line.msg === 'listening' && line.name !== undefined && line.url !== undefined) {
          this.urls.set(line.name, line.url);
          waiting.delete(line.name);
        }
        const said = this.spec.readyMessage === undefined || line.msg === this.spec.readyMessage;
        if (waiting.size === 0 && said) {
          ready = true;
          this.#backoffMs = 1_000;
          resolve();
        }
      };
      this.#listen(child, heard);
      child.once('error', (error) =>
        reject(new PartFailedError(`${this.spec.name} could not be started: ${error.message}`)),
      );
      child.once('exit', (code, signal) => {
        if (!ready) reject(new PartFailedError(this.#lastSentence(code, signal)));
        else this.#ended(code, signal);
      });
    });
  }

  /** Ends the part, by force after `graceMs`. */
  async end(graceMs: number): Promise<void> {
    this.#ending = true;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(force);
    }
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  #spawn(): ChildProcess {
    const { root, baseEnv, watch } = this.#options;
    const mode = watch
      ? ['--watch', '--watch-preserve-output', '--import', END_WITH_WATCHER]
      : ['--import', END_WITH_PARENT];
    this.#lastWords = [];
    const child = spawn(process.execPath, [...mode, path.join(root, this.spec.script), ...(this.spec.args ?? [])], {
      cwd: root,
      env: { ...baseEnv, ...this.spec.env(this.urls) },
      stdio: [watch ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    return child;
  }

  #listen(child: ChildProcess, heard: (line: LogLine | undefined) => void): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (text) => {
        this.#log.write(`${text}\n`);
        this.#lastWords = [...this.#lastWords, text].slice(-LAST_WORDS);
        const line = parseLogLine(text);
        if (line?.level !== undefined && line.level >= PINO_WARN) {
          this.#options.say(`${this.spec.name}: ${line.err?.message ?? line.msg ?? text}`);
        }
        if (line?.msg === PROGRESS && line.share !== undefined) this.#options.reached?.(line.share);
        this.replayedDate = line?.replayedDate ?? this.replayedDate;
        if (line?.notice !== undefined) this.#options.say(`${this.spec.name}: ${line.notice}`);
        heard(line);
      });
    }
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#ending) return;
    if (!this.spec.restart) {
      this.#options.ended?.(code);
      return;
    }
    this.#options.say(`${this.#lastSentence(code, signal)} It is started again in ${this.#backoffMs / 1_000} s.`);
    this.#restartTimer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        this.#options.say(error instanceof Error ? error.message : String(error));
        this.#ended(null, null);
      });
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, 30_000);
  }

  #lastSentence(code: number | null, signal: NodeJS.Signals | null): string {
    const said = this.#lastWords
      .map((text) => parseLogLine(text))
      .filter((line) => (line?.level ?? 0) >= PINO_WARN)
      .map((line) => line?.err?.message ?? line?.msg ?? '');
    const plain = this.#lastWords.filter((text) => parseLogLine(text) === undefined);
    const words = [...said, ...plain].filter((text) => text !== '').join('\n  ');
    const how = signal === null ? `ended with code ${code ?? '?'}` : `was ended by ${signal}`;
    return `${this.spec.name} ${how}${words === '' ? '' : `: ${words}`} (log: ${this.#options.logFile}).`;
  }
}

interface LogLine {
  level?: number;
  msg?: string;
  /** What the person at the start should know. */
  notice?: string;
  name?: string;
  url?: string;
  share?: number;
  replayedDate?: string;
  err?: { message?: string };
}

function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}

function keepPreviousLog(file: string): void {
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
