import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countValues, parseJson } from './json.ts';

// Few names, so that the same prefixes recur: only then does V8 guess the next name.
const name = fc.oneof(
  fc.constantFrom('"', '\\', '\n', '\u0000', 'a', 'b', '', '__proto__', 'a"', '"\\', 'one escape', '"one escape'),
  fc.constantFrom('a\\', 'ab\\', 'ab"', 'ab\\"', 'ab"c', 'ab\\c', 'ab\\\\', 'a\u0000', 'a\\u00'),
  fc.string({ maxLength: 2 }),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('0', 'true', 'null', '1.5'),
    name.map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 4, selector: ([key]) => key })
      // Names that are digits would be moved to the front.
      .map((members) => members.filter(([key]) => !/^\d+$/u.test(key)))
      .map((members) => `{${members.map(([key, item]) => `${JSON.stringify(key)}:${item}`).join(',')}}`),
  ),
}));

test('a written value is read back unchanged, after any earlier reads', () => {
  fc.assert(
    fc.property(value, (text) => {
      expect(JSON.stringify(parseJson(text))).toBe(text);
      expect(JSON.stringify(parseJson(text, (_, item) => item))).toBe(text);
    }),
    { numRuns: 3_000 },
  );
});

test('a name with an escape is not the earlier one whose letters begin like its spelling', () => {
  for (let round = 0; round < 50; round += 1)
    for (const [former, later] of [
      ['a\\', 'a"'],
      ['ab\\', 'ab\n'],
      ['ab\\\\', 'ab\\"'],
      ['ab\\u', 'ab\u0000d'],
      ['\\', '"'],
    ]) {
      for (const name of [former, later, former])
        expect(Object.keys(parseJson(JSON.stringify({ x: 0, [name ?? '']: 1 })) as object)).toEqual(['x', name]);
    }
});

test('a name made of one escape is that name', () => {
  const text = '{"\\"":1,"\\\\" :2,"\\u0000":{"\\n"\n:3},"x\\"\\n":"\\"\\\\"}';
  for (let round = 0; round < 3; round++) {
    expect(Object.entries(parseJson(text) as object)).toEqual([
      ['"', 1],
      ['\\', 2],
      ['\u0000', { '\n': 3 }],
      ['x"\n', '"\\'],
    ]);
  }
});

test('two spellings of a name are one name, and the last one counts', () => {
  expect(parseJson('{"\\"":1,"\\u0022":2}')).toEqual({ '"': 2 });
});

test('a reviver gets the name and, for a number, its digits', () => {
  const seen: [string, string | undefined][] = [];
  parseJson('{"\\"":1.50}', (key, item, { source }) => {
    seen.push([key, source]);
    return item;
  });
  expect(seen).toEqual([
    ['"', '1.50'],
    ['', undefined],
  ]);
});

test('an error names the place in the text as it came', () => {
  expect(() => parseJson('{"\\"":1,}')).toThrow(/position 8/u);
});

test('no name is taken for an internal mark, however it is written', () => {
  for (const escaped of ['one escape0;', '\\u006fne escape0;', 'one escape0\\u003b', 'xone escape0;one escape1;']) {
    const text = `{"\\"":1,"a${escaped}":2}`;
    expect(Object.keys(parseJson(text) as object)).toEqual(['"', `a${JSON.parse(`"${escaped}"`) as string}`]);
  }
});

test('counts every value', () => {
  const valuesIn = (item: unknown): number =>
    typeof item === 'object' && item !== null
      ? 1 + Object.values(item).reduce<number>((sum, inner) => sum + valuesIn(inner), 0)
      : 1;
  fc.assert(
    fc.property(value, (text) => {
      // `JSON.parse` itself may lose a name that is a single escape.
      const spaced = JSON.stringify(parseJson(text), null, 1);
      for (const each of [text, spaced]) expect(countValues(each)).toBe(valuesIn(parseJson(text)));
    }),
  );
});
