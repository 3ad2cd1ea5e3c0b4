/** The schema accepts unchanged every entry that the plain validator accepts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEntrySchema } from '../../../shared/wire/bundle.ts';
import { MAX_TEXT_LENGTH } from '../../../shared/wire/bundle-endpoint.ts';
import { newAt } from '../testing.ts';
import type { RawEntry } from './entry.ts';
import { isPlainNew } from './plain-entry.ts';

const document = {
  kind: 'NEWS',
  title: null,
  source: 'S',
  published_at: '2026-11-20T08:00:00+09:00',
  source_uri: null,
};
const calculation = {
  ...{
    kind: 'CALCULATION',
    title: 'T',
    source: 'S',
    published_at: null,
    as_of: null,
    tool_run_id: 't',
    item_ids: ['i'],
  },
  ...{ arguments: { a: [1] }, output: {}, formula_latex: null, description: 'D' },
};
const entry: RawEntry = {
  ...newAt(5, 'a', { market: null, observed_return: -0.0123, content_as_of: null, confidence_level: null }),
  source_events: [{ source_event_id: 'e', source_class: 'NEWS', event_type_code: 'T', event_date: null }],
  evidences: [document, { ...document, kind: 'DISCLOSURE', item_ids: ['i'], news_id: 'n' }, calculation],
};

const bad = [
  ...[undefined, null, '', 0, -1, 1.5, 2 ** 53, true, [], {}, [null], [1], ['x'], 'x'.repeat(MAX_TEXT_LENGTH + 1)],
  ...['2026-02-29', '2024-02-29', '2026-13-01', '0000-01-01', '2026-11-20', '2026-11-20T08:00:00Z', 'NEWS', 'HIGH'],
  ...[
    '2026-11-20T08:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T08:00:60Z',
    '2026-11-20 08:00:00Z',
    '2026-11-20T08:00:00',
  ],
  ...['2026-11-20T08:00:00+9', '2026-11-20T08:00:00.123456789Z', '2026-11-20T08:00:00.1234567890123456789012345Z'],
  ...[
    '\u0007',
    'a\u202eb',
    ' a',
    'a\nb',
    'a b',
    'v2',
    '😀\ufe0f',
    '2026-11-20T08:00:00+16:00',
    '0001-01-01T00:00:00+09:00',
  ],
  ...[{ constructor: 1 }, JSON.parse('{"__proto__":{"kind":"NEWS"}}') as unknown, { toString: null }, 'CALCULATION'],
];

/** The path of every place in a value. */
function places(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([name, item]) => places(item, [...way, name]))];
}

/** The value with something else at a place; undefined takes the member away. */
function changedAt(value: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const changed = changedAt(Reflect.get(copy, name), rest, other);
  if (changed === undefined && Array.isArray(copy)) copy.splice(Number(name), 1);
  else if (changed === undefined) Reflect.deleteProperty(copy, name);
  else Reflect.set(copy, name, changed);
  return copy;
}

function isTaken(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !isPlainNew(value as RawEntry)) return false;
  const read = newEntrySchema.safeParse(value);
  expect(read.error?.issues ?? []).toEqual([]);
  // No field is transformed: the parsed value equals the value that was read.
  expect(JSON.parse(JSON.stringify(read.data))).toEqual(JSON.parse(JSON.stringify(value)));
  return true;
}

test('an entry with documents and calculations is taken', () => expect(isTaken(entry)).toBe(true));

test('with any other value at any place, the schema accepts each entry that this accepts', () => {
  const tried = places(entry)
    .filter((way) => way.length > 0)
    .flatMap((way) => bad.map((other) => isTaken(changedAt(entry, way, other))));
  const taken = tried.filter(Boolean).length;
  expect(taken).toBeGreaterThan(100);
  expect(tried.length - taken).toBeGreaterThan(100);
});

test('the same holds with several changes at once, and values of any kind', () => {
  const change = fc.tuple(
    fc.constantFrom(...places(entry).slice(1)),
    fc.oneof(fc.constantFrom(...bad), fc.jsonValue()),
  );
  fc.assert(
    fc.property(fc.array(change, { minLength: 2, maxLength: 4 }), (changes) => {
      isTaken(
        changes.reduce((value: unknown, [way, other]) => {
          try {
            return changedAt(value, way, other);
          } catch {
            // An earlier change has taken the place away.
            return value;
          }
        }, entry),
      );
    }),
    { numRuns: 3_000 },
  );
});
