/**
 * The way to the cloud: mutual TLS, connections kept alive, every phase bounded. Gives answers as
 * streams of the bytes that came; nothing is decoded, followed or tried again.
 */
import type { Readable } from 'node:stream';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { BUNDLE_PATH } from '../../shared/wire/bundle.ts';
import type { Credentials } from './credentials.ts';
import { BodyBoundError, UpstreamError } from './errors.ts';

/** Bounds in milliseconds and bytes. */
export interface Bounds {
  connectMs: number;
  /** From the request, connecting included where that takes its own time, to the head of the answer. */
  headersMs: number;
  /** From the head of the answer to its last byte. */
  bodyMs: number;
  bytes: number;
}

export interface Proxy {
  address: URL;
  /** As in NO_PROXY. */
  except: string;
}

export interface UpstreamAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Fails where the cloud breaks off, and when the time for the body is over. */
  body: Readable;
}

/** The Intake asks one bundle after the other; more at once is more than one Intake, or a mistake. */
const MOST_CONNECTIONS = 16;

export class Upstream {
  readonly #address: URL;
  readonly #bounds: Bounds;
  readonly #proxy: Proxy | null;
  #agent: Dispatcher;
  readonly #closing = new Set<Promise<void>>();

  constructor(address: URL, credentials: Credentials, bounds: Bounds, proxy: Proxy | null) {
    this.#address = address;
    this.#bounds = bounds;
    this.#proxy = proxy;
    this.#agent = this.#connectWith(credentials);
  }

  /** From now on other credentials; answers that are under way come to their end with the earlier ones. */
  use(credentials: Credentials): void {
    const earlier = this.#agent;
    this.#agent = this.#connectWith(credentials);
    const closed = earlier.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /**
   * One pull. `query` is passed on as it is, `?` not included.
   * @throws UpstreamError where there is no answer; whatever `signal` was aborted with
   */
  async pull(query: string, signal: AbortSignal): Promise<UpstreamAnswer> {
    const { headersMs, bodyMs } = this.#bounds;
    const ending = new AbortController();
    const leave = (): void => ending.abort();
    signal.throwIfAborted();
    signal.addEventListener('abort', leave);
    const timer = setTimeout(leave, headersMs);
    let answer: Dispatcher.ResponseData;
    try {
      answer = await this.#agent.request({
        origin: this.#address.origin,
        path: query === '' ? BUNDLE_PATH : `${BUNDLE_PATH}?${query}`,
        method: 'GET',
        // Nothing of the caller's goes in here: who asks is told by the certificate alone (D30).
        headers: { accept: 'application/json' },
        signal: ending.signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new UpstreamError(
        ending.signal.aborted
          ? `The cloud did not begin to answer within ${headersMs} ms.`
          : `The cloud cannot be reached: ${reason(error)}.`,
        { cause: error },
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
    bindTime(answer.body, bodyMs);
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  /** Ends every connection at once. */
  async destroy(): Promise<void> {
    await this.#agent.destroy();
    await Promise.allSettled(this.#closing);
  }

  #connectWith({ cert, key, ca }: Credentials): Dispatcher {
    const tls = { cert, key, ca, minVersion: 'TLSv1.2', rejectUnauthorized: true, allowH2: false } as const;
    const options = {
      allowH2: false,
      connections: MOST_CONNECTIONS,
      connect: { ...tls, timeout: this.#bounds.connectMs },
      // Both phases have timers of their own here, exact to the millisecond and over the whole phase.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (this.#proxy === null) return new Agent(options);
    return new EnvHttpProxyAgent({
      ...options,
      connectTimeout: this.#bounds.connectMs,
      requestTls: { ...tls, timeout: this.#bounds.connectMs },
      // An empty text, so that nothing is taken from the environment behind our back.
      httpProxy: '',
      httpsProxy: this.#proxy.address.href,
      noProxy: this.#proxy.except,
    });
  }
}

function bindTime(body: Readable, ms: number): void {
  const timer = setTimeout(
    () => body.destroy(new BodyBoundError(`The body of the cloud's answer took longer than ${ms} ms.`)),
    ms,
  );
  body.once('close', () => clearTimeout(timer));
}

/** Why there was no connection or no answer, for someone who must find the cause. */
function reason(error: unknown): string {
  // Several addresses of one name were tried: the reasons stand inside.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reason))].join('; ');
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A message of TLS carries file names and line numbers of the library; its code says the same.
  if (code.startsWith('ERR_SSL_')) return `TLS was refused (${code})`;
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
