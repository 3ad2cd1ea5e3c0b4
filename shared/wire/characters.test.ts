import { describe, expect, test } from 'vitest';
import { flawOf, type TextKind } from './characters.ts';

const KINDS: TextKind[] = ['id', 'name', 'title', 'address', 'text'];
const holders = (text: string): TextKind[] => KINDS.filter((kind) => flawOf(kind, text) === null);

test.each<[string, string, TextKind[]]>([
  ['plain', 'res-1/가', KINDS],
  ['a blank inside', 'KODEX 반도체', ['id', 'name', 'title', 'text']],
  ['a blank that looks like another', 'KODEX\u00a0반도체', ['name', 'title', 'text']],
  ['several lines', '첫째\n둘째\r\n\t셋째', ['text']],
  ['white space at an end', 'KODEX ', ['title', 'text']],
  ['nothing', '', ['title', 'address', 'text']],
  ['blank', ' \u2800', ['text']],
  ['a blank of another name inside', 'KODEX\u2800반도체', ['text']],
  ['a blank of another name at the end', 'a\u2800', ['text']],
  ['dots of Braille', 'a⠓⠊', KINDS],
  ['decomposed letters', '반도체'.normalize('NFD'), KINDS],
  ['an emoji of several parts', '👩\u200d🚀❤\ufe0f1\ufe0f\u20e3👍🏽', ['title', 'address', 'text']],
  ['a character of a name', '葛\u{e0100}', ['title', 'address', 'text']],
  ['a tab', 'a\tb', ['text']],
])('%s: %j', (_what, text, kinds) => expect(holders(text)).toEqual(kinds));

describe('no kind holds', () => {
  test.each([
    ...['\0', '\u0001', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f'],
    ...['\u00ad', '\u061c', '\u115f', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e', '\u2028', '\u2029', '\u2060'],
    ...['\u202a', '\u202e', '\u2066', '\u2069', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufffb'],
    ...[
      '\ufffc',
      '\ufffd',
      '\ufdd0',
      '\uffff',
      '\ue000',
      '\ud83d',
      '\u{1bca0}',
      '\u{e0001}',
      '\u{e0041}',
      '\u{e0100}',
      '\u{f0000}',
    ],
    // No character yet.
    ...['\u0378', '\u{50000}'],
  ])('%j', (sign) => expect(holders(`가${sign}나`)).toEqual([]));

  test('an emoji that a later Unicode brings is none of them', () => {
    expect(flawOf('text', '가\u{1faff}')).toBeNull();
  });

  test('a joint or a form that shapes nothing, not even beside an emoji', () => {
    for (const text of ['가\u200d나', '😀\u200d나', '😀\ufe0f\ufe0f', '漢\u{e0100}\u{e0101}', 'a\u{e0100}'])
      expect([text, flawOf('text', text) === null]).toEqual([text, false]);
  });
});

test('the flaw names the character, and says what to do without', () => {
  expect(flawOf('id', 'a\u0007')).toBe('must not contain the character U+0007, which no reader sees or reads');
  expect(flawOf('text', '가\u{e0041}')).toBe('must not contain the character U+E0041, which no reader sees or reads');
  expect(flawOf('name', 'a\nb')).toBe('must not contain the character U+000A, which is no part of a name of one line');
  expect(flawOf('address', 'a b')).toBe('must not contain the character U+0020, which is no part of an address');
  expect(flawOf('name', ' ')).toBe('must not be blank');
  for (const dots of ['.', '..'])
    expect(flawOf('id', dots)).toBe('must not be a dot or two, which addresses leave out');
  expect([flawOf('id', '...'), flawOf('id', '.a'), flawOf('name', '..')]).toEqual([null, null, null]);
  expect(flawOf('id', ' a')).toBe('must not begin or end with white space');
});
