/**
 * Connections to a PostgreSQL server of one or of several hosts. The driver knows one host and waits for its answer for
 * ever, so this adds two things to its pool (D136):
 *
 * - Of several hosts, it uses the writable one. A failed connect, a silence or a refused write starts a search for the
 *   present primary, and every connection moves there.
 * - It discards a connection whose server does not answer a statement in time. The statement may have been carried out
 *   (`ConnectionLostError`).
 */
import { Client, Pool, type ClientConfig, type PoolClient, type PoolConfig } from 'pg';
import type { DatabaseAddress } from './database-address.ts';
import { isUnreachable, sqlState } from './errors.ts';

const CONNECT_MS = 10_000;
/** A host among several that does not answer so soon is passed over. */
const HOST_MS = 2_000;
const READ_ONLY = '25006';

/** Whether the database answers at all: shared by all pools of a store. A refusal is an answer. */
export class Silence {
  #asking = 0;
  #since: number | null = null;

  begins(): void {
    this.#asking += 1;
    this.#since ??= performance.now();
  }

  ends(isAnswer: boolean): void {
    this.#asking -= 1;
    if (isAnswer) this.#since = this.#asking === 0 ? null : performance.now();
  }

  /** The time for which no request has been answered, in ms. */
  get ms(): number {
    return this.#since === null ? 0 : performance.now() - this.#since;
  }
}

/** The writable host of several, as last seen: shared by all pools of a store. */
export class Hosts {
  readonly #address: DatabaseAddress;
  readonly #clients = new Map<Client, string>();
  #current: string;
  #looking: Promise<void> | null = null;

  constructor(address: DatabaseAddress) {
    this.#address = address;
    this.#current = address.hosts[0] ?? '';
  }

  get isChoice(): boolean {
    return this.#address.hosts.length > 1;
  }

  /** The address that a new client connects to. */
  get current(): string {
    return this.#current;
  }

  /** Remembers the host of a live connection. */
  holds(client: Client): void {
    this.#clients.set(client, this.#current);
    client.once('end', () => this.#clients.delete(client));
  }

  /**
   * Looks for the host that takes writes: the present one, if it does; else the first of the others that answers. Where
   * none does, the present one stays. Connections to a host that was left are given up at once.
   */
  find(): Promise<void> {
    this.#looking ??= this.#find().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #find(): Promise<void> {
    const others = this.#address.hosts.filter((host) => host !== this.#current);
    const found = await takesWrites(this.#current)
      .catch(() => Promise.any(others.map(takesWrites)))
      .catch(() => this.#current);
    if (found === this.#current) return;
    this.#current = found;
    for (const [client, host] of this.#clients)
      if (host !== found) client.connection.stream.destroy(new Error('Connection terminated: another host takes over'));
  }

  /** @throws ReadOnlyHostError where a host that takes writes is needed and this one takes none */
  async check(client: Queryable): Promise<void> {
    if (this.#address.writesNeeded) await refuseReadOnly(client);
  }
}

interface Queryable {
  query(asked: { text: string; query_timeout: number }): Promise<{ rows: unknown[] }>;
}

class ReadOnlyHostError extends Error {
  /** The state that the server gives a write there. */
  readonly code = READ_ONLY;
  constructor() {
    super('the host takes no writes: it is a standby, or read-only');
    this.name = 'ReadOnlyHostError';
  }
}

async function refuseReadOnly(client: Queryable): Promise<void> {
  const { rows } = await client.query({ text: 'show transaction_read_only', query_timeout: HOST_MS });
  const [row] = rows as { transaction_read_only: string }[];
  if (row?.transaction_read_only !== 'off') throw new ReadOnlyHostError();
}

/** The driver's own words for a host that has not spoken: it has no codes for these. */
const isSilence = (error: unknown): boolean => error instanceof Error && /timeout/.test(error.message);

/** @returns the host */
async function takesWrites(host: string): Promise<string> {
  const client = new Client({ connectionString: host, connectionTimeoutMillis: HOST_MS, query_timeout: HOST_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseReadOnly(client);
    return host;
  } finally {
    // A host that is silent does not answer a farewell either.
    client.connection.stream.destroy();
  }
}

export interface ServerPoolParts {
  hosts: Hosts;
  silence: Silence;
  settings: Pick<PoolConfig, 'max' | 'options' | 'types' | 'connectionTimeoutMillis'>;
  /** The longest time of a statement without any answer, in ms; null: for ever. Read at each statement. */
  answerMs: () => number | null;
}

export class ServerPool {
  readonly #parts: ServerPoolParts;
  readonly #pool: Pool;

  constructor(parts: ServerPoolParts) {
    const { hosts, settings } = parts;
    this.#parts = parts;
    class HostClient extends Client {
      constructor(config: ClientConfig = {}) {
        super({ ...config, connectionString: hosts.current });
        hosts.holds(this);
      }
    }
    this.#pool = new Pool({
      Client: HostClient,
      connectionTimeoutMillis: hosts.isChoice ? 2 * HOST_MS : CONNECT_MS,
      ...settings,
      // The system's own probes find a peer that has vanished while nothing was asked.
      keepAlive: true,
      keepAliveInitialDelayMillis: CONNECT_MS,
      // The pool waits for the answer, although its types say otherwise.
      onConnect: (client): unknown => hosts.check(client),
    });
    // A connection that the server drops is replaced at the next use; its user gets an error of its own.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#watch(client);
    });
  }

  /** A connection to the host that takes writes. */
  async connect(): Promise<PoolClient> {
    const { hosts, silence } = this.#parts;
    silence.begins();
    let isAnswer = true;
    try {
      return await this.#pool.connect().catch(async (error: unknown) => {
        if (!hosts.isChoice || !(isUnreachable(error) || sqlState(error) === READ_ONLY)) throw error;
        await hosts.find();
        return this.#pool.connect();
      });
    } catch (error) {
      isAnswer = !isSilence(error);
      throw error;
    } finally {
      silence.ends(isAnswer);
    }
  }

  async query(asked: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }> {
    const client = await this.connect();
    try {
      return await client.query(asked);
    } finally {
      client.release();
    }
  }

  get counts(): { total: number; idle: number; waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { total, idle, waiting };
  }

  /** Kysely needs them to cancel a statement over a second connection, which the cloud never does. */
  get options(): object {
    return this.#pool.options;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  /** From now on each statement of the client has its time. */
  #watch(client: PoolClient): void {
    const ask = client.query.bind(client) as (...asked: unknown[]) => unknown;
    client.query = ((...asked: unknown[]): unknown => {
      const answer = ask(...asked);
      return answer instanceof Promise ? this.#inTime(client, answer) : answer;
    }) as typeof client.query;
  }

  async #inTime<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
    const { hosts, silence, answerMs } = this.#parts;
    const ms = answerMs();
    silence.begins();
    let isAnswer = true;
    const late =
      ms === null
        ? undefined
        : setTimeout(() => {
            isAnswer = false;
            client.connection.stream.destroy(new Error(`Connection terminated: no answer within ${ms} ms`));
            if (hosts.isChoice) void hosts.find();
          }, ms);
    try {
      return await answer;
    } catch (error) {
      // A primary that has become a standby keeps its connections.
      if (hosts.isChoice && sqlState(error) === READ_ONLY) void hosts.find();
      throw error;
    } finally {
      clearTimeout(late);
      silence.ends(isAnswer);
    }
  }
}
