/** A pooler between the cloud and its database is refused at the start, with what to do (D136). Real PgBouncer, where it is installed. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, waitFor } from '../../test/support/process.ts';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { openPostgres } from './open.ts';

const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'causeway-pooler-'));
const poolers: ChildProcess[] = [];
let postgres: PostgresServer;
let url: URL;
beforeAll(async () => {
  chmodSync(folder, 0o755);
  postgres = await sharedPostgres();
  url = new URL(await postgres.createDatabase());
});
afterAll(async () => {
  for (const pooler of poolers) pooler.kill('SIGKILL');
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The address of the database through a pooler that takes transactions. */
async function throughPooler(settings: string[]): Promise<string> {
  const port = await freePort();
  const file = join(folder, `${port}.ini`);
  const database = url.pathname.slice(1);
  writeFileSync(
    file,
    [
      '[databases]',
      `${database} = host=127.0.0.1 port=${url.port} dbname=${database} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      ...settings,
    ].join('\n'),
  );
  const root = process.getuid?.() === 0;
  poolers.push(spawn('pgbouncer', ['-q', ...(root ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' }));
  await waitFor('the pooler', () => listens(port));
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

describe.skipIf(!hasPgBouncer)('PgBouncer in transaction mode', () => {
  test.each([
    ['as it is', []],
    ['told to swallow the settings', ['ignore_startup_parameters = options']],
  ])('%s: one sentence that says to name the server itself', async (_how, settings) => {
    await expect(openPostgres(await throughPooler(settings), 1)).rejects.toThrow(
      /CAUSEWAY_DATABASE_URL cannot be used: a connection pooler \(such as PgBouncer\) is in between.*name the server itself/,
    );
  });
});

test('a server without a pooler is taken', async () => {
  await (await openPostgres(url.href, 1)).close();
});
