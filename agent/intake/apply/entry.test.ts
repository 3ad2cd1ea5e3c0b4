import { describe, expect, test } from 'vitest';
import { newEntry } from '../../../test/support/agent/ledger.ts';
import { readEntry, targetOf, type RawEntry } from './entry.ts';
import { invalidationAt, newAt } from '../../../test/support/agent/intake.ts';

const readAny = (raw: RawEntry) => readEntry(raw, JSON.stringify(raw), '2026-11-20T08:00:00.000Z');
const reasonOf = (raw: Record<string, unknown>): string | null => {
  const read = readAny({ cursor: 1, ...raw });
  return read.kind === 'REJECTED' ? read.reason : null;
};

describe('entries that fit', () => {
  test('both kinds', () => {
    expect(readAny(newAt(1, 'a')).kind).toBe('NEW');
    expect(readAny(invalidationAt(2, 'a')).kind).toBe('INVALIDATION');
  });
  test('fields of a newer cloud are kept and ignored (sync protocol 9)', () => {
    const read = readAny({ ...newEntry('a', {}, { cursor: 3 }), severity: 'HIGH' });
    expect(read).toMatchObject({ kind: 'NEW', entry: { severity: 'HIGH' } });
  });
  test('a v1 text of any characters, which the screening leads to review', () => {
    expect(readAny(newAt(1, 'a', { summary: '상승\u001b\u202e' })).kind).toBe('NEW');
  });
  test('a v2 text with markup: the door refuses it, and a tenant takes what comes (D210)', () => {
    expect(readAny(newAt(1, 'a', { summary: '<b>상승</b>', analysis_engine: 'v2' })).kind).toBe('NEW');
  });
  test('a withdrawal of any characters: rejected, it would leave its text exposed', () => {
    expect(readAny(invalidationAt(1, 'a\u0001', '\u202e\u0007')).kind).toBe('INVALIDATION');
  });
  test('the target of a v2 withdrawal', () => {
    const read = readAny({
      cursor: 1,
      delivery_type: 'INVALIDATION',
      target_movement_analysis_id: 'm-1',
      reason: 'x',
    });
    expect(read.kind === 'INVALIDATION' && targetOf(read.entry)).toBe('m-1');
  });
});

describe('rejected entries (D34)', () => {
  test.each([
    ['a day', { trade_date: '9999-12-31' }, 'trade_date'],
    ['a moment', { explanation_as_of: '2026-11-27T08:00:00.001Z' }, 'explanation_as_of'],
  ])('an explanation of %s far ahead, which would stand before every later one', (_, result, field) => {
    expect(reasonOf({ ...newAt(1, 'a', result) })).toContain(`${field} lies more than a week after`);
  });
  test('an explanation within a day, as a wrong clock may date it, is accepted', () => {
    const result = { trade_date: '2026-11-21', explanation_as_of: '2026-11-21T08:00:00.000Z' };
    expect(reasonOf({ ...newAt(1, 'a', result) })).toBeNull();
  });

  test.each([
    ['the retired kind', { delivery_type: 'CORRECTION' }, 'The delivery_type "CORRECTION" is not known.'],
    ['no kind', {}, 'The delivery_type (absent) is not known.'],
    ['a kind that is no text', { delivery_type: 7 }, 'The delivery_type 7 is not known.'],
    ['a NEW without a result', { ...newAt(1, 'a'), explanation_result: undefined }, 'explanation_result'],
    [
      'a NEW with a summary that is no text',
      { ...newAt(1, 'a', { summary: 3 as never }) },
      'explanation_result.summary',
    ],
    ['a NEW with an evidence of an unknown kind', { ...newAt(1, 'a'), evidences: [{ kind: 'RUMOUR' }] }, 'evidences.0'],
    ['a NEW with a date that does not exist', { ...newAt(1, 'a', { trade_date: '2026-02-30' }) }, 'trade_date'],
    ['an INVALIDATION without a reason', { ...invalidationAt(1, 'a'), reason: undefined }, 'reason'],
    [
      'an INVALIDATION without a target',
      { ...invalidationAt(1, 'a'), target_explanation_result_id: undefined },
      'exactly one',
    ],
    [
      'an INVALIDATION with two targets',
      { ...invalidationAt(1, 'a'), target_movement_analysis_id: 'b' },
      'exactly one',
    ],
    [
      'an id with a control character',
      newAt(1, 'a\u0001'),
      'explanation_result_id: must not contain the character U+0001',
    ],
    ['a blank name', newAt(1, 'a', { etf_name: ' ' }), 'etf_name: must not be blank'],
    ['a name that turns the writing', newAt(1, 'a', { etf_name: 'a\u202eb' }), 'etf_name: must not contain'],
    [
      'a v2 text that nobody reviews',
      newAt(1, 'a', { summary: 'a\u001b', analysis_engine: 'v2' }),
      'summary: must not',
    ],
    ['a text with half a character', { ...newAt(1, 'a', { summary: '상승\ud83d' }) }, 'surrogate'],
    ['a text with U+0000', { ...newAt(1, 'a', { summary: '상승\0' }) }, 'U+0000'],
  ])('%s', (_, raw, said) => expect(reasonOf(raw)).toContain(said));
});
