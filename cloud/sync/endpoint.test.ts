/**
 * The rules of the bundle endpoint (sync protocol 4, 7 and 8), one test for each, over real
 * mutual TLS and on both stores.
 */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLE_PATH } from '../../shared/wire/bundle-endpoint.ts';
import { bundleAnswerSchema, type Bundle } from '../../shared/wire/bundle.ts';
import { systemIds } from '../../shared/time/clock.ts';
import { certificateFacts, issueClient, issueServer, makeAuthority } from '../pki/certificates.ts';
import { registerCertificate } from '../pki/registry.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import type { Store } from '../store/open.ts';
import { SetClock } from '../../test/support/cloud/clock.ts';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, STORE_KINDS } from '../../test/support/cloud/store.ts';
import { syncParts } from '../../test/support/cloud/sync-parts.ts';
import { tlsClient, type Answer } from '../../test/support/cloud/tls.ts';
import { createSyncServer, type SyncParts } from './server.ts';

const NOW = new Date();
const YEAR = { from: NOW, days: 365 };
/** 1 to 9 are NEW, with a v2 analysis at 3; 10 to 12 withdraw what 1, 3 and 5 brought. */
const HEAD = 12;

describe.each(STORE_KINDS)('GET /api/v1/sync/bundle on %s', (_name, makeKind) => {
  let store: Store;
  let server: FastifyInstance;
  let parts: SyncParts;
  let tenant: ReturnType<typeof tlsClient>;
  let stranger: ReturnType<typeof tlsClient>;
  let url: string;

  provideStore(makeKind, (opened) => (store = opened.store));
  beforeAll(async () => {
    await addTenants(store, 2);
    const authority = await makeAuthority('test CA', YEAR);
    const client = await issueClient(authority, 'tenant 1', YEAR);
    await registerCertificate(store.db, 1, certificateFacts(client.cert), NOW);
    const tls = { ...(await issueServer(authority, ['127.0.0.1'], YEAR)), clientCa: authority.cert };
    for (let key = 1; key <= 9; key += 1)
      await publish(store, read(key === 3 ? v2({ key: '3' }) : live({ key: String(key) })), AT);
    for (const target of [
      { explanationResultId: 'res-1' },
      { movementAnalysisId: 'ana-3' },
      { explanationResultId: 'res-5' },
    ])
      await store.transaction((trx) => withdraw(trx, target, '정정', AT));
    parts = { ...syncParts(store), clock: new SetClock(NOW), ids: systemIds, log: false, tls };
    server = createSyncServer(parts);
    await server.listen({ host: '127.0.0.1', port: 0 });
    url = `https://127.0.0.1:${(server.server.address() as AddressInfo).port}${BUNDLE_PATH}`;
    tenant = tlsClient({ ca: authority.cert, client });
    stranger = tlsClient({ ca: authority.cert });
  });
  afterAll(async () => {
    tenant.close();
    stranger.close();
    await server.close();
    await parts.pullLog.flush();
  });
  const ask = (query: string): Promise<Answer> => tenant.get(`${url}${query}`);
  const bundle = async (query: string): Promise<Bundle> => {
    const { result } = bundleAnswerSchema.parse(JSON.parse(String((await ask(query)).body)));
    if (result === undefined) throw new Error(`nothing new at ${query}`);
    return result;
  };
  const cursors = ({ entries }: Bundle): number[] => entries.map((entry) => entry.cursor);
  const upTo = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, index) => from + 1 + index);

  test('200 with a bundle: the envelope, JSON, fields in snake_case, and the head in its header', async () => {
    const { status, headers, envelope, body } = await ask('?after=0');
    expect([status, headers['content-type'], headers['x-causeway-head']]).toEqual([
      200,
      'application/json; charset=utf-8',
      String(HEAD),
    ]);
    expect(envelope).toMatchObject({ isSuccess: true, code: 'COMMON200', message: 'OK' });
    expect(Object.keys(envelope.result as object)).toEqual([
      'bundle_id',
      'tenant_id',
      'generated_at',
      'cursor_from',
      'cursor_to',
      'entries',
    ]);
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers['content-encoding']).toBeUndefined();
  });

  test('the entries with a cursor greater than after, ascending, up to limit; cursor_from is after and cursor_to the last', async () => {
    for (const [after, limit] of [
      [0, 500],
      [0, 5],
      [4, 3],
      [11, 1],
      [HEAD - 1, 500],
    ] as const) {
      const found = await bundle(`?after=${after}&limit=${limit}`);
      expect(cursors(found)).toEqual(upTo(after, Math.min(after + limit, HEAD)));
      expect(found).toMatchObject({ cursor_from: after, cursor_to: Math.min(after + limit, HEAD), tenant_id: 1 });
    }
  });

  test('200 with nothing new: the same envelope without the field result, never null and never 204', async () => {
    for (const after of [HEAD, HEAD + 1, Number.MAX_SAFE_INTEGER]) {
      const { status, headers, body } = await ask(`?after=${after}`);
      expect([status, String(body)]).toEqual([200, '{"isSuccess":true,"code":"COMMON200","message":"OK"}']);
      expect(headers['x-causeway-head']).toBe(String(HEAD));
    }
  });

  test('bundle_id and generated_at differ for a repeated range, and nothing else does', async () => {
    const [first, second] = [await bundle('?after=2'), await bundle('?after=2')];
    expect(second.bundle_id).not.toBe(first.bundle_id);
    expect({ ...second, bundle_id: '', generated_at: '' }).toEqual({ ...first, bundle_id: '', generated_at: '' });
  });

  test('an INVALIDATION has a higher cursor than its NEW and one of the two targets', async () => {
    const { entries } = await bundle('?after=9');
    const withdrawn = { delivery_type: 'INVALIDATION', reason: '정정', issued_at: expect.any(String) as string };
    expect(entries).toEqual([
      { ...withdrawn, cursor: 10, target_explanation_result_id: 'res-1' },
      { ...withdrawn, cursor: 11, target_movement_analysis_id: 'ana-3' },
      { ...withdrawn, cursor: 12, target_explanation_result_id: 'res-5' },
    ]);
  });

  test.each([
    ['?after=-1', '400 SYNC4001'],
    ['?after=-9007199254740991', '400 SYNC4001'],
    ['?after=0&limit=0', '400 SYNC4002'],
    ['?after=0&limit=501', '400 SYNC4002'],
    ['?after=0&limit=-1', '400 SYNC4002'],
    ['', '400 COMMON400'],
    ['?limit=5', '400 COMMON400'],
    ['?after', '400 COMMON400'],
    ['?after=', '400 COMMON400'],
    ['?after=1e3', '400 COMMON400'],
    ['?after=0x10', '400 COMMON400'],
    ['?after=1.0', '400 COMMON400'],
    ['?after=+1', '400 COMMON400'],
    ['?after=%2B1', '400 COMMON400'],
    ['?after=%201', '400 COMMON400'],
    ['?after=1%20', '400 COMMON400'],
    ['?after=1%00', '400 COMMON400'],
    ['?after=%EF%BC%91', '400 COMMON400'],
    ['?after=9007199254740992', '400 COMMON400'],
    ['?after=9223372036854775808', '400 COMMON400'],
    ['?after=-9223372036854775809', '400 COMMON400'],
    ['?after=ten', '400 COMMON400'],
    ['?after=null', '400 COMMON400'],
    ['?after=NaN', '400 COMMON400'],
    ['?after=%zz', '400 COMMON400'],
    ['?after=0&after=0', '400 COMMON400'],
    ['?after[]=0', '400 COMMON400'],
    ['?After=0', '400 COMMON400'],
    ['?after=0&limit=', '400 COMMON400'],
    ['?after=0&limit=ten', '400 COMMON400'],
    ['?after=0&limit=1e2', '400 COMMON400'],
    ['?after=0&limit=1.5', '400 COMMON400'],
    ['?after=0&limit=5&limit=5', '400 COMMON400'],
    ['?after=0&limit=9223372036854775808', '400 COMMON400'],
  ])('the bad query %j is %s, and 401 without a tenant', async (query, expected) => {
    const answer = await ask(query);
    expect(`${answer.status} ${answer.envelope.code}`).toBe(expected);
    expect(answer.envelope).not.toHaveProperty('result');
    expect((await stranger.get(`${url}${query}`)).envelope.code).toBe('SYNC4011');
  });

  test.each(['?after=0&limit=1', '?after=00&limit=001', '?after=-0&limit=1', '?after=0&limit=1&other=x'])(
    'the query %j is good',
    async (query) => expect(cursors(await bundle(query))).toEqual([1]),
  );

  test('a pull reader that is cut off at every point of its range never skips a record when it resumes', async () => {
    for (const limit of [1, 2, 5, HEAD, 500]) {
      for (let cutAt = 0; cutAt <= HEAD; cutAt += 1) {
        let committed = 0;
        const kept: number[] = [];
        let isCut = false;
        while (committed < HEAD) {
          const found = await bundle(`?after=${committed}&limit=${limit}`);
          // The commit of the bundle with the cut fails once: no part of it is kept.
          if (!isCut && found.cursor_to >= cutAt) {
            isCut = true;
            continue;
          }
          kept.push(...cursors(found));
          committed = found.cursor_to;
        }
        expect([limit, cutAt, kept]).toEqual([limit, cutAt, upTo(0, HEAD)]);
      }
    }
  });

  test('a pull from the middle of an earlier bundle gives the rest of it, entry by entry the same', async () => {
    const whole = await bundle('?after=0');
    for (let after = 0; after < HEAD; after += 1)
      expect((await bundle(`?after=${after}`)).entries).toEqual(whole.entries.slice(after));
  });

  // Last, because it adds records.
  test('the response is always one bundle: without limit the first 100 entries, and the rest with the next pull', async () => {
    for (let key = HEAD; key < 105; key += 1) await publish(store, read(live({ key: `more-${key}` })), AT);
    const first = await bundle('?after=0');
    expect(cursors(first)).toEqual(upTo(0, 100));
    expect(cursors(await bundle(`?after=${first.cursor_to}`))).toEqual(upTo(100, 105));
    expect(cursors(await bundle('?after=0&limit=500'))).toEqual(upTo(0, 105));
  });
});
