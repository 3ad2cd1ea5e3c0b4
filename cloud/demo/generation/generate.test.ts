import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadSchema, type Load } from '../../publication/load.ts';
import { readLoad } from '../../ingest/read-load.ts';
import { round } from './calculations.ts';
import { sessionAt } from './calendar.ts';
import * as check from '../testing.ts';
import { seededRandom } from '../testing.ts';
import { liveLoad, loadOf, SCENES, type GenerateParts } from './generate.ts';
import { readInstruments } from './reader.ts';
import { Draw, grouped, percent, points } from './scene.ts';
import { runs } from '../../../test/support/runs.ts';

const instruments = readInstruments('etfs.jsonl', readFileSync(new URL('../etfs.jsonl', import.meta.url), 'utf8'));
const IN_SESSION = new Date('2026-11-20T10:21:30.123+09:00');

function partsAt(now: Date, seed: number): GenerateParts {
  let made = 0;
  return {
    clock: { now: () => now },
    ids: { uuid: () => `${seed}-${++made}` },
    random: seededRandom(seed),
    instruments,
  };
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

describe('live loads', () => {
  test('every scene is sound in and out of session, for any seed', () => {
    for (const scene of SCENES) {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.boolean(), (seed, open) => {
          const now = open ? IN_SESSION : new Date('2026-11-21T12:44:00.000+09:00');
          const load = loadOf(scene, partsAt(now, seed));
          expect(load.instrument.ticker).toBe(scene.ticker);
          expectSound(load, now);
        }),
        { numRuns: runs(30, 150) },
      );
    }
  });

  test('loads picked by chance over thousands of seeds and moments: valid, ids unique', () => {
    const seen = new Set<string>();
    let made = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2030-01-01T00:00:00Z'), noInvalidDate: true }),
        (seed, now) => {
          const load = liveLoad({ ...partsAt(now, seed), ids: { uuid: () => `${++made}` } });
          expectSound(load, now);
          for (const id of idsOf(load)) {
            expect(seen.has(id), id).toBe(false);
            seen.add(id);
          }
        },
      ),
      { numRuns: runs(600, 3000) },
    );
  });

  test('in session a load is an intraday firing of today, otherwise a daily one of the last close', () => {
    const scene = SCENES.find((candidate) => candidate.engine === 'v1');
    if (scene === undefined) throw new Error('there is no v1 scene');
    const open = loadOf(scene, partsAt(IN_SESSION, 1));
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
    const closed = loadOf(scene, partsAt(new Date('2026-11-22T09:00:00+09:00'), 1));
    expect(closed).toMatchObject({
      mode: 'DAILY',
      trigger: { kind: 'BATCH' },
      result: { trade_date: '2026-11-20', content_as_of: '2026-11-20T15:30:00+09:00' },
    });
    expect(check.textOf(closed)).toContain('장 마감 기준');
    expect(sessionAt(IN_SESSION).open).toBe(true);
  });

  test('the same seed gives the same story', () => {
    expect(liveLoad(partsAt(IN_SESSION, 42))).toEqual(liveLoad(partsAt(IN_SESSION, 42)));
  });

  test('the pool is wide: both engines, rises and falls, single sources, words for the reviewers', () => {
    const loads = Array.from({ length: 1500 }, (_, seed) => liveLoad(partsAt(IN_SESSION, seed)));
    const texts = loads.map((load) => (check.textOf(load) ?? '').replaceAll(/\s/g, ''));
    expect(new Set(loads.map((load) => load.instrument.ticker)).size).toBeGreaterThanOrEqual(25);
    expect(new Set(texts).size).toBeGreaterThan(1400);
    expect(loads.some((load) => load.mode === 'V2')).toBe(true);
    expect(loads.some((load) => (load.trigger.observed_return ?? 0) < 0)).toBe(true);
    expect(loads.some((load) => load.lineage.source_events.length === 1)).toBe(true);
    for (const word of ['확정수익', '매수추천', '따박따박', '불확정수익', '원금이보장되지않', '매수세', '최고가']) {
      expect(
        texts.some((text) => text.includes(word)),
        word,
      ).toBe(true);
    }
  });

  test('a fund that is not in etfs.jsonl is refused by name', () => {
    const parts = { ...partsAt(IN_SESSION, 1), instruments: [] };
    expect(() => liveLoad(parts)).toThrow(/has no instrument in etfs\.jsonl/);
  });
});

describe('numbers', () => {
  test('rounding is half away from zero, by the decimal value', () => {
    expect([round(1.005, 2), round(-1.005, 2), round(2.675, 2), round(-0.001, 2), round(0.125, 2)]).toEqual([
      1.01, -1.01, 2.68, 0, 0.13,
    ]);
  });

  test('numbers are written without a sign and with groups of three', () => {
    expect([percent(-1.9), points(0.5), grouped(-12_345_678), grouped(999)]).toEqual([
      '1.90%',
      '0.50%p',
      '12,345,678',
      '999',
    ]);
  });

  test('a draw stays in its range and reaches both ends', () => {
    const draw = new Draw(seededRandom(7), '');
    const drawn = Array.from({ length: 2000 }, () => draw.between(-0.03, 0.03, 2));
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([-0.03, 0.03]);
    expect(new Set(drawn.map((value) => value.toFixed(2))).size).toBeLessThanOrEqual(8);
  });
});

function idsOf(load: Load): string[] {
  return [
    check.idOf(load) ?? '',
    load.run.explanation_run_id,
    load.trigger.trigger_id,
    load.thread.event_thread_id,
    ...load.lineage.documents.map((row) => row.document_id),
    ...load.lineage.source_events.map((row) => row.source_event_id),
    ...load.lineage.event_evidences.map((row) => row.event_evidence_id),
    ...load.lineage.disclosure_facts.map((row) => row.disclosure_fact_id),
  ];
}
