/** The computations of the facts screen: saved files, pointers, two days side by side, series with gaps. */
import { describe, expect, test } from 'vitest';
import { judge } from '../../rules/engine.ts';
import type { ReadFacts, Verdict } from '../../rules/rule.ts';
import { absentFacts, AXIS_IDS, axisAt, fieldsOf, kindOf, rowsOf } from './values/axes.ts';
import { compareAxis, compareVerdicts } from './compare.ts';
import {
  fileNameOf,
  FactsFileError,
  readFactsFile,
  readFactsText,
  writeFactsText,
  FILE_BYTES,
} from './report/facts-file.ts';
import { readFactsView, writeFactsView } from './values/facts-view.ts';
import { pageOf } from './paging.ts';
import { follow } from './values/pointers.ts';
import { earlierOf, isToday, keepReadings, earlierReading } from './values/sides.ts';
import { everyDay, stretchesOf, usualOf } from './trends/trend-series.ts';
import { nameVerdicts } from './values/verdict-keys.ts';

const facts = (day: string, changes: Partial<ReadFacts> = {}): ReadFacts => ({
  meta: { db: `${day}T07:00:00.000Z`, today: day, cloud: null },
  runs: [
    {
      id: `market/${day}/close`,
      lane: 'market',
      tradingDate: day,
      ledgerStatus: 'SUCCEEDED',
      ledgerUpdated: `${day}T06:00:00.000Z`,
      deadline: null,
      cloudStatus: null,
      cloudStop: null,
    },
  ],
  tasks: [
    {
      runId: `market/${day}/close`,
      dataset: 'price',
      attempts: 1,
      recordsOut: 0,
      unsupportedRecords: null,
      failedRecords: 0,
      completenessExpected: 0,
      completenessActual: 0,
    },
  ],
  datasets: [],
  queues: null,
  ...changes,
});
const FRIDAY = facts('2026-11-20');
const THURSDAY = facts('2026-11-19');
const verdictOf = (rule: string, verdicts: readonly Verdict[]): Verdict[] =>
  verdicts.filter((one) => one.rule === rule);

describe('a saved file', () => {
  test('is read again as the same facts, absent keys and nulls included, and judged the same', () => {
    const read = readFactsText(writeFactsText(FRIDAY));
    expect(JSON.stringify(read)).toBe(JSON.stringify(FRIDAY));
    expect(judge(read, THURSDAY)).toEqual(judge(FRIDAY, THURSDAY));
    expect(fileNameOf(read)).toBe('causeway-facts-2026-11-20.json');
  });
  test("an older server's answer has axes missing, a newer one's more than is known", () => {
    const older = { isSuccess: true, code: 'COMMON200', result: { meta: { db: FRIDAY.meta.db, today: '2026-11-20' } } };
    expect(readFactsText(JSON.stringify(older))).toEqual(older.result);
    const newer = { result: { ...FRIDAY, weather: [1], meta: { ...FRIDAY.meta, build: 7 } } };
    expect(readFactsText(JSON.stringify(newer))).toEqual(newer.result);
  });
  const fault = (text: string): string => {
    try {
      readFactsText(text);
      return 'none';
    } catch (error) {
      if (!(error instanceof FactsFileError)) throw error;
      return `${error.fault} ${error.at}`.trim();
    }
  };
  test.each([
    ['no JSON', '<html>', 'noJson'],
    ['another answer', '{"items":[]}', 'noAnswer'],
    ['null', 'null', 'noAnswer'],
    ['another result', '{"result":{"items":[]}}', 'noFacts /result/meta'],
    [
      'no day',
      '{"result":{"meta":{"db":"2026-11-20T07:00:00.000Z","today":"2026-02-30"}}}',
      'noFacts /result/meta/today',
    ],
    [
      'a count that is a text',
      JSON.stringify({ result: { ...FRIDAY, queues: [{ name: 'q', visible: '3', inFlight: 0, dlq: 0 }] } }),
      'noFacts /result/queues/0/visible',
    ],
    [
      'planned false',
      JSON.stringify({ result: { ...FRIDAY, runs: [{ ...FRIDAY.runs?.[0], planned: false }] } }),
      'noFacts /result/runs/0/planned',
    ],
    ['an axis that is null', JSON.stringify({ result: { ...FRIDAY, tasks: null } }), 'noFacts /result/tasks'],
  ])('%s is refused, with the place', (_what, text, says) => {
    expect(fault(text)).toBe(says);
  });
  test('that is larger than any answer is not read at all', async () => {
    const file = new File([], 'large.json');
    Object.defineProperty(file, 'size', { value: FILE_BYTES + 1 });
    await expect(readFactsFile(file)).rejects.toThrow(FactsFileError);
  });
});

describe('the address', () => {
  test('holds all of a view, and leaves out defaults', () => {
    const search =
      '?date=2026-11-20&against=2026-11-19&severity=BAD&verdict=run-late+missing+a&q=x&verdictPage=2&axis=tasks&page=3&same=shown&days=90';
    const view = readFactsView(new URLSearchParams(search));
    expect(new URLSearchParams(writeFactsView(view)).toString().split('&').toSorted()).toEqual(
      search.slice(1).split('&').toSorted(),
    );
    expect(writeFactsView(readFactsView(new URLSearchParams('axis=constructor&days=3&severity=x&page=-1')))).toBe('');
  });
  test('passes an invalid day to the server, which refuses it', () => {
    expect(readFactsView(new URLSearchParams('date=2026-02-30')).date).toBe('2026-02-30');
  });
  test('a page number beyond the end shows the last page', () => {
    expect(pageOf([1, 2, 3], 9, 2)).toEqual({ items: [3], page: 2 });
    expect(pageOf([], 9, 2)).toEqual({ items: [], page: 1 });
  });
});

describe('axes', () => {
  test('an absent axis, a null axis and an empty one are distinguished', () => {
    expect(rowsOf('stages', FRIDAY)).toBeUndefined();
    expect(rowsOf('queues', FRIDAY)).toBeNull();
    expect(rowsOf('queues', facts('2026-11-20', { queues: [] }))).toEqual([]);
    expect(rowsOf('datasets', FRIDAY)).toEqual([]);
    expect(absentFacts(FRIDAY)).toEqual(['/slots', '/outputs', '/boundary', '/chain', '/etfLedger', '/rhythm']);
    expect(absentFacts({ meta: { db: FRIDAY.meta.db, today: '2026-11-20' }, runs: [], tasks: [] })).toContain(
      '/meta/cloud',
    );
  });
  test('every pointer of a row leads back to its axis, and to its value', () => {
    for (const axis of AXIS_IDS)
      for (const { at, cells } of rowsOf(axis, FRIDAY) ?? []) {
        expect(axisAt(at)).toBe(axis);
        for (const { name, kind } of fieldsOf(axis)) {
          expect(follow(`${at}/${name}`, FRIDAY, null).value).toBe(cells[name]);
          expect(kindOf(`${at}/${name}`)).toBe(kind);
        }
      }
    expect(kindOf('/meta/db')).toBe('instant');
    expect([axisAt('/chain'), axisAt('/etfLedger'), axisAt('/meta/db')]).toEqual(['feeds', 'etfLedger', null]);
  });
});

describe('a pointer', () => {
  test('leads to the fact and to the row that it is a part of, on either side', () => {
    expect(follow('/runs/0/deadline', FRIDAY, THURSDAY)).toMatchObject({
      value: null,
      isEarlier: false,
      owner: { pointer: '/runs/0', value: FRIDAY.runs?.[0] },
    });
    expect(follow('previous/tasks/0/attempts', FRIDAY, THURSDAY)).toMatchObject({
      path: '/tasks/0/attempts',
      value: 1,
      isEarlier: true,
      owner: { pointer: 'previous/tasks/0' },
    });
    expect(follow('/boundary/deliveryRows', FRIDAY, null)).toMatchObject({
      value: undefined,
      owner: { pointer: '/boundary' },
    });
    expect(follow('/chain/feeds', FRIDAY, null).owner.pointer).toBe('/chain/feeds');
    expect(follow('previous/queues', FRIDAY, null).value).toBeUndefined();
    expect(follow('/constructor', FRIDAY, null).value).toBeUndefined();
  });
});

describe('two days side by side', () => {
  test('rows are matched across days; a date counts by its distance, an instant by its presence', () => {
    for (const axis of ['runs', 'tasks'] as const)
      expect(compareAxis(axis, THURSDAY, FRIDAY).fields.filter(({ isSame }) => !isSame)).toEqual([]);
    const dataset = {
      id: 'price',
      contract: true,
      expectedAsOf: '2026-11-19',
      actualAsOf: '2026-11-19',
      collectedAt: null,
      unverifiable: null,
    };
    const later = { ...dataset, expectedAsOf: '2026-11-20' };
    const { fields } = compareAxis(
      'datasets',
      facts('2026-11-19', { datasets: [dataset] }),
      facts('2026-11-20', { datasets: [later] }),
    );
    expect(fields.filter(({ isSame }) => !isSame).map(({ field }) => field.name)).toEqual(['actualAsOf']);
  });
  test('zero, null, an absent key and a missing row all differ; numbers have a difference', () => {
    const queue = { name: 'work', visible: 2, inFlight: 1, dlq: 0 };
    const of = (day: string, ...queues: object[]): ReadFacts => ({ ...facts(day), queues: queues as (typeof queue)[] });
    const { fields } = compareAxis(
      'queues',
      of('2026-11-19', queue, { ...queue, name: 'gone' }),
      of('2026-11-20', { name: 'work', visible: 5, inFlight: null }),
    );
    expect(
      fields.map(({ name, field, isSame, change, right }) => [name, field.name, isSame, change, right.row]),
    ).toEqual([
      ['work', 'visible', false, 3, true],
      ['work', 'inFlight', false, null, true],
      ['work', 'dlq', false, null, true],
      ['gone', 'visible', false, null, false],
    ]);
  });
  test('an axis that is absent on one day is not compared', () => {
    expect(compareAxis('queues', FRIDAY, facts('2026-11-19', { queues: [] }))).toEqual({
      left: null,
      right: [],
      fields: [],
    });
  });
  test('a verdict has one name on every day; verdicts of only one day are found', () => {
    const failed = (day: string): ReadFacts => {
      const [run] = facts(day).runs ?? [];
      return facts(day, run === undefined ? {} : { runs: [{ ...run, ledgerStatus: 'FAILED' }] });
    };
    const named = nameVerdicts(judge(failed('2026-11-20')), '2026-11-20');
    expect(named.map(({ key }) => key)).toContain('run-failed failed market/{date}/close');
    const same = compareVerdicts(named, judge(failed('2026-11-19')), '2026-11-19');
    expect([...same.onlyLeft, ...same.onlyRight]).toEqual([]);
    expect([...compareVerdicts(named, judge(THURSDAY), '2026-11-19').onlyLeft]).toEqual([
      'run-failed failed market/{date}/close',
    ]);
    const gone = compareVerdicts(nameVerdicts(judge(FRIDAY), '2026-11-20'), judge(failed('2026-11-19')), '2026-11-19');
    expect(gone.onlyRight.map(({ key }) => key)).toEqual(['run-failed failed market/{date}/close']);
  });
  test('two verdicts of one name are distinguished', () => {
    const [task] = FRIDAY.tasks ?? [];
    const twice = facts(
      '2026-11-20',
      task === undefined
        ? {}
        : {
            tasks: [
              { ...task, attempts: 2 },
              { ...task, attempts: 3 },
            ],
          },
    );
    const keys = nameVerdicts(verdictOf('retries-unusual', judge(twice)), '2026-11-20').map(({ key }) => key);
    expect(keys).toEqual([
      'retries-unusual more market/{date}/close price',
      'retries-unusual more market/{date}/close price #2',
    ]);
  });
});

describe('the facts that rules compare with', () => {
  const at = (minutes: number, day = '2026-11-20'): ReadFacts => ({
    ...facts(day),
    meta: { today: day, db: new Date(Date.parse('2026-11-20T07:00:00Z') + minutes * 60_000).toISOString() },
  });
  test('are of an earlier day, or an earlier reading; never of a later one', () => {
    expect(earlierOf(FRIDAY, THURSDAY)).toBe(THURSDAY);
    expect(earlierOf(THURSDAY, FRIDAY)).toBeNull();
    expect(earlierOf(at(5), at(0))).not.toBeNull();
    expect(earlierOf(at(0), at(5))).toBeNull();
  });
  test('readings of the same day are kept for ten minutes, the last one always', () => {
    let readings: ReadFacts[] = [];
    for (const minutes of [0, 1, 11]) readings = keepReadings(readings, at(minutes));
    expect(readings).toEqual([at(1), at(11)]);
    expect(keepReadings(readings, at(90))).toEqual([at(11), at(90)]);
    expect(keepReadings(readings, at(12, '2026-11-19'))).toEqual([at(12, '2026-11-19')]);
    expect(earlierReading([at(0), at(0.5)], at(0.5))).toBeNull();
    expect(earlierReading([at(0), at(0.5)], at(1))).toEqual(at(0));
  });
  test('a day is today as of its reading, in Korea', () => {
    expect(isToday(at(0))).toBe(true);
    // 00:00 in Korea.
    expect(isToday({ meta: { db: '2026-11-20T15:00:00.000Z', today: '2026-11-20' } })).toBe(false);
  });
});

describe('a series', () => {
  test('has every day, and a gap for each unmeasured day', () => {
    const series = everyDay([
      { date: '2026-02-27', value: 0 },
      { date: '2026-02-28', value: null },
      { date: '2026-03-02', value: 0.5 },
    ]);
    expect(series.map(({ date, value }) => `${date} ${value}`)).toEqual([
      '2026-02-27 0',
      '2026-02-28 null',
      '2026-03-01 null',
      '2026-03-02 0.5',
    ]);
    expect(stretchesOf(series)).toEqual([[{ index: 0, value: 0 }], [{ index: 3, value: 0.5 }]]);
    expect([everyDay([]), stretchesOf([])]).toEqual([[], []]);
  });
  test.each([
    [[], null],
    [[5], null],
    [
      [0, 9],
      [0, 0, 0],
    ],
    [
      [1, 3, 9],
      [1.5, 2, 2.5],
    ],
    [
      [4, null, 1, 3, 9],
      [2, 3, 3.5],
    ],
  ])('the usual band of %j is %j, whose middle is the median', (values, band) => {
    const usual = usualOf(values.map((value, index) => ({ date: `2026-01-0${index + 1}`, value })));
    expect(usual === null ? null : [usual.low, usual.middle, usual.high]).toEqual(band);
  });
});
