/** Names of instruments (D205). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { findLoad } from '../ingest/known-load.ts';
import { listAnalyses } from '../operator/analyses.ts';
import { bundleFixture } from '../../test/support/cloud/bundle-fixture.ts';
import { backfill, live, v2, type LoadWords } from '../../test/support/cloud/loads.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Load } from './load.ts';
import { markWithdrawn, withdraw } from './withdraw.ts';

interface Told {
  name?: string;
  ticker?: string;
  market?: string;
}

/** A load of a day under a name; all of one instrument. */
function told<T extends Load>(make: (words: LoadWords) => T, key: string, date: string, instrument: Told = {}): T {
  const load = make({ key });
  const dated = { trade_date: date, explanation_as_of: `${date}T06:40:00.${key.charCodeAt(0)}Z` };
  const subject =
    load.mode === 'V2' ? { analysis: { ...load.analysis, ...dated } } : { result: { ...load.result, ...dated } };
  return { ...load, ...subject, instrument: { ...load.instrument, ...instrument } };
}

const [FORMER, NAME] = ['KODEX 옛이름', 'KODEX 새이름'];

describe.each(STORE_KINDS)('the name of an instrument on %s', (_name, makeKind) => {
  const fixture = bundleFixture(makeKind);
  const present = async (): Promise<unknown> =>
    (
      await sql`select i.ticker, e.entity_name as name, i.market_code as market from instrument i join entity e using (entity_id)`.execute(
        fixture.store.db,
      )
    ).rows;
  const delivered = async (): Promise<unknown> =>
    (await fixture.ask(0)).body.result?.entries.map(({ explanation_result: result }) => [
      result?.['explanation_result_id'],
      result?.['etf_name'],
      result?.['etf_ticker'],
    ]);
  const found = async (q: string): Promise<unknown> =>
    (
      await listAnalyses(
        fixture.store.db,
        { page: 1, size: 9, publicationState: null, status: null, market: null, q },
        AT,
      )
    ).items.map(({ id, instrumentName }) => [id, instrumentName]);

  describe('today’s text is published', () => {
    beforeEach(() => fixture.take(told(live, 'a', '2026-11-20', { name: NAME })));

    test('and a backfill with the former name renames nothing', async () => {
      await fixture.take(told(backfill, 'b', '2024-01-02', { name: FORMER }));
      expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
      expect(await delivered()).toEqual([
        ['res-a', NAME, '069500'],
        ['res-b', FORMER, '069500'],
      ]);
    });

    test('and neither a live load of an earlier day nor a draft renames it', async () => {
      await fixture.take(told(live, 'b', '2026-11-19', { name: FORMER }));
      const draft = told(live, 'c', '2026-11-20', { name: FORMER });
      expect(await fixture.take({ ...draft, result: { ...draft.result, surface: null } })).toMatchObject({
        outcome: 'DRAFT',
      });
      expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
    });

    test.each<[string, (words: LoadWords) => Load]>([
      ['res-b', live],
      ['ana-b', v2],
    ])('and a later live load, %s, renames it, while the text keeps its name', async (id, make) => {
      await fixture.take(told(make, 'b', '2026-11-20', { name: 'KODEX 그다음' }));
      expect(await present()).toEqual([{ ticker: '069500', name: 'KODEX 그다음', market: 'KRX' }]);
      expect(await delivered()).toEqual([
        ['res-a', NAME, '069500'],
        [id, 'KODEX 그다음', '069500'],
      ]);
    });

    test('and another instrument under its ticker is refused, unless it is meant', async () => {
      const other = (make: (words: LoadWords) => Load, key: string): Load => {
        const load = told(make, key, '2026-11-20');
        return { ...load, instrument: { ...load.instrument, instrument_id: 'another' } };
      };
      for (const make of [live, v2])
        await expect(fixture.take(other(make, 'b'))).rejects.toMatchObject({ code: 'INSTRUMENT_CONFLICT' });
      expect(await fixture.take({ ...other(live, 'b'), instrument_change: true })).toMatchObject({
        outcome: 'PUBLISHED',
      });
      for (const load of [other(live, 'c'), told(live, 'd', '2026-11-20', { name: NAME })])
        expect(await fixture.take(load)).toMatchObject({ outcome: 'PUBLISHED' });
    });

    test.each(['2026-11-20', '2026-11-21', '2026-11-19', '2026-11-18'])(
      'and so is a backfill of another one of %s, where the ticker was not free then',
      async (date) => {
        await fixture.take(told(live, 'b', '2026-11-19', { name: NAME }));
        const load = told(backfill, 'c', date);
        const other = { ...load, instrument: { ...load.instrument, instrument_id: 'another' } };
        if (date !== '2026-11-18')
          await expect(fixture.take(other)).rejects.toMatchObject({ code: 'INSTRUMENT_CONFLICT' });
        const meant = date === '2026-11-18' ? other : { ...other, instrument_change: true };
        expect(await fixture.take(meant)).toMatchObject({ outcome: 'PUBLISHED' });
        expect(await fixture.take(told(backfill, 'd', date, { name: FORMER }))).toMatchObject({ outcome: 'PUBLISHED' });
      },
    );

    test.each<Told>([{ ticker: '999999' }, { market: 'NASDAQ' }])(
      'another %j is refused, unless it is meant',
      async (other) => {
        for (const make of [live, backfill, v2] as ((words: LoadWords) => Load)[]) {
          await expect(fixture.take(told(make, 'b', '2026-11-19', other))).rejects.toMatchObject({
            code: 'INSTRUMENT_CONFLICT',
          });
        }
        const meant = { ...told(backfill, 'b', '2024-01-02', other), instrument_change: true };
        expect(await fixture.take(meant)).toMatchObject({ outcome: 'PUBLISHED' });
        expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
        expect(await fixture.take({ ...meant, instrument_change: false })).toMatchObject({ repeated: true });
        const today = { ...told(live, 'c', '2026-11-20', { name: NAME, ...other }), instrument_change: true };
        await fixture.take(today);
        expect(await present()).toEqual([{ ticker: '069500', market: 'KRX', name: NAME, ...other }]);
        await expect(fixture.take(told(live, 'd', '2026-11-20', { name: NAME }))).rejects.toThrow(
          /is known as .*"instrument_change": true/,
        );
      },
    );
  });

  test('after a change of ticker and market each text is found and told under its own', async () => {
    await fixture.take(told(live, 'a', '2026-11-20', { name: FORMER }));
    const changed = { name: NAME, ticker: '123456', market: 'KOSDAQ' };
    await fixture.take({ ...told(v2, 'b', '2026-11-20', changed), instrument_change: true });
    expect(await findLoad(fixture.store.db, 'res-a')).toMatchObject({ ticker: '069500' });
    expect(await findLoad(fixture.store.db, 'ana-b')).toMatchObject({ ticker: '123456' });
    const ofMarket = async (market: string): Promise<unknown> => {
      const filter = { page: 1, size: 9, publicationState: null, status: null, q: null };
      const { items, total } = await listAnalyses(fixture.store.db, { ...filter, market }, AT);
      return [total, items.map((item) => [item.id, item.market])];
    };
    expect(await ofMarket('KRX')).toEqual([1, [['res-a', 'KRX']]]);
    expect(await ofMarket('kosdaq')).toEqual([1, [['ana-b', 'KOSDAQ']]]);
    expect(await ofMarket('NASDAQ')).toEqual([0, []]);
    // Both are of one instrument, which a search finds by either name.
    for (const q of ['069500', '123456', FORMER]) expect(await found(q)).toHaveLength(2);
  });

  test.each<[string, () => Load]>([
    ['a backfill', () => told(backfill, 'b', '2024-01-02', { ticker: '999999', name: FORMER })],
    [
      'a draft',
      () => {
        const draft = told(live, 'b', '2026-11-20', { ticker: '999999', name: FORMER });
        return { ...draft, result: { ...draft.result, surface: null } };
      },
    ],
  ])('%s that comes first names nothing: the live load of another ticker is taken', async (_kind, first) => {
    await fixture.take(first());
    expect(await fixture.take(told(live, 'c', '2026-11-20', { name: NAME }))).toMatchObject({ outcome: 'PUBLISHED' });
    expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
  });

  describe('a withdrawn load', () => {
    const withdrawn = async (id: string): Promise<unknown> =>
      fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: id }, 'wrong', AT));

    test.each(['2026-11-19', '2026-11-20'])('names the instrument no longer: one of %s does', async (date) => {
      await fixture.take(told(live, 'a', date, { name: NAME }));
      await fixture.take({
        ...told(live, 'b', '2026-11-20', { name: FORMER, ticker: '999999' }),
        instrument_change: true,
      });
      await withdrawn('res-b');
      expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
      expect(await fixture.take(told(live, 'c', '2026-11-20', { name: NAME }))).toMatchObject({
        outcome: 'PUBLISHED',
      });
    });

    test('gives no former ticker back that another instrument has by now', async () => {
      const renamed = told(live, 'b', '2026-11-19', { ticker: '222222' });
      const heir = told(live, 'c', '2026-11-20', { ticker: '111111' });
      await fixture.take(told(live, 'a', '2026-11-18', { ticker: '111111' }));
      await fixture.take({ ...renamed, instrument_change: true });
      await fixture.take({ ...heir, instrument: { ...heir.instrument, instrument_id: 'heir' } });
      await withdrawn('res-b');
      await expect(fixture.take(told(live, 'd', '2026-11-20', { ticker: '111111' }))).rejects.toMatchObject({
        code: 'INSTRUMENT_CONFLICT',
      });
      expect(await fixture.take(told(live, 'e', '2026-11-20', { ticker: '222222' }))).toMatchObject({
        outcome: 'PUBLISHED',
      });
    });

    test('refuses no other ticker where it was the only one, also where a load held the instrument meanwhile', async () => {
      await fixture.take(told(live, 'b', '2026-11-20', { name: FORMER, ticker: '999999' }));
      await fixture.store.transaction((trx) => markWithdrawn(trx, { explanationResultId: 'res-b' }, 'wrong', AT));
      expect(await fixture.take(told(live, 'c', '2026-11-19', { name: NAME }))).toMatchObject({
        outcome: 'PUBLISHED',
      });
      expect(await present()).toEqual([{ ticker: '069500', name: NAME, market: 'KRX' }]);
    });
  });

  test('a former and a present name are found, each with its texts', async () => {
    await fixture.take(told(live, 'a', '2026-11-19', { name: FORMER }));
    await fixture.take(told(live, 'b', '2026-11-20', { name: NAME }));
    for (const q of ['옛이름', '새이름'])
      expect(await found(q)).toEqual(
        expect.arrayContaining([
          ['res-a', FORMER],
          ['res-b', NAME],
        ]),
      );
    expect(await found('다른이름')).toEqual([]);
  });

  test('a row of another writer goes by the present name', async () => {
    await fixture.take(told(live, 'a', '2026-11-20', { name: NAME }));
    await sql`
      insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id, trade_date,
        explanation_as_of, summary, primary_thread_id, publication_status, draft_reason, load_hash, created_at)
      select 'other', explanation_run_id, explanation_route_id, etf_instrument_id, trade_date, explanation_as_of, summary,
        primary_thread_id, 'DRAFT', 'surface_absent', 'h', created_at from explanation_result`.execute(
      fixture.store.db,
    );
    expect(await found('othe')).toEqual([]);
    expect(await found(NAME)).toContainEqual(['other', NAME]);
  });
});
