import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadSchema, type Load } from '../../publication/load.ts';
import { readLoad } from '../../ingest/read-load.ts';
import { round } from './calculations.ts';
import { sessionAt } from './calendar.ts';
import * as check from '../../../test/support/cloud/demo.ts';
import { seededRandom } from '../../../test/support/cloud/demo.ts';
import { liveLoad, type GenerateParts, type Wish } from './generate.ts';
import { Market, SESSION } from './market.ts';
import { readDemo } from './reader.ts';
import { fitting, grouped, tellStory } from './story.ts';
import { runs } from '../../../test/support/runs.ts';

const demo = readDemo();
const { instruments, reference } = demo;
const IN_SESSION = new Date('2026-11-20T10:21:30.123+09:00');
const market = new Market({ ...demo, now: IN_SESSION });

function partsAt(now: Date, seed: number): GenerateParts {
  let made = 0;
  return {
    clock: { now: () => now },
    ids: { uuid: () => `${seed}-${++made}` },
    random: seededRandom(seed),
    instruments,
    market,
  };
}

function loadAt(now: Date, seed: number, wish: Wish = {}): Load {
  const load = liveLoad(partsAt(now, seed), wish);
  if (load === null) throw new Error('the market has nothing of this kind to tell');
  return load;
}

/** Checks all invariants of one live load. */
function expectSound(load: Load, now: Date): void {
  const text = check.textOf(load) ?? '';
  const observed = load.trigger.observed_return ?? 0;
  expect(loadSchema.parse(load)).toEqual(load);
  expect(check.wordingFaults(text), text).toEqual([]);
  expect(text).toContain(load.instrument.name);
  expect(observed).not.toBe(0);
  expect(check.tellsReturn(text, observed), `${observed}: ${text}`).toBe(true);
  expect(check.unfoundedPercentages(text, observed, load.lineage.calculations), text).toEqual([]);
  expect(check.untoldCalculations(text, load.lineage.calculations), text).toEqual([]);
  for (const calculation of load.lineage.calculations)
    expect(check.calculationError(calculation)).toBeLessThanOrEqual(check.tolerance(calculation));
  expect(check.lineageFaults(load.lineage)).toEqual([]);
  for (const document of load.lineage.documents)
    expect(Date.parse(document.published_at ?? '')).toBeLessThan(now.getTime());
  // The reader of the engine's door accepts it.
  expect(readLoad(Buffer.from(JSON.stringify(load))).load).toEqual(load);
}

const moments = fc.date({
  min: new Date('2026-09-01T00:00:00Z'),
  max: new Date('2027-03-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('live loads', () => {
  test('every story is sound at some moments, with each of its endings', () => {
    const told = new Set<string>();
    fc.assert(
      fc.property(fc.nat(), moments, fc.nat(demo.stories.length - 1), (seed, now, index) => {
        const story = demo.stories[index];
        for (const ending of [undefined, 'flags', 'blocks'] as const) {
          const wish: Wish = { fits: (one) => one.story === story, ...(ending === undefined ? {} : { ending }) };
          const load = liveLoad(partsAt(now, seed), wish);
          // The market goes the other way, or the shipped week tells of this fund.
          if (load === null) continue;
          told.add(`${index}`);
          expectSound(load, now);
        }
      }),
      { numRuns: runs(400, 12_000) },
    );
    expect(told.size).toBeGreaterThan(demo.stories.length * runs(0.7, 0.99));
  });

  test('all texts about one minute agree: one return of a fund, of a constituent, of an index', () => {
    fc.assert(
      fc.property(moments, fc.boolean(), (now, isClosed) => {
        const at = isClosed ? new Date(`${sessionAt(now).tradeDate}T20:00:00+09:00`) : now;
        const returns = new Map<string, number>();
        const note = (name: unknown, value: unknown): void => {
          if (typeof name !== 'string' || typeof value !== 'number') return;
          expect([name, returns.get(name) ?? value]).toEqual([name, value]);
          returns.set(name, value);
        };
        for (let seed = 0; seed < 25; seed += 1) {
          const { instrument, trigger, lineage } = loadAt(at, seed);
          note(instrument.ticker, trigger.observed_return);
          for (const { arguments: given } of lineage.calculations) {
            note(given['name'], given['return_pct']);
            note(given['benchmark'], given['benchmark_return_pct']);
            for (const part of (given['constituents'] ?? []) as Record<string, unknown>[])
              note(part['name'], part['return_pct']);
          }
        }
      }),
      { numRuns: runs(12, 200) },
    );
  });

  test('on the days of the shipped week the market is that of its texts, before them its own', () => {
    const monday = '2026-11-16';
    expect(market.change('SK하이닉스', monday, 80)).toBe(4.35);
    expect(market.change('코스피200', monday, SESSION)).toBe(1.11);
    expect(market.toldOn(monday).tickers.has('091160')).toBe(true);
    expect(market.change('SK하이닉스', '2026-11-09', 80)).not.toBe(4.35);
    // A backfill of the shipped Monday explains the Friday before.
    expect([...market.toldOn('2026-11-13').tickers]).toContain('102110');
    const live = Array.from({ length: 200 }, (_, seed) => loadAt(IN_SESSION, seed));
    const shipped = new Set(reference.filter(({ run }) => run.started_at.startsWith('2026-06-19')).map(tickerOf));
    for (const load of live) expect(shipped).not.toContain(tickerOf(load));
  });

  test('one close has one sum of net purchases and one index, in the shipped week, its backfills and beside them', () => {
    const follows = new Set(
      demo.stories.flatMap(({ calc, tickers }) =>
        calc.index === '코스피200' && calc.leverage === undefined ? tickers : [],
      ),
    );
    // The backfilled Friday falls on the week's own Friday, or on the one before.
    const weekdays = Map.groupBy(reference, (load) => {
      const told = load.mode === 'V2' ? load.analysis : load.result;
      return new Date(told?.trade_date ?? load.run.started_at.slice(0, 10)).getUTCDay();
    });
    for (const [day, loads] of weekdays) {
      const closes = loads.filter(({ trigger }) => trigger.kind === 'BATCH');
      const bought = closes.flatMap(({ lineage }) =>
        lineage.calculations.flatMap(({ arguments: given }) =>
          given['foreign_100m_krw'] === undefined
            ? []
            : [JSON.stringify([given['foreign_100m_krw'], given['institution_100m_krw']])],
        ),
      );
      expect({ day, sums: new Set(bought).size }).toEqual({ day, sums: Math.min(bought.length, 1) });
      const returns = closes
        .filter((load) => follows.has(tickerOf(load)))
        .map(({ trigger }) => (trigger.observed_return ?? 0) * 100);
      if (returns.length > 0) expect(Math.max(...returns) - Math.min(...returns)).toBeLessThan(0.05);
    }
    expect(market.toldOn('2026-11-16').bought).toEqual([3_412, 1_086]);
    expect(market.change('코스피200', '2026-11-13', SESSION)).toBe(0.33);
    const story = demo.stories.find(({ calc }) => calc.netBuying !== undefined);
    const instrument = instruments.find(({ ticker }) => ticker === '152100');
    if (story === undefined || instrument === undefined) throw new Error('the demo has no such fund');
    const momentsOf = (date: string, minute: number) => tellStory({ instrument, story, date, minute }, market);
    expect(momentsOf('2026-11-16', SESSION)?.calculation.output).toEqual({ sum_100m_krw: 4_498 });
    expect(Number(momentsOf('2026-11-16', 100)?.calculation.output['sum_100m_krw'])).toBeLessThan(4_498);
    // Foreigners bought and institutions sold: not what the story tells.
    expect(momentsOf('2026-11-13', SESSION)).toBeNull();
  });

  test('in session a load is an intraday firing of today, otherwise a daily one of the last close', () => {
    const v1: Wish = { fits: ({ story }) => story.engine === undefined };
    const open = loadAt(IN_SESSION, 1, v1);
    expect(open).toMatchObject({
      mode: 'REALTIME',
      trigger: { kind: 'MINUTE', fired_at: '2026-11-20T10:20:00+09:00' },
    });
    expect(open).toMatchObject({
      result: {
        trade_date: '2026-11-20',
        explanation_as_of: '2026-11-20T01:21:30.123Z',
        content_as_of: '2026-11-20T10:20:00+09:00',
      },
    });
    expect(check.textOf(open)).toContain('오전 10시 20분 현재');
    const closed = loadAt(new Date('2026-11-22T09:00:00+09:00'), 1, v1);
    expect(closed).toMatchObject({
      mode: 'DAILY',
      trigger: { kind: 'BATCH' },
      result: { trade_date: '2026-11-20', content_as_of: '2026-11-20T15:30:00+09:00' },
    });
    expect(check.textOf(closed)).toContain('장 마감 기준');
    expect(sessionAt(IN_SESSION).open).toBe(true);
  });

  test('the same seed gives the same story', () => {
    expect(loadAt(IN_SESSION, 42)).toEqual(loadAt(IN_SESSION, 42));
  });

  test('the pool is wide: both engines, rises and falls, single sources, words for the reviewers', () => {
    const loads = Array.from({ length: 300 }, (_, seed) => {
      const day = String(1 + (seed % 28)).padStart(2, '0');
      return loadAt(new Date(`2026-10-${day}T${10 + (seed % 5)}:${10 + (seed % 50)}:30+09:00`), seed);
    });
    const risky = Array.from({ length: 300 }, (_, seed) =>
      loadAt(new Date(2026, 9, 1 + (seed % 20)), seed, { ending: seed % 2 === 0 ? 'flags' : 'blocks' }),
    );
    const texts = [...loads, ...risky].map((load) => (check.textOf(load) ?? '').replaceAll(/\s/g, ''));
    expect(new Set(loads.map(tickerOf)).size).toBeGreaterThanOrEqual(25);
    expect(loads.some((load) => load.mode === 'V2')).toBe(true);
    expect(loads.some((load) => (load.trigger.observed_return ?? 0) < 0)).toBe(true);
    expect(loads.some((load) => load.lineage.source_events.length === 1)).toBe(true);
    for (const word of ['확정수익', '따박따박', '불확정수익', '원금이보장되지않', '매수세'])
      expect(
        texts.some((text) => text.includes(word)),
        word,
      ).toBe(true);
  });

  test('no headline claims anything of a listed company, in a template or in the shipped week', () => {
    const told = reference.flatMap(({ lineage }) =>
      lineage.calculations.flatMap(({ arguments: given }) => [
        given['name'],
        ...((given['constituents'] ?? []) as { name: unknown }[]).map(({ name }) => name),
      ]),
    );
    const companies = [...demo.groups.flatMap(({ names }) => names), ...told]
      .filter((name) => typeof name === 'string')
      .filter((name) => !/하이브|지수|환율|금리|코스|WTI|금값|S&P|나스닥|닛케이/.test(name));
    const titles = [
      ...demo.stories.flatMap(({ documents }) => documents.map(([, , title]) => title)),
      ...reference.flatMap(({ lineage }) => lineage.documents.map(({ title }) => title ?? '')),
    ];
    for (const title of titles) expect([title, companies.filter((name) => title.includes(name))]).toEqual([title, []]);
  });

  test('prices, turnover and moves of one fund fit one another through the day and from day to day', () => {
    /** What the fund's calculation of this minute or close has; null where the market tells nothing of it. */
    const said = (ticker: string, at: string): Record<string, unknown> | null => {
      const fits: Wish['fits'] = ({ instrument }) => instrument.ticker === ticker;
      const load = liveLoad(partsAt(new Date(at), 1), { fits });
      const [calculation] = load?.lineage.calculations ?? [];
      if (load === null || calculation === undefined) return null;
      return { ...calculation.arguments, ...calculation.output, move: load.trigger.observed_return };
    };
    for (const ticker of ['153130', '102110', '329200']) {
      const days = ['2026-10-12', '2026-10-13', '2026-10-14', '2026-10-15', '2026-10-16', '2026-11-18', '2026-11-19'];
      const closes = days.map((day) => said(ticker, `${day}T17:00:00+09:00`));
      for (const [index, close] of closes.entries()) {
        const before = closes[index - 1];
        if (close === null || before === undefined || before === null || days[index] === '2026-11-18') continue;
        const grown = Number(close['nav_krw']) / Number(before['nav_krw']) - 1;
        expect(Math.abs(grown - Number(close['move'])), `${ticker} on ${days[index]}`).toBeLessThan(0.0004);
      }
    }
    for (const ticker of ['117700', '475050']) {
      const through = Array.from({ length: 12 }, (_, n) => `${10 + Math.floor(n / 2)}:${n % 2 === 0 ? '10' : '40'}`)
        .map((time) => said(ticker, `2026-10-14T${time}:00+09:00`)?.['multiple'])
        .filter((multiple) => typeof multiple === 'number');
      expect(through).toEqual(through.toSorted((a, b) => a - b));
    }
    // On a day whose close alone the shipped week tells, a move is not complete at the opening.
    expect(market.change('한화에어로스페이스', '2026-11-16', 5)).toBeLessThan(4);
    expect(market.change('나스닥100', '2026-11-17', 5)).toBe(-1.4);
  });
});

describe('numbers', () => {
  test('rounding is half away from zero, by the decimal value', () => {
    expect([round(1.005, 2), round(-1.005, 2), round(2.675, 2), round(-0.001, 2), round(0.125, 2)]).toEqual([
      1.01, -1.01, 2.68, 0, 0.13,
    ]);
  });

  test('numbers in groups of three, and particles by the last sound', () => {
    expect([grouped(12_345_678), grouped(999)]).toEqual(['12,345,678', '999']);
    const names = ['KODEX 200', 'TIGER 미국S&P500', 'KODEX 은행', 'KODEX 로봇액티브', 'KODEX WTI원유선물(H)'];
    expect(names.map((name) => fitting(name, '은'))).toEqual(['은', '은', '은', '는', '은']);
    expect(['ACE KRX금현물', 'SOL 조선TOP3플러스', 'TIGER 조선TOP10'].map((name) => fitting(name, '을'))).toEqual([
      '을',
      '를',
      '을',
    ]);
  });
});

const tickerOf = ({ instrument }: Load): string => instrument.ticker;
