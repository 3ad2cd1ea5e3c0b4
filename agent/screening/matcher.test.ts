import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lettersOf } from './letters/hangul.ts';
import { createMatcher } from './matcher.ts';
import type { ForbiddenWord } from './policy.ts';
import { withWhy } from './sentences.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';
import { runs } from '../../test/support/runs.ts';

const seed = createMatcher(SEED_POLICY.words);
const brief = (text: string): string[] => seed.find(text).map((hit) => `${hit.word} ${hit.severity} ${hit.pass}`);

test.each([
  ['the dot of a Korean keyboard', '원금ㆍ보장'],
  ['its old letter', '원금\u119e보장'],
  ['a modifier letter', '원금ʼ보장'],
  ['a letter drawn as a dash', '원금ㅡ보장'],
  ['a letter drawn as a bar', '원금ㅣ보장'],
  ['a character drawn as a dash', '원금一보장'],
  ['a sign of prolongation', '원금ー보장'],
  ['a private character', '원금\ue000보장'],
  ['a private character of another plane', '원금\u{f0000}보장'],
  ['a code point without a character', '원금\ufdd0보장'],
  ['one of no plane yet', '원금\u0378보장'],
])('a word with %s in it goes to a person', (_, text) => {
  expect(brief(text)).toEqual(['원금 보장 REVIEW loose']);
});

test.each(['실적ㆍ전망이 고르게 좋았습니다.', '그ㅡ런데 올랐습니다.', 'ㄱㅡㄹㅣㄱㅗ 올랐습니다.'])(
  'such letters alone give no finding: %s',
  (text) => {
    expect(brief(text)).toEqual([]);
  },
);

test('gaps inside of parts give one finding, and a word that is too long without them one too', () => {
  expect(brief('원금이 보장되는 것, 원 금이 보 장되는 것.')).toEqual([
    '원금 보장 REVIEW morphemes',
    '원금 보장 REVIEW morphemes',
  ]);
  expect(brief(`원 금${'가'.repeat(59)} 보장`)).toContain('원금 보장 REVIEW morphemes');
});

function word(text: string, more: Partial<ForbiddenWord> = {}): ForbiddenWord {
  return { id: `id-${text}`, word: text, severity: 'BLOCK', active: true, exceptions: [], ...more };
}

describe('the seed words', () => {
  test.each([
    '시장의 불확실성이 커졌습니다.',
    '불확실한 전망이 이어졌습니다.',
    '장중 최고가를 기록했습니다.',
    '52주 최고치를 넘어섰습니다.',
    '최고경영자가 바뀌었습니다.',
    '외국인 매수세가 이어졌습니다.',
    '개인의 매수 수량이 늘었습니다.',
    '기관이 1,200억 원을 순매수했습니다.',
    '판매수수료는 연 0.15%입니다.',
    '판매 수수료와 환매 수수료가 없습니다.',
    '위탁매매 수수료와 매매수수료가 줄었습니다.',
    '한국 무위험지표금리(KOFR)가 내렸습니다.',
    '무위험 지표금리를 따릅니다.',
    '불확정 수익에 대한 우려가 있습니다.',
    '매 순간 변동성이 컸습니다.',
    '매순간 변동성이 컸습니다.',
    '원금 손실이 발생할 수 있습니다.',
    '금리가 급등하며 예상을 웃돌았습니다.',
  ])('let the legitimate pass: %s', (text) => {
    expect(seed.find(text)).toEqual([]);
  });

  test.each([
    ['확정 수익을 준다', ['확정 수익 BLOCK strict']],
    ['확정수익', ['확정 수익 BLOCK strict']],
    ['원금 보장 상품', ['원금 보장 BLOCK strict']],
    ['사실상 무위험 상품', ['무위험 BLOCK strict']],
    ['무위험 지표', ['무위험 BLOCK strict']],
    ['무위험, 지표금리', ['무위험 BLOCK strict']],
    ['무위험 수익률', ['무위험 BLOCK strict']],
    ['매매 수수료 없이 매수', ['매수 REVIEW strict']],
    ['매매 수급과 매수', ['매수 REVIEW strict']],
    ['예금 금리만큼 안전하지는 않습니다.', ['예금만큼 안전 REVIEW morphemes']],
    ['손실 없는 투자', ['손실 없는 BLOCK strict']],
    ['예금만큼 안전한', ['예금만큼 안전 BLOCK strict']],
    ['지금 매수 추천', ['매수 추천 BLOCK strict', '매수 REVIEW strict']],
    ['순매수 추천', ['매수 추천 BLOCK strict', '매수 REVIEW strict']],
    ['업계 최고 수준', ['최고 REVIEW strict']],
    ['반드시ㅋㅋ 오릅니다', ['반드시 REVIEW strict', '오릅니다 REVIEW strict']],
    ['급등 예상 종목', ['급등 예상 REVIEW strict']],
  ])('find: %s', (text, expected) => {
    expect(brief(text)).toEqual(expected);
  });

  test('each find themselves, and each of their exceptions has its stated effect', () => {
    for (const { id, word: text, severity, exceptions } of SEED_POLICY.words) {
      expect(seed.find(`앞 ${text} 뒤`)).toContainEqual(
        expect.objectContaining({ wordId: id, severity, start: 2, end: 2 + text.length }),
      );
      for (const exception of exceptions) {
        const own = seed.find(`앞 ${exception.text} 뒤`).filter((hit) => hit.wordId === id);
        expect(
          own.map((hit) => hit.severity),
          exception.text,
        ).toEqual(exception.becomes === 'CLEAR' ? [] : ['REVIEW']);
      }
    }
  });
});

describe('a denied guarantee goes to a reviewer and is never cleared', () => {
  test.each(['원금 보장되지 않습니다', '원금이 보장되지 않습니다', '원금 보장 되지 않음', '원금이\u200b보장되지 않'])(
    '%s',
    (text) => {
      const hits = seed.find(text);
      expect(hits.map((hit) => hit.severity)).toEqual(['REVIEW']);
      expect(hits.map(withWhy)[0]?.why).toContain('예외 표현');
    },
  );

  test('beside a plain guarantee leaves its hit in place', () => {
    expect(brief('원금 보장되지 않는다지만 원금 보장')).toEqual(['원금 보장 REVIEW strict', '원금 보장 BLOCK strict']);
  });
});

describe('exceptions', () => {
  test('clear only the hit that they cover', () => {
    const text = '불확실성은 확실히 줄었습니다';
    expect(seed.find(text)).toMatchObject([{ word: '확실', start: 6, end: 8, matched: '확실' }]);
  });

  test('belong to their own word', () => {
    const matcher = createMatcher([
      word('수익', { exceptions: [{ text: '확정수익', becomes: 'CLEAR' }] }),
      word('정수'),
    ]);
    expect(matcher.find('확정수익').map((hit) => hit.word)).toEqual(['정수']);
  });

  test('that clear do not reach over white space that they do not have', () => {
    expect(brief('국내 최고 가성비')).toEqual(['최고 REVIEW strict']);
    expect(brief('지금 매수 세 가지 이유')).toEqual(['매수 REVIEW strict']);
    expect(brief('매수수량과 매수 수량')).toEqual([]);
  });

  test('that clear do not reach over punctuation either', () => {
    expect(brief('업계 최고, 가격도 낮음')).toEqual(['최고 REVIEW strict']);
  });

  test('that end inside a syllable do not count', () => {
    const matcher = createMatcher([word('최고', { exceptions: [{ text: '최고가', becomes: 'CLEAR' }] })]);
    expect(matcher.find('최고가')).toEqual([]);
    expect(matcher.find('최고각')).toHaveLength(1);
  });
});

describe('the loose pass', () => {
  test.each(['확-정 수·익', '확.정.수.익', '확★정♥수♥익', '【확】정(수)익', '확\u302e정수익'])(
    'asks a reviewer: %s',
    (text) => {
      const hits = seed.find(text).filter(({ word }) => word === '확정 수익');
      expect(hits).toMatchObject([{ severity: 'REVIEW', pass: 'loose' }]);
    },
  );

  test('does not repeat what the strict pass has found, nor revive what it cleared', () => {
    expect(brief('“확정 수익”')).toEqual(['확정 수익 BLOCK strict']);
    expect(brief('“불확실”, (최고가)')).toEqual([]);
  });

  test('reports a word once per place, though the loose pass covers a part of it', () => {
    const matcher = createMatcher([word('보장!'), word('보장', { severity: 'REVIEW' })]);
    expect(matcher.find('원금 보장!').map((hit) => [hit.word, hit.pass, hit.matched])).toEqual([
      ['보장!', 'strict', '보장!'],
      ['보장', 'strict', '보장'],
    ]);
    expect(matcher.find('보장! 보…장').map((hit) => [hit.word, hit.pass, hit.start])).toEqual([
      ['보장!', 'strict', 0],
      ['보장', 'strict', 0],
      ['보장', 'loose', 4],
      ['보장!', 'loose', 4],
    ]);
  });

  test('finds a word with own punctuation also without it, but not by a single letter', () => {
    const matcher = createMatcher([word('무-손실'), word('C++')]);
    expect(matcher.find('무손실')).toMatchObject([{ word: '무-손실', severity: 'REVIEW', pass: 'loose' }]);
    expect(matcher.find('ETF cc')).toEqual([]);
    expect(matcher.find('c++')).toMatchObject([{ severity: 'BLOCK', pass: 'strict' }]);
  });
});

describe('D15: both sides are folded in the same way', () => {
  test.each([
    ['ＥＴＦ보장', 'etf 보장', 'NFKC and case'],
    ['확\u00ad정\u200b수\u2060익', '확정수익', 'soft hyphens and zero-width characters'],
    [' 확정\n수익 ', '확 정 수 익', 'runs of white space'],
    ['STRASSE', 'straße', 'case folding, not lower case alone'],
    ['①등급', '1등급', 'compatibility forms'],
  ])('%j is found in %j and the other way round: %s', (a, b) => {
    for (const [written, said] of [
      [a, b],
      [b, a],
    ] as const) {
      const text = `앞 ${said} 뒤`;
      const hits = createMatcher([word(written)]).find(text);
      expect(hits).toMatchObject([{ severity: 'BLOCK', pass: 'strict' }]);
      // The range covers the original, invisible characters inside it included.
      expect(text.slice(hits[0]?.start, hits[0]?.end)).toBe(said.trim());
    }
  });
});

describe('a hit', () => {
  test('gives its place and text in the original, the cause, and the reason code of its word', () => {
    const text = '이 상품은 확\u200b정  수익을';
    const [hit] = seed.find(text).map(withWhy);
    expect(hit).toEqual({
      wordId: 'word-guaranteed-return',
      word: '확정 수익',
      severity: 'BLOCK',
      reason: 'GUARANTEED_RETURN',
      start: 6,
      end: 13,
      matched: '확\u200b정  수익',
      exception: null,
      isExact: false,
      pass: 'strict',
      why: expect.stringContaining('확정 수익') as string,
    });
    expect(text.slice(hit?.start, hit?.end)).toBe(hit?.matched);
  });

  test('is made for every occurrence, in the order of the text', () => {
    const hits = seed.find('반드시 반드시 확실');
    expect(hits.map((hit) => hit.start)).toEqual([0, 4, 8]);
  });

  test('is not made for a word that is switched off', () => {
    expect(createMatcher([word('무위험', { active: false })]).find('무위험')).toEqual([]);
  });
});

describe('the parts of a word (D220)', () => {
  const found = (text: string, apart?: number | null): string[] =>
    createMatcher([word('원금 보장', apart === undefined ? {} : { apart })])
      .find(text)
      .map(({ pass, severity, matched }) => `${pass} ${severity} ${matched}`);

  test('lead to review in any order, with particles, endings and some words between them', () => {
    expect(found('보장되는 투자 원금입니다')).toEqual(['morphemes REVIEW 보장되는 투자 원금']);
    expect(found('원금을 만기에 전액 안전하게 보장합니다')).toEqual([
      'morphemes REVIEW 원금을 만기에 전액 안전하게 보장',
    ]);
    expect(found('원금을 전액 안전하게 이자 배당 합쳐 보장합니다')).toEqual([]);
    // Adverbs, determiners and phrases of time, place or means lead away from nothing.
    expect(found('원금을 만기에 전액 매우 안전하게 이자까지 보장합니다')).toHaveLength(1);
    expect(found('원금은 어떠한 시장 상황과 경기 변동, 금리 인상에도 보장됩니다')).toHaveLength(1);
    expect(found('원금을 무슨 일이 있더라도 언제나 반드시 끝까지 보장합니다')).toHaveLength(1);
    // Nor does what is only supposed.
    expect(found('원금은 지수가 내리고 금리가 올라도 보장됩니다')).toHaveLength(1);
    expect(found('원금이, 어떤 위기가 오며 주가가 폭락하더라도, 보장됩니다')).toHaveLength(1);
    expect(found('원금을 갚고 금리가 올라도 품질을 보장합니다')).toEqual([]);
    expect(found('원금을 갚고 품질을 보장합니다')).toEqual([]);
    expect(found('원금입니다. 보장합니다.')).toEqual([]);
    // A question that only names something goes on in its answer.
    expect(found('원금이요? 당연히 보장이죠.')).toHaveLength(1);
    expect(found('원금은? 보장됩니다.')).toHaveLength(1);
    expect(found('원금을 갚았나요? 보장 기간입니다.')).toEqual([]);
  });

  test('have a denial after what it denies', () => {
    const loss = createMatcher([word('손실 없는')]);
    expect(loss.find('손실이 없습니다')).toHaveLength(1);
    expect(loss.find('없던 손실이 생겼습니다')).toEqual([]);
  });

  test('are found behind a prefix, in a verb that takes away, and in 無 behind them', () => {
    expect(found('원금 비보장형 상품')).toEqual(['morphemes REVIEW 원금 비보']);
    const loss = createMatcher([word('손실 위험 없음')]);
    expect(loss.find('손실 위험을 완전히 없앤 상품')).toHaveLength(1);
    expect(loss.find('손실 위험 無').map(({ severity }) => severity)).toEqual(['REVIEW']);
  });

  test('say what is to come behind their verb, in every form of it', () => {
    const rise = createMatcher([word('오를 것')]);
    for (const text of ['오르리라 봅니다', '곧 오를 테니 기다린다', '오를 겁니다', '내일 올 것은 오르는 장입니다'])
      expect([text, rise.find(text).length]).toEqual([text, 1]);
    for (const text of ['회사가 배당을 늘리겠다고 밝히자 4.2% 올랐다', '늘릴 것이라고 밝히자 4.2% 올랐다'])
      expect([text, rise.find(text).length]).toEqual([text, 0]);
  });

  test('are a prefix and its noun, said apart and beside each other', () => {
    const listed = createMatcher([word('고수익'), word('무위험')]);
    for (const text of ['높은 수익이 따라온다', '수익이 매우 높다', '위험이 거의 없는 구조'])
      expect(listed.find(text)).toMatchObject([{ severity: 'REVIEW', pass: 'morphemes' }]);
    for (const text of ['수익성이 높아졌다', '수익 구조 개선 기대가 높다', '위험 자산 선호 변화는 없다'])
      expect([text, listed.find(text).length]).toEqual([text, 0]);
  });

  test('begin with the courtesy of any verb, where the policy has one, and nowhere else', () => {
    const address = createMatcher([word('실 수 있', { apart: null }), word('실수', { apart: null })]);
    const hits = (text: string) => address.find(text).map((hit) => [hit.word, hit.severity]);
    expect(hits('차익을 얻으실 수 있는 상품')).toEqual([['실 수 있', 'REVIEW']]);
    expect(hits('회장께서 내놓으실 수 있는 방안')).toEqual([]);
    expect(hits('현실 수준이 높다')).toEqual([]);
  });

  test('are as far apart as the policy says, or not looked for', () => {
    expect(found('원금을 전액 보장', 0)).toEqual([]);
    expect(found('원금을 전액 보장', 1)).toHaveLength(1);
    expect(found('원금을 보장', null)).toEqual([]);
    expect(found('원금 보장', null)).toEqual(['strict BLOCK 원금 보장']);
  });

  test('are told once where the letters are found, and not under an exception', () => {
    expect(found('원금 보장')).toEqual(['strict BLOCK 원금 보장']);
    const excepted = word('위험 지표', { exceptions: [{ text: '위험도 지표', becomes: 'CLEAR' }] });
    expect(createMatcher([excepted]).find('위험도 지표')).toEqual([]);
  });

  test('of a sentence that is too long lead to review wherever they stand in it', () => {
    expect(found(`원금 ${'가 '.repeat(400)}보장`)).toMatchObject([expect.stringMatching(/^morphemes REVIEW/)]);
    expect(found(`원금 보장 ${'가 '.repeat(400)}`)).toEqual(['strict REVIEW 원금 보장']);
  });
});

test.each([
  ['0%', '10% 올랐다', 0],
  ['0%', '1.0% 올랐다', 0],
  ['0%', '손실률 0%', 1],
  ['0%', '０％', 1],
  ['100%', '나스닥100', 0],
  ['100%', '100% 보장', 1],
  ['100%', '2,100%', 0],
  ['손실 0', '손실 0.8억', 0],
  ['손실 0', '손실은 0.8억', 0],
  ['손실 0', '손실은 0', 1],
  ['연 10', '연 10.5', 0],
])('numbers have borders: %s in “%s”: %i', (number, text, count) => {
  expect(createMatcher([word(number)]).find(text)).toHaveLength(count);
});

test('a word inside of others leads to review where the policy wants that', () => {
  const hits = createMatcher(SEED_POLICY.words, false).find('재무위험이 커졌습니다.');
  expect(hits).toMatchObject([{ word: '무위험', severity: 'REVIEW', grammar: 'INSIDE' }]);
});

test('a turned meaning makes a block a review, and names what turns it', () => {
  expect(seed.find('원금 보장이 되지 않습니다')).toMatchObject([
    { severity: 'REVIEW', grammar: 'TURNED', turnedBy: '않', pass: 'strict' },
  ]);
});

test('a word written in any disguise and put anywhere is found at its place', () => {
  const words = SEED_POLICY.words.filter((one) => one.severity === 'BLOCK').map((one) => one.word);
  const disguised = fc.record({
    word: fc.constantFrom(...words),
    before: fc.constantFrom('', '이 상품은 ', 'ETF ', 'é☕ ', '\u200b', '가'),
    after: fc.constantFrom('', '을 드립니다', '.', ' ㅋㅋ', 'ㅋㅋ', '\u3000'),
    choices: fc.infiniteStream(fc.nat(99)),
  });
  const joints = ['', '', '', ' ', '\u200b', '\u00ad', '\u3164', '\u200d', '\u00a0', '\ufe0f'];
  fc.assert(
    fc.property(disguised, ({ word: text, before, after, choices }) => {
      const choose = <T>(options: readonly T[]): T => options[(choices.next().value ?? 0) % options.length] as T;
      const parts = Array.from(text).flatMap((one) => {
        const letters = lettersOf(one.charCodeAt(0));
        return Array.from(
          choose([one, one, one.normalize('NFD'), letters === undefined ? one : String.fromCharCode(...letters)]),
        );
      });
      const disguise = parts.map((part, i) => (i === parts.length - 1 ? part : part + choose(joints))).join('');
      const hits = seed.find(before + disguise + after).filter((hit) => hit.word === text);
      // Parted by a space, its first letters and what stands before them may be a word of their own (`가이`).
      const seen = disguise.replaceAll(/\u200b|\u00ad|\u3164|\u200d|\ufe0f/gu, '');
      if (before === '가' && hits.length === 0) return expect(seen).toMatch(/^.{1,3}[ \u00a0]/u);
      expect(hits).toMatchObject([{ pass: 'strict', start: before.length, end: before.length + disguise.length }]);
      // Written together with what stands before it, it may be part of another word: a person decides.
      if (before !== '가') expect(hits).toMatchObject([{ severity: 'BLOCK' }]);
    }),
    { numRuns: runs(600, 3_000) },
  );
});

test('ten thousand words each find themselves and nothing else', () => {
  const words = Array.from({ length: 10_000 }, (_, i) =>
    word(`금지된${String(i).padStart(5, '0')}말`, { id: String(i) }),
  );
  const matcher = createMatcher(words);
  for (const i of [0, 1, 4_999, 9_999]) {
    expect(matcher.find(`이것은 금지된${String(i).padStart(5, '0')}말입니다`).map((hit) => hit.wordId)).toEqual([
      String(i),
    ]);
  }
});
