/**
 * A tenant that waits at the cloud for news, over a connection of its own: it asks again as an Intake does (D223), and
 * costs the benchmark's own process little.
 */
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { BUNDLE_PATH, PREFER_HEADER, waitPreference } from '../../../shared/wire/bundle-endpoint.ts';

const HEADERS_END = '\r\n\r\n';
/** Of an Intake, as shipped. */
const WAIT_SECONDS = 25;
/** As an Intake pauses after a wait that broke off: the first time between these, then twice as long, up to its period. */
const AGAIN_MS = [1_000, 5_000] as const;
const PERIOD_MS = 60_000;

export class WaitingTenant {
  readonly #secureContext: SecureContext;
  #port: number;
  #socket: TLSSocket | null = null;
  #got = '';
  #breaks = 0;
  #isOver = false;
  /** The last cursor that it has received. */
  after: number;
  /** Up to which each bundle came. */
  readonly cursors: number[] = [];
  /** When the last records came, and the last answer of any kind, by `performance.now()`. */
  newsAt = 0;
  answeredAt = 0;
  /** When its last connection was made. */
  connectedAt = 0;
  /** When its last question left; 0: it is not connected. */
  askedAt = 0;
  /** Times at which a connection could not be made. */
  readonly failedAt: number[] = [];

  constructor(port: number, secureContext: SecureContext, after: number) {
    this.#port = port;
    this.#secureContext = secureContext;
    this.after = after;
  }

  /** Connects and asks; from then on by itself. Resolves once it has asked, or has failed to. */
  connect(): Promise<void> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.#port, servername: 'localhost' };
      const socket = connect({ ...options, secureContext: this.#secureContext });
      this.#socket = socket;
      this.#got = '';
      socket.setEncoding('latin1');
      socket.once('secureConnect', () => {
        this.connectedAt = performance.now();
        this.#ask();
        resolve();
      });
      socket.on('data', (text: string) => this.#take(text));
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (this.askedAt === 0) this.failedAt.push(performance.now());
        this.askedAt = 0;
        if (!this.#isOver) this.#again();
        resolve();
      });
    });
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  #again(): void {
    const [from, to] = AGAIN_MS;
    const pauseMs = Math.min((from + (to - from) * Math.random()) * 2 ** this.#breaks, PERIOD_MS);
    this.#breaks += 1;
    setTimeout(() => {
      if (!this.#isOver) void this.connect();
    }, pauseMs);
  }

  #ask(): void {
    this.askedAt = performance.now();
    const prefer = `${PREFER_HEADER}: ${waitPreference(WAIT_SECONDS)}`;
    this.#socket?.write(`GET ${BUNDLE_PATH}?after=${this.after} HTTP/1.1\r\nHost: localhost\r\n${prefer}\r\n\r\n`);
  }

  #take(text: string): void {
    this.#got += text;
    const head = this.#got.indexOf(HEADERS_END);
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#got)?.[1]);
    if (this.#got.length < head + HEADERS_END.length + length) return;
    const answer = this.#got;
    this.#got = '';
    this.answeredAt = performance.now();
    if (!answer.startsWith('HTTP/1.1 200')) {
      // As after every 5xx: it comes back over a new connection, after a pause.
      this.#socket?.destroy();
      return;
    }
    this.#breaks = 0;
    const to = Number(/"cursor_to":(\d+)/.exec(answer)?.[1] ?? 0);
    if (to > 0) {
      this.after = to;
      this.cursors.push(to);
      this.newsAt = this.answeredAt;
    }
    this.#ask();
  }
}
