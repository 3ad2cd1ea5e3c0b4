/**
 * The provision API (D20, D57): the only interface that gives the tenant's channels texts for their customers. It
 * serves the texts that are exposed at this moment and nothing else. Nobody may give an answer again without asking; this
 * server caches only the disclaimer of a policy version, which never changes.
 *
 * Before it: `agent/ledger/serving/visibility.ts`. After it: the channel shows the text to a customer.
 */
import { createHmac } from 'node:crypto';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { z } from 'zod';
import { HEALTH_METHODS } from '../../shared/service/http/health.ts';
import { answerInEnvelopes, sendFailure } from '../../shared/service/http/envelope-plugin.ts';
import type { ListenerOptions } from '../../shared/service/http/listener.ts';
import type { ServerTls } from '../../shared/service/tls/server-tls.ts';
import { LoginLimit } from '../../shared/service/accounts/login-limit.ts';
import { INERT_HEADERS, sendSafeHeaders } from '../../shared/service/http/safe-headers.ts';
import { serverOptions } from '../../shared/service/http/server-options.ts';
import { pathOf } from '../../shared/service/http/target.ts';
import { recognise } from '../../shared/service/http/unfinished.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import type { TrafficOutcome } from '../../shared/wire/console/console.ts';
import { ApiError, success } from '../../shared/wire/envelope.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { channelOfKey } from '../ledger/serving/channels.ts';
import { tickersAfter } from '../ledger/serving/changed.ts';
import { ledgerAnswer } from '../ledger/storage/fault-answers.ts';
import type { Ledger, LedgerReader } from '../ledger/storage/ledger.ts';
import { policyFaults } from '../ledger/audit/single-things.ts';
import type { RecordKeyFile } from '../ledger/made/record-key.ts';
import type { WriteLockWatch } from '../ledger/storage/write-lock.ts';
import { activePolicyVersion } from '../ledger/policy/versions.ts';
import { ChangeStreams, type ChangesTiming } from './changes.ts';
import type { Change } from './exposure.ts';
import { describeProvision } from './openapi.ts';
import { disclaimerReader, exposedText, type ExposedText } from './texts.ts';
import type { ServedState } from './traffic.ts';

export interface ProvisionParts {
  ledger: Pick<Ledger, 'all' | 'first' | 'read' | 'dataVersion'>;
  traffic: { count(channel: string, outcome: TrafficOutcome, served: readonly ServedState[]): void };
  clock: Clock;
  ids: Ids;
  log: FastifyBaseLogger;
  /** Absent where no other program can be. */
  writeLock?: Pick<WriteLockWatch, 'isHeld'>;
  /** The host's, which proves the row of a policy (D199). */
  recordKey?: RecordKeyFile;
  limits?: ListenerOptions['limits'];
  changesTiming?: ChangesTiming;
  /** As `onMove` of the streams. */
  onMove?: (event: Change['event'], seconds: number) => void;
  /** Certificate and key of a server that speaks TLS. */
  tls?: Pick<ServerTls, 'cert' | 'key'>;
}

/** Most tickers of one request: they fit in a URL that every proxy accepts. */
const MOST_TICKERS = 100;
const HEALTH = '/health';
const DESCRIPTION = '/v1/openapi.json';
const CHANGES = '/v1/changes';
/** Tickers that one page of the list goes through. */
const PAGE_TICKERS = 200;

const ticker = z.string().min(1, 'must not be empty').max(40, 'must have at most 40 characters').trim();
const none = z.strictObject({});
const onePath = z.strictObject({ ticker });
const oneRequest = z.object({ params: onePath, query: none });
const tickers = z
  .string('must be given once, as tickers=a,b')
  .transform((text) => [...new Set(text.split(',').map((one) => one.trim()))])
  .pipe(z.array(ticker).max(MOST_TICKERS, `are at most ${MOST_TICKERS}`))
  .meta({ type: 'string', minLength: 1, examples: ['069500,102110'] });
const listQuery = z
  .strictObject({ tickers: tickers.optional(), after: ticker.optional() })
  .refine((query) => query.tickers === undefined || query.after === undefined, 'is either tickers or after');
const listRequest = z.object({ query: listQuery });
const changesRequest = z.object({ query: none });

interface Caller {
  channel: string;
  /** As it was sent. */
  key: string;
}

/** The server, not yet listening. */
export function createProvision(parts: ProvisionParts): FastifyInstance {
  const { ledger, traffic, clock, ids, log } = parts;
  const callers = new WeakMap<FastifyRequest, Caller>();
  /** The explanations that a request is served, and how it counts. */
  const served = new WeakMap<FastifyRequest, { of: ServedState[]; outcome: TrafficOutcome }>();
  const disclaimerNow = disclaimerReader();
  const wrongKeys = new LoginLimit(clock);
  const policyNow = policyReader(parts);
  const changes = new ChangeStreams({
    ledger,
    clock,
    timing: parts.changesTiming,
    onMove: parts.onMove,
    onFailure: (err) => log.error({ err }, 'the streams of changes have ended, because the ledger could not be read'),
  });

  async function authenticate(request: FastifyRequest): Promise<Caller> {
    const known = callers.get(request);
    if (known !== undefined) return known;
    const key = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const channel = key === undefined ? undefined : channelOfKey(ledger, key);
    if (key === undefined || channel === undefined) {
      // Limits wrong keys alone: valid keys from the same address are still served.
      await wrongKeys.begin(null, request.ip, () => undefined);
      throw new ApiError('COMMON401', 'Send the channel’s key as "Authorization: Bearer …".');
    }
    const caller = { channel, key };
    callers.set(request, caller);
    recognise(request.raw.socket);
    return caller;
  }

  /** Serves texts to their channel, or tells it that the ones it has are these. Both count as served (D181). */
  function serveTexts<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      key,
      result,
      of,
      outcome = 'SERVED',
    }: { key: string; result: Result; of: ExposedText[]; outcome?: 'SERVED' | 'LISTED' },
  ): FastifyReply {
    served.set(request, { of: of.map(({ state }) => state), outcome });
    const tag = tagOf(result, key);
    void reply.headers({ ...ASKED_AGAIN, etag: tag });
    return hasTag(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(success(result));
  }

  function countAnswer(request: FastifyRequest, reply: FastifyReply): void {
    const { url } = request.routeOptions;
    const { statusCode: status } = reply;
    // No event holds a text.
    if (url === HEALTH || url === DESCRIPTION || (url === CHANGES && status === 200)) return;
    const caller = callers.get(request);
    const { of, outcome } = (status < 400 ? served.get(request) : undefined) ?? {
      of: [],
      outcome: outcomeOf(status, caller !== undefined),
    };
    traffic.count(caller?.channel ?? '', outcome, of);
  }

  const server: FastifyInstance = fastify({
    ...serverOptions({
      ids,
      ...(parts.tls === undefined ? {} : { tls: { cert: parts.tls.cert, key: parts.tls.key } }),
      ...(parts.limits === undefined ? {} : { limits: parts.limits }),
      refused: (refusal) => log.info(refusal, 'connection refused before a request was read'),
    }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify skips all hooks for a path that it cannot parse.
    frameworkErrors: (_error, request, reply) => {
      void reply.headers({ 'x-request-id': request.id, ...NEVER_KEPT, ...INERT_HEADERS });
      void authenticate(request)
        .then(() => new ApiError('COMMON400'))
        .catch(named)
        .then((failure) => {
          sendFailure(failure, request, reply);
          countAnswer(request, reply);
        });
    },
  });
  answerInEnvelopes(server, named);
  sendSafeHeaders(server, () => parts.tls !== undefined);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(NEVER_KEPT);
    if (request.routeOptions.url !== HEALTH) await authenticate(request);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    countAnswer(request, reply);
    if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer');
    return payload;
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, url } = request;
    request.log.info(
      { method, path: pathOf(url), channel: callers.get(request)?.channel, status: reply.statusCode },
      'answered',
    );
  });
  server.addHook('preClose', async () => changes.close());
  server.setNotFoundHandler(() => {
    throw new ApiError('COMMON403', 'There is no such surface here.');
  });

  server.route({
    method: [...HEALTH_METHODS],
    url: HEALTH,
    handler: async () => {
      const policy = ledger.read(policyNow);
      return success({ status: 'UP', version: PRODUCT_VERSION, policy, ledgerHeld: parts.writeLock?.isHeld ?? false });
    },
  });
  server.get(DESCRIPTION, async () => describeProvision({ one: onePath, several: listQuery }));
  const texts = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>): void =>
    void server.route({ method: ['GET', 'HEAD'], url, handler });
  texts('/v1/explanations/:ticker', async (request, reply) => {
    const { params } = oneRequest.parse({ params: request.params, query: request.query });
    const { channel, key } = await authenticate(request);
    const found = ledger.read((reader) =>
      exposedText(reader, params.ticker, { channel, disclaimer: disclaimerNow(reader), now: clock.now() }),
    );
    if (found === undefined) throw nothingExposed();
    return serveTexts(request, reply, { key, result: found.answer, of: [found] });
  });
  texts('/v1/explanations', async (request, reply) => {
    const { query } = listRequest.parse({ query: request.query });
    const { channel, key } = await authenticate(request);
    const { found, next } = ledger.read((reader) => {
      const asked = { channel, disclaimer: disclaimerNow(reader), now: clock.now() };
      const named = query.tickers ?? tickersAfter(reader, query.after, PAGE_TICKERS);
      return {
        found: named.map((each) => exposedText(reader, each, asked)).filter((item) => item !== undefined),
        next: named.length < PAGE_TICKERS ? null : named.at(-1),
      };
    });
    const items = found.map(({ answer }) => answer);
    if (query.tickers === undefined)
      return serveTexts(request, reply, { key, result: { items, next }, of: found, outcome: 'LISTED' });
    if (items.length === 0) throw nothingExposed();
    return serveTexts(request, reply, { key, result: { items }, of: found });
  });
  texts(CHANGES, async (request, reply) => {
    changesRequest.parse({ query: request.query });
    const { key } = await authenticate(request);
    const place = request.headers['last-event-id'];
    if (request.method === 'HEAD') changes.refuse(key);
    const stream = request.method === 'HEAD' ? undefined : changes.open(key, typeof place === 'string' ? place : '');
    return reply.headers(EVENT_STREAM).send(stream);
  });
  return server;
}

/** A fault of the ledger's file has an answer of its own. */
const named = (error: unknown): unknown => ledgerAnswer(error) ?? error;

const NEVER_KEPT = { 'cache-control': 'no-store' } as const;
/** A channel may keep texts with their tag, and asks again before each showing. */
const ASKED_AGAIN = { 'cache-control': 'private, no-cache', vary: 'authorization' } as const;

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy in between must forward every line at once.
  'x-accel-buffering': 'no',
  // The connection carries nothing else, so that a stop of the server need not wait for it.
  connection: 'close',
} as const;

/** A strong tag of all that an answer gives, to the holder of this key alone. */
const tagOf = (result: unknown, key: string): string =>
  `"${createHmac('sha256', key).update(JSON.stringify(result)).digest('base64url')}"`;

/** Whether `If-None-Match` names the tag: a list, by weak comparison (RFC 9110, 13.1.2). */
const hasTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined && header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);

function nothingExposed(): ApiError {
  return new ApiError('COMMON404', 'No text of the requested ticker may be shown now.');
}

type PolicyState = 'NONE' | 'AS_RECORDED' | 'ALTERED';

/**
 * Whether the active policy is what the audit log tells of it (D199). Channels are served in either case: what is exposed was
 * let out before, and the disclaimer is a legal duty.
 */
function policyReader({ log, recordKey }: ProvisionParts): (reader: LedgerReader) => PolicyState {
  let told = '';
  return (reader) => {
    const version = activePolicyVersion(reader);
    if (version === null) return 'NONE';
    const found = policyFaults(reader, recordKey?.read() ?? null, version).map(({ says }) => says);
    if (found.length > 0 && found.join() !== told) log.error({ policyVersion: version, found }, POLICY_ALTERED);
    told = found.join();
    return found.length === 0 ? 'AS_RECORDED' : 'ALTERED';
  };
}

const POLICY_ALTERED =
  'the active policy is not as the audit log tells: channels are served as before; run "intake verify"';

/** @param isKnown the request had a valid key: 429 is that of wrong keys else */
function outcomeOf(status: number, isKnown: boolean): TrafficOutcome {
  if (status < 400) return 'SERVED';
  if (status === 401 || (status === 429 && !isKnown)) return 'UNAUTHORIZED';
  if (status === 404) return 'NOT_FOUND';
  return status < 500 ? 'BAD_REQUEST' : 'ERROR';
}
