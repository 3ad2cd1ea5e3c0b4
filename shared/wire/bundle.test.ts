import { describe, expect, test } from 'vitest';
import { bundleAnswerSchema, evidenceSchema, exactInteger, invalidationEntrySchema, newEntrySchema } from './bundle.ts';

const result = {
  explanation_result_id: 'r-1',
  etf_instrument_id: 'i-1',
  etf_ticker: '069500',
  etf_name: 'KODEX 200',
  trade_date: '2026-11-20',
  explanation_as_of: '2026-11-20T06:30:00.000Z',
  explanation_type: 'EVENT_SUPPORTED',
  summary: '올랐습니다.',
  confidence_level: 'HIGH',
  primary_thread_id: 't-1',
};
const entry = {
  cursor: 1,
  delivery_type: 'NEW',
  explanation_result: result,
  explanation_run: { explanation_run_id: 'run-1', release_bundle_version: null },
  source_events: [],
  evidences: [],
};
const calculation = {
  kind: 'CALCULATION',
  title: '기여도',
  source: '지수·구성종목',
  published_at: null,
  as_of: '2026-11-20',
  tool_run_id: 'tool-1',
  item_ids: ['item-1'],
  arguments: { weight: 0.2 },
  output: { contribution: 0.01 },
  formula_latex: null,
  description: '구성 종목의 기여도',
};
const fits = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('a NEW entry', () => {
  test('is valid without any optional field, and with nullable ones null', () => {
    expect(fits(newEntrySchema, entry)).toBe(true);
    const optional = { content_as_of: null, market: null, observed_return: null, analysis_engine: 'v2' };
    const v2 = { ...result, ...optional, explanation_type: null, confidence_level: null };
    expect(fits(newEntrySchema, { ...entry, explanation_result: v2 })).toBe(true);
  });
  test('keeps a field that a newer cloud adds', () => {
    const parsed = newEntrySchema.parse({ ...entry, explanation_result: { ...result, later: 1 } });
    expect(parsed.explanation_result['later']).toBe(1);
  });
  test.each(Object.keys(result))('does not fit without %s', (field) => {
    const without = Object.fromEntries(Object.entries(result).filter(([key]) => key !== field));
    expect(fits(newEntrySchema, { ...entry, explanation_result: without })).toBe(false);
  });
  test.each([
    ['trade_date', '2026-02-30'],
    ['explanation_as_of', 'yesterday'],
    ['confidence_level', 'SURE'],
    ['observed_return', '0.01'],
    ['content_as_of', 'noon'],
    ['explanation_result_id', ''],
  ])('does not fit with %s %j', (field, value) => {
    expect(fits(newEntrySchema, { ...entry, explanation_result: { ...result, [field]: value } })).toBe(false);
  });
});

describe('evidence', () => {
  test.each(Object.keys(calculation))('a calculation needs %s', (field) => {
    const without = Object.fromEntries(Object.entries(calculation).filter(([key]) => key !== field));
    expect(fits(evidenceSchema, calculation)).toBe(true);
    expect(fits(evidenceSchema, without)).toBe(false);
  });
  test.each([
    ['a name', { arguments: { 'wei\u200Bght': 1 } }],
    ['a text', { output: { note: 'r\u202E' } }],
    ['a text within', { output: { rows: [1, { note: ['\u0007'] }] } }],
  ])('a calculation holds no character that nobody reads, in %s', (_, more) => {
    expect(fits(evidenceSchema, { ...calculation, ...more })).toBe(false);
  });
  test('a document needs no identifiers; a calculation has no publication time', () => {
    expect(fits(evidenceSchema, { kind: 'NEWS', title: null, source: 'S', published_at: null })).toBe(true);
    expect(fits(evidenceSchema, { ...calculation, published_at: '2026-11-20T00:00:00Z' })).toBe(false);
    expect(fits(evidenceSchema, { kind: 'RUMOUR', title: null, source: 'S', published_at: null })).toBe(false);
  });
});

test('an INVALIDATION has exactly one target, and a reason', () => {
  const base = { cursor: 2, delivery_type: 'INVALIDATION', reason: '오류' };
  expect(fits(invalidationEntrySchema, { ...base, target_explanation_result_id: 'r' })).toBe(true);
  expect(fits(invalidationEntrySchema, { ...base, target_movement_analysis_id: 'm' })).toBe(true);
  expect(fits(invalidationEntrySchema, base)).toBe(false);
  const both = { ...base, target_explanation_result_id: 'r', target_movement_analysis_id: 'm' };
  expect(fits(invalidationEntrySchema, both)).toBe(false);
  expect(fits(invalidationEntrySchema, { ...base, target_explanation_result_id: 'r', reason: '' })).toBe(false);
});

test('integers are exact up to 2^53 - 1 and refused beyond', () => {
  expect(fits(exactInteger, 2 ** 53 - 1)).toBe(true);
  for (const value of [2 ** 53, -1, 1.5, '1', null]) expect(fits(exactInteger, value)).toBe(false);
});

test('an answer without a result means no news; a null result is invalid', () => {
  const nothing = { isSuccess: true, code: 'COMMON200', message: 'OK' };
  expect(fits(bundleAnswerSchema, nothing)).toBe(true);
  expect(fits(bundleAnswerSchema, { ...nothing, result: null })).toBe(false);
});
