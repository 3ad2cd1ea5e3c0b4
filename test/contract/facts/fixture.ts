/**
 * The operator API over a real store with a ledger that a test writes. The test sets the database's clock and the
 * adapters.
 */
import type { FastifyInstance } from 'fastify';
import type { QueueAdapter, WorkflowAdapter } from '../../../cloud/facts/adapters/adapters.ts';
import { addOperator } from '../../support/cloud/operators.ts';
import { createOperatorServer } from '../../../cloud/operator/server.ts';
import type { DatabaseClock } from '../../../cloud/pipeline/snapshot.ts';
import type { Store } from '../../../cloud/store/open.ts';
import { SetClock } from '../../support/cloud/clock.ts';
import { AT, reset, type StoreKind } from '../../support/cloud/store.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import type { Facts } from '../../../shared/wire/facts.ts';
import { emptyLedger, writeLedger, type Ledger } from './ledger.ts';

/** Friday 2026-11-20, 16:00 in Korea. */
export const NOW = AT;
export const TODAY = '2026-11-20';

export interface Answer {
  status: number;
  code: string;
  result: unknown;
}

export class FactsFixture {
  readonly store: Store;
  /** The time that the database's clock shows. */
  readonly clock = new SetClock(NOW);
  /** The API server's own clock. */
  readonly serverClock = new SetClock(NOW);
  /** Called when a view has begun its snapshot and knows the time. */
  whileReading: (() => Promise<void>) | null = null;
  readonly #kind: StoreKind;
  readonly #servers = new Map<string, FastifyInstance>();
  #cookie = '';

  private constructor(kind: StoreKind, store: Store) {
    this.#kind = kind;
    this.store = store;
  }

  static async open(makeKind: () => Promise<StoreKind>): Promise<FactsFixture> {
    const kind = await makeKind();
    const { store } = await kind.open();
    const fixture = new FactsFixture(kind, store);
    await addOperator(store.db, { username: 'operator', displayName: 'O', password: 'pass-word' }, NOW);
    await fixture.serve('bare', {});
    await fixture.logIn();
    return fixture;
  }

  readonly databaseClock: DatabaseClock = async (trx) => {
    // The snapshot is there from the first statement on.
    await trx.selectFrom('tenant').select('tenant_id').limit(1).execute();
    await this.whileReading?.();
    return this.clock.now();
  };

  /** A separate server for each set of adapters. */
  async serve(name: string, adapters: { workflows?: WorkflowAdapter; queues?: QueueAdapter }): Promise<void> {
    const server = await createOperatorServer({
      store: this.store,
      clock: this.serverClock,
      databaseClock: this.databaseClock,
      ids: systemIds,
      log: false,
      listenHost: '127.0.0.1',
      consoleFolder: '/nowhere',
      ...adapters,
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    this.#servers.set(name, server);
  }

  /** Begins a session by the server's clock. */
  async logIn(): Promise<void> {
    const login = await (this.#servers.get('bare') as FastifyInstance).inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: { host: this.#host('bare') },
      payload: { username: 'operator', password: 'pass-word' },
    });
    this.#cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await server.close();
    await this.store.close();
    await this.#kind.stop();
  }

  async clear(): Promise<void> {
    const moved = this.serverClock.at !== NOW;
    this.clock.at = NOW;
    this.serverClock.at = NOW;
    this.whileReading = null;
    await reset(this.store);
    if (moved) await this.logIn();
  }

  /** Makes the ledger what these rows say. */
  async put(part: Partial<Ledger>): Promise<void> {
    await writeLedger(this.store, { ...emptyLedger(), ...part });
  }

  async ask(path: string, server = 'bare'): Promise<Answer> {
    const reply = await (this.#servers.get(server) as FastifyInstance).inject({
      method: 'GET',
      url: `/api/v1/console/${path}`,
      headers: { host: this.#host(server), cookie: this.#cookie },
    });
    const body = reply.json<{ code: string; result?: unknown }>();
    return { status: reply.statusCode, code: body.code, result: body.result };
  }

  /** The result as JSON has it, keys that are absent included. */
  async facts(date: string | null = null, server = 'bare'): Promise<Facts> {
    const answer = await this.ask(date === null ? 'facts' : `facts?date=${date}`, server);
    if (answer.status !== 200) throw new Error(`the facts were answered ${answer.status} ${answer.code}`);
    return answer.result as Facts;
  }

  #host(server: string): string {
    const address = this.#servers.get(server)?.server.address();
    return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  }
}
