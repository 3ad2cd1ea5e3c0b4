/**
 * The tenant's side of the past: Intake, provision and console API on one ledger, in this process and on the seeded
 * clock.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { applyNext, type ApplyParts } from '../../../agent/intake/apply/apply.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { createUpstream, type Upstream } from '../../../agent/intake/receive/pull.ts';
import { pullOnce, type ReceptionParts } from '../../../agent/intake/receive/reception.ts';
import { readVerifyKeys } from '../../../agent/intake/receive/statement.ts';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { nextOpen } from '../../../agent/ledger/inspection/requests.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { createProvision } from '../../../agent/provision/server.ts';
import { TrafficCounter } from '../../../agent/provision/traffic.ts';
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import { startConsoleApi, type ConsoleApiService } from '../../console-api/service.ts';

const log = pino({ enabled: false });
const HOUR_MS = 3_600_000;
/** The Intake's defaults (`agent/intake/settings.ts`). */
const RECEPTION = { limit: 100, periodMs: 60_000 };
const STATEMENT_MS = 300_000;
/** People of the past log in on each day on which they work. */
const LIMITS = { idleMs: 12 * HOUR_MS, absoluteMs: 14 * HOUR_MS };
/** The program that makes an inspector's file. */
const CONSOLE_API = fileURLToPath(new URL('../../console-api/main.ts', import.meta.url));
/** Counts are written on command: with a timer, their rows would be random. */
const NEVER_MS = 2 ** 31 - 1;

export interface Access {
  syncUrl: URL;
  /** Files of the tenant's certificate and its key, of the vendor's authority and of the key of its statements. */
  cert: string;
  key: string;
  ca: string;
  verifyKey: string;
}

/** A tenant's reception: the Intake's own steps, one at a time. */
export class Reception {
  readonly ledger: Ledger;
  readonly #upstream: Upstream;
  readonly #receiving: ReceptionParts;
  readonly #applying: ApplyParts;

  constructor(file: string, access: Access, clock: Clock) {
    this.ledger = openLedger(file, { synced: false });
    const read = (path: string): string => readFileSync(path, 'utf8');
    const identity = { cert: read(access.cert), key: read(access.key), ca: read(access.ca) };
    this.#upstream = createUpstream(access.syncUrl, identity);
    const keys = readVerifyKeys(read(access.verifyKey));
    const verification = { keys: () => keys, toleranceMs: STATEMENT_MS };
    this.#receiving = { ledger: this.ledger, pull: this.#upstream.pull, clock, log, ...RECEPTION, verification };
    this.#applying = { ledger: this.ledger, screenEntry: createEntryScreening(log), clock, log };
  }

  async pull(): Promise<void> {
    const { signal } = new AbortController();
    while ((await pullOnce(this.#receiving, signal)).when === 'AT_ONCE');
  }

  apply(): void {
    while (applyNext(this.#applying));
  }

  async close(): Promise<void> {
    await this.#upstream.close();
    this.ledger.close();
  }
}

interface FirmParts {
  reception: Reception;
  provision: FastifyInstance;
  /** The same server while the ledger's texts cannot be read. */
  failing: FastifyInstance;
  traffic: TrafficCounter;
  console: ConsoleApiService;
}

export class Firm {
  readonly #parts: FirmParts;

  private constructor(parts: FirmParts) {
    this.#parts = parts;
  }

  static async open(file: string, access: Access, { clock, ids }: { clock: Clock; ids: Ids }): Promise<Firm> {
    const reception = new Reception(file, access, clock);
    const { ledger } = reception;
    seedDemo(ledger, clock, ids);
    const traffic = new TrafficCounter({ ledger, clock, log, flushMs: NEVER_MS });
    const provision = createProvision({ ledger, traffic, clock, ids, log });
    const closed = openLedger(file, { synced: false });
    closed.close();
    const unreadable = {
      all: ledger.all.bind(ledger),
      first: ledger.first.bind(ledger),
      read: closed.read.bind(closed),
      dataVersion: closed.dataVersion.bind(closed),
    };
    const failing = createProvision({ ledger: unreadable, traffic, clock, ids, log });
    const console = await startConsoleApi({
      ledger: file,
      synced: false,
      listen: { host: '127.0.0.1', port: 0 },
      demo: true,
      limits: LIMITS,
      relay: null,
      sso: null,
      pages: import.meta.dirname,
      entry: CONSOLE_API,
      metricsListen: null,
      checkpoints: null,
      clock,
      ids,
      log: false,
    });
    return new Firm({ reception, provision, failing, traffic, console });
  }

  /** The address where people log in. */
  get consoleUrl(): string {
    return this.#parts.console.url;
  }

  /** Pulls until nothing is new, and applies it. */
  async receive(): Promise<void> {
    await this.#parts.reception.pull();
    this.#parts.reception.apply();
  }

  /** A channel calls the provision API. @param fails while its texts cannot be read */
  async ask(key: string, path: string, fails: boolean): Promise<void> {
    const provision = fails ? this.#parts.failing : this.#parts.provision;
    await provision.inject({ url: path, headers: { authorization: `Bearer ${key}` } });
  }

  /** Resolves when no file of an inspector is being made: by a process of its own, so the clock stands meanwhile. */
  async inspected(): Promise<void> {
    while (nextOpen(this.#parts.reception.ledger) !== undefined) await sleep(20);
  }

  /** Writes the counts of the channels' requests. */
  count(): void {
    this.#parts.traffic.flush();
  }

  async close(): Promise<void> {
    await this.#parts.console.stop();
    await this.#parts.provision.close();
    await this.#parts.failing.close();
    await this.#parts.traffic.close(0);
    await this.#parts.reception.close();
  }
}
