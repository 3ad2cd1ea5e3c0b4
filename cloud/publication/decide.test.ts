import { describe, expect, test } from 'vitest';
import { backfill, live, result, v2 } from '../../test/support/cloud/loads.ts';
import { decide } from './decide.ts';

const words = { key: 'a' };
const surfaceless = { ...result(words), surface: null };
const timeout = { exception_type: 'TimeoutError', message: 'no quotes' };
const valueError = { exception_type: 'ValueError', message: 'window empty' };

describe('sync protocol 3, the outcome of a new result', () => {
  test('measured surface and a route without a published result: publish', () => {
    expect(decide(live(words), false)).toEqual({ kind: 'publish', withdrawFirst: null });
    expect(decide({ ...live(words), mode: 'DAILY' }, false)).toEqual({ kind: 'publish', withdrawFirst: null });
    expect(decide(backfill(words), false)).toEqual({ kind: 'publish', withdrawFirst: null });
  });

  test('the route has a published result already: draft', () => {
    expect(decide(live(words), true)).toEqual({ kind: 'draft', reason: 'route_already_published' });
    expect(decide(backfill(words), true)).toEqual({ kind: 'draft', reason: 'route_already_published' });
  });

  test.each([timeout, valueError, null])(
    'static path failed and left no measured values, with exception %j: draft',
    (failure) => {
      for (const surface of [null, {}]) {
        const load = live(words, { result: { ...surfaceless, surface }, failure });
        expect(decide(load, false)).toEqual({ kind: 'draft', reason: 'surface_absent' });
      }
    },
  );

  test('a republication without measured values leaves the published copy alone', () => {
    const load = live(words, { result: surfaceless, republication: { reason: 'fix' } });
    expect(decide(load, true)).toEqual({ kind: 'draft', reason: 'surface_absent' });
  });

  test('an exception with measured values does not hold the text back', () => {
    expect(decide(live(words, { failure: timeout }), false)).toEqual({ kind: 'publish', withdrawFirst: null });
  });

  test('UNCERTAIN with measured values: publish as usual', () => {
    const load = live(words, { result: { ...result(words), explanation_type: 'UNCERTAIN', confidence_level: 'LOW' } });
    expect(decide(load, false)).toEqual({ kind: 'publish', withdrawFirst: null });
  });

  test('republication: the old copy is withdrawn first; without one it is a first publication', () => {
    const load = live(words, { republication: { reason: 'number corrected' } });
    expect(decide(load, true)).toEqual({ kind: 'publish', withdrawFirst: 'number corrected' });
    expect(decide(load, false)).toEqual({ kind: 'publish', withdrawFirst: null });
  });

  test('a backfill that failed writes nothing: skipped for a ValueError, failed for any other', () => {
    expect(decide(backfill(words, { result: null, failure: valueError }), false)).toMatchObject({
      kind: 'nothing',
      outcome: 'SKIPPED',
    });
    expect(
      decide(backfill(words, { failure: { ...valueError, exception_type: 'builtins.ValueError' } }), false),
    ).toMatchObject({ outcome: 'SKIPPED' });
    expect(decide(backfill(words, { result: null, failure: timeout }), false)).toMatchObject({
      kind: 'nothing',
      outcome: 'FAILED',
    });
    expect(decide(backfill(words, { result: surfaceless }), false)).toMatchObject({
      kind: 'nothing',
      outcome: 'SKIPPED',
      reason: 'surface_absent',
    });
  });

  test('v2: always published, on a route that has a published result too', () => {
    expect(decide(v2(words), true)).toEqual({ kind: 'publish', withdrawFirst: null });
  });
});
