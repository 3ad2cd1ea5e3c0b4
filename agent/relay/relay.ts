/**
 * The relay in the DMZ (sync protocol 1, D39): answers the Intake's pulls with the cloud's bytes, unchanged and as they
 * arrive. It keeps no state that any function depends on; its counts are for `GET /status`.
 *
 * Bodies are streamed: a slow Intake slows the cloud down, and memory does not grow with the body. A body that breaks
 * off upstream is broken off downstream, so that a partial one never looks whole.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { closeServers } from '../../shared/service/http/drain.ts';
import { createListener, type ListenerLimits } from '../../shared/service/http/listener.ts';
import { isOwnName } from '../../shared/service/http/origins.ts';
import type { ListenAddress } from '../../shared/service/variables.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import { ApiError, failure, success } from '../../shared/wire/envelope.ts';
import type { RelayStatus } from '../../shared/wire/relay.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { sendJson, sendText } from './responses.ts';
import { Control } from './control.ts';
import { checkAccess, mayControl } from './control-access.ts';
import { type CredentialChange, WatchedCredentials } from './credentials.ts';
import { routeOf } from './request-route.ts';
import { metricsOf } from './metrics.ts';
import { StartError, UpstreamError } from './errors.ts';
import { PassingMemory } from './memory.ts';
import { forwardPull } from './forward.ts';
import type { Settings } from './settings.ts';
import { Statistics } from './statistics.ts';
import { Upstream } from './upstream.ts';

export interface RelayParts {
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** For tests: other limits of time and number. */
  limits?: Partial<ListenerLimits>;
}

/** Inward limits: an Intake asks with a short request, and a console replaces a certificate. */
const LIMITS = { requestMs: 10_000, connections: 64 };
const MOST_HEAD_BYTES = 8_192;
/** The interval of file checks without requests. */
const CHECK_MS = 5_000;
/** The time for running answers to end when the relay stops. */
const GRACE_MS = 3_000;

export interface RunningRelay {
  url: string;
  /** Lets running answers end, within limits, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Reads the certificates and listens.
 * @throws StartError, CredentialError
 */
export async function startRelay(settings: Settings, parts: RelayParts): Promise<RunningRelay> {
  const relay = await Relay.open(settings, parts);
  return relay.listen();
}

class Relay {
  readonly #settings: Settings;
  readonly #parts: RelayParts;
  readonly #outward: WatchedCredentials;
  readonly #inward: WatchedCredentials | null;
  readonly #upstream: Upstream;
  readonly #server: Server | HttpsServer;
  readonly #control: Control;
  readonly #statistics: Statistics;
  readonly #memory = new PassingMemory();
  readonly #ending = new AbortController();
  #checking: NodeJS.Timeout | undefined;
  #stopping = false;

  static async open(settings: Settings, parts: RelayParts): Promise<Relay> {
    await checkAccess(settings.control);
    const outward = await WatchedCredentials.open(settings.outward, parts.clock);
    const inward = settings.inward === null ? null : await WatchedCredentials.open(settings.inward, parts.clock);
    return new Relay(settings, parts, outward, inward);
  }

  private constructor(
    settings: Settings,
    parts: RelayParts,
    outward: WatchedCredentials,
    inward: WatchedCredentials | null,
  ) {
    this.#settings = settings;
    this.#parts = parts;
    this.#outward = outward;
    this.#inward = inward;
    this.#upstream = new Upstream(settings.upstream, outward.current, settings.bounds, settings.proxy);
    this.#control = new Control({ settings, outward, upstream: this.#upstream, clock: parts.clock });
    this.#statistics = new Statistics(parts.clock);
    this.#server = createListener(
      {
        ids: parts.ids,
        limits: { ...LIMITS, ...parts.limits },
        maxHeaderSize: MOST_HEAD_BYTES,
        ...(inward === null ? {} : { tls: inwardTls(inward) }),
        refused: (refusal) => {
          this.#statistics.refused();
          parts.log.warn(refusal, 'connection refused before a request was read');
        },
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.on('tlsClientError', (error: Error) =>
      parts.log.warn({ err: error }, 'a caller did not get through the TLS handshake'),
    );
    outward.follow((change) => this.#outwardChanged(change));
    inward?.follow((change) => this.#inwardChanged(change));
    for (const watched of [outward, inward]) this.#warnIfOutside(watched);
  }

  async listen(): Promise<RunningRelay> {
    const { host, port } = this.#settings.listen;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen({ host, port }, () => {
          this.#server.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      this.#upstream.destroy();
      throw cannotListen(this.#settings.listen, error);
    }
    this.#checking = setInterval(() => void this.#check(), CHECK_MS).unref();
    this.#outward.listen();
    const scheme = this.#inward === null ? 'http' : 'https';
    const shownHost = host.includes(':') ? `[${host}]` : host;
    const url = `${scheme}://${shownHost}:${(this.#server.address() as AddressInfo).port}`;
    return { url, stop: () => this.#stop() };
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#ending.abort(new UpstreamError('The relay is stopping; ask again in a moment.'));
    clearInterval(this.#checking);
    for (const watched of [this.#outward, this.#inward]) watched?.stop();
    const close = (): Promise<void> => new Promise((resolve) => this.#server.close(() => resolve()));
    await closeServers([{ server: this.#server, close }], GRACE_MS);
    this.#upstream.destroy();
  }

  async #check(): Promise<void> {
    await Promise.all([this.#outward.check(), this.#inward?.check()]);
  }

  #outwardChanged(change: CredentialChange): void {
    if (change.kind === 'replaced') {
      this.#upstream.use(change.credentials);
      this.#parts.log.info(
        { certificate: change.credentials.facts },
        'the certificate for the cloud has been replaced',
      );
      this.#warnIfOutside(this.#outward);
    } else this.#parts.log.error(change.message);
  }

  #inwardChanged(change: CredentialChange): void {
    if (change.kind === 'replaced') {
      const { cert, key, ca, facts } = change.credentials;
      if ('setSecureContext' in this.#server) this.#server.setSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' });
      this.#parts.log.info({ certificate: facts }, 'the certificate for the Intake has been replaced');
      this.#warnIfOutside(this.#inward);
    } else this.#parts.log.error(change.message);
  }

  #warnIfOutside(watched: WatchedCredentials | null): void {
    if (watched === null) return;
    const { facts } = watched.current;
    const now = this.#parts.clock.now().toISOString();
    if (now < facts.validFrom) this.#parts.log.warn({ certificate: facts }, 'the certificate is not yet valid');
    if (now > facts.validTo) this.#parts.log.warn({ certificate: facts }, 'the certificate has expired');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = this.#parts.ids.uuid();
    const log = this.#parts.log.child({ reqId: id });
    response.setHeader('x-request-id', id);
    if (this.#stopping) response.setHeader('connection', 'close');
    try {
      await this.#run(request, response, log);
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError('COMMON500');
      if (known.code === 'COMMON500') log.error({ err: error }, 'unexpected error');
      else {
        this.#statistics.refused();
        log.warn({ method: request.method, url: request.url, code: known.code }, 'refused');
      }
      sendJson(response, known.status, failure(known));
    }
  }

  async #run(request: IncomingMessage, response: ServerResponse, log: Logger): Promise<void> {
    const route = routeOf(request);
    const at = { host: this.#settings.listen.host, names: this.#inward?.current.names ?? null };
    if (!isOwnName(request.headers.host, at))
      throw new ApiError('COMMON403', 'The Host header does not name this relay.');
    switch (route.kind) {
      case 'health':
        return sendJson(response, 200, success({ status: 'alive', version: PRODUCT_VERSION }));
      case 'status':
        await this.#check();
        return sendJson(response, 200, success(this.#status()));
      case 'metrics':
        await this.#check();
        return sendText(response, metricsOf(this.#status()));
      case 'pull':
        await this.#outward.checkIfDue();
        return forwardPull(route, response, {
          upstream: this.#upstream,
          stopping: this.#ending.signal,
          bytes: this.#settings.bounds.bytes,
          record: this.#statistics.pull(),
          memory: this.#memory,
          log,
        });
      case 'control': {
        await mayControl(this.#settings.control, request);
        const result = await this.#control.run(route.action, request);
        log.info({ action: route.action, result }, 'control');
        return sendJson(response, 200, success(result));
      }
      default:
        return route satisfies never;
    }
  }

  #status(): RelayStatus {
    return {
      version: PRODUCT_VERSION,
      ...this.#statistics.snapshot(),
      upstream: this.#settings.upstream.origin,
      certificate: this.#outward.current.facts,
      certificateProblem: this.#outward.problem,
      inward:
        this.#inward === null
          ? null
          : { certificate: this.#inward.current.facts, certificateProblem: this.#inward.problem },
    };
  }
}

function inwardTls(inward: WatchedCredentials): TlsOptions {
  const { cert, key, ca } = inward.current;
  return { cert, key, ca, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.2' };
}

function cannotListen({ host, port }: ListenAddress, cause: unknown): StartError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const place = `${host}:${port}`;
  return new StartError(
    code === 'EADDRINUSE'
      ? `CAUSEWAY_RELAY_LISTEN: ${place} is in use by another process; stop that process or choose another port (0 takes a free one).`
      : `CAUSEWAY_RELAY_LISTEN: ${place} cannot be listened on: ${cause instanceof Error ? cause.message : String(cause)}.`,
    { cause },
  );
}
