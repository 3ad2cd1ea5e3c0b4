/** Sources, news lineage and intraday minutes over HTTP, on both engines. */
import { describe, expect, test } from 'vitest';
import { minuteCollectionSchema, minuteDailySchema, minuteJudgmentsSchema } from '../../shared/wire/operator/minute.ts';
import { newsLineageSchema, reportSchema } from '../../shared/wire/operator/sources.ts';
import { publish } from '../publication/publish.ts';
import { live, read } from '../../test/support/cloud/loads.ts';
import { clearedFixture, minutes, type Values } from '../../test/support/cloud/pipeline-fixture.ts';
import { AT, STORE_KINDS } from '../../test/support/cloud/store.ts';

const iso = (count: number): string => minutes(count).toISOString();

describe.each(STORE_KINDS)('on %s', (_name, makeKind) => {
  const fixture = clearedFixture(makeKind);

  describe('the source report', () => {
    const report = () => fixture().view('report', reportSchema);
    const collection = (source: string, at: number, changes: Values = {}) =>
      fixture().put('source_collection', { source, status: 'SUCCEEDED', collected_at: minutes(at), ...changes });

    test('the six sources are listed before any collection, and a new one comes after them', async () => {
      const never = {
        lastCollectedAt: null,
        lastProcessedAt: null,
        nextDueAt: null,
        hours: [],
        nonTradingDays: [],
        records: null,
        latestError: null,
      };
      const six = ['NEWS', 'DISCLOSURE', 'QUOTE', 'FLOW', 'FINANCIALS', 'ETF_HOLDINGS'];
      expect(await report()).toEqual({
        asOf: AT.toISOString(),
        sources: six.map((source) => ({ source, status: 'UNKNOWN', ...never })),
      });
      await collection('WEATHER', 0);
      await collection('FX', 0);
      expect((await report()).sources.map(({ source }) => source)).toEqual([...six, 'FX', 'WEATHER']);
    });

    test.each([
      ['SUCCEEDED', null, 'NORMAL'],
      ['SUCCEEDED', 1, 'NORMAL'],
      ['SUCCEEDED', -1, 'DELAYED'],
      ['RUNNING', null, 'COLLECTING'],
      ['RUNNING', -1, 'DELAYED'],
      ['FAILED', 1, 'ERROR'],
      ['FAILED', -1, 'ERROR'],
      ['HALTED', 1, 'UNKNOWN'],
    ])('last one %s, next due in %s minutes: %s', async (status, due, expected) => {
      await collection('NEWS', -5, { status, next_due_at: due === null ? null : minutes(due) });
      expect((await report()).sources[0]?.status).toBe(expected);
    });

    test('times of the last collection and of the last that was processed well, and the newest error, each by itself', async () => {
      await collection('NEWS', -40, { status: 'FAILED', error_code: 'OLD', processed_at: null });
      await collection('NEWS', -30, { processed_at: minutes(-29), records: 12 });
      await collection('NEWS', -20, { status: 'FAILED', error_code: 'HTTP_503', error_message: null });
      await collection('NEWS', -10, { records: 0, next_due_at: minutes(5) });
      await collection('QUOTE', -1, { processed_at: AT });
      const { sources } = await report();
      expect(sources[0]).toEqual({
        source: 'NEWS',
        status: 'NORMAL',
        lastCollectedAt: iso(-10),
        lastProcessedAt: iso(-29),
        nextDueAt: iso(5),
        hours: [{ at: '2026-11-20T06:00:00.000Z', count: 4, before: [0, 0, 0, 0] }],
        nonTradingDays: [],
        records: 0,
        latestError: { code: 'HTTP_503', message: null, at: iso(-20) },
      });
      expect(sources[2]).toMatchObject({ source: 'QUOTE', records: null, latestError: null });
    });
  });

  describe('news lineage', () => {
    const news = (query = '') => fixture().view(`lineage/news${query}`, newsLineageSchema);
    const document = (document_id: string, available_at: Date, changes: Values = {}) =>
      fixture().put('document', { document_id, document_type: 'NEWS', source_code: 'YNA', available_at, ...changes });

    test('a day without news: real zeros, and no ratio of nothing', async () => {
      expect(await news()).toEqual({
        asOf: AT.toISOString(),
        date: '2026-11-20',
        stage: 'COLLECTED',
        tiles: [
          { stage: 'COLLECTED', count: 0, of: null, ratio: null, definition: 'NEWS_DOCUMENTS_OF_DATE' },
          { stage: 'STRUCTURED', count: 0, of: 0, ratio: null, definition: 'WITH_ASSERTION_OF_COLLECTED' },
          { stage: 'USED', count: 0, of: 0, ratio: null, definition: 'REACHED_BY_RUN_OF_STRUCTURED' },
        ],
        documents: { items: [], total: 0, cap: 200 },
        intradayExtraction: { ledger: 'INTRADAY_EXTRACTION', total: 0, dead: 0, byErrorCode: [] },
        unmeasured: ['EXTRACTION_TERMINAL', 'DEDUPLICATION', 'INSTRUMENT_LINKING'],
      });
    });

    test('the funnel, and the list that a tile leads to', async () => {
      await publish(fixture().store, read(live({ key: 'a', documents: 2 })), AT);
      await document('only-collected', minutes(-3), {
        title: '제목',
        source_uri: 'https://news.example/1',
        published_at: minutes(-9),
      });
      await document('structured', minutes(-2));
      await fixture().put('document_assertion', {
        document_assertion_id: 'x',
        document_id: 'structured',
        available_at: AT,
      });
      const all = await news();
      expect(all.tiles.map(({ count, of, ratio }) => [count, of, ratio])).toEqual([
        [4, null, null],
        [3, 4, 0.75],
        [2, 3, 2 / 3],
      ]);
      const listed = ({ documents }: Awaited<ReturnType<typeof news>>): unknown => [
        documents.total,
        documents.items.map(({ documentId, stage }) => `${documentId} ${stage}`),
      ];
      const used = ['doc-a-0 USED', 'doc-a-1 USED'];
      expect(listed(all)).toEqual([4, [...used, 'structured STRUCTURED', 'only-collected COLLECTED']]);
      expect(listed(await news('?stage=STRUCTURED'))).toEqual([3, [...used, 'structured STRUCTURED']]);
      expect(listed(await news('?stage=USED'))).toEqual([2, used]);
      expect(all.documents.items.slice(2)).toEqual([
        expect.objectContaining({
          documentId: 'structured',
          title: null,
          sourceUri: null,
          publishedAt: null,
          source: 'YNA',
        }),
        {
          documentId: 'only-collected',
          stage: 'COLLECTED',
          title: '제목',
          source: 'YNA',
          sourceUri: 'https://news.example/1',
          publishedAt: iso(-9),
          collectedAt: iso(-3),
        },
      ]);
    });

    test('the day is that of Korea, and disclosures are excluded', async () => {
      await document('first', new Date('2026-11-18T15:00:00Z'));
      await document('last', new Date('2026-11-19T14:59:59.999Z'));
      await document('next', new Date('2026-11-19T15:00:00Z'));
      await document('disclosed', new Date('2026-11-19T09:00:00Z'), { document_type: 'DISCLOSURE' });
      const { documents } = await news('?date=2026-11-19');
      expect(documents.items.map(({ documentId }) => documentId)).toEqual(['last', 'first']);
    });

    test('at most 200 are listed, and the total is whole', async () => {
      await Promise.all(Array.from({ length: 203 }, (_, n) => document(`d${String(n).padStart(3, '0')}`, minutes(-n))));
      const { documents } = await news();
      expect([documents.items.length, documents.total, documents.items[0]?.documentId]).toEqual([200, 203, 'd000']);
    });

    test('intraday extraction by error code, in a ledger of its own', async () => {
      const codes = [null, null, 'DEAD', 'TIMEOUT', 'DEAD', 'DEAD'];
      for (const error_code of codes) await fixture().put('intraday_extraction', { extracted_at: AT, error_code });
      await fixture().put('intraday_extraction', { extracted_at: minutes(-1440), error_code: 'DEAD' });
      const { intradayExtraction, tiles } = await news();
      expect(intradayExtraction).toEqual({
        ledger: 'INTRADAY_EXTRACTION',
        total: 6,
        dead: 3,
        byErrorCode: [
          { errorCode: null, count: 2 },
          { errorCode: 'DEAD', count: 3 },
          { errorCode: 'TIMEOUT', count: 1 },
        ],
      });
      expect(tiles.map(({ count }) => count)).toEqual([0, 0, 0]);
    });
  });

  describe('intraday minutes', () => {
    const session = (session_id: string, trading_date: string, length = 6) =>
      fixture().put('minute_session', {
        session_id,
        trading_date,
        market: 'KRX',
        opens_at: minutes(-4),
        closes_at: minutes(length - 4),
      });
    const minute = (at: number, changes: Values = {}) =>
      fixture().put('minute_collection', { session_id: 's', minute_at: minutes(at), ...changes });
    const counted = (expected_instruments: number, collected_instruments: number) => ({
      expected_instruments,
      collected_instruments,
    });

    test('no session, and a day without one', async () => {
      expect(await fixture().view('minute', minuteCollectionSchema)).toEqual({
        asOf: AT.toISOString(),
        date: null,
        sessions: [],
      });
      await session('s', '2026-11-20');
      expect(await fixture().view('minute?date=2026-11-19', minuteCollectionSchema)).toMatchObject({
        date: '2026-11-19',
        sessions: [],
      });
    });

    test('complete, partial, empty, not counted, absent and ahead are distinguished', async () => {
      await session('s', '2026-11-20');
      await session('later', '2026-11-21');
      await minute(-4, { ...counted(5, 5), failed_instruments: 0, collected_at: minutes(-3) });
      await minute(-3, { ...counted(5, 4), failed_instruments: 1, error_code: 'TIMEOUT' });
      await minute(-2, counted(5, 0));
      await minute(-1, { expected_instruments: 5 });
      const { date, sessions } = await fixture().view('minute', minuteCollectionSchema);
      expect([date, sessions.length]).toEqual(['2026-11-20', 1]);
      expect(sessions[0]).toMatchObject({
        sessionId: 's',
        minutesDue: 4,
        minutesInLedger: 4,
        opensAt: iso(-4),
        closesAt: iso(2),
      });
      const shown = sessions[0]?.minutes.map(({ state, expected, collected, failed }) => [
        state,
        expected,
        collected,
        failed,
      ]);
      expect(shown).toEqual([
        ['COMPLETE', 5, 5, 0],
        ['PARTIAL', 5, 4, 1],
        ['EMPTY', 5, 0, null],
        ['UNKNOWN', 5, null, null],
        ['AHEAD', null, null, null],
        ['AHEAD', null, null, null],
      ]);
      fixture().clock.at = minutes(1);
      const later = (await fixture().view('minute', minuteCollectionSchema)).sessions[0];
      expect([later?.minutesDue, later?.minutesInLedger]).toEqual([5, 4]);
      expect(later?.minutes.slice(4).map(({ state }) => state)).toEqual(['ABSENT', 'AHEAD']);
    });

    test('a minute outside the grid of its session is listed in its place', async () => {
      await session('s', '2026-11-20', 2);
      await minute(-5, counted(0, 0));
      const [only] = (await fixture().view('minute', minuteCollectionSchema)).sessions;
      expect(only?.minutes.map(({ at, state }) => [at, state])).toEqual([
        [iso(-5), 'COMPLETE'],
        [iso(-4), 'ABSENT'],
        [iso(-3), 'ABSENT'],
      ]);
      expect([only?.minutesDue, only?.minutesInLedger]).toEqual([2, 0]);
    });

    test('daily judgements of the last days with sessions, newest first; without one it is null', async () => {
      for (const day of ['17', '18', '19', '20', '21']) await session(`s${day}`, `2026-11-${day}`);
      await session('t19', '2026-11-19');
      await fixture().put('minute_daily_judgment', {
        session_id: 's19',
        verdict: 'PARTIAL',
        judged_at: AT,
        minutes_expected: 390,
        minutes_collected: 0,
        reason: 'GAP',
      });
      await fixture().put('minute_daily_judgment', { session_id: 's18', verdict: 'COMPLETE', judged_at: AT });
      await fixture().put('minute_judgment_ground', {
        session_id: 's19',
        instrument_id: 'i',
        minute_at: AT,
        judgment: 'FIRE',
        judged_at: AT,
      });
      const { days } = await fixture().view('minute/daily?days=3', minuteDailySchema);
      const judged = {
        verdict: 'PARTIAL',
        judgedAt: AT.toISOString(),
        minutesExpected: 390,
        minutesCollected: 0,
        reason: 'GAP',
      };
      expect(days).toEqual([
        { sessionId: 's20', tradingDate: '2026-11-20', market: 'KRX', judgment: null, grounds: 0 },
        { sessionId: 's19', tradingDate: '2026-11-19', market: 'KRX', judgment: judged, grounds: 1 },
        { sessionId: 't19', tradingDate: '2026-11-19', market: 'KRX', judgment: null, grounds: 0 },
        {
          sessionId: 's18',
          tradingDate: '2026-11-18',
          market: 'KRX',
          judgment: {
            verdict: 'COMPLETE',
            judgedAt: AT.toISOString(),
            minutesExpected: null,
            minutesCollected: null,
            reason: null,
          },
          grounds: 0,
        },
      ]);
      expect((await fixture().view('minute/daily', minuteDailySchema)).days).toHaveLength(5);
    });

    test('grounds of a session as stored, page by page, without a new judgement', async () => {
      await session('s', '2026-11-20');
      await session('other', '2026-11-20');
      await publish(fixture().store, read(live({ key: 'a' })), AT);
      const ground = { session_id: 's', minute_at: AT, judgment: 'HOLD', judged_at: AT };
      await fixture().put('minute_judgment_ground', { ...ground, minute_at: minutes(1), instrument_id: 'nobody' });
      await fixture().put('minute_judgment_ground', {
        ...ground,
        instrument_id: 'inst-069500',
        judgment: 'FIRE',
        price: 0,
        reference_price: 10_150.5,
        change_rate: -0.0123,
        threshold: 0.01,
        reason: 'THRESHOLD',
        original_text: '원문',
      });
      await fixture().put('minute_judgment_ground', { ...ground, session_id: 'other', instrument_id: 'x' });
      const ask = (query: string) => fixture().view(`minute/judgments?sessionId=s${query}`, minuteJudgmentsSchema);
      expect(await ask('&size=1')).toEqual({
        sessionId: 's',
        tradingDate: '2026-11-20',
        market: 'KRX',
        items: [
          {
            instrumentId: 'inst-069500',
            ticker: '069500',
            name: 'KODEX 069500',
            minute: AT.toISOString(),
            judgment: 'FIRE',
            price: 0,
            referencePrice: 10_150.5,
            changeRate: -0.0123,
            threshold: 0.01,
            reason: 'THRESHOLD',
            originalText: '원문',
            judgedAt: AT.toISOString(),
          },
        ],
        page: 1,
        size: 1,
        total: 2,
        notOffered: ['ORIGINAL_TEXT_REVERIFICATION', 'RECOMPUTATION'],
      });
      expect((await ask('&size=1&page=2')).items).toMatchObject([
        { instrumentId: 'nobody', ticker: null, name: null, price: null, reason: null },
      ]);
      expect((await ask('&page=9')).items).toEqual([]);
      expect(await fixture().ask('minute/judgments?sessionId=nobody')).toMatchObject({
        status: 404,
        code: 'COMMON404',
      });
    });
  });
});
