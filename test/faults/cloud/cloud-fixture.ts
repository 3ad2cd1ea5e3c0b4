/** Clouds over one PostgreSQL server, as processes, with tenants that pull over mutual TLS: for the faults of cloud and database. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CLOUD } from '../../../cloud/operations/install/cloud-part.ts';
import { UNIT_VARIABLES } from '../../../shared/service/install/part.ts';
import { runCommandLine } from '../../../cloud/commands/command-line.ts';
import type { LineAnswer, Load } from '../../../cloud/publication/load.ts';
import { LOADS_PATH } from '../../../cloud/ingest/server.ts';
import { tlsClient, type Answer } from '../../support/cloud/tls.ts';
import { BUNDLE_PATH, HEAD_HEADER } from '../../../shared/wire/bundle-endpoint.ts';
import type { Bundle } from '../../../shared/wire/bundle.ts';
import type { Envelope } from '../../../shared/wire/envelope.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import { sharedPostgres } from '../../support/shared-postgres.ts';
import { TestFixture, type Part } from '../../support/process.ts';

const TOKEN = 'fault-engine-token-of-32-characters';
/** For starts on a busy machine, in ms. */
const SLOW_MS = 60_000;

export interface Cloud {
  part: Part;
  sync: string;
  operator: string;
  engine: string;
  /** Hands loads to the door, all in one request. */
  load(...loads: Load[]): Promise<LineAnswer[]>;
}

/** A program of the cloud, as `TestFixture.start` takes it. */
export interface Release {
  script: string;
  /** Its own Node. */
  program?: string;
}

const PRESENT: Release = { script: 'cloud/main.ts' };

/** The program in the unpacked package of a release. */
export const unpacked = (folder: string): Release => ({
  script: path.join(folder, 'services/cloud.js'),
  program: path.join(folder, 'node/node'),
});

interface BeginOptions {
  /** Of its read replica. */
  readUrl?: string;
  release?: Release;
  env?: Record<string, string>;
  /** The address at which the engine asks, by the cloud's own. */
  engineAt?(engine: string): string;
}

export interface Tenant {
  tenantId: number;
  /** Its certificate and key. */
  files: { cert: string; key: string };
  /** A raw request over the connection that stays open. */
  get(cloud: Cloud, query: string): Promise<Answer>;
  /** A pull that must be answered 200: its bundle, or null without news, and the head. */
  pull(cloud: Cloud, after: number, limit?: number): Promise<{ bundle: Bundle | null; head: number }>;
  close(): void;
}

export class CloudFixture {
  readonly fixture = new TestFixture();
  readonly postgres: PostgresServer;
  readonly #home: string;
  #serving: Record<string, string> = {};
  /** Files that every tenant gets: the authority of the cloud's certificate, and the key of its statements. */
  handedOut = { ca: '', verifyKey: '' };

  private constructor(postgres: PostgresServer) {
    this.postgres = postgres;
    this.#home = this.fixture.folder('clouds');
  }

  static async start(postgres = sharedPostgres()): Promise<CloudFixture> {
    return new CloudFixture(await postgres);
  }

  /** A database that `init` of a release has prepared, and the certificates with it. */
  async initialised(release = PRESENT): Promise<string> {
    const url = await this.postgres.createDatabase();
    const said = release === PRESENT ? this.command(url, 'init') : this.#initialise(url, release);
    const { pki } = JSON.parse(await said) as { pki: Record<string, string> };
    this.handedOut = { ca: pki['ca'] ?? '', verifyKey: pki['verifyKey'] ?? '' };
    this.#serving = {
      CAUSEWAY_ENGINE_TOKEN: TOKEN,
      CAUSEWAY_SYNC_CERT: pki['serverCert'] ?? '',
      CAUSEWAY_SYNC_KEY: pki['serverKey'] ?? '',
      CAUSEWAY_SYNC_CLIENT_CA: pki['clientCa'] ?? '',
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
    };
    return url;
  }

  /** Runs one command line of the cloud; returns its output. */
  async command(url: string, ...args: string[]): Promise<string> {
    const said = { out: '', err: '' };
    const code = await runCommandLine(args, {
      env: { CAUSEWAY_HOME: this.#home, CAUSEWAY_DATABASE_URL: url, CAUSEWAY_DEMO: '1' },
      print: (line) => (said.out += `${line}\n`),
      printError: (line) => (said.err += `${line}\n`),
    });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${said.err}`);
    return said.out;
  }

  async #initialise(url: string, { script, ...program }: Release): Promise<string> {
    const env = { CAUSEWAY_HOME: this.#home, CAUSEWAY_DATABASE_URL: url, CAUSEWAY_DEMO: '1' };
    const part = this.fixture.start(script, { ...program, args: ['init'], env });
    const { code } = await part.ended(SLOW_MS);
    if (code !== 0) throw new Error(`init of ${script} ended with ${code}: ${part.stderr}`);
    return part.stdout;
  }

  /** Starts a further cloud process over the database. */
  begin(url: string, { readUrl = '', release = PRESENT, env = {} }: BeginOptions = {}): Part {
    const { script, ...program } = release;
    return this.fixture.start(script, {
      ...program,
      env: {
        ...UNIT_VARIABLES,
        NODE_OPTIONS: CLOUD.flags.join(' '),
        CAUSEWAY_HOME: this.#home,
        CAUSEWAY_DATABASE_URL: url,
        CAUSEWAY_DATABASE_READ_URL: readUrl,
        ...this.#serving,
        ...env,
      },
    });
  }

  /** A further cloud process over the database, which listens. */
  async cloud(url: string, options: BeginOptions = {}): Promise<Cloud> {
    const part = this.begin(url, options);
    const address = async (name: string): Promise<string> => (await part.listening(name, SLOW_MS)).url;
    const [sync, operator, engine] = await Promise.all([address('sync'), address('operator'), address('engine')]).catch(
      async (error: unknown) => {
        await part.kill();
        throw error;
      },
    );
    const door = options.engineAt?.(engine) ?? engine;
    const load = async (...loads: Load[]): Promise<LineAnswer[]> => {
      const response = await fetch(`${door}${LOADS_PATH}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: loads.map((one) => JSON.stringify(one)).join('\n'),
        signal: AbortSignal.timeout(SLOW_MS),
      });
      const envelope = (await response.json()) as Envelope<{ lines: LineAnswer[] }>;
      if (!envelope.isSuccess) throw new Error(`${envelope.code} ${envelope.message}`);
      return envelope.result?.lines ?? [];
    };
    return { part, sync, operator, engine, load };
  }

  /** A new tenant with a certificate. */
  async tenant(url: string, name: string): Promise<Tenant> {
    const { tenantId } = JSON.parse(await this.command(url, 'tenant', 'add', '--name', name)) as { tenantId: number };
    return this.reader(tenantId, await this.certificate(url, tenantId, name));
  }

  /** Pulls as a tenant does, with its certificate and the authorities of this moment. */
  reader(tenantId: number, files: Tenant['files']): Tenant {
    const client = tlsClient({
      ca: readFileSync(this.handedOut.ca, 'utf8'),
      client: { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') },
    });
    const get = (cloud: Cloud, query: string): Promise<Answer> => client.get(`${cloud.sync}${BUNDLE_PATH}${query}`);
    return {
      tenantId,
      files,
      get,
      pull: async (cloud, after, limit = 100) => {
        const answer = await get(cloud, `?after=${after}&limit=${limit}`);
        if (answer.status !== 200) throw new Error(`pull after ${after}: ${answer.status} ${answer.envelope.code}`);
        return {
          bundle: (answer.envelope.result as Bundle | undefined) ?? null,
          head: Number(answer.headers[HEAD_HEADER.toLowerCase()]),
        };
      },
      close: () => client.close(),
    };
  }

  /** A further certificate of a tenant. */
  async certificate(url: string, tenantId: number, name: string): Promise<{ cert: string; key: string }> {
    const { cert, key } = JSON.parse(
      await this.command(url, 'certificate', 'issue', '--tenant', String(tenantId), '--name', name),
    ) as { cert: string; key: string };
    return { cert, key };
  }

  async clear(): Promise<void> {
    await this.fixture.clear();
    await this.postgres.stop();
  }
}

/** The kind and result of an entry: `NEW res-1`, `INVALIDATION res-1`. */
export function about(entry: Bundle['entries'][number]): string {
  const { delivery_type, explanation_result, target_explanation_result_id, target_movement_analysis_id } = entry as {
    delivery_type?: string;
    explanation_result?: { explanation_result_id: string };
    target_explanation_result_id?: string;
    target_movement_analysis_id?: string;
  };
  const id = explanation_result?.explanation_result_id ?? target_explanation_result_id ?? target_movement_analysis_id;
  return `${delivery_type ?? 'unknown'} ${id ?? 'nothing'}`;
}

/** Logs in to the operator API; withdraws by its id. @returns the status and the code of the answer */
export async function operatorOf(cloud: Cloud): Promise<(id: string) => Promise<{ status: number; code: string }>> {
  const login = await fetch(`${cloud.operator}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
    signal: AbortSignal.timeout(SLOW_MS),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (id) => {
    const response = await fetch(`${cloud.operator}/api/v1/analyses/${encodeURIComponent(id)}/invalidate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ reason: '수치 오류' }),
    });
    return { status: response.status, code: ((await response.json()) as { code: string }).code };
  };
}
