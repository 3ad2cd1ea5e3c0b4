/** The quick reader accepts nothing that the slow reader refuses, and gives the same result. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BODY_DEPTH } from '../../../shared/wire/bundle-endpoint.ts';
import { bodyOf, bundleOf, invalidationAt, newAt } from '../../../test/support/agent/intake.ts';
import type { RawEntry } from '../apply/entry.ts';
import { readJson } from './json.ts';
import { quickAnswer } from './quick-answer.ts';

/** Depth of a member of an entry. */
const ENTRY_DEPTH = 4;
const MEMBER = '"seen":';

const entry = {
  ...newAt(5, 'a', { summary: '반도체 "호조"\n\\ \u0001 🙂' }),
  seen: [0, -0.5, 1e-7, {}, [], '', null, true, false],
};
const body = bodyOf(bundleOf(4, [entry, invalidationAt(6, 'a'), newAt(9, 'b')])).toString();
const spaced = JSON.stringify(JSON.parse(body), null, 2);

/** The result of the slow reader: of each entry the cursor alone. */
function slowly(bytes: Uint8Array): unknown {
  const value = readJson(bytes) as { result: { entries: { cursor: number }[] } };
  return { ...value, result: { ...value.result, entries: value.result.entries.map(({ cursor }) => ({ cursor })) } };
}

/** Whether the quick reader accepts the text; its result then equals the slow reader's. */
function isTaken(text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const quick = quickAnswer(bytes);
  if (quick === null) return false;
  expect(quick).toEqual(slowly(bytes));
  return true;
}

test.each([
  ['as a cloud sends them', body],
  ['spaced out', spaced],
  ['with values of all kinds', body.replace(MEMBER, '"n":[-0,1.5e+10,1E-2,100],"w":"\\u00e9\\/\\b\\ud800",' + MEMBER)],
  ['as deep as a body goes', body.replace(MEMBER, `"deep":${deep(MAX_BODY_DEPTH - ENTRY_DEPTH)},${MEMBER}`)],
  [
    'a cursor as a number of any form',
    body.replace('"cursor":5', '"cursor":50e-1').replace('"cursor":6', '"cursor":1234567890123456'),
  ],
])('answers are taken: %s', (_, text) => expect(isTaken(text)).toBe(true));

test.each([
  ['nothing', ''],
  ['no object', '[]'],
  ['nothing new', bodyOf().toString()],
  ['no entries', bodyOf(bundleOf(4, [])).toString()],
  ['an entry without a cursor', body.replace('"cursor":6,', '')],
  ['a cursor as a text', body.replace('"cursor":6', '"cursor":"6"')],
  ['an entry that is none', body.replace('"entries":[', '"entries":[1,')],
  ['a name twice', body.replace(MEMBER, `"seen":1,${MEMBER}`)],
  ['a cursor twice', body.replace('"cursor":6', '"cursor":6,"cursor":6')],
  ['a name twice, once by an escape', body.replace(MEMBER, `"\\u0073een":1,${MEMBER}`)],
  ['two lists of entries', body.replace('"entries":[', '"entries":[],"entries":[')],
  ['more levels than a body has', body.replace(MEMBER, `"deep":${deep(MAX_BODY_DEPTH - ENTRY_DEPTH + 1)},${MEMBER}`)],
  ['a mark before it', `\ufeff${body}`],
  ['something behind it', `${body}x`],
  ['a comma too many', body.replace(MEMBER, `"n":[1,],${MEMBER}`)],
  ['a number that is none', body.replace(MEMBER, `"n":01,${MEMBER}`)],
  ['a character that must be escaped', body.replace('호조', '호\t조')],
  [
    'bytes that are no text',
    Buffer.concat([Buffer.from(body.slice(0, -3)), Buffer.from([0xc3]), Buffer.from(body.slice(-3))]),
  ],
])('what is not plain is left to the slow way: %s', (_, text) => expect(isTaken(text)).toBe(false));

function deep(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe('both readers agree on an altered answer', () => {
  /** Pieces that change the meaning of the text around them. */
  const pieces = fc.constantFrom(
    ...['"', '\\', '\\"', '\\u0063', '\\ud800', ',', ':', '{', '}', '[', ']', '{}', '[]', '""', ' ', '\n', '\t', '\0'],
    ...['0', '-', '.', 'e', 'E+', '9007199254740993', '1e400', 'true', 'null', 'nul', '\u00a0', '한', '🙂', '\ufeff'],
    ...[
      '"cursor":1,',
      '"cursor"',
      '"entries":[{"cursor":3}],',
      '"result":{},',
      '"__proto__":{},',
      '"a":{"a":{"a":1}},',
      ',{"cursor":7}',
    ],
  );
  const change = fc.record({
    at: fc.nat(1_000_000),
    length: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(200)),
    put: fc.oneof(pieces, fc.constant(''), fc.nat(1_000_000)),
  });
  /** Cuts a stretch out and puts a piece, or a stretch from elsewhere, in its place. */
  function changed(text: string, { at, length, put }: { at: number; length: number; put: string | number }): string {
    const from = at % (text.length + 1);
    const other = typeof put === 'string' ? put : text.slice(put % text.length, (put % text.length) + 40);
    return text.slice(0, from) + other + text.slice(from + length);
  }

  test('by changes of the text', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.constantFrom(body, spaced), fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        taken += Number(isTaken(changes.reduce(changed, text)));
      }),
      { numRuns: 10_000 },
    );
    // Otherwise the test compares nothing.
    expect(taken).toBeGreaterThan(200);
  });

  test('by changes of the bytes', () => {
    const bytes = Buffer.from(body);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const other = Buffer.from(bytes);
        other[at] = byte;
        isTaken(other);
      }),
      { numRuns: 5_000 },
    );
  });

  test('for entries of any content', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab한🙂:,{}[]'), maxLength: 6 });
    const values = [fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)];
    const entries = fc.array(fc.object({ key: name, values, withNullPrototype: false }), {
      minLength: 1,
      maxLength: 4,
    });
    let taken = 0;
    fc.assert(
      fc.property(entries, fc.constantFrom(undefined, 1), (values, space) => {
        const found = values.map((value, index): RawEntry => ({ ...value, cursor: 5 + index }));
        const answer = { isSuccess: true, code: 'COMMON200', message: 'OK', result: bundleOf(4, found) };
        taken += Number(isTaken(JSON.stringify(answer, null, space)));
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});
