/** One running console API: the ledger, the event streams and the listener, opened and closed together. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { refuseDemo } from '../../agent/ledger/demo/close-demo.ts';
import { auditLogOf, keepAllBlocks } from '../../agent/ledger/audit/checkpoint.ts';
import { DecisionJournal, JOURNAL_FAILS, type JournalMode } from '../../agent/ledger/journal/journal.ts';
import { DEMO_PASSWORD, seedDemo } from '../../agent/ledger/demo/seed.ts';
import { MIGRATED, openLedger, type Ledger } from '../../agent/ledger/storage/ledger.ts';
import { lockJournal } from '../../agent/ledger/storage/single-writer-lock.ts';
import { Reserve } from '../../agent/ledger/storage/reserve.ts';
import { liveSession, type SessionLimits } from '../../agent/ledger/accounts/sessions.ts';
import { isGranted } from '../../shared/policy/matrix.ts';
import { Checkpoints, storedTrees } from '../../shared/service/checkpoints/schedule.ts';
import { checkpointKey } from '../../shared/service/checkpoints/key.ts';
import type { ListenAddress } from '../../shared/service/variables.ts';
import type { FollowedTls } from '../../shared/service/tls/server-tls.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import type { DemoAround } from '../../shared/wire/sign-in.ts';
import { outstandingOf } from './http/access.ts';
import { buildApp } from './app.ts';
import { ChainCheck } from './context/chain-check.ts';
import type { ConsoleContext } from './context/context.ts';
import { EventHub, type EventTiming } from './context/event-hub.ts';
import { LoginLimit } from '../../shared/service/accounts/login-limit.ts';
import { demoOffer } from './context/demo-offer.ts';
import { answerable } from './http/failures.ts';
import { ConsoleMetrics } from './http/metrics.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import { answerMetrics, metricsOptions } from '../../shared/service/http/metrics-answers.ts';
import { hostAndPort } from '../../shared/service/http/origins.ts';
import type { RelayAccess } from './context/relay-client.ts';
import { SetUp } from './context/set-up.ts';
import { defaultKeyFile, type NamedPlace } from './context/settings.ts';
import { SingleSignOn } from './context/single-sign-on.ts';
import type { SsoSettings } from './context/sso-settings.ts';
import { ActiveScreener } from './context/text-check.ts';
import { InspectionRunner } from './context/inspection-runner.ts';
import { launchProcess } from './inspection/work-process.ts';
import { ReadQueue } from './context/fair-queue.ts';
import { WriteLockWatch } from '../../agent/ledger/storage/write-lock.ts';
import { journalledWrite, Writer } from './http/writer.ts';

export interface ServiceOptions {
  /** The ledger's file. */
  ledger: string;
  /** See `openLedger`. */
  synced?: false;
  listen: ListenAddress;
  /** Whether an empty ledger is seeded (D58). */
  demo: boolean;
  /** Where the rest of the demo is, if more than this runs. */
  demoAround?: DemoAround;
  /** Folder where changes by people are synced before their answer (D139); absent or null: only the ledger has them. */
  journal?: { folder: string; mode: JournalMode } | null;
  /** For tests: the size of the reserve. */
  reserveBytes?: number;
  limits: SessionLimits;
  /** Access to the relay; null if not configured. */
  relay: RelayAccess | null;
  /** Single sign-on; null without a provider. */
  sso: SsoSettings | null;
  /** The firm's names. */
  firm?: string;
  /** Folder of the built pages. */
  pages: string;
  /** For desktops on other hosts; absent: the service is for this machine only. */
  tls?: FollowedTls;
  /** Listener for Prometheus; null: none. */
  metricsListen: ListenAddress | null;
  /** Proxies in front of it, trusted for the source address of requests. */
  trustedProxies?: readonly string[];
  /** Folder for checkpoints of the audit log; null: none are written. */
  checkpoints: NamedPlace | null;
  /** The file of this program, by which it makes inspectors' files in a process of its own; absent: none are made. */
  entry?: string;
  /** The key that signs dossiers and checkpoints, made at the first start; absent: beside the ledger. */
  keyFile?: string;
  /** The secret required in every request when it serves one program's window. */
  windowSecret?: string;
  clock: Clock;
  ids: Ids;
  log: boolean | Writable;
  eventTiming?: EventTiming;
}

export interface ConsoleApiService {
  url: string;
  /** URL of the listener for Prometheus; null: none. */
  metricsUrl: string | null;
  /** Finishes running requests, ends the event streams and closes the ledger. */
  stop(): Promise<void>;
}

/** Requests that still run this long after the stop began, in ms, are cut off. */
const GRACE_MS = 5_000;
const RESERVE_AFTER_MS = 1_000;

/** The address cannot be listened on. */
export class ListenError extends Error {
  override name = 'ListenError';
  constructor(variable: string, address: ListenAddress, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    const place = hostAndPort(address);
    super(
      code === 'EADDRINUSE'
        ? `${variable}: ${place} is in use by another process; end that process, or choose another port (0 takes a free one).`
        : `${variable}: ${place} cannot be listened on: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}

/** @throws LedgerError, JournalError, ListenError, RoutePolicyError, ConfigurationError */
export async function startConsoleApi(options: ServiceOptions): Promise<ConsoleApiService> {
  const ledgers: Ledger[] = [];
  const open = (): Ledger => {
    const ledger = openLedger(options.ledger, options.synced === false ? { synced: false } : {});
    ledgers.push(ledger);
    return ledger;
  };
  const closeAll = (): void => {
    for (const ledger of ledgers.splice(0)) ledger.close();
  };
  let journal: Journalling | null = null;
  try {
    const ledger = open();
    if (options.demo) seedDemo(ledger, options.clock, options.ids);
    else await refuseDemo(ledger, options.ledger);
    const watched = open();
    journal = await openJournal(options, ledger);
    return await serve(options, { ledger, watched, journal }, closeAll);
  } catch (error) {
    await journal?.stop();
    closeAll();
    throw error;
  }
}

async function serve(
  options: ServiceOptions,
  { ledger, watched, journal }: { ledger: Ledger; watched: Ledger; journal: Journalling | null },
  closeAll: () => void,
): Promise<ConsoleApiService> {
  const { listen, limits, clock, ids, tls, windowSecret } = options;
  const key = await checkpointKey(options.keyFile ?? defaultKeyFile(options.ledger));
  const events = new EventHub({
    ledger: watched,
    clock,
    mayWatch: (token) => {
      const session = liveSession(watched, token, clock.now(), limits);
      if (session === undefined || outstandingOf(watched, session.member) !== null) return false;
      return isGranted('events.view', session.member.role);
    },
    onFailure: (error) =>
      server.log.error({ err: error }, 'the ledger cannot be watched; all event streams were ended'),
    ...(options.eventTiming === undefined ? {} : { timing: options.eventTiming }),
  });
  const writeLock = new WriteLockWatch(watched).begin();
  const reserve = new Reserve(options.ledger, options.reserveBytes);
  const writer = new Writer(ledger, { reserve });
  const setUp = new SetUp(ledger);
  const checkpoints = checkpointsOf(options, ledger, writer, () => server.log);
  const write = journalledWrite(writer, journal?.journal ?? null);
  const inspections = inspectionsOf(options, ledger, write, () => server.log);
  const context: ConsoleContext = {
    ledger,
    write,
    inspections,
    journal: journal?.journal ?? null,
    readQueue: new ReadQueue(),
    touching: new Set(),
    events,
    writeLock,
    chainCheck: new ChainCheck(),
    signing: {
      key,
      checkpoints: () => storedTrees(options.checkpoints?.folder ?? null, 'console_action_log'),
    },
    checkpoints: checkpoints === null ? null : { name: checkpoints.name, state: () => checkpoints.writer.state },
    screener: new ActiveScreener(),
    clock,
    ids,
    limits,
    relay: options.relay,
    // In a demo password attempts are unlimited (console API 8).
    loginLimit: options.demo ? null : new LoginLimit(clock),
    refusals: new Map(),
    ownChanges: new Map(),
    pause: (ms) => sleep(ms),
    setUp,
    sso: options.sso === null ? null : new SingleSignOn(options.sso, clock),
    // The demo's password is public, and a start without the demo refuses accounts that still have it (D63).
    firmNames: [...(options.firm === undefined ? [] : [options.firm]), ...(options.demo ? [] : [DEMO_PASSWORD])],
    secureCookie: tls !== undefined,
  };
  // A listener that has stopped has no address, and answers requests that began before.
  let port = listen.port;
  const metrics = new ConsoleMetrics(context);
  const numbers =
    options.metricsListen === null
      ? null
      : answerMetrics(fastify(metricsOptions(ids)), { registry: metrics.registry, status: 'alive', answerable });
  const server: FastifyInstance = buildApp(
    {
      ids,
      pages: options.pages,
      signIn: context.sso?.offer ?? null,
      isSetUpOpen: () => context.setUp.isOpen(context.ledger),
      ...(options.demo ? { demo: () => demoOffer(ledger, options.demoAround) } : {}),
      log: options.log,
      metrics,
      address: () => ({ host: listen.host, port, names: tls?.current.names ?? null }),
      ...(tls === undefined ? {} : { tls: tls.current }),
      ...(options.trustedProxies === undefined ? {} : { trustedProxies: options.trustedProxies }),
      ...(windowSecret === undefined ? {} : { windowSecret }),
    },
    context,
  );
  journal?.logTo(server.log);
  // Later, so that the start does not wait for it.
  let isStopping = false;
  const later = setTimeout(() => {
    reserve.make();
    // The first time it reads the whole log, so that no dossier has to.
    keepAllBlocks((work) => writer.write(work)).catch((error: unknown) => {
      if (!isStopping)
        server.log.error({ err: error }, 'the roots over the audit log were not kept, dossiers take longer');
    });
  }, RESERVE_AFTER_MS).unref();
  const servers = numbers === null ? [server] : [server, numbers];
  try {
    if (numbers !== null && options.metricsListen !== null)
      await listenAt(numbers, 'CAUSEWAY_CONSOLE_METRICS_LISTEN', options.metricsListen);
    await listenAt(server, 'CAUSEWAY_CONSOLE_LISTEN', listen);
    port = portOf(server);
  } catch (error) {
    await closeServers(servers, GRACE_MS);
    throw error;
  }
  // Under TLS the announced address is a name in the certificate.
  const [name] = tls?.current.names ?? [];
  const url = `${tls === undefined ? 'http' : 'https'}://${hostAndPort({ host: name ?? listen.host, port })}`;
  tls?.follow(server.server, server.log);
  if (ledger.migrated !== null) server.log.info(ledger.migrated, MIGRATED);
  server.log.info({ name: 'console', url }, 'listening');
  const metricsUrl =
    numbers === null || options.metricsListen === null
      ? null
      : `http://${hostAndPort({ host: options.metricsListen.host, port: portOf(numbers) })}`;
  if (metricsUrl !== null) server.log.info({ name: 'metrics', url: metricsUrl }, 'listening');
  checkpoints?.writer.start();
  inspections.start().catch((error: unknown) => {
    if (!isStopping) server.log.error({ err: error }, INSPECTIONS_FAIL);
  });
  if (setUp.code !== null) server.log.warn({ setUpCode: setUp.code }, 'no account exists yet: log in with this code');
  return {
    url,
    metricsUrl,
    stop: async () => {
      isStopping = true;
      tls?.stop();
      clearTimeout(later);
      events.close();
      writeLock.end();
      checkpoints?.writer.stop();
      await inspections.stop();
      await closeServers(servers, GRACE_MS);
      await journal?.stop();
      closeAll();
    },
  };
}

interface Journalling {
  journal: DecisionJournal;
  /** Messages from before the server exists are logged then. */
  logTo(log: FastifyBaseLogger): void;
  stop(): Promise<void>;
}

async function openJournal({ journal: kept }: ServiceOptions, ledger: Ledger): Promise<Journalling | null> {
  if (kept === undefined || kept === null) return null;
  let log: FastifyBaseLogger | null = null;
  const say = (level: 'info' | 'error') => (facts: object, message: string) => log?.[level](facts, message);
  const release = lockJournal(ledger.file);
  const journal = await DecisionJournal.open({
    ledger,
    ...kept,
    log: { info: say('info'), error: say('error') },
  }).catch((error: unknown) => {
    release();
    throw error;
  });
  return {
    journal,
    logTo: (server) => {
      log = server;
      const { failure } = journal;
      if (failure !== null) log.error({ err: failure }, JOURNAL_FAILS);
    },
    stop: () => journal.stop().finally(release),
  };
}

function checkpointsOf(
  { checkpoints: place, clock }: ServiceOptions,
  ledger: Ledger,
  writer: Writer,
  log: () => FastifyBaseLogger,
): { name: string; writer: Checkpoints } | null {
  if (place === null) return null;
  const logger = {
    info: (facts: object, message: string) => log().info(facts, message),
    error: (facts: object, message: string) => log().error(facts, message),
  };
  return {
    name: place.name,
    writer: new Checkpoints({ log: auditLogOf(ledger, (work) => writer.write(work)), place, clock, logger }),
  };
}

const INSPECTIONS_FAIL = 'the file of an inspection request could not be made';

function inspectionsOf(
  { ledger: file, keyFile, checkpoints, entry, clock }: ServiceOptions,
  ledger: Ledger,
  write: ConsoleContext['write'],
  log: () => FastifyBaseLogger,
): InspectionRunner {
  const env = {
    CAUSEWAY_LEDGER: file,
    CAUSEWAY_CHECKPOINT_KEY: keyFile ?? defaultKeyFile(file),
    ...(checkpoints === null ? {} : { CAUSEWAY_CHECKPOINT_FOLDER: checkpoints.folder }),
  };
  return new InspectionRunner({
    folder: `${file}.inspections`,
    ledger,
    write,
    clock,
    launch: launchProcess(entry ?? '', env, (line) => log().error({ line }, INSPECTIONS_FAIL)),
    log: (error) => log().error({ err: error }, INSPECTIONS_FAIL),
  });
}

const portOf = (server: FastifyInstance): number => (server.server.address() as AddressInfo).port;

/** @throws ListenError */
async function listenAt(server: FastifyInstance, variable: string, address: ListenAddress): Promise<void> {
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (error) {
    throw isSystemError(error) ? new ListenError(variable, address, error) : error;
  }
}

/** The system's refusal of an address, as opposed to a fault of ours. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
