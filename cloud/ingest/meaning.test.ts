/** What a load means, whatever its spelling (D197). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { live, v2, withOutput } from '../../test/support/cloud/loads.ts';
import { readLoad } from './read-load.ts';

const read = (value: unknown) => readLoad(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const hash = (value: unknown): string => read(value).contentHash;
const load = live({ key: 'a' });
const line = JSON.stringify(load);

/** The same value with the names of every object in another order. */
const shuffled = (value: unknown, random: () => number): unknown => {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, item]: [string, unknown]) => ({ name, item, place: random() }));
  return Object.fromEntries(
    members.toSorted((a, b) => a.place - b.place).map(({ name, item }) => [name, shuffled(item, random)]),
  );
};

describe('the meaning of a load', () => {
  test('the order of names does not matter, not even inside of arguments and outputs', () => {
    const args = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(
        args,
        args,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (given, output, places) => {
          const random = (): number => Number(places.next().value);
          const [calculation] = load.lineage.calculations;
          const lineage = { ...load.lineage, calculations: [{ ...calculation, arguments: given, output }] };
          const [first, again] = [read({ ...load, lineage }), read(shuffled({ ...load, lineage }, random))];
          expect([again.contentHash, again.lineageHash]).toEqual([first.contentHash, first.lineageHash]);
        },
      ),
      { numRuns: runs(100, 2_000) },
    );
  });

  test.each([
    ['trigger.fired_at', '"fired_at":"2026-11-20T06:30:00Z"', '"fired_at":"2026-11-20T15:30:00.000+09:00"'],
    ['run.started_at', '"started_at":"2026-11-20T06:31:00Z"', '"started_at":"2026-11-20T06:31:00+00:00"'],
    ['a published_at', '"published_at":"2026-11-20T05:00:00.5Z"', '"published_at":"2026-11-20T14:00:00.500+09:00"'],
    ['content_as_of', '"content_as_of":"2026-11-20T15:30:00+09:00"', '"content_as_of":"2026-11-20T15:30:00.0+09:00"'],
    ['a return', '"observed_return":-0.0123},"run"', '"observed_return":-123e-4},"run"'],
    ['a measured value', '"surface":{"observed_return":-0.0123}', '"surface":{"observed_return":-0.012300}'],
    ['a letter of a text', '"mode"', String.raw`"\u006dode"`],
  ])('%s in another spelling is the same', (_what, one, other) => {
    expect(line).toContain(one);
    expect(hash(line.replace(one, other))).toBe(hash(line));
  });

  test('explanation_as_of in another zone, and the time of a calculation', () => {
    const at = (asOf: string, calculated: string): string => {
      const calculations = load.lineage.calculations.map((row) => ({ ...row, as_of: calculated }));
      return hash({ ...live({ key: 'a', asOf }), lineage: { ...load.lineage, calculations } });
    };
    const one = at('2026-11-20T06:40:00.120Z', '2026-11-20T15:30:00+09:00');
    expect(at('2026-11-20T15:40:00.12+09:00', '2026-11-20T06:30:00Z')).toBe(one);
    expect(at('2026-11-20T06:40:00.121Z', '2026-11-20T06:30:00Z')).not.toBe(one);
    // A day is no instant.
    expect(at('2026-11-20T06:40:00.120Z', '2026-11-20')).not.toBe(
      at('2026-11-20T06:40:00.120Z', '2026-11-20T00:00:00Z'),
    );
  });

  test.each([
    ['a text', '설명입니다', '설명입니다.'],
    ['an instant that stands in a text', '2026-11-20T06:30:00Z', '2026-11-20T15:30:00+09:00'],
  ])('%s counts letter by letter', (_what, one, other) =>
    expect(hash(live({ key: 'a', summary: one }))).not.toBe(hash(live({ key: 'a', summary: other }))),
  );

  test('any value, the order of a list and what is absent count', () => {
    expect(hash({ ...load, trigger: { ...load.trigger, observed_return: 0 } })).not.toBe(hash(load));
    const two = live({ key: 'a', documents: 2 });
    const turned = { ...two.lineage, documents: two.lineage.documents.toReversed() };
    expect(hash({ ...two, lineage: turned })).not.toBe(hash(two));
    expect(hash({ ...load, result: { ...load.result, counter_factors: [] } })).not.toBe(hash(load));
  });

  test('inside of arguments and outputs, digits and texts count as they are written', () => {
    const outputs = ['5', '5.0', '"5"', '{"rawJSON":"5.0"}', '"2026-11-20T06:30:00Z"', '"2026-11-20T15:30:00+09:00"'];
    const meanings = outputs.flatMap((value) => [`{"as_of":${value}}`, `{"a":[${value}]}`]);
    expect(new Set(meanings.map((output) => hash(withOutput(load, output)))).size).toBe(meanings.length);
    expect(read(line.replace('"window":5', '"window":5.0')).calculations).toContain('"window":5.0}');
  });

  test('a v2 analysis is the same in another run of another firing', () => {
    const analysis = v2({ key: 'a' });
    const later = {
      ...analysis,
      run: { ...analysis.run, explanation_run_id: 'r2' },
      trigger: { ...analysis.trigger, trigger_id: 't2' },
    };
    expect(hash(later)).toBe(hash(analysis));
    expect(hash({ ...later, instrument: { ...later.instrument, name: 'another' } })).toBe(hash(analysis));
    expect(hash(v2({ key: 'a', summary: 'x' }))).not.toBe(hash(analysis));
    for (const other of [{ ticker: '999999' }, { market: 'NASDAQ' }])
      expect(hash({ ...later, instrument: { ...later.instrument, ...other } })).not.toBe(hash(analysis));
  });
});
