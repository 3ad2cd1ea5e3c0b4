import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadSchema, type Load } from '../publication/load.ts';
import { measuredValues } from './generation/calculations.ts';
import { isTradingDay } from './generation/calendar.ts';
import * as check from '../../test/support/cloud/demo.ts';
import { DemoFileError, readInstruments, readLoads } from './generation/reader.ts';
import { WITHDRAWALS } from './withdrawals.ts';

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const etfs = readInstruments('etfs.jsonl', text('etfs.jsonl'));
const loads = readLoads('loads.jsonl', text('loads.jsonl'));
const told = loads.filter((load) => check.textOf(load) !== null);
const measured = told.filter(check.isMeasured);

describe('reading', () => {
  test('remarks and blank lines are skipped, any other unfit line is refused with its number', () => {
    const good = JSON.stringify(etfs[0]);
    expect(readInstruments('x', `# header\n\n${good}\n`)).toEqual([etfs[0]]);
    expect(() => readInstruments('x.jsonl', `# header\n${good}\n{"ticker":"1"}\n`)).toThrow(
      /^x\.jsonl, line 3: instrument_id/,
    );
    expect(() => readLoads('x.jsonl', '{')).toThrow(DemoFileError);
  });

  test.each(['etfs.jsonl', 'loads.jsonl', 'market.jsonl', 'stories.jsonl'])(
    '%s separates fact and invention in its header',
    (name) => {
      const header = text(name)
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .join('\n');
      expect(header).toContain('지어낸 것');
      expect(header).toContain('Names and codes are facts');
    },
  );
});

describe('etfs.jsonl', () => {
  test('has at least 40 funds with unique six-digit tickers and names, market KRX', () => {
    expect(etfs.length).toBeGreaterThanOrEqual(40);
    expect(new Set(etfs.map((etf) => etf.ticker)).size).toBe(etfs.length);
    expect(new Set(etfs.map((etf) => etf.name)).size).toBe(etfs.length);
    for (const etf of etfs) {
      expect(etf.ticker).toMatch(/^\d{6}$/);
      expect(etf.market).toBe('KRX');
      expect(etf.name).toMatch(/^(KODEX|TIGER|ACE|RISE|SOL|HANARO|PLUS|KIWOOM|TIME|KoAct|WON) \S/);
    }
  });
});

describe('loads.jsonl', () => {
  test('has at least 60 loads, each of a listed fund', () => {
    expect(loads.length).toBeGreaterThanOrEqual(60);
    for (const load of loads) expect(etfs).toContainEqual(load.instrument);
  });

  test('ids of results, analyses and runs are unique, and no two texts share a grain', () => {
    const ids = told.map(check.idOf);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(loads.map((load) => load.run.explanation_run_id)).size).toBe(loads.length);
    const grains = told.map((load) => {
      const body = load.mode === 'V2' ? load.analysis : load.result;
      return `${load.instrument.instrument_id} ${body?.trade_date} ${body?.explanation_as_of}`;
    });
    expect(new Set(grains).size).toBe(grains.length);
  });

  test('is one week from Monday to Friday, in the order of the engine', () => {
    const starts = loads.map((load) => load.run.started_at);
    expect(starts).toEqual([...starts].sort());
    expect(new Set(starts.map((start) => start.slice(0, 10))).size).toBe(5);
    for (const load of loads) expect(isTradingDay(load.trigger.fired_at.slice(0, 10))).toBe(true);
  });

  test('nothing is quoted before it was published', () => {
    for (const load of told) {
      const asOf = Date.parse((load.mode === 'V2' ? load.analysis : load.result)?.explanation_as_of ?? '');
      for (const document of load.lineage.documents) {
        if (document.published_at !== null) expect(Date.parse(document.published_at)).toBeLessThan(asOf);
      }
      expect(Date.parse(load.run.started_at)).toBeLessThan(asOf);
      expect(Date.parse(load.trigger.fired_at)).toBeLessThan(asOf);
    }
  });

  test('every reference of every lineage leads somewhere, and one id always means the same', () => {
    const meanings = new Map<string, string>();
    for (const load of loads) {
      expect(check.lineageFaults(load.lineage)).toEqual([]);
      for (const document of load.lineage.documents) {
        // The tool that found a document and the item that uses it differ between runs.
        note(meanings, document.document_id, { ...document, tool_run_id: undefined, item_ids: undefined });
      }
      for (const event of load.lineage.source_events) note(meanings, event.source_event_id, event);
      for (const link of load.lineage.event_evidences) note(meanings, link.event_evidence_id, link);
      for (const link of load.lineage.disclosure_facts) note(meanings, link.disclosure_fact_id, link);
      note(meanings, load.thread.event_thread_id, load.thread);
      note(meanings, load.trigger.trigger_id, [load.trigger, load.instrument.ticker]);
    }
  });

  test('links stand on reserved domains', () => {
    const uris = loads.flatMap((load) => load.lineage.documents.flatMap(({ source_uri }) => source_uri ?? []));
    expect(uris.length).toBeGreaterThan(50);
    for (const uri of uris) expect(new URL(uri).hostname).toMatch(/\.example$/);
  });

  test.each(told.map((load) => [check.idOf(load), load] as const))(
    '%s is well worded and agrees with its evidence',
    (_id, load) => {
      const words = check.textOf(load) ?? '';
      expect(check.wordingFaults(words)).toEqual([]);
      expect(words).toContain(load.instrument.name);
      expect(words.split(/(?<=[다])\. |(?<=니다)\. /).length).toBeGreaterThanOrEqual(2);
      for (const calculation of load.lineage.calculations)
        expect(check.calculationError(calculation)).toBeLessThanOrEqual(check.tolerance(calculation));
      const { observed_return: observed } = load.trigger;
      if (!check.isMeasured(load) || observed === null) return;
      expect(check.tellsReturn(words, observed)).toBe(true);
      expect(check.unfoundedPercentages(words, observed, load.lineage.calculations)).toEqual([]);
      expect(check.untoldCalculations(words, load.lineage.calculations)).toEqual([]);
      if (load.mode !== 'V2') expect(load.result?.surface).toEqual(measuredValues(observed, load.lineage.calculations));
    },
  );

  test('no two texts are the same but for a correction', () => {
    const texts = measured.map(check.textOf);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('the story covers every case', () => {
  const count = (holds: (load: Load) => boolean): number => loads.filter(holds).length;
  const byTrigger = Map.groupBy(loads, (load) => load.trigger.trigger_id);
  const reruns = [...byTrigger.values()].filter((group) => group.length > 1);

  test('rises and falls, all modes, all confidence levels, several UNCERTAIN ones with measured values', () => {
    expect(count((load) => (load.trigger.observed_return ?? 0) > 0)).toBeGreaterThan(20);
    expect(count((load) => (load.trigger.observed_return ?? 0) < 0)).toBeGreaterThan(20);
    for (const mode of ['REALTIME', 'DAILY', 'BACKFILL', 'V2'] as const)
      expect(count((load) => load.mode === mode)).toBeGreaterThanOrEqual(4);
    for (const level of ['HIGH', 'MEDIUM', 'LOW'])
      expect(count((load) => load.mode !== 'V2' && load.result?.confidence_level === level)).toBeGreaterThanOrEqual(4);
    expect(
      measured.filter((load) => load.mode !== 'V2' && load.result?.explanation_type === 'UNCERTAIN').length,
    ).toBeGreaterThanOrEqual(2);
    expect(
      count(
        (load) =>
          load.mode !== 'V2' &&
          !['EVENT_SUPPORTED', 'UNCERTAIN', undefined].includes(load.result?.explanation_type ?? undefined),
      ),
    ).toBe(0);
  });

  test('all three kinds of evidence, and single sources', () => {
    expect(
      count((load) => load.lineage.documents.some((document) => document.document_type === 'NEWS')),
    ).toBeGreaterThan(40);
    expect(
      count((load) => load.lineage.documents.some((document) => document.document_type === 'DISCLOSURE')),
    ).toBeGreaterThan(20);
    expect(count((load) => load.lineage.calculations.length > 0)).toBeGreaterThan(60);
    expect(
      measured.filter((load) => load.mode !== 'V2' && load.lineage.source_events.length === 1).length,
    ).toBeGreaterThanOrEqual(4);
  });

  test('one fund fires several times on one day', () => {
    const firings = Map.groupBy(
      loads.filter((load) => load.trigger.kind === 'MINUTE'),
      (load) => `${load.instrument.ticker} ${load.trigger.fired_at.slice(0, 10)}`,
    );
    expect(
      Math.max(...[...firings.values()].map((group) => new Set(group.map((load) => load.trigger.trigger_id)).size)),
    ).toBeGreaterThanOrEqual(3);
  });

  test('a rerun of a published route, a republication, and a rerun after a failed static path', () => {
    expect(reruns.length).toBe(3);
    const [first, second, third] = reruns.map((group) =>
      group.map((load) => [check.isMeasured(load), 'republication' in load && load.republication !== null]),
    );
    expect(first).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(second).toEqual([
      [true, false],
      [true, true],
    ]);
    expect(third).toEqual([
      [false, false],
      [true, false],
    ]);
  });

  test('results without measured values carry their failure', () => {
    const absent = told.filter((load) => !check.isMeasured(load));
    expect(absent.length).toBe(2);
    for (const load of absent) expect(load.mode !== 'V2' && load.failure !== null).toBe(true);
  });

  test('backfills: two that load, one skipped for a value error, one failed', () => {
    const backfills = loads.filter((load) => load.mode === 'BACKFILL');
    expect(backfills.map((load) => load.failure?.exception_type ?? 'none')).toEqual([
      'none',
      'ValueError',
      'TimeoutError',
      'none',
    ]);
    for (const load of backfills) expect(load.result === null).toBe(load.failure !== null);
  });

  test('the explanations that the operator withdraws are there and would be published', () => {
    for (const { id, reason } of WITHDRAWALS) {
      const load = measured.find((candidate) => check.idOf(candidate) === id);
      expect(load).toBeDefined();
      expect(reason.length).toBeGreaterThan(10);
    }
    expect(new Set(WITHDRAWALS.map(({ id }) => id.slice(0, 2)))).toEqual(new Set(['er', 'ma']));
  });

  test('words that a policy must stop, and look-alikes that it must not', () => {
    const folded = measured
      .filter((load) => load.mode !== 'V2')
      .map((load) => (check.textOf(load) ?? '').replaceAll(/\s/g, ''));
    const uses = (word: string): number => folded.filter((words) => words.includes(word)).length;
    for (const word of ['확정수익', '원금보장', '무위험', '손실없는', '예금만큼안전', '매수추천'])
      expect(uses(word), word).toBeGreaterThanOrEqual(1);
    for (const word of [
      '절대수익',
      '목표수익',
      '따박따박',
      '월급처럼',
      '저가매수',
      '확실해',
      '최고수준',
      '반드시',
      '급등예상',
    ])
      expect(uses(word), word).toBeGreaterThanOrEqual(1);
    for (const word of [
      '불확실성',
      '매수세',
      '최고가',
      '최고치',
      '순매수',
      '판매수수료',
      '원금이보장되지않',
      '무위험지표금리',
      '최고경영자',
    ])
      expect(uses(word), word).toBeGreaterThanOrEqual(1);
  });

  test('every optional field is missing somewhere', () => {
    const documents = loads.flatMap((load) => load.lineage.documents);
    expect(documents.some((document) => document.title === null)).toBe(true);
    expect(documents.some((document) => document.published_at === null)).toBe(true);
    expect(documents.some((document) => document.source_uri === null)).toBe(true);
    expect(documents.some((document) => document.news_id === undefined)).toBe(true);
    expect(loads.some((load) => load.lineage.source_events.some((event) => event.event_date === null))).toBe(true);
    expect(loads.some((load) => load.lineage.disclosure_facts.some((fact) => fact.source_event_id === null))).toBe(
      true,
    );
    expect(loads.some((load) => load.thread.title === null)).toBe(true);
  });

  test('counter-factors are named, empty and absent', () => {
    const against = loads.flatMap((load) =>
      load.mode !== 'V2' && load.result !== null ? [load.result.counter_factors] : [],
    );
    expect(against.filter((one) => one !== undefined && one.length > 0).length).toBeGreaterThanOrEqual(10);
    expect(against.filter((one) => one?.length === 0).length).toBeGreaterThanOrEqual(2);
    expect(against.filter((one) => one === undefined).length).toBeGreaterThanOrEqual(10);
  });

  test('the schema refuses a misspelt field', () => {
    expect(loadSchema.safeParse({ ...loads[0], thraed: 1 }).success).toBe(false);
  });
});

function note(meanings: Map<string, string>, id: string, meaning: unknown): void {
  const said = JSON.stringify(meaning);
  expect(meanings.get(id) ?? said).toBe(said);
  meanings.set(id, said);
}
