/** Holdings impact over HTTP, on both engines. */
import { describe, expect, test } from 'vitest';
import { holdingsImpactSchema } from '../../shared/wire/operator/sources.ts';
import { publish } from '../publication/publish.ts';
import { withdraw } from '../publication/withdraw.ts';
import { live, read, v2 } from '../../test/support/cloud/loads.ts';
import { clearedFixture, minutes } from '../../test/support/cloud/pipeline-fixture.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';

const iso = (count: number): string => minutes(count).toISOString();

describe.each(STORE_KINDS)('holdings impact on %s', (_name, makeKind) => {
  const fixture = clearedFixture(makeKind);

  const impact = (query = '') => fixture().view(`impact/holdings${query}`, holdingsImpactSchema);
  const expectAll = async (...etfs: string[]): Promise<void> => {
    await fixture().put('holdings_snapshot', { reference_date: '2026-11-20', taken_at: minutes(-60) });
    for (const etf_instrument_id of etfs)
      await fixture().put('holdings_expected', { reference_date: '2026-11-20', etf_instrument_id });
  };
  const load = async (startedAt: number, endedAt: number | null, ...etfs: string[]): Promise<void> => {
    const status = endedAt === null ? 'RUNNING' : 'SUCCEEDED';
    await fixture().put('holdings_load', {
      reference_date: '2026-11-20',
      status,
      started_at: minutes(startedAt),
      ended_at: endedAt === null ? null : minutes(endedAt),
    });
    const holdings_load_id = await fixture().newestId('holdings_load');
    for (const etf_instrument_id of etfs)
      await fixture().put('holdings_loaded', {
        reference_date: '2026-11-20',
        etf_instrument_id,
        holdings_load_id,
        loaded_at: minutes(startedAt + 1),
      });
  };
  const unjudged = {
    expected: null,
    loaded: null,
    missing: null,
    resolved: null,
    analyses: null,
    rerunRecommended: null,
  };

  test('nothing at all, and a date without a load: UNKNOWN, which is not "no impact"', async () => {
    const absent = { state: 'UNKNOWN', reason: 'REFERENCE_DATE_ABSENT', load: null, ...unjudged };
    expect(await impact()).toEqual({ asOf: AT.toISOString(), referenceDate: null, snapshotTakenAt: null, ...absent });
    await expectAll('a');
    expect(await impact()).toMatchObject({ referenceDate: null, ...absent });
    expect(await impact('?referenceDate=2026-11-20')).toMatchObject({
      referenceDate: '2026-11-20',
      snapshotTakenAt: iso(-60),
      ...absent,
    });
  });

  test('without an expected list: UNKNOWN', async () => {
    await load(-10, -5, 'a');
    expect(await impact()).toMatchObject({
      referenceDate: '2026-11-20',
      state: 'UNKNOWN',
      reason: 'EXPECTED_LIST_ABSENT',
      ...unjudged,
    });
  });

  test('while the load runs: WITHHELD, a second one included', async () => {
    await expectAll('a', 'b');
    await load(-10, null, 'a');
    const running = { status: 'RUNNING', startedAt: iso(-10), endedAt: null };
    expect(await impact()).toMatchObject({
      state: 'WITHHELD',
      reason: 'LOAD_IN_PROGRESS',
      load: running,
      ...unjudged,
    });
    await load(-9, -8);
    expect((await impact()).state).toBe('IMPACT');
    await load(-7, null);
    expect((await impact()).state).toBe('WITHHELD');
  });

  test('all loaded: NO_IMPACT, with the judged gaps as empty lists', async () => {
    await expectAll('a', 'b');
    await load(-10, -5, 'a', 'b', 'beyond');
    expect(await impact()).toMatchObject({
      state: 'NO_IMPACT',
      reason: null,
      expected: 2,
      loaded: 2,
      missing: [],
      resolved: [],
      analyses: { items: [], total: 0 },
      rerunRecommended: false,
    });
  });

  test('one missing: IMPACT with its analyses of that date alone; a later load: RESOLVED', async () => {
    await publish(fixture().store, read(live({ key: 'a' })), AT);
    await publish(fixture().store, read(live({ key: 'again', route: 'a' })), AT);
    await publish(fixture().store, read(v2({ key: 'v2' })), AT);
    await publish(fixture().store, read(live({ key: 'fine', ticker: '114800' })), AT);
    await fixture().store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-a' }, 'x', AT));
    await expectAll('inst-069500', 'inst-114800', 'nobody');
    await load(-10, -5, 'inst-114800');
    const answer = await impact();
    expect(answer).toMatchObject({
      state: 'IMPACT',
      expected: 3,
      loaded: 1,
      missing: [
        { instrumentId: 'inst-069500', ticker: '069500', name: 'KODEX 069500' },
        { instrumentId: 'nobody', ticker: null, name: null },
      ],
      resolved: [],
      rerunRecommended: true,
    });
    expect(
      answer.analyses?.items
        .map(({ id, analysisEngine, publicationState }) => [id, analysisEngine, publicationState])
        .toSorted(),
    ).toEqual([
      ['ana-v2', 'v2', 'PUBLISHED'],
      ['res-a', 'v1', 'INVALIDATED'],
      ['res-again', 'v1', 'UNPUBLISHED'],
    ]);
    expect(answer.analyses?.total).toBe(3);
    await load(-3, -2, 'inst-069500', 'nobody');
    expect(await impact('?referenceDate=2026-11-20')).toMatchObject({
      state: 'RESOLVED',
      reason: null,
      loaded: 3,
      missing: [],
      resolved: [
        { instrumentId: 'inst-069500', loadedAt: iso(-2) },
        { instrumentId: 'nobody', loadedAt: iso(-2) },
      ],
      analyses: { items: [], total: 0 },
      rerunRecommended: false,
    });
  });

  test('an analysis is named as its load told it, also after a change', async () => {
    await publish(fixture().store, read(live({ key: 'a' })), AT);
    const renamed = live({ key: 'b' });
    const instrument = { ...renamed.instrument, ticker: '123456', name: 'KODEX 새이름' };
    await publish(fixture().store, read({ ...renamed, instrument, instrument_change: true }), AT);
    await expectAll('inst-069500');
    await load(-10, -5);
    const { missing, analyses } = await impact();
    expect(missing).toMatchObject([{ ticker: '123456', name: 'KODEX 새이름' }]);
    expect(analyses?.items.map(({ id, ticker, instrumentName }) => [id, ticker, instrumentName])).toEqual([
      ['res-a', '069500', 'KODEX 069500'],
      ['res-b', '123456', 'KODEX 새이름'],
    ]);
  });

  test('a gap without any analysis is an impact with a counted zero', async () => {
    await expectAll('a');
    await load(-10, -5);
    expect(await impact()).toMatchObject({
      state: 'IMPACT',
      analyses: { items: [], total: 0 },
      rerunRecommended: true,
    });
  });

  test('analyses of other days are excluded, and the total includes unlisted ones', async () => {
    await publish(fixture().store, read(live({ key: 'a' })), AT);
    await expectAll('inst-069500');
    await load(-10, -5);
    await fixture().copyResult('res-a', 230);
    await fixture().put('holdings_load', {
      reference_date: '2026-11-19',
      status: 'SUCCEEDED',
      started_at: AT,
      ended_at: AT,
    });
    await fixture().put('holdings_snapshot', { reference_date: '2026-11-19', taken_at: AT });
    await fixture().put('holdings_expected', { reference_date: '2026-11-19', etf_instrument_id: 'inst-069500' });
    const { analyses } = await impact();
    expect([analyses?.total, analyses?.items.length]).toEqual([231, 200]);
    expect(await impact('?referenceDate=2026-11-19')).toMatchObject({ state: 'IMPACT', analyses: { total: 0 } });
  });
});
