/** The fixture of the console API's tests: a real ledger file, members in all roles, and a clock to set. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Writable } from 'node:stream';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { z } from 'zod';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { recordAction } from '../../../agent/ledger/audit/audit.ts';
import { registerMember } from '../../../agent/ledger/accounts/member-changes.ts';
import { addMember, setPassword } from '../../../agent/ledger/accounts/members.ts';
import { CHEAP_UNMATCHED, cheapHash } from '../shared/accounts.ts';
import { withCriteria } from '../../../agent/ledger/policy/changes.ts';
import { changePolicy, publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { liveSession, openSession, type SessionLimits } from '../../../agent/ledger/accounts/sessions.ts';
import { forceStatus, ledgerWith, putLedger, newEntry, receive } from '../agent/ledger.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { CONSOLE_ROUTES, type ConsoleRouteKey } from '../../../shared/policy/console-routes.ts';
import { isGranted } from '../../../shared/policy/matrix.ts';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import type { Evidence } from '../../../shared/wire/bundle.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';
import { FAILURES, type Envelope, type FailureCode } from '../../../shared/wire/envelope.ts';
import { SESSION_COOKIE } from '../../../electron/console-api/http/access.ts';
import { buildApp } from '../../../electron/console-api/app.ts';
import { ChainCheck } from '../../../electron/console-api/context/chain-check.ts';
import type { ConsoleContext } from '../../../electron/console-api/context/context.ts';
import { ActiveScreener } from '../../../electron/console-api/context/text-check.ts';
import { EventHub } from '../../../electron/console-api/context/event-hub.ts';
import { LoginLimit } from '../../../shared/service/accounts/login-limit.ts';
import { isLoopbackHost } from '../../../shared/service/http/origins.ts';
import { cookieName } from '../../../shared/service/http/session-cookie.ts';
import { failureStatuses } from '../../../electron/console-api/http/openapi.ts';
import { pathOf } from '../../../shared/service/http/target.ts';
import { isExactly } from '../../../electron/console-api/http/paths.ts';
import type { RelayAccess } from '../../../electron/console-api/context/relay-client.ts';
import { HANDLERS } from '../../../electron/console-api/routes.ts';
import { InspectionRunner, type Launch } from '../../../electron/console-api/context/inspection-runner.ts';
import { linesOf } from '../../../electron/console-api/inspection/work-process.ts';
import { SetUp } from '../../../electron/console-api/context/set-up.ts';
import { ReadQueue } from '../../../electron/console-api/context/fair-queue.ts';
import { Writer } from '../../../electron/console-api/http/writer.ts';
import { SingleSignOn } from '../../../electron/console-api/context/single-sign-on.ts';
import type { SsoSettings } from '../../../electron/console-api/context/sso-settings.ts';

export const START = new Date('2026-11-20T09:00:00.000Z');
export const LIMITS: SessionLimits = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };

/** The page that stands in for the built pages. */
export const PAGE = '<!doctype html><title>Causeway</title><script src="/assets/index-BeEf01.js"></script>';

export interface TestConsoleOptions {
  /** `members`: one per role, with unknown passwords (fast), and the seed policy. `demo`: as D58. */
  seed?: 'members' | 'members without policy' | 'four eyes' | 'demo' | 'nothing';
  /** The address at which the server claims to listen. */
  host?: string;
  pages?: 'built' | 'missing';
  log?: Writable;
  /** How long a write waits for another process, in ms. */
  patienceMs?: number;
  /** Whether password attempts are limited. */
  production?: boolean;
  relay?: RelayAccess;
  sso?: SsoSettings;
  trustedProxies?: readonly string[];
}

export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  url: string;
  /** Source address of the request; default: loopback. */
  from?: string;
  /** A role, for a new session of its member, or a session's token; null: no session. */
  as?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/** An answer parsed as an envelope. */
export interface Answer<T = unknown> {
  status: number;
  headers: LightMyRequestResponse['headers'];
  body: Envelope<T>;
  result: T;
}

export class TestConsole {
  readonly folder: string;
  readonly file: string;
  readonly ledger: Ledger;
  readonly app: FastifyInstance;
  readonly context: ConsoleContext;
  /** Signs dossiers. */
  readonly key = generateKeyPairSync('ed25519').privateKey;
  readonly inspections: InspectionRunner;
  readonly failures: unknown[] = [];
  /** As after a restart. */
  readonly secondRunner: () => InspectionRunner;
  /** The work of an inspector's request, in this process. */
  launch: Launch = (folder) => ({
    lines: linesOf(folder, {
      ledger: this.#watched,
      key: this.key,
      checkpoints: [],
      clock: this.context.clock,
      rest: () => Promise.resolve(),
    }),
    end: () => undefined,
  });
  readonly writeLock = { isHeld: false };
  now = START;
  /** Delays that logins requested, in ms; tests do not wait. */
  readonly pauses: number[] = [];
  readonly #watched: Ledger;
  #ids = 0;
  #entries = 0;

  constructor(options: TestConsoleOptions = {}) {
    const { seed = 'members', host = '127.0.0.1' } = options;
    this.folder = mkdtempSync(path.join(tmpdir(), 'causeway-console-'));
    this.file = path.join(this.folder, 'ledger.sqlite');
    const begin = seed === 'demo' ? 'nothing' : seed;
    putLedger(this.file, ledgerWith(SEEDS[begin], begin));
    this.ledger = openLedger(this.file);
    const writer = new Writer(this.ledger, options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs });
    this.#watched = openLedger(this.file);
    const clock = { now: () => this.now };
    const ids = { uuid: () => this.id() };
    if (seed === 'demo') seedDemo(this.ledger, clock, ids, cheapHash);
    const pages = path.join(this.folder, 'pages');
    if (options.pages === 'built') buildPages(pages);
    const events = new EventHub({
      ledger: this.#watched,
      clock,
      mayWatch: (token) => {
        const session = liveSession(this.#watched, token, this.now, LIMITS);
        return session !== undefined && isGranted('events.view', session.member.role);
      },
      onFailure: (error) => {
        throw error;
      },
    });
    const screener = new ActiveScreener();
    this.secondRunner = () =>
      new InspectionRunner({
        folder: path.join(this.folder, 'inspections'),
        ledger: this.ledger,
        write: (work) => writer.write(work),
        clock,
        launch: (folder) => this.launch(folder),
        log: (error) => this.failures.push(error),
      });
    this.inspections = this.secondRunner();
    this.context = {
      ledger: this.ledger,
      write: (work, person) => writer.write(work, person),
      readQueue: new ReadQueue(),
      touching: new Set(),
      refusals: new Map(),
      ownChanges: new Map(),
      events,
      writeLock: this.writeLock,
      chainCheck: new ChainCheck(),
      checkpoints: null,
      signing: { key: this.key, checkpoints: () => Promise.resolve([]) },
      inspections: this.inspections,
      journal: null,
      screener,
      clock,
      ids,
      limits: LIMITS,
      relay: options.relay ?? null,
      loginLimit: options.production === true ? new LoginLimit(clock) : null,
      pause: async (ms) => this.pauses.push(ms),
      setUp: new SetUp(this.ledger),
      sso: options.sso === undefined ? null : new SingleSignOn(options.sso, clock),
      firmNames: ['한국증권'],
      secureCookie: !isLoopbackHost(host),
    };
    const address = isLoopbackHost(host) ? { host, port: 80, names: null } : { host, port: 443, names: [host] };
    this.app = buildApp(
      {
        ids,
        pages,
        signIn: this.context.sso?.offer ?? null,
        isSetUpOpen: () => this.context.setUp.isOpen(this.ledger),
        log: options.log ?? false,
        ...(options.trustedProxies === undefined ? {} : { trustedProxies: options.trustedProxies }),
        address: () => address,
      },
      this.context,
    );
    refuseUndescribed(this.app);
  }

  id(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  /** Opens a session of the member with this role; returns its token. */
  session(role: Role): string {
    return this.ledger.write((tx) => openSession(tx, memberId(role), this.now, LIMITS));
  }

  /** Receives an explanation and brings it into a state. Returns its id. */
  explanation(
    status: ExplanationStatus = 'PENDING_REVIEW',
    result: Parameters<typeof newEntry>[1] = {},
    evidences?: Evidence[],
  ): string {
    this.#entries += 1;
    const entry = newEntry(`x-${this.#entries}`, result, {
      cursor: this.#entries,
      ...(evidences === undefined ? {} : { evidences }),
    });
    return this.ledger.write((tx) => {
      const id = receive(
        tx,
        entry,
        status === 'AUTO_PUBLISHED' || status === 'BLOCKED' ? status : 'PENDING_REVIEW',
        this.now.toISOString(),
      );
      forceStatus(tx, id, status);
      return id;
    });
  }

  /** Sends a request by injection. */
  async ask<T = unknown>(asked: Asked): Promise<Answer<T>> {
    const { as = null } = asked;
    const token = as === null ? null : isRole(as) ? this.session(as) : as;
    const raw = await this.app.inject({
      method: asked.method,
      url: asked.url,
      ...(asked.from === undefined ? {} : { remoteAddress: asked.from }),
      headers: {
        host: '127.0.0.1',
        ...(token === null ? {} : { cookie: `${cookieName(SESSION_COOKIE, this.context.secureCookie)}=${token}` }),
        ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(asked.body === undefined ? {} : { payload: JSON.stringify(asked.body) }),
    });
    const isJson = raw.headers['content-type']?.toString().startsWith('application/json') === true;
    const body = (isJson ? JSON.parse(raw.body) : {}) as Envelope<T>;
    return {
      status: raw.statusCode,
      headers: raw.headers,
      body,
      result: ('result' in body ? body.result : undefined) as T,
    };
  }

  /** The actions on record since a row of the log, oldest first. */
  actions(after = 0): {
    seq: number;
    action: string;
    actor: string;
    actor_role: string | null;
    target_id: string | null;
    detail: string;
  }[] {
    return this.ledger.all(
      sqlite
        .selectFrom('console_action_log')
        .select(['seq', 'action', 'actor', 'actor_role', 'target_id', 'detail'])
        .where('seq', '>', after)
        .orderBy('seq'),
    );
  }

  /** Counts every row that a write of the console may leave. */
  traces(): { actions: number; history: number; state: string } {
    return {
      actions: this.actions().length,
      history: this.ledger.all(sqlite.selectFrom('state_history').select('id')).length,
      state: JSON.stringify(this.ledger.all(sqlite.selectFrom('explanation').selectAll().orderBy('id'))),
    };
  }

  /** Registers an account, as the program does. Returns a session of it. */
  colleague(id: string, displayName = id, role: Role = 'COMPLIANCE_REVIEWER'): string {
    const account = { id, username: id, displayName, role, passwordHash: CHEAP_UNMATCHED };
    const at = this.now.toISOString();
    return this.ledger.write((tx) => {
      registerMember(tx, { ...account, actor: { kind: 'SYSTEM' }, at });
      return openSession(tx, id, this.now, LIMITS);
    });
  }

  setMember(role: Role, change: { role?: Role; active?: 0 | 1 }): void {
    this.#change(memberId(role), (tx) =>
      tx.run(sqlite.updateTable('member').set(change).where('id', '=', memberId(role))),
    );
  }

  /** Gives a member a password of their own. */
  setPassword(id: string, passwordHash = CHEAP_UNMATCHED): void {
    this.#change(id, (tx) => setPassword(tx, id, passwordHash, 'member'));
  }

  /** Changes an account, with a row of the audit log. */
  #change(id: string, work: (tx: LedgerTransaction) => void): void {
    const row = { action: 'member.role', targetType: 'member', targetId: id, detail: {} };
    this.ledger.write((tx) => {
      work(tx);
      // The program makes no change twice at one instant; a person's row has a nonce.
      recordAction(tx, { ...row, at: this.now.toISOString(), actor: { kind: 'UNKNOWN', username: 'root' } });
    });
  }

  async close(): Promise<void> {
    await this.inspections.stop();
    this.context.events.close();
    await this.app.close();
    this.ledger.close();
    this.#watched.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The accounts, and the policy, of a new console. */
function fill(tx: LedgerTransaction, withPolicy: boolean): void {
  const at = START.toISOString();
  for (const role of ROLES) {
    const username = role.toLowerCase();
    const account = { id: memberId(role), username, displayName: `이름 ${username}`, role };
    addMember(tx, { ...account, passwordHash: CHEAP_UNMATCHED, at });
  }
  const actor = { kind: 'SYSTEM' } as const;
  // Either row is the first one, which tells of the accounts.
  if (withPolicy) publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor, at });
  else recordAction(tx, { at, actor, action: 'demo.seed', targetType: 'ledger', targetId: null, detail: {} });
}

const SEEDS = {
  members: (tx: LedgerTransaction) => fill(tx, true),
  'members without policy': (tx: LedgerTransaction) => fill(tx, false),
  // Made once in a process: a change of the policy costs more than a console.
  'four eyes': (tx: LedgerTransaction) => {
    fill(tx, true);
    const [id, displayName, role] = [
      memberId('COMPLIANCE_REVIEWER'),
      '이름 compliance_reviewer',
      'COMPLIANCE_REVIEWER',
    ] as const;
    const actor = { kind: 'MEMBER', id, displayName, role } as const;
    const change = (edited = SEED_POLICY): PolicySnapshot => withCriteria(edited, { fourEyes: true });
    changePolicy(tx, { change, actor, at: START.toISOString() });
  },
  nothing: () => undefined,
};

/**
 * Checks every JSON answer of a server against the schema of its route. A fault is thrown when the server closes, so
 * that no test ignores it.
 */
function refuseUndescribed(app: FastifyInstance): void {
  const faults = new Set<string>();
  app.addHook('onSend', async ({ method, url }, reply, payload) => {
    if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('application/json')) return;
    try {
      describedAnswer(method, url, reply.statusCode).parse(JSON.parse(payload));
    } catch (error) {
      faults.add(`${method} ${url} answered ${reply.statusCode} with what it does not describe: ${String(error)}`);
    }
  });
  app.addHook('onClose', async () => {
    if (faults.size > 0) throw new Error([...faults].join('\n'));
  });
}

const FAILURE = z.strictObject({
  isSuccess: z.literal(false),
  code: z.enum(Object.keys(FAILURES) as [FailureCode, ...FailureCode[]]),
  message: z.string().min(1),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** The described answer of a route with a status. */
export function describedAnswer(method: string, url: string, status: number): z.ZodType {
  const asking = CONSOLE_ROUTES.find((route) => route.method === method && isExactly(route.path, pathOf(url)));
  const described =
    asking === undefined ? undefined : HANDLERS[`${asking.method} ${asking.path}` as ConsoleRouteKey].described;
  if (status !== 200) {
    if (asking !== undefined && described !== undefined && !failureStatuses(asking, described).includes(status))
      throw new Error(`its description does not know the status ${status}`);
    return FAILURE.refine(({ code }) => FAILURES[code].status === status, 'has a code of another status');
  }
  if (described === undefined) throw new Error('it is no route');
  const { result } = described;
  if (result?.safeParse(undefined).success === true) throw new Error('its schema lets the result be absent');
  return z.strictObject({
    isSuccess: z.literal(true),
    code: z.literal('COMMON200'),
    message: z.string(),
    ...(result === null ? {} : { result }),
  });
}

export function memberId(role: Role): string {
  return `member-${role}`;
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

function buildPages(folder: string): void {
  mkdirSync(path.join(folder, 'assets'), { recursive: true });
  writeFileSync(path.join(folder, 'index.html'), PAGE);
  writeFileSync(path.join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(path.join(folder, 'assets', 'index-BeEf01.js'), 'export {};');
  writeFileSync(path.join(folder, 'assets', 'index-BeEf01.js.br'), brotliCompressSync('export {};'));
  writeFileSync(path.join(folder, 'assets', 'notes.md'), 'not for the web');
  writeFileSync(path.join(folder, '.env'), 'SECRET=1');
}
