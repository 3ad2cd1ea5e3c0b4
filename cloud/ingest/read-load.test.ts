import { describe, expect, test } from 'vitest';
import { LoadRefusedError } from '../publication/refusal.ts';
import { MAX_BODY_DEPTH, MAX_ENTRY_BYTES, MAX_ENTRY_DEPTH } from '../../shared/wire/bundle-endpoint.ts';
import { live, makeLineage, paddedTo, v2, withOutput } from '../../test/support/cloud/loads.ts';
import { largestEntryBytes } from './entry-size.ts';
import { readLoad } from './read-load.ts';

const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const flaw = (value: unknown): string => {
  try {
    readLoad(bytes(value));
    return 'taken';
  } catch (error) {
    if (!(error instanceof LoadRefusedError)) throw error;
    expect(error.code).toBe('LOAD_INVALID');
    return error.message;
  }
};

describe('reading a load', () => {
  test('a whole one is taken', () => expect(readLoad(bytes(live({ key: 'a' }))).load.mode).toBe('REALTIME'));

  test.each([
    ['{oops', /not JSON/],
    ['[]', /the line/],
    ['null', /the line/],
    [{ ...live({ key: 'a' }), mode: 'NIGHTLY' }, /mode/],
    [{ ...live({ key: 'a' }), sumary: 'x' }, /sumary/],
    [{ ...live({ key: 'a' }), instrument: { ...live({ key: 'a' }).instrument, ticker: '12' } }, /instrument\.ticker/],
    [live({ key: 'a' }, { result: { ...live({ key: 'a' }).result, trade_date: '2026-02-30' } }), /result\.trade_date/],
    [
      live({ key: 'a' }, { result: { ...live({ key: 'a' }).result, surface_units: { other: 'RATIO' } } }),
      /result\.surface_units\.other.*unit of a value in surface/,
    ],
    [live({ key: 'a', summary: 'a\0b' }), /result\.summary.*NUL/],
    [JSON.stringify(live({ key: 'a', summary: '@' })).replace('"@"', String.raw`"\ud800"`), /result\.summary/],
  ])('%#: the answer names the place', (value, expected) => expect(flaw(value)).toMatch(expected));

  test('a line that is not UTF-8', () => expect(() => readLoad(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/));

  test('a nesting bomb is refused with its place and without recursion', () => {
    const load = live({ key: 'a' });
    const line = JSON.stringify(load).replace('"window":5', `"window":${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(flaw(line)).toMatch(/lineage\.calculations\.0\.arguments: nests deeper/);
  });

  test('an output nests as deep as it may in a body, and not one level deeper', () => {
    // Around it lie: envelope, bundle, entries, entry, evidences, evidence.
    const deepest = MAX_BODY_DEPTH - 6;
    expect(deepest).toBe(MAX_ENTRY_DEPTH - 3);
    const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    expect(flaw(withOutput(live({ key: 'a' }), nested(deepest)))).toBe('taken');
    expect(flaw(withOutput(live({ key: 'a' }), nested(deepest + 1)))).toMatch(
      /^lineage\.calculations\.0\.output: nests deeper than 62 levels .*\.$/,
    );
  });

  test('a load is as large as its entry may become, and not one byte larger', () => {
    const { load, calculations } = readLoad(bytes(paddedTo(live({ key: 'a' }), MAX_ENTRY_BYTES)));
    expect(largestEntryBytes(load, calculations)).toBe(MAX_ENTRY_BYTES);
    expect(flaw(paddedTo(live({ key: 'a' }), MAX_ENTRY_BYTES + 1))).toBe(
      `in a bundle this load may come to ${MAX_ENTRY_BYTES + 1} bytes, and ${MAX_ENTRY_BYTES} are the most: ` +
        'shorten lineage.calculations or name fewer lineage.documents.',
    );
  });

  test('a result without measured values may lack type and confidence, and a calculation may have an instant or nothing', () => {
    const load = live({ key: 'a' });
    const [calculation] = load.lineage.calculations;
    const calculations = ['2026-11-20T15:30:00+09:00', null].map((as_of) => ({ ...calculation, as_of }));
    const result = { ...load.result, surface: null, explanation_type: null, confidence_level: null };
    const line = JSON.stringify({ ...load, result, lineage: { ...load.lineage, calculations } });
    expect(readLoad(Buffer.from(line)).load).toMatchObject({ result });
  });

  test('a line that is longer than any entry is not even read', () =>
    expect(flaw(' '.repeat(MAX_ENTRY_BYTES + 1))).toMatch(/^the line has 8388609 bytes, and 8388608 are the most\.$/));

  const load = live({ key: 'a' });
  const [news] = load.lineage.documents;
  test.each<[unknown, string]>([
    ['{"mode":', 'the line is not JSON: it ends too early.'],
    ['{"mode":x}', 'the line is not JSON: x is not expected there.'],
    ['7', 'the line: must be an object, and is the number 7.'],
    [{ ...load, mode: 'NIGHTLY' }, 'mode: must be one of REALTIME, DAILY, BACKFILL, V2.'],
    [{ ...load, run: undefined }, 'run: is missing and must be an object.'],
    [{ ...load, run: { ...load.run, started_at: 5 } }, 'run.started_at: must be text, and is the number 5.'],
    [
      { ...load, run: { ...load.run, started_at: '2026-11-20' } },
      'run.started_at: must be an instant with seconds and an offset, for example 2026-11-20T15:30:00+09:00.',
    ],
    [
      { ...load, run: { ...load.run, started_at: '0000-12-31T23:59:59Z' } },
      'run.started_at: must lie in the years 0001 to 9999 of UTC, with an offset below 16 hours.',
    ],
    [
      { ...load, run: { ...load.run, started_at: '2026-11-20T15:30:00+16:00' } },
      'run.started_at: must lie in the years 0001 to 9999 of UTC, with an offset below 16 hours.',
    ],
    [
      { ...load, run: { ...load.run, started_at: '9999-12-31T23:59:59.9999996Z' } },
      'run.started_at: must lie in the years 0001 to 9999 of UTC, with an offset below 16 hours.',
    ],
    ...['2026-11-20T15:30:00Z', '2026-11-20T15:30:00+00:00'].map((content_as_of): [unknown, string] => [
      { ...load, result: { ...load.result, content_as_of } },
      'result.content_as_of: must have the Korean offset +09:00.',
    ]),
    ...(['explanation_type', 'confidence_level'] as const).map((name): [unknown, string] => [
      { ...load, result: { ...load.result, [name]: null } },
      `result.${name}: must not be null beside measured values.`,
    ]),
    ...['어제쯤', '2026-02-30', '2026-11-20T15:30:00'].map((as_of): [unknown, string] => [
      { ...load, lineage: { ...load.lineage, calculations: [{ ...load.lineage.calculations[0], as_of }] } },
      'lineage.calculations.0.as_of: must be a date that exists as YYYY-MM-DD, or an instant with seconds and an offset.',
    ]),
    [{ ...load, thread: { event_thread_id: '', title: null } }, 'thread.event_thread_id: must not be empty.'],
    [
      { ...load, thread: { event_thread_id: 'x'.repeat(201), title: null } },
      'thread.event_thread_id: may have at most 200 characters.',
    ],
    [
      { ...load, lineage: { ...load.lineage, documents: Array.from({ length: 201 }, () => news) } },
      'lineage.documents: may have at most 200 elements.',
    ],
    [
      { ...load, result: { ...load.result, confidence_level: 'SURE' } },
      'result.confidence_level: must be one of HIGH, MEDIUM, LOW.',
    ],
    // PostgreSQL knows days and instants without end: none of them comes in.
    ...['2026-02-30', 'infinity', '-infinity', 'today', 'now'].map((trade_date): [unknown, string] => [
      { ...load, result: { ...load.result, trade_date } },
      'result.trade_date: must be a date that exists, as YYYY-MM-DD.',
    ]),
    ...['infinity', '-infinity', 'now', 'epoch'].map((started_at): [unknown, string] => [
      { ...load, run: { ...load.run, started_at } },
      'run.started_at: must be an instant with seconds and an offset, for example 2026-11-20T15:30:00+09:00; ' +
        'run.started_at: must lie in the years 0001 to 9999 of UTC, with an offset below 16 hours.',
    ]),
    [
      { ...load, result: { ...load.result, sumary: 'x' }, extra: 1 },
      'result.sumary: is no field of a load; extra: is no field of a load.',
    ],
    [JSON.stringify(load).replace('"mode"', '"__proto__":{"a":1},"mode"'), '__proto__: is no field of a load.'],
    ...['\u0001', '\u007f', '\u0085', '\u202e', '\ufffd'].flatMap((sign): [unknown, string][] => {
      const said = `must not contain the character U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}, which no reader sees or reads.`;
      const text = `a${sign}b`;
      const [news] = load.lineage.documents;
      return [
        [{ ...load, result: { ...load.result, explanation_result_id: text } }, `result.explanation_result_id: ${said}`],
        [{ ...load, instrument: { ...load.instrument, name: text } }, `instrument.name: ${said}`],
        [{ ...load, thread: { ...load.thread, title: text } }, `thread.title: ${said}`],
        [
          { ...load, lineage: { ...load.lineage, documents: [{ ...news, source_uri: text }] } },
          `lineage.documents.0.source_uri: ${said}`,
        ],
        // A reviewer sees it first.
        [live({ key: 'a', summary: text }), 'taken'],
      ];
    }),
    [{ ...load, instrument: { ...load.instrument, name: ' ' } }, 'instrument.name: must not be blank.'],
    [
      { ...load, instrument: { ...load.instrument, name: 'a\nb' } },
      'instrument.name: must not contain the character U+000A, which is no part of a name of one line.',
    ],
    [v2({ key: 'a', summary: '\u2800 ' }), 'analysis.summary: must not be blank.'],
    [
      JSON.stringify(load).replace('"observed_return":-0.0123', '"observed_return":1e400'),
      'trigger.observed_return: must be a number within the range of a double, and is beyond it.',
    ],
    [
      { ...load, run: {}, thread: {} },
      'run.explanation_run_id: is missing and must be text; run.release_bundle_version: is missing and must be text; ' +
        'run.started_at: is missing and must be text (and 2 more).',
    ],
  ])('%#: what does not fit is told in plain words', (value, sentence) => expect(flaw(value)).toBe(sentence));

  test.each([
    ['of the load', (line: string) => line.replace('"mode"', '"mode":"DAILY","mode"')],
    [
      'of an output, in another spelling',
      (line: string) => line.replace('"contribution"', String.raw`"\u0063ontribution":1,"contribution"`),
    ],
    ['of one escape', (line: string) => line.replace('"contribution"', String.raw`"\"":1,"\"":2,"contribution"`)],
  ])('a name %s that is there twice', (_what, twice) => {
    const line = twice(JSON.stringify(live({ key: 'a' })));
    expect(flaw(line)).toMatch(/^an object of the line has the same name twice.*name each field once\.$/);
    expect(flaw(JSON.stringify(live({ key: 'a', summary: 'a": "b": {"a":1,"a":2} \\' })))).toBe('taken');
  });

  test('references stay inside the load and ids are named once', () => {
    const lineage = makeLineage('a', 2);
    const [evidence] = lineage.event_evidences;
    if (evidence === undefined) throw new Error('no evidence');
    expect(flaw({ ...live({ key: 'a' }), lineage: { ...lineage, documents: lineage.documents.slice(1) } })).toMatch(
      /event_evidences\.0\.document_id: doc-a-0/,
    );
    expect(flaw({ ...live({ key: 'a' }), lineage: { ...lineage, source_events: [] } })).toMatch(
      /event_evidences\.0\.source_event_id/,
    );
    expect(flaw({ ...live({ key: 'a' }), lineage: { ...lineage, event_evidences: [evidence, evidence] } })).toMatch(
      /event_evidences\.1.*twice/,
    );
  });
});
