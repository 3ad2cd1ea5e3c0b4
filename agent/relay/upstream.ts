/**
 * The connection to the cloud: mutual TLS, kept alive, every phase bounded. Gives answers as streams of the received
 * bytes; decodes nothing and follows no redirection. Uses Node's own client, which held the least memory of those that
 * were measured (README).
 */
import { Agent, request as send, type AgentOptions, type RequestOptions } from 'node:https';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { isExcepted } from '../../shared/service/http/no-proxy.ts';
import { describeOtherAuthority } from '../../shared/service/tls/another-authority.ts';
import { APPLIED_HEADER, writeApplied } from '../../shared/wire/applied.ts';
import { BUNDLE_PATH, PREFER_HEADER, waitPreference } from '../../shared/wire/bundle-endpoint.ts';
import { BodyBoundError, UpstreamError } from './errors.ts';
import { openTunnel, type Proxy } from './proxy.ts';
import type { PassingHeaders } from './request-route.ts';

/** The certificate that is shown to the cloud and the authorities that identify it, PEM. */
export interface Identity {
  cert: string;
  key: string;
  ca: string;
}

/** Bounds in milliseconds and bytes. */
export interface Bounds {
  connectMs: number;
  /**
   * From the request, connecting included where that takes its own time, to the head of the answer; the seconds that a
   * pull waits come on top.
   */
  headersMs: number;
  /** From the head of the answer to its last byte. */
  bodyMs: number;
  bytes: number;
}

export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Fails where the cloud breaks off, and when the time for the body is over. */
  body: Readable;
}

/** The Intake requests one bundle after the other; parallel requests come from a second Intake, or from a mistake. */
const MOST_CONNECTIONS = 16;
/** A kept connection that was closed meanwhile breaks in the time of a round trip; a later break ends the pull itself. */
const MEANWHILE_MS = 2_000;

export class Upstream {
  readonly #address: URL;
  readonly #bounds: Bounds;
  readonly #proxy: Proxy | null;
  #agent: Agent;
  /** Earlier agents with running answers. */
  readonly #retired = new Set<Agent>();

  constructor(address: URL, identity: Identity, bounds: Bounds, proxy: Proxy | null) {
    this.#address = address;
    this.#bounds = bounds;
    this.#proxy = proxy;
    this.#agent = this.#agentWith(identity);
  }

  /** Uses this identity for new connections; running answers end on the earlier ones. */
  use(identity: Identity): void {
    const earlier = this.#agent;
    this.#agent = this.#agentWith(identity);
    // Closes connections once they become idle, and those that are idle now.
    earlier.maxFreeSockets = 0;
    for (const socket of Object.values(earlier.freeSockets).flat()) socket?.destroy();
    for (const agent of this.#retired) if (Object.keys(agent.sockets).length === 0) this.#retired.delete(agent);
    this.#retired.add(earlier);
  }

  /**
   * One pull. `query` is forwarded unchanged, `?` not included. @throws UpstreamError where there is no answer; the
   * abort reason of `signal`
   * @param headers how long the cloud may hold an answer without news (D223), and what the Intake tells (D230)
   */
  async pull(query: string, signal: AbortSignal, headers: Partial<PassingHeaders> = {}): Promise<UpstreamAnswer> {
    const { headersMs: usualMs, bodyMs } = this.#bounds;
    const headersMs = usualMs + (headers.waitSeconds ?? 0) * 1_000;
    const ending = new AbortController();
    const leave = (): void => ending.abort(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', leave);
    const timer = setTimeout(
      () => ending.abort(new UpstreamError(`The cloud did not begin to answer within ${headersMs} ms.`)),
      headersMs,
    );
    try {
      const path = query === '' ? BUNDLE_PATH : `${BUNDLE_PATH}?${query}`;
      const answer = await this.#ask(path, headersOf(headers), ending.signal);
      checkFraming(answer);
      bindTime(answer, bodyMs);
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
    } catch (error) {
      ending.signal.throwIfAborted();
      if (error instanceof UpstreamError) throw error;
      throw new UpstreamError(`The cloud cannot be reached: ${reason(error)}.`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /** Ends every connection at once. */
  destroy(): void {
    for (const agent of [this.#agent, ...this.#retired]) agent.destroy();
    this.#retired.clear();
  }

  /** Tries once, and again where the far end has closed a kept connection meanwhile. */
  async #ask(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
    for (;;) {
      const began = performance.now();
      const { hostname, port } = this.#address;
      const opening: Opening = { opened: null };
      const options: RequestOptions & { opening: Opening } = {
        opening,
        agent: this.#agent,
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? 443 : port,
        path,
        method: 'GET',
        headers,
      };
      const request = send(options);
      try {
        return await headOf(request, opening, this.#bounds.connectMs, signal);
      } catch (error) {
        request.destroy();
        const wasMeanwhile = performance.now() - began < MEANWHILE_MS;
        if (!request.reusedSocket || signal.aborted || !wasMeanwhile || !wasClosed(error)) throw error;
      }
    }
  }

  #agentWith({ cert, key, ca }: Identity): Agent {
    const options: AgentOptions = {
      keepAlive: true,
      maxSockets: MOST_CONNECTIONS,
      // No session is resumed: both sides check each other's certificate at every connection.
      maxCachedSessions: 0,
      secureContext: createSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' }),
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    };
    const { hostname, port } = this.#address;
    if (this.#proxy === null || isExcepted(this.#proxy.except, hostname, port || '443')) return new Agent(options);
    return new TunnelAgent(this.#proxy, options);
  }
}

/** Of the caller's these two alone, written anew: the certificate alone identifies the tenant (D30). */
function headersOf({ waitSeconds = null, applied = null }: Partial<PassingHeaders>): Record<string, string> {
  return {
    accept: 'application/json',
    ...(waitSeconds === null ? {} : { [PREFER_HEADER]: waitPreference(waitSeconds) }),
    ...(applied === null ? {} : { [APPLIED_HEADER]: writeApplied(applied) }),
  };
}

/** What was opened for a request: a connection, or the request for a tunnel; null: a kept connection serves it. */
interface Opening {
  opened: { destroy(): unknown } | null;
}

/**
 * Through a proxy a request gets its connection only when the tunnel stands. The end of a request does not reach a proxy
 * that hangs before that, so the request has to know what was opened for it.
 */
class TunnelAgent extends Agent {
  readonly #proxy: Proxy;

  constructor(proxy: Proxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: RequestOptions & { opening?: Opening },
    ready: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { opening = { opened: null }, host, port } = options;
    const target = `${isIP(host ?? '') === 6 ? `[${host}]` : host}:${port}`;
    opening.opened = openTunnel(this.#proxy, target, (error, inside) => {
      if (inside === undefined) return (ready as (error: Error | null) => void)(error);
      const secured = super.createConnection({ ...options, socket: inside } as RequestOptions);
      if (secured === null || secured === undefined) return inside.destroy();
      opening.opened = secured;
      ready(null, secured);
    });
  }
}

/** Sends the request and waits for the head of its answer. */
function headOf(
  request: ClientRequest,
  opening: Opening,
  connectMs: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: Error): void => {
      settled();
      request.destroy(error);
      opening.opened?.destroy();
      reject(error);
    };
    const leave = (): void => giveUp(signal.reason as Error);
    const connecting = setTimeout(() => {
      const way = opening.opened === null ? '' : ' through the proxy';
      giveUp(new UpstreamError(`The cloud cannot be reached: no connection${way} within ${connectMs} ms.`));
    }, connectMs);
    const connected = (): void => clearTimeout(connecting);
    const settled = (): void => {
      connected();
      signal.removeEventListener('abort', leave);
    };
    signal.addEventListener('abort', leave);
    request.once('socket', (socket) => {
      if (socket instanceof TLSSocket && (socket.connecting || !socket.authorized))
        socket.once('secureConnect', connected);
      else connected();
    });
    request.once('response', (answer) => {
      settled();
      // Its reader comes a moment later and checks whether it has failed by then.
      answer.on('error', () => undefined);
      resolve(answer);
    });
    // After the head the body reports errors; this listener must stay, or the process would end.
    request.on('error', (error) => {
      settled();
      reject(error);
    });
    request.end();
  });
}

/**
 * A body must say where it ends, or half of one would look whole. Any transfer coding but chunks
 * would change the bytes.
 * @throws UpstreamError
 */
function checkFraming(answer: IncomingMessage): void {
  const coding = answer.headers['transfer-encoding'];
  const bodiless = answer.statusCode === 204 || answer.statusCode === 304;
  const fault =
    coding === undefined
      ? answer.headers['content-length'] === undefined && !bodiless
        ? 'The cloud’s answer does not say where it ends.'
        : null
      : coding.toLowerCase() === 'chunked'
        ? null
        : 'The cloud’s answer has a transfer coding that the relay did not ask for.';
  if (fault === null) return;
  answer.destroy();
  throw new UpstreamError(fault);
}

function bindTime(body: Readable, ms: number): void {
  const timer = setTimeout(
    () => body.destroy(new BodyBoundError(`The body of the cloud's answer took longer than ${ms} ms.`)),
    ms,
  );
  body.once('close', () => clearTimeout(timer));
}

function wasClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Why there was no connection or no answer, in words for an administrator. */
function reason(error: unknown): string {
  // Several addresses of one name were tried: the inner errors hold the reasons.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reason))].join('; ');
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const another = describeOtherAuthority(error, 'CAUSEWAY_RELAY_CA holds');
  if (another !== null) return another;
  // A message of TLS carries file names and line numbers of the library.
  if (code.startsWith('ERR_SSL_')) return `TLS was refused (${code})`;
  const refusal = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  if (refusal !== undefined) return `TLS was refused (${refusal})`;
  return code === '' || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
