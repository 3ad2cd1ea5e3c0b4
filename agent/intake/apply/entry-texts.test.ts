import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryTexts } from './entry-texts.ts';
import { readJson } from '../receive/json.ts';

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const texts = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '}]', '{[', 'evidences', '\u0000', '가"나\\'));
const numbers = fc.constantFrom('0', '-0', '0.1000', '1e400', '-1E-400', '12345678901234567890', '0.30000000000000004');

/** JSON texts of every shape, written with white space anywhere it may stand. */
const json = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numbers,
    fc.constantFrom('true', 'false', 'null'),
    texts.map((text) => JSON.stringify(text)),
    tie('list'),
    tie('object'),
  ),
  list: fc.tuple(space, fc.array(fc.tuple(tie('value'), space), { maxLength: 3 })).map(([first, items]) => {
    return `[${first}${items.map(([value, gap]) => `${value}${gap}`).join(`,${first}`)}]`;
  }),
  object: fc
    .tuple(
      space,
      fc.uniqueArray(fc.tuple(fc.oneof(texts, fc.constant('__proto__')), tie('value')), {
        maxLength: 3,
        selector: ([name]) => name,
      }),
    )
    .map(([gap, members]) => objectOf(gap, members)),
}));

function objectOf(gap: string, members: readonly (readonly [string, string])[]): string {
  const written = members.map(([name, value]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${value}`);
  return `{${written.join(`${gap},`)}${gap}}`;
}

test('the texts of every entry equal those of the body, byte for byte', () => {
  const entry = fc.record({ list: json.list, other: json.object, more: json.value, gap: space });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), json.value, space, (entries, extra, gap) => {
      const written = entries.map(({ list, other, more, gap: inner }) =>
        objectOf(inner, [
          ['explanation_result', other],
          ['evidences', list],
          ['note', more],
          ['source_events', `[${more}]`],
        ]),
      );
      const result = objectOf(gap, [
        ['note', extra],
        ['entries', `[${gap}${written.join(`${gap},${gap}`)}${gap}]`],
        ['cursor_to', '9'],
      ]);
      const body = `${gap}${objectOf(gap, [
        ['isSuccess', 'true'],
        ['result', result],
        ['entries', extra],
      ])}${gap}`;
      readJson(Buffer.from(body));
      expect(entryTexts(body)).toEqual(
        entries.map(({ list, more }, index) => ({
          whole: written[index],
          evidences: list,
          source_events: `[${more}]`,
        })),
      );
    }),
    { numRuns: 500 },
  );
});

test('a name may be written with escapes, and a list may be absent', () => {
  const body = '{"result":{"entri\\u0065s":[{"\\u0065vidences":[1e400]}]}}';
  expect(entryTexts(body)).toEqual([{ whole: '{"\\u0065vidences":[1e400]}', evidences: '[1e400]', source_events: '' }]);
  expect(entryTexts('{"isSuccess":true}')).toEqual([]);
});
