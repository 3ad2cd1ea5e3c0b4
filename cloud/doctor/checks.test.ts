/** The parts of the doctor that need no running cloud. */
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../shared/time/clock.ts';
import { freePort, TestFixture } from '../../test/support/process.ts';
import { runCommandLine } from '../commands/command-line.ts';
import { keyLock } from '../pki/key-lock.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { checkBackups } from './check-backups.ts';
import { checkSigningKey } from './check-files.ts';
import { checkListeners } from './check-listeners.ts';
import { checkStore } from './check-store.ts';
import { copyTemplate } from '../../test/support/cloud/embedded-template.ts';
import { storeFolder } from '../config/config.ts';

const holding = (text: string): unknown => expect.stringContaining(text);
const fixture = new TestFixture();
const open = () => keyLock('CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE', undefined);
afterAll(() => fixture.clear());

async function signingKey(step: 'make' | 'next', out: string): Promise<void> {
  const quiet = { env: {}, print: () => undefined, printError: () => undefined };
  expect(await runCommandLine(['signing-key', step, '--out', out], quiet)).toBe(0);
}

test('a signing key with the public file of another key, and one in rotation', async () => {
  const out = fixture.folder('signing');
  await signingKey('make', out);
  const file = join(out, 'signing.key');
  expect(checkSigningKey(file, out, open)).toMatchObject([{ verdict: 'OK', said: holding('belongs to it') }]);
  await signingKey('next', out);
  expect(checkSigningKey(file, out, open)).toMatchObject([{ verdict: 'WARN', said: 'another key takes over' }]);
  expect(checkSigningKey(undefined, out, open)).toMatchObject([{ verdict: 'WRONG', said: holding('refuse every') }]);
  expect(checkSigningKey(undefined, fixture.folder('empty'), open)).toMatchObject([{ verdict: 'WARN' }]);
  chmodSync(file, 0o644);
  writeFileSync(join(out, 'signing.pub'), readFileSync(join(out, 'signing-next.pub')));
  expect(checkSigningKey(file, out, open)).toMatchObject([
    { verdict: 'WRONG', said: 'others may read or write it (mode 644)' },
    { verdict: 'WRONG', said: holding('does not hold the public key') },
  ]);
});

test('an embedded store: disk, purpose, and a missing one', async () => {
  const at = fixture.folder('embedded');
  const none = await checkStore(
    { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 },
    () => new Date(),
  );
  expect(none).toMatchObject([{ verdict: 'WARN', said: holding('there is no embedded store') }]);
  const config = { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 };
  const applied: (readonly number[])[] = [];
  await copyTemplate(storeFolder(at));
  const made = await prepareStore(config, systemClock, (versions) => applied.push(versions));
  try {
    const found = await checkStore(
      { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 },
      () => new Date(),
    );
    expect(found).toMatchObject([
      { about: 'store', verdict: 'WARN' },
      { about: 'disk', verdict: 'OK' },
      { about: 'store', verdict: 'SKIPPED', said: holding('a running cloud has it open') },
    ]);
  } finally {
    await made.close();
  }
  // A migrated one is prepared without a step.
  await (await prepareStore(config, systemClock, (versions) => applied.push(versions))).close();
  expect(applied).toEqual([]);
  const stopped = await checkStore(config, () => new Date());
  expect(stopped.filter(({ verdict }) => verdict !== 'OK').map(({ about }) => about)).toEqual(['store']);
  expect(stopped).toContainEqual(expect.objectContaining({ about: 'schema', verdict: 'OK' }));
});

test('backups: none watched, none there, a fresh one, an old one', () => {
  const folder = fixture.folder('backups');
  const now = new Date();
  const verdicts = (at: string | undefined, isServer = true, later = now): string[] =>
    checkBackups(at, isServer, later).map(({ verdict }) => verdict);
  expect([verdicts(undefined), verdicts(undefined, false)]).toEqual([['WARN'], []]);
  expect([verdicts(folder), verdicts(join(folder, 'none'))]).toEqual([['WRONG'], ['WRONG']]);
  mkdirSync(join(folder, 'base'));
  writeFileSync(join(folder, 'base', 'base.tar.gz'), 'x');
  expect(verdicts(folder)).toEqual(['OK']);
  expect(verdicts(folder, true, new Date(now.getTime() + 37 * 3_600_000))).toEqual(['WRONG']);
});

test('a running cloud is found at a port that fetch refuses', async () => {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ isSuccess: true, message: 'OK', result: { version: PRODUCT_VERSION } })),
  );
  // Of the ports that the Fetch standard refuses one is free.
  for (const port of [6665, 6666, 6667, 6668, 6669, 6566]) {
    server.listen(port, '127.0.0.1');
    if (await once(server, 'listening').then(Boolean, () => false)) break;
  }
  try {
    const { port } = server.address() as AddressInfo;
    const none = { host: '127.0.0.1', port: 0 };
    const found = await checkListeners({
      CAUSEWAY_SYNC_LISTEN: none,
      CAUSEWAY_OPERATOR_LISTEN: none,
      CAUSEWAY_ENGINE_LISTEN: none,
      CAUSEWAY_CLOUD_METRICS_LISTEN: { host: '127.0.0.1', port },
    });
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
    expect(found.at(-1)).toMatchObject({ about: 'running cloud', verdict: 'OK' });
  } finally {
    server.close();
  }
});

test('a port that another program has taken is told while no cloud runs', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { port } = other.address() as AddressInfo;
    const free = { host: '127.0.0.1', port: await freePort() };
    const found = await checkListeners({
      CAUSEWAY_SYNC_LISTEN: free,
      CAUSEWAY_OPERATOR_LISTEN: { host: '127.0.0.1', port },
      CAUSEWAY_ENGINE_LISTEN: free,
      CAUSEWAY_CLOUD_METRICS_LISTEN: free,
    });
    expect(found.map(({ verdict }) => verdict)).toEqual(['WARN', 'WRONG', 'WARN', 'WARN']);
    expect(found[1]?.said).toBe(`a program listens at 127.0.0.1:${port}, and it is no running cloud`);
  } finally {
    other.close();
  }
});
