import { describe, expect, test } from 'vitest';
import { readExact, sameJson } from './json-text.ts';

const EXACT =
  '{"a":[1e400,0.1000,12345678901234567890,-0,[[[[1.0]]]]],"__proto__":{"x":1},"s":"0.1000","n":null,"t":true,"e":{}}';

describe('reading exactly', () => {
  test('every number is written with the digits that it came with', () => {
    expect(JSON.stringify(readExact(EXACT))).toBe(EXACT);
  });
  test('texts, names and the rest can be used as they are', () => {
    const value = readExact(EXACT) as Record<string, unknown>;
    expect([value['s'], value['n'], value['t'], value['e']]).toEqual(['0.1000', null, true, {}]);
    expect(Object.keys(value)).toContain('__proto__');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('whether two texts say the same', () => {
  test.each([
    ['{"a":1,"b":[1,2]}', ' { "b" : [1, 2] , "a" : 1 } ', true],
    ['["\\u0041"]', '["A"]', true],
    ['[1.0]', '[1]', false],
    ['[12345678901234567890]', '[12345678901234567891]', false],
    ['[1e400]', '[1e401]', false],
    ['[-0]', '[0]', false],
    ['[1,2]', '[2,1]', false],
    ['["1"]', '[1]', false],
    ['{"__proto__":1}', '{}', false],
    ['[{}]', '[null]', false],
  ])('%s and %s: %s', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});
