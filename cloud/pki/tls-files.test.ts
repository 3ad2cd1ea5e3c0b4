/** Certificates that are replaced while the bundle endpoint runs. */
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLE_PATH } from '../../shared/wire/bundle-endpoint.ts';
import { systemIds } from '../../shared/time/clock.ts';
import { waitFor } from '../../test/support/process.ts';
import { issueServer, makeAuthority, type KeyedCertificate } from './certificates.ts';
import { writePair } from './files.ts';
import { GRACE_MS } from '../operations/server.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { addTenants, postgresKind } from '../../test/support/cloud/store.ts';
import { NOW, syncAuthority, syncParts, registeredCertificate, YEAR } from '../../test/support/cloud/sync-parts.ts';
import { tlsClient } from '../../test/support/cloud/tls.ts';
import { createSyncServer, replaceTlsFiles } from '../sync/server.ts';
import { FileWatch, type FileChange } from '../../shared/service/tls/file-watch.ts';
import { readTlsFiles, type TlsFiles, type TlsPaths } from './tls-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-tls-'));
let store: Store;
let authority: KeyedCertificate;
let tenant: KeyedCertificate;

beforeAll(async () => {
  ({ store } = await (await postgresKind()).open());
  await addTenants(store, 1);
  ({ authority } = await syncAuthority());
  tenant = await registeredCertificate(store, authority, 1);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  paths: TlsPaths;
  port: number;
  changes: FileChange<TlsFiles>[];
  end(): Promise<void>;
}

/** A server with certificate files of its own. */
async function start(): Promise<Started> {
  const own = mkdtempSync(join(folder, 'files-'));
  const paths = { cert: join(own, 'server.crt'), key: join(own, 'server.key'), clientCa: join(own, 'ca.crt') };
  writePair(paths, await issueServer(authority, ['127.0.0.1'], YEAR));
  writeFileSync(paths.clientCa, authority.cert);
  const tls = readTlsFiles(paths);
  const parts = {
    ...syncParts(store),
    calculations: true,
    clock: new SetClock(NOW),
    ids: systemIds,
    log: false as const,
    tls,
  };
  const server = createSyncServer(parts);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const changes: FileChange<TlsFiles>[] = [];
  const watched = {
    paths: Object.values(paths),
    first: tls,
    read: () => readTlsFiles(paths),
    told: (change: FileChange<TlsFiles>): void => {
      if (change.kind === 'TAKEN') replaceTlsFiles(server, change.files);
      changes.push(change);
    },
  };
  const watch = new FileWatch(watched).every(5);
  const end = async (): Promise<void> => {
    watch.stop();
    await closeServers([server], GRACE_MS);
    await parts.pullLog.flush();
  };
  return { paths, port: (server.server.address() as AddressInfo).port, changes, end };
}

/** The server's certificate on a new connection. */
async function shownOn(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

describe('replaced certificate files', () => {
  test('are used from the next handshake on, while kept-alive connections under load continue without an error', async () => {
    const { paths, port, changes, end } = await start();
    const url = `https://127.0.0.1:${port}${BUNDLE_PATH}?after=9`;
    const kept = Array.from({ length: 4 }, () => tlsClient({ ca: authority.cert, client: tenant }));
    const statuses = new Set<number>();
    let pulls = 0;
    let loading = true;
    const load = kept.map(async (client) => {
      while (loading) {
        statuses.add((await client.get(url)).status);
        pulls += 1;
      }
    });
    const first = await shownOn(port);
    await waitFor('pulls before the change', () => pulls > 20);
    writePair(paths, await issueServer(authority, ['127.0.0.1'], YEAR));
    await waitFor('the new files', () => changes.length === 1);
    const atChange = pulls;
    await waitFor('pulls after the change', () => pulls > atChange + 20);
    loading = false;
    await Promise.all(load);
    for (const client of kept) client.close();
    expect(changes.map(({ kind }) => kind)).toEqual(['TAKEN']);
    expect([...statuses]).toEqual([200]);
    expect(await shownOn(port)).not.toBe(first);
    await end();
  });

  test('that do not match are refused with a sentence, once, and the old ones stay until matching ones come', async () => {
    const { paths, port, changes, end } = await start();
    const first = await shownOn(port);
    const other = await issueServer(authority, ['127.0.0.1'], YEAR);
    writeFileSync(`${paths.cert}.new`, other.cert);
    renameSync(`${paths.cert}.new`, paths.cert);
    await waitFor('the refusal', () => changes.length === 1);
    const [refused] = changes;
    expect(refused?.kind === 'REFUSED' && String(refused.error)).toContain(`${paths.key} does not belong to`);
    expect(await shownOn(port)).toBe(first);
    writeFileSync(paths.cert, 'garbage');
    await waitFor('the second refusal', () => changes.length === 2);
    expect(changes[1]?.kind).toBe('REFUSED');
    expect(await shownOn(port)).toBe(first);
    writePair(paths, other);
    await waitFor('the pair that fits', () => changes.length === 3);
    expect(changes[2]?.kind).toBe('TAKEN');
    expect(await shownOn(port)).not.toBe(first);
    await end();
  });

  test('a new client authority beside the old one admits the tenants of both; alone it admits only its own', async () => {
    const { paths, port, changes, end } = await start();
    const second = await makeAuthority('second CA', YEAR);
    const moved = await registeredCertificate(store, second, 1);
    const pull = async (client: KeyedCertificate): Promise<number> => {
      const fresh = tlsClient({ ca: authority.cert, client });
      const { status } = await fresh.get(`https://127.0.0.1:${port}${BUNDLE_PATH}?after=9`);
      fresh.close();
      return status;
    };
    expect([await pull(tenant), await pull(moved)]).toEqual([200, 401]);
    writeFileSync(paths.clientCa, authority.cert + second.cert);
    await waitFor('both authorities', () => changes.length === 1);
    expect([await pull(tenant), await pull(moved)]).toEqual([200, 200]);
    writeFileSync(paths.clientCa, second.cert);
    await waitFor('the second authority alone', () => changes.length === 2);
    expect([await pull(tenant), await pull(moved)]).toEqual([401, 200]);
    await end();
  });
});
