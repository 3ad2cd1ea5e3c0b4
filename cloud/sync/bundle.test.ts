/** The answers to a pull, on both stores: sync protocol 2 and 4. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  bundleAnswerSchema,
  calculationEvidenceSchema,
  documentEvidenceSchema,
  explanationResultSchema,
  explanationRunSchema,
  invalidationEntrySchema,
  newEntrySchema,
  sourceEventSchema,
} from '../../shared/wire/bundle.ts';
import { withdraw } from '../publication/withdraw.ts';
import { bundleFixture, PRINT, type BundleBody } from '../../test/support/cloud/bundle-fixture.ts';
import { live, result, v2, withOutput } from '../../test/support/cloud/loads.ts';
import { addTenants, AT, BOTH_KINDS } from '../../test/support/cloud/store.ts';
import { identify, IncompleteBundleError, pull } from './pull.ts';

describe.each(BOTH_KINDS)('the bundle on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  const { take, ask, register } = fixture;

  test('a NEW entry is the whole snapshot, with nullable fields null and optional ones absent', async () => {
    await take(live({ key: 'a' }));
    const { body } = await ask(0);
    expect(body).toEqual({
      isSuccess: true,
      code: 'COMMON200',
      message: 'OK',
      result: {
        bundle_id: '00000000-0000-4000-8000-000000000001',
        tenant_id: 1,
        generated_at: '2026-11-20T08:00:00.123Z',
        cursor_from: 0,
        cursor_to: 1,
        entries: [
          {
            cursor: 1,
            issued_at: AT.toISOString(),
            delivery_type: 'NEW',
            explanation_result: {
              explanation_result_id: 'res-a',
              etf_instrument_id: 'inst-069500',
              etf_ticker: '069500',
              etf_name: 'KODEX 069500',
              trade_date: '2026-11-20',
              explanation_as_of: result({ key: 'a' }).explanation_as_of,
              explanation_type: 'EVENT_SUPPORTED',
              summary: 'a: 반도체 업황 우려로 하락했습니다.',
              confidence_level: 'HIGH',
              primary_thread_id: 'thr-a',
              content_as_of: '2026-11-20T15:30:00+09:00',
              market: 'KRX',
              observed_return: -0.0123,
            },
            explanation_run: { explanation_run_id: 'run-a', release_bundle_version: '2026.11.1' },
            source_events: [
              { source_event_id: 'evt-a-0', source_class: 'NEWS', event_type_code: 'EXPORT', event_date: '2026-11-20' },
              { source_event_id: 'evt-a-d', source_class: 'DISCLOSURE', event_type_code: 'EARNINGS', event_date: null },
            ],
            evidences: [
              {
                kind: 'NEWS',
                title: '기사 0',
                source: 'YNA',
                published_at: '2026-11-20T05:00:00.500Z',
                source_uri: 'https://news.example/a/0',
                news_id: 'news-a-0',
                tool_run_id: 'tool-a',
                item_ids: ['item-0'],
              },
              { kind: 'DISCLOSURE', title: null, source: 'DART', published_at: null, source_uri: null },
            ],
          },
        ],
      },
    });
    expect(newEntrySchema.safeParse(body.result?.entries[0]).error).toBeUndefined();
  });

  test('entries of both kinds have each field of the wire, so that none is lost behind the door', async () => {
    fixture.parts.calculations = true;
    await take(live({ key: 'a' }));
    await take(v2({ key: 'b' }));
    const entries = (await ask(0)).body.result?.entries ?? [];
    const evidences = entries.flatMap((entry) => entry.evidences ?? []);
    const isCalculation = (evidence: object) => 'formula_latex' in evidence;
    const named = (objects: unknown[]) => [...new Set(objects.flatMap((one) => Object.keys(one as object)))].toSorted();
    expect({
      result: named(entries.map((entry) => entry.explanation_result)),
      run: named(entries.map((entry) => entry['explanation_run'])),
      event: named(entries.flatMap((entry) => entry.source_events)),
      document: named(evidences.filter((evidence) => !isCalculation(evidence))),
      calculation: named(evidences.filter(isCalculation)),
    }).toEqual({
      result: named([explanationResultSchema.shape]),
      run: named([explanationRunSchema.shape]),
      event: named([sourceEventSchema.shape]),
      document: named([documentEvidenceSchema.shape]),
      calculation: named([calculationEvidenceSchema.shape]),
    });
  });

  test('v2: the analysis id is in both places, and fields that v2 lacks are null', async () => {
    await take(v2({ key: 'a' }));
    const entry = (await ask(0)).body.result?.entries[0];
    expect(entry?.explanation_result).toMatchObject({
      explanation_result_id: 'ana-a',
      explanation_type: null,
      confidence_level: null,
      content_as_of: null,
      analysis_engine: 'v2',
    });
    expect(entry?.explanation_run).toEqual({ explanation_run_id: 'ana-a', release_bundle_version: null });
    expect(entry?.evidences).toHaveLength(2);
  });

  test('an INVALIDATION has exactly one target and a reason', async () => {
    await take(live({ key: 'a' }));
    await take(v2({ key: 'b' }));
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, '수치 "오류"\n정정', AT));
    await fixture.store.transaction((trx) => withdraw(trx, { movementAnalysisId: 'ana-b' }, 'x', AT));
    const { body, text } = await ask(2);
    const withdrawn = { issued_at: AT.toISOString(), delivery_type: 'INVALIDATION' };
    expect(body.result?.entries).toEqual([
      { ...withdrawn, cursor: 3, target_explanation_result_id: 'res-a', reason: '수치 "오류"\n정정' },
      { ...withdrawn, cursor: 4, target_movement_analysis_id: 'ana-b', reason: 'x' },
    ]);
    // The console finds the time of a withdrawal by this form (`agent/ledger/explanations/last-off.ts`).
    expect(text).toContain(`{"cursor":3,"issued_at":"${AT.toISOString()}","delivery_type":"INVALIDATION"`);
    for (const entry of body.result?.entries ?? []) expect(invalidationEntrySchema.safeParse(entry).success).toBe(true);
  });

  test('nothing new: the same envelope without result, never null', async () => {
    expect((await ask(0)).text).toBe('{"isSuccess":true,"code":"COMMON200","message":"OK"}');
    await take(live({ key: 'a' }));
    expect(await ask(1)).toMatchObject({
      text: '{"isSuccess":true,"code":"COMMON200","message":"OK"}',
      head: 1,
      to: null,
      entries: 0,
    });
    expect((await ask(99)).head).toBe(1);
  });

  test('entries above after in ascending order up to limit, and following cursor_to reaches every record once', async () => {
    for (let index = 0; index < 7; index += 1) await take(live({ key: `k${index}` }));
    for (const limit of [1, 2, 3, 7, 500]) {
      const seen: string[] = [];
      let after = 0;
      for (;;) {
        const { body, entries, to } = await ask(after, limit);
        if (to === null) break;
        expect(entries).toBeLessThanOrEqual(limit);
        expect(body.result).toMatchObject({ cursor_from: after, cursor_to: to });
        seen.push(
          ...(body.result?.entries ?? []).map((entry) => String(entry.explanation_result?.explanation_result_id)),
        );
        after = to;
      }
      expect(seen).toEqual(Array.from({ length: 7 }, (_, index) => `res-k${index}`));
    }
  });

  test('bundle_id and generated_at are new in every answer, the rest is the same', async () => {
    await take(live({ key: 'a' }));
    const first = (await ask(0)).body.result;
    fixture.parts.clock.at = new Date('2026-11-20T09:00:00Z');
    const second = (await ask(0)).body.result;
    expect([second?.bundle_id, second?.generated_at]).toEqual([
      '00000000-0000-4000-8000-000000000002',
      '2026-11-20T09:00:00.000Z',
    ]);
    expect(second?.entries).toEqual(first?.entries);
  });

  test('the state at assembly time is delivered: a withdrawn text is there, with its later INVALIDATION; each under the name of its load', async () => {
    await take(live({ key: 'a' }));
    const renamed = live({ key: 'b' });
    await take({ ...renamed, instrument: { ...renamed.instrument, name: 'KODEX 200TR' } });
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'x', AT));
    const { body } = await ask(0);
    expect(
      body.result?.entries.map((entry) => [entry.cursor, entry.delivery_type, entry.explanation_result?.etf_name]),
    ).toEqual([
      [1, 'NEW', 'KODEX 069500'],
      [2, 'NEW', 'KODEX 200TR'],
      [3, 'INVALIDATION', undefined],
    ]);
  });

  test('a document that both branches reach is there once, and its events through both', async () => {
    const load = live({ key: 'a' });
    load.lineage.disclosure_facts = [
      { disclosure_fact_id: 'fact-a', source_event_id: 'evt-a-d', document_id: 'doc-a-0' },
    ];
    await take(load);
    const entry = (await ask(0)).body.result?.entries[0];
    expect(entry?.evidences?.map((evidence) => evidence.title)).toEqual(['기사 0']);
    expect(entry?.source_events?.map((event) => event.source_event_id)).toEqual(['evt-a-0', 'evt-a-d']);
  });

  test('a run without lineage has two empty arrays', async () => {
    await take({
      ...live({ key: 'a' }),
      lineage: { documents: [], source_events: [], event_evidences: [], disclosure_facts: [], calculations: [] },
    });
    expect((await ask(0)).body.result?.entries[0]).toMatchObject({ source_events: [], evidences: [] });
  });

  test('a document outside both branches is not delivered', async () => {
    const load = live({ key: 'a' });
    load.lineage.event_evidences = [];
    await take(load);
    expect((await ask(0)).body.result?.entries[0]?.evidences?.map((evidence) => evidence.kind)).toEqual(['DISCLOSURE']);
  });

  test('calculations stay behind their switch, and leave digit by digit', async () => {
    const exact =
      '{"window":5.00,"big":12345678901234567890,"small":1e-7,"huge":1e400,"tiny":-2E-999,"zero":-0,"long":0.1000000000000000055511151231257827,' +
      '"z":1,"a":null,"__proto__":{"__proto__":1},"constructor":"c","toString":[],"":"","키":"값"}';
    await take(withOutput(live({ key: 'a' }), exact));
    expect((await ask(0)).text).not.toContain('CALCULATION');
    fixture.parts.calculations = true;
    const { text, body } = await ask(0);
    expect(text).toContain(`"arguments":{"ticker":"005930","window":5},"output":${exact},"formula_latex"`);
    expect(body.result?.entries[0]?.evidences?.[2]).toMatchObject({
      kind: 'CALCULATION',
      title: '비중 가중 기여도',
      source: '구성종목·종가',
      published_at: null,
      as_of: '2026-11-20',
      tool_run_id: 'tool-a',
      item_ids: ['item-0'],
      arguments: { ticker: '005930', window: 5 },
      formula_latex: 'w_i r_i',
      description: '구성종목 수익률에 비중을 곱한 값',
    });
    expect(bundleAnswerSchema.safeParse(body).success).toBe(true);
    expect(newEntrySchema.safeParse(body.result?.entries[0]).error).toBeUndefined();
  });

  test('texts with quotes, line ends, control characters and emoji survive', async () => {
    const summary = '따옴표 " 역사선 \\ 줄\n탭\t \u0001 \u2028 이모지 👩‍👩‍👧 <b>&amp;</b>';
    await take(live({ key: 'a', summary }));
    expect((await ask(0)).body.result?.entries[0]?.explanation_result?.summary).toBe(summary);
  });

  test('a return that was not measured and a firing of the minute trigger', async () => {
    const load = live({ key: 'a' });
    await take({ ...load, trigger: { ...load.trigger, kind: 'MINUTE', observed_return: 0.00001 } });
    const other = live({ key: 'b' });
    await take({ ...other, trigger: { ...other.trigger, observed_return: null } });
    expect((await ask(0)).body.result?.entries.map((entry) => entry.explanation_result?.observed_return)).toEqual([
      0.00001,
      null,
    ]);
  });

  test('each tenant sees its own records alone', async () => {
    const other = 'cd'.repeat(32);
    await take(live({ key: 'a' }));
    await addTenants(fixture.store, 1, 'late-');
    await register(other, 3);
    await take(live({ key: 'b' }));
    const served = await pull(fixture.parts, { fingerprint: other, after: 0, limit: 100 });
    expect(served).toMatchObject({ standing: 'SERVED', tenantId: 3, head: 1, entries: 1 });
    expect(served.standing === 'SERVED' && (JSON.parse(String(served.body)) as BundleBody).result?.tenant_id).toBe(3);
  });

  test('an unknown, expired, not yet valid or revoked certificate and a removed tenant get nothing', async () => {
    await take(live({ key: 'a' }));
    const standing = async (fingerprint = PRINT): Promise<string> =>
      (await pull(fixture.parts, { fingerprint, after: 0, limit: 100 })).standing;
    expect(await standing('00'.repeat(32))).toBe('UNKNOWN');
    fixture.parts.clock.at = new Date('2027-01-01T00:00:01Z');
    expect(await standing()).toBe('EXPIRED');
    fixture.parts.clock.at = new Date('2025-12-31T23:59:59Z');
    expect(await standing()).toBe('EXPIRED');
    fixture.parts.clock.at = AT;
    expect(await standing()).toBe('SERVED');
    await sql`update tenant set removed_at = now() where tenant_id = 1`.execute(fixture.store.db);
    expect(await standing()).toBe('REVOKED');
    await sql`update tenant set removed_at = null where tenant_id = 1`.execute(fixture.store.db);
    await sql`update tenant_certificate set revoked_at = now()`.execute(fixture.store.db);
    expect(await standing()).toBe('REVOKED');
    expect(await identify(fixture.parts, PRINT)).toMatchObject({ standing: 'REVOKED', tenantId: 1 });
  });

  test('two valid certificates of one tenant overlap', async () => {
    const second = 'ef'.repeat(32);
    await register(second, 1);
    await take(live({ key: 'a' }));
    expect(await pull(fixture.parts, { fingerprint: second, after: 0, limit: 1 })).toMatchObject({
      tenantId: 1,
      entries: 1,
    });
    expect(await ask(0)).toMatchObject({ entries: 1 });
  });

  test('below the retention floor the records are removed; at the floor and above the pull continues', async () => {
    for (const key of ['a', 'b', 'c']) await take(live({ key }));
    await sql`update tenant set retention_floor = 2 where tenant_id = 1`.execute(fixture.store.db);
    await sql`delete from tenant_delivery where tenant_id = 1 and cursor <= 2`.execute(fixture.store.db);
    expect(await pull(fixture.parts, { fingerprint: PRINT, after: 1, limit: 100 })).toEqual({
      standing: 'GONE',
      tenantId: 1,
      floor: 2,
    });
    expect(await ask(2)).toMatchObject({ entries: 1, to: 3, head: 3 });
    await sql`delete from tenant_delivery where tenant_id = 1`.execute(fixture.store.db);
    expect(await ask(3)).toMatchObject({ entries: 0, head: 3 });
  });

  test('a record whose rows are missing fails loudly instead of leaving a hole', async () => {
    await take(live({ key: 'a' }));
    await sql`alter table explanation_run drop constraint explanation_run_explanation_route_id_fkey`.execute(
      fixture.store.db,
    );
    await sql`alter table explanation_result drop constraint explanation_result_explanation_route_id_fkey`.execute(
      fixture.store.db,
    );
    await sql`delete from explanation_route`.execute(fixture.store.db);
    await expect(ask(0)).rejects.toBeInstanceOf(IncompleteBundleError);
  });
});
