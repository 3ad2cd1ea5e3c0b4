/** Pulls that wait (D223), over real mutual TLS and on both kinds of store. */
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BUNDLE_PATH } from '../../shared/wire/bundle-endpoint.ts';
import { systemIds } from '../../shared/time/clock.ts';
import { certificateFacts, type KeyedCertificate } from '../pki/certificates.ts';
import { revokeCertificate } from '../pki/registry.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Hearing } from '../store/listening.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { NOW, registeredCertificate, syncAuthority, syncParts } from '../../test/support/cloud/sync-parts.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, BOTH_KINDS, reset } from '../../test/support/cloud/store.ts';
import { tlsClient, type Answer } from '../../test/support/cloud/tls.ts';
import { waitFor } from '../../test/support/process.ts';
import { createSyncServer, type SyncParts } from './server.ts';

let authority: KeyedCertificate;
let tls: SyncParts['tls'];
beforeAll(async () => {
  ({ authority, tls } = await syncAuthority());
});

describe.each(BOTH_KINDS)('%s', (_name, kind) => {
  let store: Store;
  let server: FastifyInstance;
  let parts: SyncParts;
  let url: string;
  let tenants: KeyedCertificate[];
  const clock = new SetClock(NOW);
  const clients: { close(): void }[] = [];

  provideStore(kind, (opened) => (store = opened.store));
  beforeEach(async () => {
    clock.at = NOW;
    await reset(store);
    const ids = await addTenants(store, 2);
    tenants = [];
    for (const id of ids) tenants.push(await registeredCertificate(store, authority, id));
    await publish(store, read(live({ key: 'a' })), AT);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await server.close();
    await parts.pullLog.flush();
  });

  /** A look comes by notification alone unless the test says otherwise. */
  async function start(changes: Partial<SyncParts> = {}): Promise<void> {
    const own = { ...syncParts(store), clock, ids: systemIds, log: false as const, tls };
    parts = { ...own, waitPace: { look: 3_600_000 }, ...changes };
    server = createSyncServer(parts);
    await server.listen({ host: '127.0.0.1', port: 0 });
    url = `https://127.0.0.1:${(server.server.address() as AddressInfo).port}${BUNDLE_PATH}`;
  }
  const metric = async (name: string): Promise<number> => {
    const text = await parts.metrics.registry.getSingleMetricAsString(name.replace(/\{.*$/, ''));
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  };
  const waiting = (count: number): Promise<unknown> =>
    waitFor(`${count} waiting`, async () => (await metric('causeway_cloud_waiting_pulls')) === count);

  function pull(after: number, prefer: string | null, tenant = 0, applied?: string): Promise<Answer> {
    const client = tlsClient({ ca: authority.cert, client: tenants[tenant] as KeyedCertificate });
    clients.push(client);
    const headers = {
      ...(prefer === null ? {} : { prefer }),
      ...(applied === undefined ? {} : { 'x-causeway-applied': applied }),
    };
    return client.get(`${url}?after=${after}`, { headers });
  }
  const told = ({ status, envelope, headers }: Answer): unknown[] => [
    status,
    (envelope.result as { cursor_to: number } | undefined)?.cursor_to ?? null,
    headers['x-causeway-head'],
    headers['preference-applied'],
  ];

  test('records are given to every waiting tenant as soon as they are committed', async () => {
    await start();
    const both = [pull(1, 'wait=45'), pull(1, 'wait=45', 1)];
    await waiting(2);
    await publish(store, read(live({ key: 'b' })), AT);
    for (const answer of await Promise.all(both)) expect(told(answer)).toEqual([200, 2, '2', 'wait=45']);
    expect(await metric('causeway_cloud_waits_total{end="NEWS"}')).toBe(2);
  });

  test('a burst is gathered into one bundle, which a withdrawal sends at once', async () => {
    await start({ waitPace: { look: 3_600_000, gather: 3_600_000 } });
    const withdrawn = (explanationResultId: string) =>
      store.transaction((trx) => withdraw(trx, { explanationResultId }, 'r', AT));
    // A connection that begins to listen looks once: the first answer says that it listens.
    const first = pull(1, 'wait=45');
    await waiting(1);
    await withdrawn('res-a');
    expect(told(await first)).toEqual([200, 2, '2', 'wait=45']);
    const answer = pull(2, 'wait=45');
    await waiting(1);
    for (const key of ['b', 'c']) await publish(store, read(live({ key })), AT);
    await withdrawn('res-b');
    expect(told(await answer)).toEqual([200, 5, '5', 'wait=45']);
  });

  test('only tenants that have records are answered', async () => {
    await start({ waitPace: { look: 3_600_000, gather: 3_600_000 } });
    const [late] = await addTenants(store, 1, 'late-');
    tenants.push(await registeredCertificate(store, authority, late as number));
    const answer = pull(1, 'wait=45');
    const other = pull(0, 'wait=1', 2);
    await waiting(2);
    await store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'r', AT));
    expect(told(await answer)).toEqual([200, 2, '2', 'wait=45']);
    expect(told(await other)).toEqual([200, null, '0', 'wait=1']);
  });

  test('an answer without news comes after the seconds, as of that moment; without the header at once', async () => {
    await start({ waitPace: { second: 50 } });
    expect(told(await pull(1, null))).toEqual([200, null, '1', undefined]);
    expect(told(await pull(1, 'wait=46'))).toEqual([200, null, '1', undefined]);
    expect(told(await pull(1, 'wait=2'))).toEqual([200, null, '1', 'wait=2']);
    expect(await metric('causeway_cloud_waits_total{end="TIME"}')).toBe(1);
  });

  test('with records, with a cursor beyond the head, or refused: nothing waits', async () => {
    await start();
    expect(told(await pull(0, 'wait=45'))).toEqual([200, 1, '1', 'wait=45']);
    expect(told(await pull(7, 'wait=45'))).toEqual([200, null, '1', 'wait=45']);
    expect((await pull(-1, 'wait=45')).envelope.code).toBe('SYNC4001');
  });

  test('of two waiting pulls of one tenant the older is answered', async () => {
    await start();
    const older = pull(1, 'wait=45');
    await waiting(1);
    const younger = pull(1, 'wait=45');
    expect(told(await older)).toEqual([200, null, '1', 'wait=45']);
    await waiting(1);
    await publish(store, read(live({ key: 'b' })), AT);
    expect(told(await younger)).toEqual([200, 2, '2', 'wait=45']);
  });

  test('a revoked certificate is refused at once', async () => {
    await start();
    const answer = pull(1, 'wait=45');
    const other = pull(1, 'wait=1', 1);
    await waiting(2);
    await revokeCertificate(store.db, certificateFacts((tenants[0] as KeyedCertificate).cert).fingerprint, NOW);
    expect((await answer).envelope.code).toBe('SYNC4031');
    expect((await other).status).toBe(200);
  });

  test('a stop answers all that wait at once, and is no failure of theirs', async () => {
    await start();
    const lines = vi.spyOn(server.log, 'info');
    const both = [pull(1, 'wait=45'), pull(1, 'wait=45', 1)];
    await waiting(2);
    await server.close();
    expect(lines.mock.calls).toEqual([[{ waiting: 2 }, 'the cloud stops: pulls that wait are answered']]);
    for (const answer of await Promise.all(both))
      expect([answer.status, answer.envelope.code]).toEqual([503, 'COMMON503']);
    await parts.pullLog.flush();
    const state = store.db.selectFrom('tenant_pull_state').select(['last_outcome', 'last_error_code']);
    expect(await state.execute()).toEqual([1, 2].map(() => ({ last_outcome: 'COMMON200', last_error_code: null })));
  });

  test('a lost notification costs the time until the next look, and a lost connection none', async () => {
    let hearing: Hearing | undefined;
    const deaf: Store = {
      ...store,
      listen: (_channel, given) => {
        hearing = given;
        return { stop: async () => undefined };
      },
    };
    await start({ store: deaf, waitPace: { look: 50 } });
    const first = pull(1, 'wait=45');
    await waiting(1);
    await publish(store, read(live({ key: 'b' })), AT);
    expect(told(await first)).toEqual([200, 2, '2', 'wait=45']);
    await server.close();
    await parts.pullLog.flush();
    await start({ store: deaf });
    const second = pull(2, 'wait=45');
    await waiting(1);
    await publish(store, read(live({ key: 'c' })), AT);
    hearing?.missed();
    expect(told(await second)).toEqual([200, 3, '3', 'wait=45']);
  });

  test('a notification between the look of a pull and its wait is not missed', async () => {
    let hearing: Hearing | undefined;
    let isArmed = false;
    const racing: Store = {
      ...store,
      listen: (_channel, given) => {
        hearing = given;
        return { stop: async () => undefined };
      },
      prepared: async <Row>(...asked: Parameters<Store['prepared']>) => {
        const rows = await store.prepared<Row>(...asked);
        if (isArmed) {
          isArmed = false;
          await publish(store, read(live({ key: 'b' })), AT);
          hearing?.heard('INVALIDATION');
        }
        return rows;
      },
    };
    await start({ store: racing, waitPace: { look: 3_600_000, second: 100 } });
    // The first begins to listen.
    await pull(1, 'wait=1', 1);
    isArmed = true;
    expect(told(await pull(1, 'wait=45'))).toEqual([200, 2, '2', 'wait=45']);
    expect(await metric('causeway_cloud_waits_total{end="NEWS"}')).toBe(1);
  });

  test('the bound of stalled connections ends no wait; a caller who leaves frees it', async () => {
    await start({ stalledMs: 50 });
    const answer = pull(1, 'wait=1');
    expect(told(await answer)).toEqual([200, null, '1', 'wait=1']);
    const { cert, key } = tenants[0] as KeyedCertificate;
    const { port } = new URL(url);
    const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(port), ca: authority.cert, cert, key });
    socket.write(`GET ${BUNDLE_PATH}?after=1 HTTP/1.1\r\nhost: x\r\nprefer: wait=45\r\n\r\n`);
    await waiting(1);
    socket.destroy();
    await waiting(0);
    expect(await metric('causeway_cloud_waits_total{end="GONE"}')).toBe(1);
  });

  test('a pull that waits says at once what the tenant has and has applied: the vendor need not wait for its answer', async () => {
    await start();
    await pull(0, 'wait=45');
    const state = async (): Promise<unknown> => {
      await parts.pullLog.flush();
      const { rows } = await sql<{ pulls: number }>`
        select pulls, last_good_after as after, told->'applied' as applied from tenant_pull_state`.execute(store.db);
      return rows[0];
    };
    const older = pull(1, 'wait=45', 0, 'applied=0;rejected=0;held=0');
    await waiting(1);
    expect(await state()).toEqual({ pulls: 2, after: 1, applied: 0 });
    const answer = pull(1, 'wait=45', 0, 'applied=1;rejected=0;held=0');
    expect((await older).status).toBe(200);
    await waiting(1);
    // The older one, which is answered last, does not take back what the younger has told.
    expect(await state()).toMatchObject({ after: 1, applied: 1 });
    await server.close();
    expect((await answer).status).toBe(503);
  });

  test('a header of another form, or one that tells more than was received, counts as none: the pull is answered', async () => {
    await start();
    for (const applied of ['applied=1;rejected=0;held=0', 'applied=1;note=x', 'applied=2;rejected=0;held=0']) {
      expect(told(await pull(1, null, 0, applied))).toEqual([200, null, '1', undefined]);
      await parts.pullLog.flush();
      const { rows } = await sql`select told->'applied' as applied from tenant_pull_state`.execute(store.db);
      expect(rows).toEqual([{ applied: applied.startsWith('applied=1;rejected') ? 1 : null }]);
    }
  });

  test('answers without news in a row take one slot of the kept pulls', async () => {
    await start({ waitPace: { second: 1 } });
    for (const after of [0, 1]) await pull(after, 'wait=1');
    await parts.pullLog.flush();
    for (let time = 1; time <= 3; time += 1) {
      clock.at = new Date(NOW.getTime() + time * 1_000);
      await pull(1, 'wait=1');
      // Two batches, one of them with two pulls.
      if (time !== 2) await parts.pullLog.flush();
    }
    await publish(store, read(live({ key: 'b' })), AT);
    await pull(1, 'wait=1');
    await pull(2, 'wait=1');
    await parts.pullLog.flush();
    const { rows } = await sql<{ kept: unknown[] }>`
      select json_build_array(slot, after_cursor, entry_count) as kept from tenant_pull_history order by slot`.execute(
      store.db,
    );
    expect(rows.map(({ kept }) => kept)).toEqual([
      [0, 0, 1],
      [1, 1, 0],
      [2, 1, 1],
      [3, 2, 0],
    ]);
    const state = store.db.selectFrom('tenant_pull_state').select('waiting_until');
    expect(await state.executeTakeFirst()).toEqual({ waiting_until: new Date(clock.at.getTime() + 11_000) });
  });
});
