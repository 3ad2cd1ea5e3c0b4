import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { backfill, live, makeLineage, read, result, v2 } from '../../test/support/cloud/loads.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { addTenants, AT, deliveries, reset, BOTH_KINDS } from '../../test/support/cloud/store.ts';
import type { Store, Trx } from '../store/open.ts';
import type { Load } from './load.ts';
import { FanOutCountError, fanOutInvalidation, fanOutNew } from './fan-out.ts';
import { publish, type Outcome } from './publish.ts';
import { LoadRefusedError } from './refusal.ts';
import { withdraw } from './withdraw.ts';

describe.each(BOTH_KINDS)('publication on %s', (_name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(() => reset(store));

  const take = (load: Load): Promise<Outcome> => publish(store, read(load), AT);
  const refusal = async (load: Load): Promise<{ code: string; message: string }> => {
    const error = await take(load).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LoadRefusedError);
    return error as LoadRefusedError;
  };
  const takeDown = (id: string, reason = '수치 오류'): Promise<number | null> =>
    store.transaction((trx) => withdraw(trx, { explanationResultId: id }, reason, AT));
  const states = async (): Promise<Record<string, string>> => {
    const { rows } = await sql<{ id: string; state: string }>`
      select explanation_result_id as id, publication_status || coalesce(' ' || draft_reason, '') as state from explanation_result
      union all select movement_analysis_id, publication_status || ' ' || exposure_status from movement_analysis`.execute(
      store.db,
    );
    return Object.fromEntries(rows.map((row) => [row.id, row.state]));
  };
  const sent = async (): Promise<string[]> =>
    (await deliveries(store)).map((row) => {
      const about =
        row.explanation_result_id ??
        row.movement_analysis_id ??
        row.target_explanation_result_id ??
        row.target_movement_analysis_id;
      return `${row.tenant_id}:${row.cursor} ${row.delivery_type} ${about}`;
    });
  const countRows = async (table: string): Promise<number> =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(store.db)).rows[0]?.n ?? -1;

  test('without the count of fan-outs nothing is published or withdrawn: it would reach no tenant', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a' }));
    await sql`delete from fan_out_count`.execute(store.db);
    await expect(take(live({ key: 'b' }))).rejects.toThrow(FanOutCountError);
    await expect(takeDown('res-a')).rejects.toThrow(/fan_out_count must have its one row/);
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED' });
    await sql`insert into fan_out_count (fan_outs) values (1)`.execute(store.db);
    expect(await take(live({ key: 'b' }))).toMatchObject({ deliveries: 1 });
  });

  test('a result is published with one NEW record per tenant', async () => {
    await addTenants(store, 3);
    expect(await take(live({ key: 'a' }))).toEqual({
      outcome: 'PUBLISHED',
      id: 'res-a',
      reason: null,
      message: null,
      repeated: false,
      deliveries: 3,
    });
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED' });
    expect(await sent()).toEqual(['1:1 NEW res-a', '2:1 NEW res-a', '3:1 NEW res-a']);
  });

  test('a second result of a route is kept as DRAFT, route_already_published, without a record', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a', route: 'r' }));
    expect(await take(live({ key: 'b', route: 'r' }))).toMatchObject({
      outcome: 'DRAFT',
      reason: 'route_already_published',
      deliveries: 0,
    });
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED', 'res-b': 'DRAFT route_already_published' });
    expect(await sent()).toEqual(['1:1 NEW res-a']);
  });

  test('without measured values: DRAFT, surface_absent; a later rerun publishes', async () => {
    await addTenants(store, 1);
    const failed = live(
      { key: 'a', route: 'r' },
      { result: { ...result({ key: 'a' }), surface: null }, failure: { exception_type: 'KeyError', message: 'x' } },
    );
    expect(await take(failed)).toMatchObject({ outcome: 'DRAFT', reason: 'surface_absent', deliveries: 0 });
    expect(await take(live({ key: 'b', route: 'r' }))).toMatchObject({ outcome: 'PUBLISHED' });
    expect(await states()).toEqual({ 'res-a': 'DRAFT surface_absent', 'res-b': 'PUBLISHED' });
  });

  test('a failed backfill writes no row at all', async () => {
    const failure = { exception_type: 'ValueError', message: 'window' };
    expect(await take(backfill({ key: 'a' }, { result: null, failure }))).toMatchObject({
      outcome: 'SKIPPED',
      reason: 'value_error',
      id: null,
    });
    expect(await take(backfill({ key: 'a' }, { failure: { ...failure, exception_type: 'OSError' } }))).toMatchObject({
      outcome: 'FAILED',
      reason: 'BACKFILL_FAILED',
    });
    for (const table of [
      'entity',
      'instrument',
      'price_movement_trigger',
      'explanation_run',
      'explanation_result',
      'document',
    ]) {
      expect([table, await countRows(table)]).toEqual([table, 0]);
    }
  });

  test('UNCERTAIN with measured values is published and delivered', async () => {
    await addTenants(store, 1);
    const load = live({ key: 'a' }, { result: { ...result({ key: 'a' }), explanation_type: 'UNCERTAIN' } });
    expect(await take(load)).toMatchObject({ outcome: 'PUBLISHED', deliveries: 1 });
  });

  test('a daily run and a backfill with measured values are published and delivered like every other', async () => {
    await addTenants(store, 1);
    expect(await take({ ...live({ key: 'a' }), mode: 'DAILY' })).toMatchObject({ outcome: 'PUBLISHED', deliveries: 1 });
    expect(await take(backfill({ key: 'b' }))).toMatchObject({ outcome: 'PUBLISHED', deliveries: 1 });
    expect(await take(backfill({ key: 'c', route: 'b' }))).toMatchObject({
      outcome: 'DRAFT',
      reason: 'route_already_published',
    });
    expect(await sent()).toEqual(['1:1 NEW res-a', '1:2 NEW res-b']);
  });

  test('fan-out rule 2: both issuers hold the one advisory lock tenant-delivery-fanout until they commit', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a' }));
    const locks = (trx: Trx): Promise<number> =>
      sql<{ n: number }>`
        select count(*) as n from pg_locks
        where locktype = 'advisory' and pid = pg_backend_pid() and granted and mode = 'ExclusiveLock'
          and ((classid::bigint << 32) | objid::bigint) = hashtextextended('tenant-delivery-fanout', 0)`
        .execute(trx)
        .then(({ rows }) => rows[0]?.n ?? 0);
    await store.transaction(async (trx) => {
      expect(await locks(trx)).toBe(0);
      await fanOutInvalidation(trx, { explanationResultId: 'res-a' }, 'x', AT);
      expect(await locks(trx)).toBe(1);
    });
    await store.transaction(async (trx) => {
      expect(await locks(trx)).toBe(0);
      await sql`delete from tenant_delivery`.execute(trx);
      await fanOutNew(trx, { explanationResultId: 'res-a' }, AT);
      expect(await locks(trx)).toBe(1);
    });
  });

  test('republication: the old copy is withdrawn first, then the new one published', async () => {
    await addTenants(store, 2);
    await take(live({ key: 'a', route: 'r' }));
    expect(await take(live({ key: 'b', route: 'r' }, { republication: { reason: '수치 정정' } }))).toMatchObject({
      outcome: 'PUBLISHED',
      deliveries: 2,
    });
    expect(await states()).toEqual({ 'res-a': 'WITHDRAWN', 'res-b': 'PUBLISHED' });
    expect(await sent()).toEqual([
      '1:1 NEW res-a',
      '1:2 INVALIDATION res-a',
      '1:3 NEW res-b',
      '2:1 NEW res-a',
      '2:2 INVALIDATION res-a',
      '2:3 NEW res-b',
    ]);
    expect((await deliveries(store))[1]?.reason).toBe('수치 정정');
  });

  test('a republication may have the very grain of the copy that it replaces', async () => {
    await addTenants(store, 1);
    const asOf = '2026-11-20T06:40:00.000Z';
    await take(live({ key: 'a', route: 'r', asOf }));
    await take(live({ key: 'b', route: 'r', asOf }, { republication: { reason: 'x' } }));
    expect(await states()).toEqual({ 'res-a': 'WITHDRAWN', 'res-b': 'PUBLISHED' });
  });

  test('a rerun after a withdrawal publishes again, with a new NEW record', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a', route: 'r' }));
    expect(await takeDown('res-a')).toBe(1);
    expect(await take(live({ key: 'b', route: 'r' }))).toMatchObject({ outcome: 'PUBLISHED', deliveries: 1 });
    expect(await sent()).toEqual(['1:1 NEW res-a', '1:2 INVALIDATION res-a', '1:3 NEW res-b']);
  });

  test('v2 is stored as AUTO_PUBLISHED and published, on a route of v1 too, and the history records it', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a', route: 'r' }));
    expect(await take(v2({ key: 'b', route: 'r' }))).toMatchObject({
      outcome: 'PUBLISHED',
      id: 'ana-b',
      deliveries: 1,
    });
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED', 'ana-b': 'PUBLISHED AUTO_PUBLISHED' });
    const { rows } = await sql`select from_status, to_status, note from movement_analysis_status_history`.execute(
      store.db,
    );
    expect(rows).toEqual([{ from_status: null, to_status: 'AUTO_PUBLISHED', note: 'v2 automatic exposure' }]);
  });

  test('several firings for one ETF on one day are each published', async () => {
    await addTenants(store, 1);
    const minute = live({ key: 'b' });
    await take(live({ key: 'a' }));
    await take({ ...minute, trigger: { ...minute.trigger, kind: 'MINUTE' } });
    expect(await sent()).toEqual(['1:1 NEW res-a', '1:2 NEW res-b']);
  });

  test('two results of one grain are never published together', async () => {
    const asOf = '2026-11-20T06:40:00.000Z';
    await take(live({ key: 'a', asOf }));
    expect(await refusal(live({ key: 'b', asOf }))).toMatchObject({ code: 'GRAIN_ALREADY_PUBLISHED' });
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED' });
    expect(await countRows('explanation_run')).toBe(1);
  });

  test('the same load again changes nothing and answers with its present state', async () => {
    await addTenants(store, 1);
    const draft = live({ key: 'b', route: 'a' });
    await take(live({ key: 'a' }));
    await take(draft);
    await take(v2({ key: 'c' }));
    const before = await sent();
    expect(await take(live({ key: 'a' }))).toMatchObject({
      outcome: 'PUBLISHED',
      id: 'res-a',
      repeated: true,
      deliveries: 0,
    });
    expect(await take(draft)).toMatchObject({ outcome: 'DRAFT', reason: 'route_already_published', repeated: true });
    expect(await take(v2({ key: 'c' }))).toMatchObject({ outcome: 'PUBLISHED', id: 'ana-c', repeated: true });
    expect(await sent()).toEqual(before);
  });

  test('a retry after a withdrawal does not publish the withdrawn text again', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a' }));
    await takeDown('res-a');
    expect(await take(live({ key: 'a' }))).toMatchObject({
      outcome: 'WITHDRAWN',
      message: `res-a was withdrawn at ${AT.toISOString()} (수치 오류) and stays so: a text that is right needs an id of its own.`,
      repeated: true,
      deliveries: 0,
    });
    expect(await states()).toEqual({ 'res-a': 'WITHDRAWN' });
    await take(v2({ key: 'b' }));
    await store.transaction((trx) => withdraw(trx, { movementAnalysisId: 'ana-b' }, 'x', AT));
    expect(await take(v2({ key: 'b' }))).toMatchObject({ outcome: 'WITHDRAWN', repeated: true });
  });

  test('an unchanged v2 analysis that a later run hands in again is not issued again', async () => {
    await addTenants(store, 1);
    const first = v2({ key: 'a' });
    await take(first);
    const later = {
      ...first,
      run: { ...first.run, explanation_run_id: 'run-later' },
      trigger: { ...first.trigger, trigger_id: 'trg-later' },
    };
    expect(await take(later)).toMatchObject({ repeated: true, deliveries: 0 });
    expect(await sent()).toEqual(['1:1 NEW ana-a']);
  });

  test('a known id with other content is refused and nothing changes', async () => {
    await take(live({ key: 'a' }));
    expect((await refusal(live({ key: 'a', summary: 'other' }))).message).toContain('res-a');
    const clash = v2({ key: 'x' });
    expect(await refusal({ ...clash, analysis: { ...clash.analysis, movement_analysis_id: 'res-a' } })).toMatchObject({
      code: 'ID_TAKEN',
    });
  });

  test('a firing is immutable: another date, time or return is refused, an unknown one is accepted', async () => {
    await take(live({ key: 'a' }));
    const again = live({ key: 'b', route: 'a' });
    for (const changed of [
      { ...again, result: { ...again.result, trade_date: '2026-11-19' } },
      { ...again, trigger: { ...again.trigger, fired_at: '2026-11-20T06:30:01Z' } },
      { ...again, trigger: { ...again.trigger, observed_return: 0.5 } },
    ])
      expect(await refusal(changed)).toMatchObject({ code: 'TRIGGER_CONFLICT' });
    await take({
      ...again,
      trigger: { ...again.trigger, fired_at: '2026-11-20T15:30:00+09:00', observed_return: null },
    });
  });

  test('a trigger of another instrument, a run with other lineage and a document with another meaning are refused', async () => {
    await take(live({ key: 'a' }));
    expect(await refusal(live({ key: 'b', route: 'a', ticker: '102110' }))).toMatchObject({ code: 'TRIGGER_CONFLICT' });
    const sameRun = live({ key: 'b' });
    expect(await refusal({ ...sameRun, run: { ...sameRun.run, explanation_run_id: 'run-a' } })).toMatchObject({
      code: 'RUN_CONFLICT',
    });
    const lineage = makeLineage('b', 1);
    const [first] = lineage.documents;
    if (first === undefined) throw new Error('no document');
    first.document_id = 'doc-a-0';
    first.source = 'ANOTHER';
    lineage.event_evidences = [];
    expect(await refusal({ ...live({ key: 'b' }), lineage })).toMatchObject({ code: 'LINEAGE_CONFLICT' });
    expect(await states()).toEqual({ 'res-a': 'PUBLISHED' });
  });

  test('known lineage keeps its values; only missing ones are filled in', async () => {
    await take(live({ key: 'a' }));
    const again = live({ key: 'b' });
    again.lineage = {
      ...again.lineage,
      documents: again.lineage.documents.map((document) => ({
        ...document,
        document_id: document.document_id.replace('-b', '-a'),
        title: 'later title',
      })),
      event_evidences: [],
      disclosure_facts: [],
    };
    const { warning } = await take(again);
    expect(warning).toMatch(/^The document doc-a-0 is known otherwise: .*"기사 0"/);
    const { rows } = await sql`select document_id, title from document order by document_id collate "C"`.execute(
      store.db,
    );
    expect(rows).toEqual([
      { document_id: 'dis-a', title: 'later title' },
      { document_id: 'doc-a-0', title: '기사 0' },
    ]);
  });

  test('an INVALIDATION goes only to tenants that received the NEW, and not to a removed one', async () => {
    await addTenants(store, 2, 'early-');
    await take(live({ key: 'a' }));
    await addTenants(store, 1, 'late-');
    await sql`update tenant set removed_at = ${AT} where tenant_id = 2`.execute(store.db);
    expect(await takeDown('res-a')).toBe(1);
    expect(await sent()).toEqual(['1:1 NEW res-a', '1:2 INVALIDATION res-a', '2:1 NEW res-a']);
  });

  test('the withdrawal of a v2 analysis carries the movement-analysis target', async () => {
    await addTenants(store, 1);
    await take(v2({ key: 'a' }));
    expect(await store.transaction((trx) => withdraw(trx, { movementAnalysisId: 'ana-a' }, 'x', AT))).toBe(1);
    expect((await deliveries(store))[1]).toMatchObject({
      delivery_type: 'INVALIDATION',
      target_movement_analysis_id: 'ana-a',
      target_explanation_result_id: null,
      explanation_result_id: null,
      movement_analysis_id: null,
    });
  });

  test('only a published explanation can be withdrawn', async () => {
    await take(live({ key: 'a' }));
    expect(await takeDown('res-a')).toBe(0);
    expect(await takeDown('res-a')).toBeNull();
    expect(await takeDown('res-unknown')).toBeNull();
  });

  test('cursors continue above the retention floor when all records are removed', async () => {
    await addTenants(store, 1);
    await take(live({ key: 'a' }));
    await take(live({ key: 'b' }));
    await sql`update tenant set retention_floor = 2`.execute(store.db);
    await sql`delete from tenant_delivery`.execute(store.db);
    await take(live({ key: 'c' }));
    expect(await sent()).toEqual(['1:3 NEW res-c']);
  });

  test.each(['locked', 'stored', 'fannedOut'] as const)(
    'a failure after the step %s leaves nothing behind',
    async (step) => {
      await addTenants(store, 1);
      const crash = publish(store, read(live({ key: 'a' })), AT, {
        onStep: async (reached) => {
          if (reached === step) throw new Error('crash');
        },
      });
      await expect(crash).rejects.toThrow('crash');
      expect(await sent()).toEqual([]);
      for (const table of ['instrument', 'document', 'explanation_run', 'explanation_result'])
        expect([table, await countRows(table)]).toEqual([table, 0]);
      expect(await take(live({ key: 'a' }))).toMatchObject({ outcome: 'PUBLISHED', repeated: false, deliveries: 1 });
    },
  );

  describe('the database refuses', () => {
    const insert = (columns: string): Promise<unknown> =>
      sql
        .raw(
          `insert into tenant_delivery (tenant_id, cursor, created_at, ${columns.split(' = ')[0]}) values (1, 9, now(), ${columns.split(' = ')[1]})`,
        )
        .execute(store.db);
    test.each([
      ['a NEW without a body', "delivery_type = 'NEW'"],
      ['a NEW with two bodies', "delivery_type, explanation_result_id, movement_analysis_id = 'NEW', 'res-a', 'ana-b'"],
      [
        'a NEW with a target',
        "delivery_type, explanation_result_id, target_explanation_result_id = 'NEW', 'res-a', 'res-a'",
      ],
      ['a NEW with a reason', "delivery_type, explanation_result_id, reason = 'NEW', 'res-a', 'x'"],
      ['an INVALIDATION without a target', "delivery_type, reason = 'INVALIDATION', 'x'"],
      [
        'an INVALIDATION with two targets',
        "delivery_type, target_explanation_result_id, target_movement_analysis_id, reason = 'INVALIDATION', 'res-a', 'ana-b', 'x'",
      ],
      [
        'an INVALIDATION with a body',
        "delivery_type, explanation_result_id, target_explanation_result_id, reason = 'INVALIDATION', 'res-a', 'res-a', 'x'",
      ],
      ['an INVALIDATION without a reason', "delivery_type, target_explanation_result_id = 'INVALIDATION', 'res-a'"],
      [
        'an INVALIDATION with a blank reason',
        "delivery_type, target_explanation_result_id, reason = 'INVALIDATION', 'res-a', ' '",
      ],
      ['the retired CORRECTION', "delivery_type, explanation_result_id = 'CORRECTION', 'res-a'"],
    ])('%s', async (_what, columns) => {
      await take(live({ key: 'a' }));
      await take(v2({ key: 'b' }));
      await expect(insert(columns)).rejects.toThrow('tenant_delivery_shape');
    });

    test('a second record for the same tenant and result, a used cursor, a cursor of 0', async () => {
      await addTenants(store, 1);
      await take(live({ key: 'a' }));
      await take(live({ key: 'b', route: 'a' }));
      await expect(insert("delivery_type, explanation_result_id = 'NEW', 'res-a'")).rejects.toThrow(/unique|duplicate/);
      const raw = (cursor: number): Promise<unknown> =>
        sql`insert into tenant_delivery (tenant_id, cursor, created_at, delivery_type, explanation_result_id) values (1, ${cursor}, now(), 'NEW', 'res-b')`.execute(
          store.db,
        );
      await expect(raw(1)).rejects.toThrow(/unique|duplicate/);
      await expect(raw(0)).rejects.toThrow(/check/);
    });
  });
});
