import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLOSES, fold, type Folded, foldedText, GAP, kept, loosen, OPENS } from './fold.ts';
import { runs } from '../../../test/support/runs.ts';
import { lettersOf } from './hangul.ts';

const folded = (text: string): string => foldedText(fold(text));
const loose = (text: string): string => foldedText(loosen(fold(text)));

/** The same fold in the simplest code: the whole text at once, without positions. */
function reference(text: string): string {
  let now = text;
  for (let round = 0; round < 8; round += 1) {
    const next = now
      .replaceAll(/[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
      .normalize('NFKC')
      .replaceAll(/[\s\S]/gu, (character) => character.toUpperCase().toLowerCase());
    if (next === now) break;
    now = next;
  }
  return Array.from(now, (character) => {
    const letters = character.length === 1 ? lettersOf(character.charCodeAt(0)) : undefined;
    return letters === undefined ? character : String.fromCharCode(...letters);
  }).join('');
}

/** Every assigned code point, surrogates included, but for the great mass that is all alike. */
function* codePoints(): Generator<string> {
  const alike = /^[\p{Unified_Ideograph}\p{Co}\p{Cn}\uac00-\ud7a3]$/u;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (!alike.test(character)) yield character;
  }
}

/** Characters that matter here, far more often than by chance. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'확정수익매순간원금보장 abcXYZ.,-·%') },
  { weight: 4, arbitrary: fc.constantFrom(...'ㅎㅗㅏㄱㅘㄳㅂㅅ\u1112\u1161\u11ab\u11b9\u302e') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\u200b', '\u00ad', '\u200d', '\ufe0f', '\u034f', '\u3164', '\u2060', '\u0000', '\t'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\u0308', '¨', 'ﬁ', '㈜', 'ｶ', 'ﾞ', 'İ', 'ß', 'ς', 'ᾳ', '½', '\u00a0', '\u3000', 'ﷺ'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const anyText = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(''));

const INVISIBLE = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u115f',
  '\u3164',
  '\ufe0f',
  '\u{e0041}',
  '\u202e',
];
const SPACES = [' ', '\n', '\t', '\u00a0', '\u3000', '\u2009'];

describe('folding removes', () => {
  test('white space, invisible characters, case, width and compatibility forms', () => {
    expect(folded('확정\u00a0 \n수익')).toBe(folded('확정수익'));
    for (const character of INVISIBLE) expect(folded(`확${character}정`), escape(character)).toBe(folded('확정'));
    expect(folded('ＥＴＦ ⓔⓣⓕ Etf')).toBe('etfetfetf');
    expect(folded('㈜')).toBe(folded('(주)'));
    expect(folded('STRASSE')).toBe(folded('straße'));
    expect(folded('ΣΑΣ')).toBe(folded('σας'));
  });

  test('every way of taking a syllable apart', () => {
    for (const way of ['없', '없'.normalize('NFD'), 'ㅇㅓㅄ', 'ㅇㅓㅂㅅ', '어ㅄ', '업ㅅ', '어ㅂㅅ']) {
      expect(folded(way), way).toBe('ㅇㅓㅂㅅ');
    }
    for (const way of ['잃', 'ㅇㅣㅀ', 'ㅇㅣㄹㅎ']) expect(folded(way), way).toBe('ㅇㅣㄹㅎ');
    for (const way of ['확', 'ㅎㅘㄱ', 'ㅎㅗㅏㄱ', '화ㄱ', '\uffbe\uffcc\uffc2\uffa1', '\u1112\u116a\u11a8']) {
      expect(folded(way), way).toBe('ㅎㅗㅏㄱ');
    }
  });

  test('different syllables stay different, double consonants too', () => {
    const all = new Set<string>();
    for (let code = 0xac00; code <= 0xd7a3; code += 1) all.add(folded(String.fromCharCode(code)));
    expect(all.size).toBe(11_172);
    expect(folded('갈까')).not.toBe(folded('갉가'));
  });

  test('loosely, punctuation, symbols and lone marks as well', () => {
    expect(loose('확-정★수·익')).toBe(folded('확정수익'));
    expect(loose('확\u302e정 💰수익!')).toBe(folded('확정수익'));
    expect(loose('한자 漢字 ㅋㅋ 100')).toBe(folded('한자 漢字 ㅋㅋ 100'));
    expect(loose('!?…')).toBe('');
    // A letter beyond 16 bits is no symbol.
    expect(loose('가𠀀나')).toBe(folded('가𠀀나'));
  });

  test('loosely no letter of two units, and the last syllable is one', () => {
    expect(loose('확😀정𠀁')).toBe('ㅎㅗㅏㄱㅈㅓㅇ𠀁');
    expect(folded('힣')).toBe('ㅎㅣㅎ');
  });

  test('loosely, a letter drawn as a dash after a syllable, and not one that may be a vowel', () => {
    for (const bar of 'ㅡㅣ一丨') expect(loose(`확${bar}정`), bar).toBe(folded('확정'));
    for (const text of ['ㅡ확', 'ㅋㅡ', 'ㅋㅣ', '투ㅣ', '으ㅣ', '一']) expect(loose(text), text).toBe(folded(text));
  });
});

describe('invariants', () => {
  test('agrees with the plainest way of folding', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(folded(text)).toBe(reference(text));
      }),
      { numRuns: runs(600, 3_000) },
    );
  });

  test('agrees with it for every code point beside a syllable and a letter', () => {
    const wrong: string[] = [];
    let seen = 0;
    for (const character of codePoints()) {
      seen += 1;
      const text = `가${character}a${character}`;
      if (folded(text) !== reference(text)) wrong.push(escape(character));
    }
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(40_000);
  });

  test('folding twice is folding once, strictly and loosely', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(folded(folded(text))).toBe(folded(text));
        expect(loose(loose(text))).toBe(loose(text));
      }),
      { numRuns: runs(400, 2_000) },
    );
  });

  test('positions lie within the text, never go back, and characters are whole', () => {
    const check = (text: string, result: Folded): void => {
      let [lastStart, lastEnd, open] = [0, 0, false];
      result.codes.forEach((_, i) => {
        const [start, end, marks] = [result.starts[i] ?? -1, result.ends[i] ?? -1, result.marks[i] ?? 0];
        expect(start).toBeGreaterThanOrEqual(lastStart);
        expect(end).toBeGreaterThanOrEqual(lastEnd);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        expect((marks & OPENS) !== 0).toBe(!open);
        open = (marks & CLOSES) === 0;
        [lastStart, lastEnd] = [start, end];
      });
      expect(open).toBe(false);
    };
    fc.assert(
      fc.property(anyText, (text) => {
        check(text, fold(text));
        check(text, loosen(fold(text)));
      }),
      { numRuns: runs(400, 2_000) },
    );
  });

  test('each letter comes from a stretch that folds to something that has it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = kept(fold(text));
        result.codes.forEach((code, i) => {
          const stretch = text.slice(result.starts[i], result.ends[i]);
          expect(folded(stretch)).toContain(String.fromCharCode(code));
        });
      }),
      { numRuns: runs(200, 1_000) },
    );
  });

  test('the same text written in another way folds to the same', () => {
    const rewritten = fc
      .tuple(
        fc.string({ unit: fc.constantFrom(...'확정수익원금보장없는aBc'), minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat(9)),
      )
      .map(([text, choices]) => {
        const choose = <T>(options: readonly T[]): T => options[(choices.next().value ?? 0) % options.length] as T;
        const other = Array.from(text, (one) => {
          const letters = lettersOf(one.charCodeAt(0));
          const forms =
            letters === undefined
              ? [one, one.toUpperCase()]
              : [one, one.normalize('NFD'), String.fromCharCode(...letters)];
          return Array.from(choose(forms), (part) => part + choose(['', '', ...INVISIBLE, ...SPACES])).join('');
        }).join('');
        return { text, other };
      });
    fc.assert(
      fc.property(rewritten, ({ text, other }) => {
        expect(folded(other)).toBe(folded(text));
      }),
      { numRuns: runs(400, 2_000) },
    );
  });
});

describe('each letter tells', () => {
  /** As `ㄱ2-3(_`: where it comes from, whether it opens and closes its character, whether a gap is before it. */
  const told = (text: string, how = (plain: Folded): Folded => plain): string => {
    // What an earlier text has left in the columns is not this one's.
    fold('a b c d e f g h i j');
    const { codes, starts, ends, marks } = how(fold(text));
    return Array.from(codes, (code, i) => {
      const mark = (bit: number, sign: string): string => (((marks[i] ?? 0) & bit) === 0 ? '' : sign);
      const place = `${starts[i]}-${ends[i]}`;
      return `${String.fromCharCode(code)}${place}${mark(OPENS, '(')}${mark(CLOSES, ')')}${mark(GAP, '_')}`;
    }).join(' ');
  };

  test.each([
    ['aB', 'a0-1() b1-2()'],
    ['가 각나', 'ㄱ0-1( ㅏ0-1) ㄱ2-3(_ ㅏ2-3 ㄱ2-3) ㄴ3-4( ㅏ3-4)'],
    ['ㅎㄳx', 'ㅎ0-1() ㄱ1-2( ㅅ1-2) x2-3()'],
    ['a\u200bＢ\u3000㈜', 'a0-1() b2-3() (4-5()_ ㅈ4-5( ㅜ4-5) )4-5()'],
  ])('%j', (text, letters) => {
    expect(told(text)).toBe(letters);
  });

  test('the same loosely', () => {
    expect(told('가-B 😀나', loosen)).toBe('ㄱ0-1( ㅏ0-1) b2-3()_ ㄴ6-7(_ ㅏ6-7)');
  });

  test('also where the text is longer than the columns were', () => {
    const long = `${'각'.repeat(6_000)} 끝`;
    const { starts, ends, marks } = fold(long);
    const shown = [starts, ends, marks].map((column) => [...column.subarray(0, 3), ...column.subarray(-3)]);
    const whole = OPENS | GAP;
    expect(shown).toEqual([
      [0, 0, 0, 6_001, 6_001, 6_001],
      [1, 1, 1, 6_002, 6_002, 6_002],
      [OPENS, 0, CLOSES, whole, 0, CLOSES],
    ]);
    for (const text of ['a'.repeat(100_000), 'ㄱㅏㅂㅅ'.repeat(20_000)]) expect(foldedText(fold(text))).toBe(text);
    expect(foldedText(fold('값'.repeat(20_000)))).toBe('ㄱㅏㅂㅅ'.repeat(20_000));
  });
});

describe('gaps', () => {
  const gaps = (text: string, how = (plain: Folded): Folded => plain): number[] => {
    const result = how(fold(text));
    return [...result.starts].filter((_, i) => ((result.marks[i] ?? 0) & GAP) !== 0);
  };

  test('are marked at the character after white space, on the short way and the long one', () => {
    expect(gaps('a b 가')).toEqual([2, 4]);
    expect(gaps('\u200ba ㄱ\u3000\u200b가 b')).toEqual([3, 6, 8]);
    expect(gaps('ab')).toEqual([]);
    expect(gaps('a\u200bb')).toEqual([]);
  });

  test('loosely also after punctuation', () => {
    expect(gaps('a-b c', loosen)).toEqual([2, 4]);
    expect(gaps('a💰b', loosen)).toEqual([3]);
  });
});

describe('the largest and oddest texts', () => {
  test('two megabytes of Hangul and pictures', () => {
    expect(fold('가나 다😀'.repeat(250_000)).codes.length).toBe(250_000 * 8);
  });

  test.each([
    ['marks in the wrong order', `a${'\u0301\u0316'.repeat(250_000)}`],
    ['letters with long stretches of white space between', `ㅋ${' '.repeat(200_000)}a${' '.repeat(200_000)}ㅋ`],
    ['lone surrogates', '\ud800'.repeat(200_000)],
    ['a ligature that becomes eighteen letters', 'ﷺ'.repeat(20_000)],
  ])('%s', (_, text) => {
    expect(fold(text).codes.length).toBeGreaterThan(2);
  });
});

function escape(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

test('a kept fold stays when other texts are folded and loosened', () => {
  const [first, second] = [kept(fold('확정 수익')), kept(loosen(fold('원금★보장')))];
  const columns = (): number[][] => [first.starts, first.ends, first.marks].map((column) => [...column]);
  const before = columns();
  fold('다른 본문입니다');
  loosen(fold('또 다른 본문'));
  expect([first, second].map(foldedText)).toEqual([folded('확정 수익'), loose('원금★보장')]);
  expect(columns()).toEqual(before);
});
