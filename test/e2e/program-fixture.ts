/**
 * Shared by the tests of the desktop program: the packed program under Playwright, its log, and a small real web server
 * at the console's address for tests without the real console.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright';
import { ensurePackaged } from '../../electron/packaging/package.ts';
import { WINDOW_SECRET_HEADER } from '../../shared/wire/console/program.ts';
import { takePicture } from '../support/pictures.ts';
import { Part, waitFor, type LogLine } from '../support/process.ts';

/** Chromium sandboxes nothing for root; the program itself never turns the sandbox off. */
export const AS_ROOT = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** The program gives up a page that hangs after 30 s, and loads it anew: the engine may lose its GPU process meanwhile. */
const PATIENCE_MS = 75_000;

/** The program as it runs in a test. */
export class Program {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly part: Part;

  readonly #logFile: string;

  constructor(app: ElectronApplication, page: Page, part: Part, logFile: string) {
    this.app = app;
    this.page = page;
    this.part = part;
    this.#logFile = logFile;
  }

  get pid(): number {
    return this.part.pid;
  }

  /** Log lines with a message, so far. */
  logged(msg: string): LogLine[] {
    return this.#log()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter((line) => line.msg === msg);
  }

  #log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  /** Waits for the `count`th log line with a message. */
  async log(msg: string, count = 1): Promise<LogLine> {
    return waitFor(
      () => `log line ${count} "${msg}" of:\n${this.#log()}\n${this.part.stderr}`,
      () => this.logged(msg)[count - 1],
      PATIENCE_MS,
    );
  }

  /**
   * The headers of a request to this program's console API, which answers only the window. Only processes of the same
   * user, like this test, can read them.
   */
  async windowHeaders(): Promise<Record<string, string>> {
    await this.log('console service started');
    const pid = Number(this.logged('console service started').at(-1)?.['servicePid']);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const secret = environment.find((entry) => entry.startsWith('CAUSEWAY_CONSOLE_WINDOW_SECRET='))?.split('=')[1];
    if (secret === undefined) throw new Error(`process ${pid} has no secret of its window`);
    return { [WINDOW_SECRET_HEADER]: secret };
  }

  async text(): Promise<string> {
    return this.page.locator('body').innerText();
  }

  /** Waits until the page shows a text. */
  async says(words: string | RegExp): Promise<void> {
    await this.page.getByText(words).first().waitFor();
  }

  async screenshot(name: string): Promise<void> {
    await takePicture(this.page, name);
  }
}

/** Chooses a menu item by its label. */
export function choose(program: Program, words: string): Promise<void> {
  return program.app.evaluate(({ Menu }, label) => {
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((item) => item.submenu?.items ?? []);
    items.find((item) => item.label.startsWith(label))?.click();
  }, words);
}

/** Starts programs and ends them, with their data in temporary folders. */
export class ProgramFixture {
  readonly #programs: Program[] = [];
  readonly #folders: string[] = [];

  folder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-program-'));
    this.#folders.push(folder);
    return folder;
  }

  /** This process's variables without `CAUSEWAY_` ones, overridden by the given ones. */
  environment(env: Record<string, string>): Record<string, string> {
    const own = Object.entries(process.env).filter(
      ([name, value]) => value !== undefined && (!name.startsWith('CAUSEWAY_') || name === 'CAUSEWAY_TEST_RUN'),
    );
    return { ...(Object.fromEntries(own) as Record<string, string>), CAUSEWAY_CONSOLE_DATA: this.folder(), ...env };
  }

  /** Starts the test build. The page is the first one, with any content. */
  async launch(
    env: Record<string, string>,
    colorScheme: 'light' | 'dark' = 'light',
    args: string[] = [],
    built?: string,
  ): Promise<Program> {
    const executable = built ?? (await ensurePackaged({ log: () => undefined, test: true })).executable;
    // Playwright reads the program's output first and discards it, so the log goes to a file. The shell is replaced by
    // the program, which keeps its process id.
    const folder = this.folder();
    const logFile = path.join(folder, 'program.log');
    const launcher = path.join(folder, 'launch.sh');
    writeFileSync(launcher, `#!/bin/sh\nexec '${executable}' "$@" >'${logFile}'\n`, { mode: 0o700 });
    const app = await _electron.launch({
      executablePath: launcher,
      args: [...AS_ROOT, ...args],
      env: this.environment({ CAUSEWAY_CONSOLE_DRIVEN: '1', ...env }),
      colorScheme,
      timeout: PATIENCE_MS,
    });
    const part = new Part('console program', app.process());
    const page = await app.firstWindow({ timeout: PATIENCE_MS }).catch((error: unknown) => {
      app.process().kill('SIGKILL');
      throw new Error(`no window of:\n${readFileSync(logFile, 'utf8')}\n${part.stderr}`, { cause: error });
    });
    const program = new Program(app, page, part, logFile);
    this.#programs.push(program);
    return program;
  }

  async clear(): Promise<void> {
    for (const { app, part } of this.#programs.splice(0)) {
      if (part.exit === null) await app.close();
      await part.exited;
    }
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on loopback that counts its requests. */
export class StandIn {
  readonly #handler: Handler;
  #server: Server | null = null;
  #port = 0;
  /** Requested paths, in order. */
  asked: string[] = [];

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the same port as before after a `stop`. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      this.#handler(request, response);
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Presses a button that closes its window, which may be gone before the click has ended. */
export async function clickAway(window: Page, button: string): Promise<void> {
  const closed = window.waitForEvent('close');
  await window
    .getByRole('button', { name: button })
    .click()
    .catch((error: unknown) => {
      if (!window.isClosed()) throw error;
    });
  await closed;
}

/** A page that identifies itself as the console's place-holder. */
export function answerPage(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><html lang="ko"><title>Causeway 대역</title><body>${body}</body></html>`);
}

/** Whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
