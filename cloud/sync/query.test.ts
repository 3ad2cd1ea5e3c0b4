import { describe, expect, test } from 'vitest';
import { ApiError } from '../../shared/wire/envelope.ts';
import { readPullQuery } from './query.ts';

const codeOf = (query: Record<string, unknown>): string => {
  try {
    return JSON.stringify(readPullQuery(query));
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};

describe('the parameters of a pull', () => {
  test('after alone: limit is 100', () => expect(readPullQuery({ after: '0' })).toEqual({ after: 0, limit: 100 }));
  test('the bounds are inside', () => {
    expect(readPullQuery({ after: '9007199254740991', limit: '1' })).toEqual({
      after: Number.MAX_SAFE_INTEGER,
      limit: 1,
    });
    expect(readPullQuery({ after: '7', limit: '500' })).toEqual({ after: 7, limit: 500 });
  });
  test.each(['-1', '-500'])('after %s: SYNC4001', (after) => expect(codeOf({ after })).toBe('SYNC4001'));
  test.each(['0', '501', '-1', '99999'])('limit %s: SYNC4002', (limit) =>
    expect(codeOf({ after: '0', limit })).toBe('SYNC4002'),
  );
  test.each([
    undefined,
    '',
    ' ',
    '1e3',
    '0x10',
    '1.0',
    '+1',
    ' 1',
    '1 ',
    '9007199254740992',
    '9223372036854775808',
    '-9007199254740992',
    'ten',
    '１',
    ['1', '2'],
    '1,2',
    'NaN',
    '--1',
  ])('after %j cannot be bound: COMMON400', (after) => expect(codeOf({ after })).toBe('COMMON400'));
  test.each(['', '1e2', '0x10', '10.0', 'all', '9223372036854775808', ['1', '1']])(
    'limit %j cannot be bound: COMMON400',
    (limit) => expect(codeOf({ after: '0', limit })).toBe('COMMON400'),
  );
  test('a binding failure names the parameter', () => {
    expect(() => readPullQuery({ after: 'x' })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: 'query.after' })] }),
    );
  });
});
