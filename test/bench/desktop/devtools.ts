/** Drives a packed program by Chromium's own protocol, with less overhead between key and clock than a test driver. */
import { spawn } from 'node:child_process';
import { Part } from '../../support/process.ts';

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

export interface Started {
  part: Part;
  /** Start of the process, in ms of the system's clock. */
  at: number;
  page: Page;
}

/** Chromium has no sandbox for root. */
const AS_ROOT = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Starts a test build and connects to its page as soon as it exists. */
export async function startProgram(executable: string, env: Record<string, string>): Promise<Started> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('CAUSEWAY_'));
  const at = Date.now();
  const child = spawn(executable, ['--remote-debugging-port=0', ...AS_ROOT], {
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const part = new Part('program', child);
  await part.output(/DevTools listening on ws:\/\/127\.0\.0\.1:\d+/);
  const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(part.stderr)?.[1] ?? '';
  return { part, at, page: await Page.attach(port) };
}

interface Target {
  type: string;
  webSocketDebuggerUrl: string;
}

/** One page of a program. */
export class Page {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    socket.addEventListener('close', () => {
      for (const take of this.#waiting.values()) take({ error: { message: 'the page is gone' } });
    });
  }

  static async attach(port: string): Promise<Page> {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
      const target = ((await answer.json()) as Target[]).find(({ type }) => type === 'page');
      if (target !== undefined) {
        const socket = new WebSocket(target.webSocketDebuggerUrl);
        await new Promise((resolve, reject) => {
          socket.addEventListener('open', resolve, { once: true });
          socket.addEventListener('error', reject, { once: true });
        });
        return new Page(socket);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async send<T>(method: string, params: object = {}): Promise<T> {
    const id = (this.#last += 1);
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  /** The value of an expression in the page, awaited there. @throws when the page throws, or leaves meanwhile */
  async value<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send<{
      result: { value: T };
      exceptionDetails?: { exception?: { description?: string }; text: string };
    }>('Runtime.evaluate', {
      // A promise that only the debugger waits for may be collected before it settles.
      expression: `globalThis.awaited = ${expression}`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /**
   * As `value`, in the page of a scheme, once that page has loaded: an evaluation in an earlier page would never be
   * answered.
   */
  async valueIn<T>(scheme: 'http:' | 'data:', expression: string): Promise<T> {
    for (;;) {
      const at = await this.value<string>('document.body === null ? "" : location.protocol').catch(() => '');
      if (at === scheme) return this.value<T>(expression);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async press(code: string, key: string, modifiers = 0): Promise<void> {
    const pressed = { code, key, modifiers, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0) };
    await this.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
  }
}

/** Modifier of `press`. */
export const CONTROL = 2;

/** Injected into a page before a measurement: conditions are checked at each change of the page. */
export const IN_PAGE = `
  const seen = (find) => new Promise((resolve) => {
    const look = () => {
      const found = find();
      if (found) { watch.disconnect(); resolve(found); }
    };
    const watch = new MutationObserver(look);
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
  // A task of this priority runs first after the frame. A message would wait behind later answers.
  const painted = () => new Promise((resolve) =>
    requestAnimationFrame(() => scheduler.postTask(() => resolve(Date.now()), { priority: 'user-blocking' })));
  const write = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };`;
