/** A relay in this process, started and stopped by its command line as in `main.ts`. */
import { pino } from 'pino';
import { runCommandLine } from '../../../agent/relay/command-line.ts';
import { writePair, writeWhole, type Authority, type Issued } from '../pki.ts';

type LogLine = Record<string, unknown>;

/** Logs, output and end are those that a process would have. */
export class TestRelay {
  readonly logs: LogLine[] = [];
  stdout = '';
  stderr = '';
  /** Its exit code. */
  readonly ended: Promise<number>;
  #stop: () => void = () => undefined;
  readonly #waiting: (() => void)[] = [];
  #isEnded = false;

  constructor(env: Record<string, string | undefined>, args: string[] = []) {
    const log = pino(
      { base: { part: 'relay', name: 'relay' } },
      {
        write: (line) => {
          this.stdout += line;
          this.logs.push(JSON.parse(line) as LogLine);
          this.#wake();
        },
      },
    );
    const ended = runCommandLine(args, {
      env,
      print: (line) => (this.stdout += `${line}\n`),
      complain: (line) => (this.stderr += `${line}\n`),
      log,
      stopAsked: () => new Promise((resolve) => (this.#stop = resolve)),
    });
    this.ended = ended.finally(() => {
      this.#isEnded = true;
      this.#wake();
    });
  }

  /** Waits for a line of its log, past or future. */
  async logLine(what: string, fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.logs.find(fits);
      if (found !== undefined) return found;
      if (this.#isEnded) throw new Error(`The relay ended before ${what}.\n${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async listening(): Promise<string> {
    return String((await this.logLine('it listened', ({ msg }) => msg === 'listening'))['url']);
  }

  /** @returns its exit code */
  async stop(): Promise<number> {
    this.#stop();
    return this.ended;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The settings of a relay in front of a cloud, its files in a folder. */
export function relayEnv(folder: string, upstream: string, client: Issued, { ca }: Authority): Record<string, string> {
  const pair = writePair(folder, 'relay', client);
  return {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_UPSTREAM: upstream,
    CAUSEWAY_RELAY_CERT: pair.cert,
    CAUSEWAY_RELAY_KEY: pair.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', ca),
  };
}
