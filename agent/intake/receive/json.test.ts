import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BODY_DEPTH } from '../../../shared/wire/bundle-endpoint.ts';
import { badText, JsonError, readJson } from './json.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const nested = (depth: number) => bytes('['.repeat(depth) + ']'.repeat(depth));

describe('reading JSON', () => {
  test('any value is read back as it was written, with any spacing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readJson(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });
  test('names and texts full of quotes, colons and brackets are no structure', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: fc.constantFrom('"', ':', '{', '[', '\\', '한', 'a') }), fc.string()),
        (value) => {
          expect(readJson(bytes(JSON.stringify(value)))).toEqual(value);
        },
      ),
    );
  });
  test('every proper beginning of an object is refused', () => {
    const whole = bytes(JSON.stringify({ isSuccess: true, result: { text: '값 "둘": \\', list: [1, { a: null }] } }));
    for (let length = 0; length < whole.length; length++) {
      expect(() => readJson(whole.subarray(0, length))).toThrow(JsonError);
    }
    expect(readJson(whole)).toHaveProperty('result.list.1.a', null);
  });
  test('bytes that are no UTF-8, and a mark before the text, are refused', () => {
    expect(() => readJson(Buffer.from([0x22, 0xc3, 0x22]))).toThrow('not valid UTF-8');
    expect(() => readJson(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes('{}')]))).toThrow('not JSON');
    expect(() => readJson(Buffer.from('{"a":"값"}', 'utf16le'))).toThrow(JsonError);
  });
  test.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"c":":"},"b":0}]', '{"__proto__":1,"__proto__":2}'])(
    'the same name twice is refused: %s',
    (text) => expect(() => readJson(bytes(text))).toThrow('same name twice'),
  );
  test('the same name in two objects is not', () => {
    expect(readJson(bytes('[{"a":1},{"a":{"a":2}}]'))).toEqual([{ a: 1 }, { a: { a: 2 } }]);
  });
  test('depth is bounded, also where a million levels would break a stack', () => {
    expect(readJson(nested(MAX_BODY_DEPTH))).toBeInstanceOf(Array);
    expect(() => readJson(nested(MAX_BODY_DEPTH + 1))).toThrow('nests deeper');
    expect(() => readJson(nested(1_000_000))).toThrow('nests deeper');
    expect(readJson(bytes(JSON.stringify('['.repeat(1_000))))).toHaveLength(1_000);
  });
});

describe('texts that cannot be kept', () => {
  test.each([
    [{ a: ['x', { b: '\ud800' }] }, 'half of a surrogate'],
    [{ '\udc00': 1 }, 'half of a surrogate'],
    [['a\0b'], 'U+0000'],
  ])('%j', (value, what) => expect(badText(value)).toContain(what));
  test('any other text is fine', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) =>
          badText({ [text]: [text, 1, null, true] }) ===
          (text.includes('\0') ? 'a text holds the character U+0000' : null),
      ),
    );
  });
});
