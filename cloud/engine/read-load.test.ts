import { describe, expect, test } from 'vitest';
import { LoadRefusedError } from '../publication/refusal.ts';
import { live, makeLineage, v2 } from '../testing/loads.ts';
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
    [live({ key: 'a', summary: 'a\0b' }), /result\.summary.*NUL/],
    [JSON.stringify(live({ key: 'a', summary: '@' })).replace('"@"', String.raw`"\ud800"`), /result\.summary/],
  ])('%#: the answer names the place', (value, expected) => expect(flaw(value)).toMatch(expected));

  test('a line that is not UTF-8', () => expect(() => readLoad(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/));

  test('a nesting bomb is refused with its place and without recursion', () => {
    const load = live({ key: 'a' });
    const line = JSON.stringify(load).replace('"window":5', `"window":${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(flaw(line)).toMatch(/lineage\.calculations\.0\.arguments.*nested deeper/);
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

describe('what counts as the same content', () => {
  const hash = (value: unknown): string => readLoad(bytes(value)).contentHash;

  test('the order of names does not matter, any value does', () => {
    const load = live({ key: 'a' });
    expect(hash(Object.fromEntries(Object.entries(load).reverse()))).toBe(hash(load));
    expect(hash(live({ key: 'a', summary: 'other' }))).not.toBe(hash(load));
    expect(hash({ ...load, trigger: { ...load.trigger, observed_return: 0 } })).not.toBe(hash(load));
  });

  test('digits of a calculation count as they are written', () => {
    const line = JSON.stringify(live({ key: 'a' }));
    expect(hash(line.replace('"window":5', '"window":5.0'))).not.toBe(hash(line));
    expect(readLoad(bytes(line.replace('"window":5', '"window":5.0'))).calculations).toContain('"window":5.0}');
  });

  test('a v2 analysis is the same in another run of another firing', () => {
    const load = v2({ key: 'a' });
    const later = {
      ...load,
      run: { ...load.run, explanation_run_id: 'r2' },
      trigger: { ...load.trigger, trigger_id: 't2' },
    };
    expect(hash(later)).toBe(hash(load));
    expect(hash(v2({ key: 'a', summary: 'x' }))).not.toBe(hash(load));
  });
});
