/**
 * Receives the return from the system's browser (D21, RFC 8252 section 7.3): during a sign-in this program listens on
 * 127.0.0.1 for the one answer to the sign-in that the window has begun, and passes it to the window. The console API
 * validates its query; here only unrelated pages are refused. No Electron.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RETURN_PATH, type SignInReturn } from '../../../shared/wire/sign-in.ts';
import type { Log } from '../diagnostics/log.ts';
import { externalAddress, parseAddress } from '../security/origins.ts';
import type { Schedule } from '../services/schedule.ts';
import { SIGNED_IN, type Language, type OwnLanguage } from '../texts/texts.ts';

/** The console API's time limit for a sign-in, in ms. */
const MOST_MS = 10 * 60_000;

export interface SignInParts {
  /** Hands an address to the system's browser. */
  openOutside(address: string): Promise<void>;
  /** The answer has arrived: the window comes to the front. */
  returned(): void;
  language: OwnLanguage;
  schedule: Schedule;
  log: Log;
}

export class SignIn {
  readonly #parts: SignInParts;
  #server: Server | null = null;
  /** Ends the sign-in in progress. */
  #settle: (answer: SignInReturn) => void = () => undefined;
  /** Identifies the expected answer; null until the browser is open. */
  #state: string | null = null;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /**
   * Starts to listen; an earlier sign-in is abandoned.
   *
   * @param port 0 for a free one
   * @returns the address for the browser's return; null if the port is taken
   */
  async listen(port: number): Promise<string | null> {
    this.end();
    const server = createServer((request, response) => this.#take(server, request, response));
    this.#server = server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        // Closed before it listens, by another sign-in.
        server.once('close', resolve);
        server.listen(port, '127.0.0.1', resolve);
      });
    } catch (error) {
      this.#parts.log.warn('sign-in cannot listen', { port, reason: String(error) });
      return null;
    }
    return server.listening ? `http://${hostOf(server)}${RETURN_PATH}` : null;
  }

  /** Opens the provider in the system's browser and waits for the return. */
  async open(text: string): Promise<SignInReturn> {
    const { openOutside, schedule, log } = this.#parts;
    const server = this.#server;
    const address = externalAddress(text);
    const asked = parseAddress(text)?.searchParams;
    const state = asked?.get('state') ?? '';
    const isOurs =
      server?.listening === true && asked?.get('redirect_uri') === `http://${hostOf(server)}${RETURN_PATH}`;
    if (address === null || state === '' || !isOurs) {
      log.warn('sign-in refused: its address may not be opened', { url: parseAddress(text)?.origin ?? null });
      return { kind: 'not-opened' };
    }
    const answer = new Promise<SignInReturn>((resolve) => {
      const cancel = schedule(MOST_MS, () => this.end());
      this.#settle = (settled) => {
        cancel();
        resolve(settled);
      };
    });
    this.#state = state;
    try {
      await openOutside(address);
    } catch (error) {
      log.warn('sign-in cannot open the browser', { reason: String(error) });
      this.#finish({ kind: 'not-opened' });
    }
    return answer;
  }

  /** Stops waiting for a return. */
  end(): void {
    this.#finish({ kind: 'abandoned' });
  }

  #finish(answer: SignInReturn): void {
    const server = this.#server;
    this.#server = null;
    this.#state = null;
    this.#settle(answer);
    this.#settle = () => undefined;
    server?.close();
    server?.closeIdleConnections();
  }

  #take(server: Server, request: IncomingMessage, response: ServerResponse): void {
    const url = parseAddress(`http://${hostOf(server)}${request.url ?? ''}`);
    const isExpected =
      request.method === 'GET' &&
      request.headers.host === hostOf(server) &&
      url?.pathname === RETURN_PATH &&
      this.#state !== null &&
      url.searchParams.get('state') === this.#state;
    if (url === null || !isExpected) {
      this.#parts.log.warn('a sign-in answer without a sign-in under way', { method: request.method ?? '' });
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        connection: 'close',
      })
      .end(pageOf(this.#parts.language()));
    this.#finish({ kind: 'returned', query: url.search.slice(1) });
    this.#parts.log.info('sign-in came back from the browser');
    this.#parts.returned();
  }
}

function hostOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `127.0.0.1:${port}`;
}

function pageOf(language: Language): string {
  const { title, words } = SIGNED_IN[language];
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${words}</p></html>`;
}
