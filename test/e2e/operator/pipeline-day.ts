/** One day of the pipeline for the operator's screens: good, bad and unknown events. */
import type { Load } from '../../../cloud/publication/load.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { live, read, v2 } from '../../support/cloud/loads.ts';
import { minutes, type PipelineFixture, type Values } from '../../support/cloud/pipeline-fixture.ts';
import { AT } from '../../support/cloud/store.ts';
import { addTenant } from '../../../cloud/pki/registry.ts';
import { PullLog } from '../../../cloud/sync/pull-log.ts';

const DAY = '2026-11-20';
const BEFORE = ['2026-11-13', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];
const at = (date: string, clock: string): Date => new Date(`${date}T${clock}:00+09:00`);

const contract = (dataset: string, changes: Values = {}): Values => ({
  dataset,
  contract_key: `${dataset}/daily`,
  expected_as_of: DAY,
  actual_as_of: DAY,
  freshness_status: 'FRESH',
  records_out: 1_240,
  unsupported_records: 0,
  failed_records: 0,
  completeness_expected: 1_240,
  completeness_actual: 1_240,
  collected_at: minutes(-40),
  ...changes,
});

const LOST = { status: 'FAILED', error_code: 'HTTP_503', error_message: '제공처가 503으로 답함' };

async function runs(fixture: PipelineFixture): Promise<void> {
  for (const date of BEFORE) {
    for (const lane of ['market', 'news', 'disclosure', 'intraday_flow', 'source_observation']) {
      const isBad = lane === 'disclosure' && date === '2026-11-18';
      await fixture.run(
        {
          run_key: `${lane}/${date}/close`,
          status: isBad ? 'FAILED' : 'SUCCEEDED',
          created_at: at(date, '15:40'),
          updated_at: at(date, '16:05'),
          deadline: at(date, '17:00'),
        },
        contract('daily', lane === 'news' && date === '2026-11-19' ? { failed_records: 4 } : {}),
      );
    }
  }
  const today = { created_at: minutes(-50), updated_at: minutes(-6), deadline: minutes(60) };
  await fixture.run(
    {
      run_key: `market/${DAY}/close`,
      ...today,
      execution_id: 'arn:aws:states:ap-northeast-2:1:execution:market:20261120',
    },
    contract('krx_daily_price'),
    contract('krx_investor_flow', { unsupported_records: 12 }),
    contract('etf_nav', { stage: 'normalize', records_out: 0, completeness_actual: 0, completeness_expected: 0 }),
    { stage: 'serve', dataset: 'price_board', records_out: null },
  );
  await fixture.run(
    { run_key: `news/${DAY}/1500`, ...today },
    contract('news_raw', { failed_records: 7, records_out: 312 }),
    contract('news_body', { stage: 'normalize', freshness_status: 'UNKNOWN', freshness_reason: 'SOURCE_TIME_ABSENT' }),
    { stage: 'extract', dataset: 'assertions', required: false, attempts: [LOST] },
  );
  await fixture.run(
    { run_key: `disclosure/${DAY}/close`, ...today, status: 'FAILED' },
    contract('dart_list'),
    contract('dart_body', { completeness_actual: 1_100, attempts: [LOST, { ...LOST, started_at: minutes(-20) }] }),
    contract('dart_body_kr', { attempts: [{ status: 'SUCCEEDED', duplicate_retry: true }, LOST] }),
    { stage: 'normalize', dataset: 'facts', attempts: [] },
    { stage: 'normalize', dataset: 'tables', attempts: [] },
    { stage: 'serve', dataset: 'board', plan_status: 'NOT_DUE', attempts: [] },
  );
  await fixture.run(
    { run_key: `intraday_flow/${DAY}/1530`, ...today, status: 'RUNNING' },
    contract('flow_1m', { attempts: [{ status: 'RUNNING' }], records_out: null }),
    { stage: 'normalize', dataset: 'flow_5m', attempts: [] },
  );
  await fixture.run({ run_key: `source_observation/${DAY}/0900`, ...today }, contract('observation'));
  await fixture.slot(`source_observation/${DAY}/1500`, { opened_at: minutes(-30) }, minutes(-40));
}

async function sources(fixture: PipelineFixture): Promise<void> {
  const collection = (source: string, ago: number, changes: Values = {}) =>
    fixture.put('source_collection', {
      source,
      status: 'SUCCEEDED',
      collected_at: minutes(-ago),
      processed_at: minutes(1 - ago),
      next_due_at: minutes(10),
      records: 120,
      ...changes,
    });
  await collection('NEWS', 3);
  await collection('DISCLOSURE', 12, {
    status: 'FAILED',
    processed_at: null,
    records: null,
    error_code: 'HTTP_503',
    error_message: '제공처가 503으로 답함',
  });
  await collection('QUOTE', 1, { status: 'RUNNING', processed_at: null, records: 0 });
  await collection('FLOW', 40, { next_due_at: minutes(-20) });
  await collection('ETF_HOLDINGS', 200, { next_due_at: null });
}

async function minutesOfToday(fixture: PipelineFixture): Promise<void> {
  const opens = at(DAY, '09:00');
  await fixture.put(
    'minute_session',
    { session_id: 'krx-20261120', trading_date: DAY, market: 'KRX', opens_at: opens, closes_at: at(DAY, '15:30') },
    {
      session_id: 'krx-20261119',
      trading_date: '2026-11-19',
      market: 'KRX',
      opens_at: at('2026-11-19', '09:00'),
      closes_at: at('2026-11-19', '15:30'),
    },
  );
  await fixture.put(
    'minute_collection',
    ...Array.from({ length: 390 }, (_, index) => index)
      .filter((index) => index < 250 || index > 254)
      .map((index) => ({
        session_id: 'krx-20261120',
        minute_at: new Date(opens.getTime() + index * 60_000),
        expected_instruments: index === 300 ? null : 820,
        collected_instruments: index === 300 ? null : index === 100 || index === 101 ? 640 : index === 200 ? 0 : 820,
        failed_instruments: index === 300 ? null : index === 100 || index === 101 ? 180 : index === 200 ? 820 : 0,
        collected_at: new Date(opens.getTime() + index * 60_000 + 20_000),
        error_code: index === 100 || index === 101 ? 'TIMEOUT' : null,
      })),
  );
  await fixture.put('minute_daily_judgment', {
    session_id: 'krx-20261119',
    verdict: 'COMPLETE',
    judged_at: at('2026-11-19', '15:45'),
    minutes_expected: 390,
    minutes_collected: 390,
    reason: null,
  });
  await fixture.put('minute_judgment_ground', {
    session_id: 'krx-20261119',
    instrument_id: 'inst-900101',
    minute_at: at('2026-11-19', '10:31'),
    judgment: 'FIRE',
    price: 10_250,
    reference_price: 10_000,
    change_rate: 0.025,
    threshold: 0.02,
    reason: '기준가보다 2.5% 올라 임계를 넘음',
    original_text: '900101,10250,103100',
    judged_at: at('2026-11-19', '10:32'),
  });
}

/** Analyses of the day's ETFs; one depends on missing holdings. */
async function analyses(fixture: PipelineFixture): Promise<void> {
  const named = (load: Load, name: string, change: number | null): Load => ({
    ...load,
    instrument: { ...load.instrument, name },
    trigger: { ...load.trigger, observed_return: change },
  });
  const taken = [
    named(
      live({
        key: 'chips',
        ticker: '900101',
        documents: 3,
        summary:
          '반도체 수출이 석 달 연속 늘었다는 소식에 종가는 전일보다 1.23% 올랐습니다. 대형주 두 종목이 상승분의 절반을 차지했습니다.',
      }),
      '한강 반도체 ETF',
      0.0123,
    ),
    named(
      live({ key: 'banks', ticker: '900102', summary: '금리 인하 전망에 은행주가 내려 2.07% 하락했습니다.' }),
      '한강 은행 ETF',
      -0.0207,
    ),
    named(live({ key: 'flat', ticker: '900103', summary: '큰 변동이 없었습니다.' }), '한강 보합 ETF', 0),
    named(
      {
        ...v2({ key: 'plain', ticker: '900104' }),
        lineage: { documents: [], source_events: [], event_evidences: [], disclosure_facts: [], calculations: [] },
      },
      '한강 통신 ETF',
      null,
    ),
  ];
  for (const [index, load] of taken.entries()) await publish(fixture.store, read(load), minutes(index - 30));
}

async function holdings(fixture: PipelineFixture): Promise<void> {
  await fixture.put('holdings_snapshot', { reference_date: DAY, taken_at: minutes(-400) });
  const etfs = ['inst-900101', 'inst-900102', 'inst-900103', 'inst-unknown'];
  for (const etf_instrument_id of etfs)
    await fixture.put('holdings_expected', { reference_date: DAY, etf_instrument_id });
  await fixture.put('holdings_load', {
    reference_date: DAY,
    status: 'SUCCEEDED',
    started_at: minutes(-390),
    ended_at: minutes(-380),
  });
  const holdings_load_id = await fixture.newestId('holdings_load');
  for (const etf_instrument_id of ['inst-900102', 'inst-900103'])
    await fixture.put('holdings_loaded', {
      reference_date: DAY,
      etf_instrument_id,
      holdings_load_id,
      loaded_at: minutes(-385),
      constituents: 40,
    });
}

/** Collected-only news, besides those that the analyses use; and the other ledger's extractions. */
async function news(fixture: PipelineFixture): Promise<void> {
  for (let index = 0; index < 4; index += 1)
    await fixture.put('document', {
      document_id: `raw-${index}`,
      document_type: 'NEWS',
      title: index === 3 ? null : `수집만 된 기사 ${index}`,
      source_code: '한강경제',
      published_at: minutes(-90 - index),
      source_uri: index === 2 ? null : `https://news.example/raw/${index}`,
      available_at: minutes(-80 - index),
    });
  for (const error_code of [null, null, null, 'DEAD', 'TIMEOUT'])
    await fixture.put('intraday_extraction', { extracted_at: minutes(-30), error_code });
}

/** One tenant in each connection status. */
async function tenants(fixture: PipelineFixture): Promise<void> {
  for (const [index, name] of ['한국증권', '서울증권', '부산투자증권', '대한자산운용'].entries())
    await addTenant(
      fixture.store.db,
      {
        name,
        environment: index === 3 ? 'POC' : 'PRODUCTION',
        adminName: '김관리',
        adminEmail: `admin@tenant-${index + 1}.example`,
        memo: index === 0 ? '2단계 확대 예정' : null,
      },
      minutes(index - 50_000),
    );
  const log = new PullLog(fixture.store, (error) => {
    throw error;
  });
  const pull = (tenantId: number, ago: number, outcome: string, entries: number): void =>
    log.note({
      tenantId,
      at: minutes(-ago),
      after: 0,
      to: entries,
      entries,
      outcome,
      message:
        outcome === 'COMMON200' ? null : 'The client certificate is revoked, or its tenant does not exist any more.',
    });
  pull(1, 1, 'COMMON200', 3);
  pull(2, 45, 'COMMON200', 2);
  pull(3, 90, 'COMMON200', 1);
  pull(3, 2, 'SYNC4031', 0);
  await log.flush();
}

/** Writes everything, with the clock of the database at `AT`. */
export async function writePipelineDay(fixture: PipelineFixture): Promise<void> {
  await fixture.clear();
  fixture.clock.at = AT;
  await tenants(fixture);
  await analyses(fixture);
  await runs(fixture);
  await sources(fixture);
  await minutesOfToday(fixture);
  await holdings(fixture);
  await news(fixture);
}
