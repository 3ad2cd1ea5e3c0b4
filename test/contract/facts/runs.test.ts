/** Operator API 2 and 4: the day, `meta`, `runs` and the refusals; each sentence with its rows and its whole answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFacts } from '../../../cloud/facts/facts.ts';
import { postgresKind } from '../../support/cloud/store.ts';
import type { Facts } from '../../../shared/wire/facts.ts';
import { FactsFixture, TODAY } from './fixture.ts';
import type { Ledger } from './ledger.ts';
import {
  attempt,
  ETFS,
  explanationRun,
  feeding,
  gapFact,
  gaps,
  issue,
  observation,
  outputs,
  result,
  route,
  run,
  runFact,
  task,
  trigger,
  ZEROS,
} from './rows.ts';
import { expectWhole } from './whole.ts';

let fixture: FactsFixture;
beforeAll(async () => {
  fixture = await FactsFixture.open(postgresKind);
});
beforeEach(() => fixture.clear());
afterAll(() => fixture.close());

type Case = [sentence: string, rows: Partial<Ledger>, date: string | null, answer: Partial<Facts>];

const viewed = (today: string): Pick<Facts, 'meta'> => ({ meta: { db: '2026-11-20T07:00:00.000Z', today } });
const YESTERDAY = '2026-11-19';
const future = run(9, 'market/2026-11-21/close');

const DAY: Case[] = [
  ['both empty: KST today of the database clock', {}, null, {}],
  [
    'the later of the two is a day with runs',
    { runs: [run(1, `market/${YESTERDAY}/close`)], ...gaps('market/2026-11-18/close') },
    null,
    { runs: [runFact(`market/${YESTERDAY}/close`)], ...viewed(YESTERDAY), outputs: outputs({}, ZEROS) },
  ],
  [
    'the later of the two is a day that only had a planning gap',
    { runs: [run(1, 'market/2026-11-18/close')], ...gaps(`market/${YESTERDAY}/close`) },
    null,
    {
      runs: [gapFact(`market/${YESTERDAY}/close`, 'market', YESTERDAY)],
      ...viewed(YESTERDAY),
      outputs: outputs({}, ZEROS),
    },
  ],
  [
    'capped at KST today: future runs and future slot keys are ignored in the search',
    { runs: [run(1, `market/${YESTERDAY}/close`), future], ...gaps('market/2026-11-23/open') },
    null,
    { runs: [runFact(`market/${YESTERDAY}/close`)], ...viewed(YESTERDAY) },
  ],
  [
    'gaps that are none are in no search: a resolved issue, and a slot whose run is there',
    {
      runs: [run(1, 'market/2026-11-18/close', { trading_date: '2026-11-17' })],
      slots: ['market/2026-11-18/close', `market/${YESTERDAY}/close`].map((slot_key, index) => ({
        planner_slot_id: index + 1,
        slot_key,
      })),
      issues: [issue(1, 1), issue(2, 2, { resolved_at: '2026-11-20T02:00:00Z' })],
    },
    null,
    { runs: [runFact('market/2026-11-18/close', { tradingDate: '2026-11-17' })], ...viewed('2026-11-17') },
  ],
  ['only future ones: KST today', { runs: [future], ...gaps('market/2027-01-04/open') }, null, {}],
  [
    'no lookback bound: twenty years ago',
    { runs: [run(1, 'market/2006-11-20/close')] },
    null,
    { runs: [runFact('market/2006-11-20/close')], ...viewed('2006-11-20') },
  ],
  [
    'COALESCE(trading date, KST date of creation): one instant before midnight in Korea',
    { runs: [run(1, 'news/x/1', { trading_date: null, created_at: '2026-11-19T14:59:59.999Z' })] },
    null,
    { runs: [runFact('news/x/1', { tradingDate: null })], ...viewed(YESTERDAY) },
  ],
  [
    'COALESCE(trading date, KST date of creation): midnight in Korea',
    { runs: [run(1, 'news/x/1', { trading_date: null, created_at: '2026-11-19T15:00:00Z' })] },
    null,
    { runs: [runFact('news/x/1', { tradingDate: null })] },
  ],
  [
    'the trading date wins over the date of creation, in the search and in the window',
    { runs: [run(1, `market/${YESTERDAY}/close`, { created_at: '2026-11-20T05:00:00Z' })] },
    TODAY,
    {},
  ],
  [
    'a day without anything is answered: looked, and found none',
    { runs: [future] },
    '2026-11-10',
    viewed('2026-11-10'),
  ],
];

const key = (slot: string): string => `market/${TODAY}/${slot}`;
const RUNS: Case[] = [
  [
    'ledger columns verbatim: a word that nobody knows, a deadline, an update',
    {
      runs: [
        run(1, key('close'), {
          lane: '공시 lane',
          status: 'what-is-this',
          deadline: '2026-11-20T09:30:00+09:00',
          updated_at: '2026-11-20T00:00:00.123456Z',
        }),
      ],
    },
    null,
    {
      runs: [
        runFact(key('close'), {
          lane: '공시 lane',
          ledgerStatus: 'what-is-this',
          deadline: '2026-11-20T00:30:00.000Z',
          ledgerUpdated: '2026-11-20T00:00:00.123Z',
        }),
      ],
    },
  ],
  [
    'by run key in code point order, planning gaps sorted in: U+FFFD before U+1F600',
    {
      runs: [run(1, key('\u{1F600}')), run(2, key('\uFFFD')), run(3, key('a')), run(4, key('B'))],
      ...gaps(key('b'), key('A')),
    },
    null,
    {
      runs: [
        gapFact(key('A'), 'market', TODAY),
        runFact(key('B')),
        runFact(key('a')),
        gapFact(key('b'), 'market', TODAY),
        runFact(key('\uFFFD')),
        runFact(key('\u{1F600}')),
      ],
    },
  ],
  [
    'a slot is excluded when a run with its key exists, whichever day that run belongs to',
    {
      runs: [run(1, key('close')), run(2, key('open'), { trading_date: YESTERDAY })],
      ...gaps(key('close'), key('open')),
    },
    null,
    { runs: [runFact(key('close'))] },
  ],
  [
    'a slot key that cannot be read: lane and date null, on the KST day on which its first open issue was opened',
    {
      slots: ['nonsense', 'market/2026-02-30/x', '/2026-11-20/x', 'a b/2026-11-20/x', 'market/2026-11-20/'].map(
        (slot_key, index) => ({ planner_slot_id: index + 1, slot_key }),
      ),
      issues: [
        issue(7, 1, { opened_at: '2026-11-19T15:00:00Z' }),
        issue(6, 1, { opened_at: '2026-11-18T15:00:00Z', resolved_at: '2026-11-19T00:00:00Z' }),
        issue(8, 1, { opened_at: '2026-11-20T02:00:00Z' }),
        issue(2, 2),
        issue(3, 3),
        issue(4, 4),
        issue(5, 5),
      ],
    },
    null,
    {
      runs: ['/2026-11-20/x', 'a b/2026-11-20/x', 'market/2026-02-30/x', 'market/2026-11-20/', 'nonsense'].map((id) =>
        gapFact(id, null, null),
      ),
    },
  ],
  [
    'of several open issues of a slot key that cannot be read the first one says the day',
    {
      slots: [{ planner_slot_id: 1, slot_key: 'nonsense' }],
      issues: [issue(3, 1), issue(2, 1, { opened_at: '2026-11-18T15:00:00Z' }), issue(1, 1)],
    },
    null,
    { runs: [gapFact('nonsense', null, null)], ...viewed(YESTERDAY) },
  ],
  [
    'a resolved issue, an issue of another type and a slot without an issue are no gaps',
    {
      slots: [1, 2, 3].map((id) => ({ planner_slot_id: id, slot_key: key(String(id)) })),
      issues: [issue(1, 1, { resolved_at: '2026-11-20T02:00:00Z' }), issue(2, 2, { issue_type: 'RUN_LATE' })],
    },
    null,
    {},
  ],
  [
    'several open issues of one slot are one gap',
    { slots: [{ planner_slot_id: 1, slot_key: key('open') }], issues: [issue(1, 1), issue(2, 1), issue(3, 1)] },
    null,
    { runs: [gapFact(key('open'), 'market', TODAY)] },
  ],
];

describe.each([
  ['the day', DAY],
  ['runs', RUNS],
])('%s', (_name, cases) => {
  test.each(cases)('%s', async (_sentence, rows, date, answer) => {
    await expectWhole(fixture, rows, date, answer);
  });
});

test('today is that of the database clock on the facts, and of the server clock on the trends', async () => {
  fixture.clock.at = new Date('2026-11-20T15:00:00Z');
  fixture.serverClock.at = new Date('2026-11-20T14:59:59.999Z');
  await fixture.logIn();
  expect((await fixture.facts('2026-11-21')).meta.today).toBe('2026-11-21');
  expect(await fixture.ask('trends/entity-resolution?date=2026-11-21')).toMatchObject({
    status: 400,
    code: 'FACTS4001',
  });
  expect(await fixture.ask('trends/intraday-analysis?maxDate=2026-11-21')).toMatchObject({
    status: 400,
    code: 'FACTS4001',
  });
  const { result } = await fixture.ask('trends/intraday-analysis?days=1');
  expect(result).toMatchObject({ asOf: '2026-11-20T15:00:00.000Z', points: [{ date: TODAY }] });
});

describe('400', () => {
  const DATES = [
    '',
    '2026-2-1',
    '20261120',
    '2026-11-20T00:00:00Z',
    '%2B02026-11-20',
    '+02026-11-20',
    '02026-11-20',
    '12026-11-20',
  ];
  const IMPOSSIBLE = [
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '0000-01-01',
    '-2026-11-20',
    '2026-11-21',
    '9999-12-31',
    'today',
  ];
  const PLACES = ['facts?date=', 'trends/entity-resolution?date=', 'trends/intraday-analysis?maxDate='];
  test.each(PLACES)(
    '%s: malformed, extended-year, impossible and future dates, empty or given twice',
    async (place) => {
      for (const date of [...DATES, ...IMPOSSIBLE, `${TODAY}&${place.split('?')[1]}${TODAY}`])
        expect([date, await fixture.ask(`${place}${date}`)]).toMatchObject([date, { status: 400, code: 'FACTS4001' }]);
      expect(await fixture.ask(`${place}${TODAY}`)).toMatchObject({ status: 200 });
      expect(await fixture.ask(`${place}0001-01-01`)).toMatchObject({ status: 200 });
      expect(await fixture.ask(`${place}${TODAY}&other=1`)).toMatchObject({ status: 400, code: 'COMMON400' });
    },
  );

  test('days outside 1 to 366, no whole number, empty or given twice', async () => {
    for (const days of ['0', '367', '-1', '1.5', '1e1', '', 'x', '030', '+3', '1&days=1'])
      expect([days, await fixture.ask(`trends/intraday-analysis?days=${days}`)]).toMatchObject([
        days,
        { status: 400, code: 'FACTS4002' },
      ]);
  });
});

const available_at = `${YESTERDAY}T01:00:00Z`;
/** Something for every axis of yesterday, a day before it to compare with, and a later day to view. */
const MEANWHILE: Partial<Ledger> = {
  ...ETFS,
  slots: [{ planner_slot_id: 1, slot_key: `market/${YESTERDAY}/passed`, planned_for: `${YESTERDAY}T00:00:00Z` }],
  runs: [run(2, key('close')), run(3, 'market/2026-11-18/close'), run(4, `market/${YESTERDAY}/open`)],
  attempts: [attempt(1, 11)],
  navs: [{ expected_task_id: 11, collected_at: available_at, response_trading_date: '2026-11-18' }],
  batchTriggers: [trigger('b', { trade_date: YESTERDAY })],
  observations: [observation('o')],
  feedings: [feeding('o', 'b', null)],
  routes: [route(1, 'b', null, 'o')],
  explanationRuns: [explanationRun('r', 1)],
  results: [result('x', 'r', 1, { trade_date: YESTERDAY })],
  documents: [{ document_id: 'd', document_type: 'NEWS', available_at }],
  assertions: [{ available_at }],
  events: [{ available_at, source_class: 'NEWS' }],
  tenants: [{ tenant_id: 1, removed_at: null }],
};

test('one repeatable-read snapshot: rows written during the reading are in no axis', async () => {
  await fixture.put({ runs: [run(1, `market/${YESTERDAY}/close`)], tasks: [task(11, 1, { dataset: 'etf_nav' })] });
  const before = await fixture.facts();
  fixture.whileReading = async () => {
    fixture.whileReading = null;
    await fixture.put(MEANWHILE);
  };
  expect(await fixture.facts()).toStrictEqual(before);
  expect(fixture.whileReading).toBeNull();
  const { meta, ...axes } = await fixture.facts(YESTERDAY);
  expect(meta).toEqual(before.meta);
  // Each axis would have shown the write.
  for (const [axis, now] of Object.entries(axes)) expect(now, axis).not.toEqual(before[axis as keyof typeof axes]);
  expect(axes.outputs).toEqual(outputs({ 'o.pub': 1, 'o.trig': 1, 'o.doc': 1, 'o.asr': 1, 'o.evt': 1 }, ZEROS));
  expect((await fixture.facts()).meta.today).toBe(TODAY);
});

test('one warning per request for slot keys that cannot be read, and one for tasks without a dataset', async () => {
  await fixture.put({
    runs: [run(1, key('a'))],
    tasks: [task(11, 1, { dataset: null }), task(12, 1, { dataset: '' }), task(13, 1)],
    ...gaps('nonsense', 'more nonsense'),
  });
  const warnings: object[] = [];
  const parts = { store: fixture.store, databaseClock: fixture.databaseClock, workflows: null, queues: null };
  await readFacts(parts, null, (values) => warnings.push(values));
  expect(warnings).toEqual([{ slotKeys: ['more nonsense', 'nonsense'] }, { expectedTaskIds: [12, 11] }]);
});
