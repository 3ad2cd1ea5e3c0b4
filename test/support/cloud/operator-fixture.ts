/** The operator API over real HTTP on a store, by default an embedded one, with one operator and a settable clock. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { LoginLimit } from '../../../shared/service/accounts/login-limit.ts';
import { OPERATOR_ROUTES } from '../../../shared/policy/operator-routes.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import { describedRoute } from '../../../cloud/operator/openapi.ts';
import { createOperatorServer, type OperatorParts } from '../../../cloud/operator/server.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { SetClock } from './clock.ts';
import { addOperator } from './operators.ts';
import { AT, embeddedKind, reset, type StoreKind } from './store.ts';

export interface Reply {
  status: number;
  code: string;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
  errors: { path: string; message: string }[];
  result: Record<string, unknown>;
}

export interface AskOptions {
  cookie?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export const PASSWORD = 'pass-word';

export class OperatorFixture {
  readonly clock: SetClock;
  readonly parts: OperatorParts & { loginLimit: LoginLimit };
  readonly port: number;
  readonly #server: FastifyInstance;
  readonly #folder: string;

  private constructor(parts: OperatorFixture['parts'], clock: SetClock, folder: string, server: FastifyInstance) {
    this.parts = parts;
    this.clock = clock;
    this.#folder = folder;
    this.#server = server;
    this.port = (server.server.address() as AddressInfo).port;
  }

  /**
   * @param kind of the store, which the caller stops
   * @param adapters the systems outside of the store; default: none
   */
  static async open(
    kind?: StoreKind,
    changes: Partial<Pick<OperatorParts, 'databaseClock' | 'consoleFolder' | 'origin'>> = {},
    adapters: (store: Store) => Pick<OperatorParts, 'workflows' | 'queues'> = () => ({}),
  ): Promise<OperatorFixture> {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-operator-'));
    const { store } = await (kind ?? (await embeddedKind())).open();
    for (const [username, displayName] of [
      ['operator', '운영자'],
      ['second', '둘째 운영자'],
    ] as const)
      await addOperator(store.db, { username, displayName, password: PASSWORD }, AT);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
    const clock = new SetClock(AT);
    const listener = { listenHost: '127.0.0.1', consoleFolder: folder };
    const loginLimit = new LoginLimit(clock);
    const own = { store, clock, loginLimit, ids: systemIds, log: false as const };
    const parts = { ...own, ...listener, ...changes, ...adapters(store) };
    const server = await createOperatorServer(parts);
    refuseUndescribed(server);
    await server.listen({ host: '127.0.0.1', port: 0 });
    return new OperatorFixture(parts, clock, folder, server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get store(): Store {
    return this.parts.store;
  }

  /** Restores the state after opening, except for operators and their log. */
  async reset(): Promise<void> {
    this.clock.at = AT;
    await reset(this.store);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  ask(method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const headers = {
        host: `127.0.0.1:${this.port}`,
        ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      };
      // Not fetch: it sets Host itself and cleans the path.
      const request = startRequest({ host: '127.0.0.1', port: this.port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('end', () => {
          const parsed = text.startsWith('{')
            ? (JSON.parse(text) as { code: string; errors?: Reply['errors']; result?: Record<string, unknown> })
            : { code: '' };
          resolve({
            status: response.statusCode ?? 0,
            code: parsed.code,
            text,
            headers: response.headers,
            errors: parsed.errors ?? [],
            result: parsed.result ?? {},
          });
        });
      });
      request.once('error', reject);
      request.end(
        options.body === undefined
          ? undefined
          : typeof options.body === 'string'
            ? options.body
            : JSON.stringify(options.body),
      );
    });
  }

  /** @returns the cookie of a new session */
  async logIn(username = 'operator'): Promise<string> {
    const reply = await this.ask('POST', '/api/v1/auth/login', { body: { username, password: PASSWORD } });
    if (reply.status !== 200) throw new Error(`${username} cannot log in: ${reply.text}`);
    return String(reply.headers['set-cookie']).split(';')[0] ?? '';
  }
}

/** Closing the server fails where it has answered what its description does not say. */
function refuseUndescribed(server: FastifyInstance): void {
  const faults = new Set<string>();
  server.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    const pattern = routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
    const route = OPERATOR_ROUTES.find((one) => one.method === method && one.path === pattern);
    if (route === undefined || route.path === '/api/v1/openapi.json' || typeof payload !== 'string') return;
    const { result, failures } = describedRoute(route);
    const { statusCode: status } = reply;
    const envelope = z.strictObject({
      isSuccess: z.literal(status === 200),
      code: z.string(),
      message: z.string(),
      ...(status === 200 && result !== null ? { result } : {}),
      ...(status === 200 ? {} : { errors: z.array(z.unknown()).optional() }),
    });
    const { error } = envelope.safeParse(JSON.parse(payload));
    if (error !== undefined || (status !== 200 && !failures.includes(status)))
      faults.add(`${method} ${route.path} answered ${status} with what it does not describe: ${String(error)}`);
  });
  server.addHook('onClose', async () => {
    if (faults.size > 0) throw new Error([...faults].join('\n'));
  });
}

/** Status and code in one word. */
export const outcome = ({ status, code }: Reply): string => `${status} ${code}`;
