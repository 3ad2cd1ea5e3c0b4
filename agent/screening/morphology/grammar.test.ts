/** Sentences as morphemes, and what grammar says of places in them. */
import { describe, expect, test } from 'vitest';
import { isGuess } from './analyser.ts';
import { Grammar } from './grammar.ts';
import { partsOf } from './parts.ts';
import { asksToAct } from './requests.ts';
import { morphemesOf, spaced } from './sentence.ts';

const placesOf = (text: string): string[] =>
  (morphemesOf(text, 0, text.length) ?? []).map(
    ({ text: form, tag, start, end }) => `${text.slice(start, end)}:${form}/${tag}`,
  );

describe('the morphemes of a sentence', () => {
  test.each([
    ['원금을 보장했다', ['원금:원금/NNG', '을:을/JKO', '보장:보장/NNG', '했다:하/XSV', '했다:았/EP', '했다:다/EF']],
    ['재무위험이', ['재무:재무/NNG', '위험:위험/NNG', '이:이/JKS']],
    // The place of an emoji is two units in the text, and one code point to the analyser.
    ['🎉 원금 🎉', ['🎉:🎉/SW', '원금:원금/NNG', '🎉:🎉/SW']],
    // A verb of Chinese letters that the analyser does not know, and a name with a particle.
    ['순매수하세요', ['순:순/XPN', '매수:매수/NNG', '하:하/XSV', '세요:세요/EF']],
    ['팔란티어가', ['팔란티어:팔란티어/NNG', '가:가/JKS']],
    // No word begins with a copula; and a verb in a courteous form, glued to a noun.
    ['이자, 원금-이자', ['이자:이자/NNG', ',:,/SP', '원금:원금/NNG', '이자:이자/NNG']],
    ['키우실', ['키우:키우/VV', '실:시/EP', '실:ㄹ/ETM']],
    // Also of two verbs, where the analyser reads 가시다 (to vanish).
    ['가져가실', ['가져가실:가지/VV', '가져가실:어/EC', '가져가실:가/VX', '가져가실:시/EP', '가져가실:ㄹ/ETM']],
    ['보장받으실', ['보장:보장/NNG', '받:받/VV', '으실:으시/EP', '으실:ㄹ/ETM']],
    ['예·적금보다', ['예:예/IC', '적금:적금/NNG', '보다:보다/JKB']],
  ])('stand where their letters stand: %s', (text, expected) => {
    expect(placesOf(text)).toEqual(expected);
  });

  test('belong to clauses, which end with an ending and not before an auxiliary verb', () => {
    const clausesOf = (text: string) => (morphemesOf(text, 0, text.length) ?? []).map(({ clause }) => clause);
    expect(new Set(clausesOf('비용을 줄이고 수익을 늘렸다'))).toEqual(new Set([0, 1]));
    for (const text of [
      '원금을 갚고 금리가 올라도 품질을 보장한다',
      '비용도 줄이고 수익을 늘렸다',
      '만기에 원금을 갚고 품질을 보장함',
    ])
      expect([text, new Set(clausesOf(text)).size]).toEqual([text, 2]);
    // What follows says more of the same things, or stands inside of the statement.
    for (const text of [
      '수익을 늘리고 있다',
      '원금을 책임지고 보장한다',
      '원금은 물론이고 이자도 보장된다',
      '원금은 주가가 내려도 보장된다',
      '원금은 지수가 내리고 금리가 올라도 보장된다',
      '원금이, 위기가 오며 주가가 폭락하더라도, 보장된다',
      '원금을 지켜 드리며 만기에 보장한다',
      '원금을 지키는 데 그치지 않고 이자까지 보장한다',
      '원금도 챙기고 보장도 받는다',
      '원금이 안전하게 지켜지고 보장됨',
    ])
      expect([text, new Set(clausesOf(text)).size]).toEqual([text, 1]);
  });

  test('are not asked for where the sentence or one of its words is too long', () => {
    for (const text of ['가 '.repeat(301), '가'.repeat(61)]) expect(morphemesOf(text, 0, text.length)).toBeNull();
    for (const text of ['가 '.repeat(300), '가'.repeat(60)]) expect(morphemesOf(text, 0, text.length)).not.toBeNull();
  });
});

test.each([
  ['매수세', false],
  ['수익', false],
  ['삼성전자', false],
  ['순매수', true],
  ['팔란티어', true],
  ['순매수하세요', true],
])('whether %s is a guess: %s', (noun, expected) => {
  expect(isGuess(noun)).toBe(expected);
});

test.each([
  ['원금이 보장되는', ['원금', '보장']],
  ['손실 위험 없음', ['손실', '위험', '없']],
  ['원금을 지켜', ['원금', '지키']],
  ['100% 수익', ['100+%', '수익']],
  ['무손실 보장', ['무+손실', '보장']],
  ['잃지 않는', ['잃', '않']],
  ['월급처럼', []],
  // A prefix, and the word that says the same.
  ['무위험', ['위험', '없']],
  ['고수익', ['수익', '높']],
  ['저비용', ['비용', '낮']],
  ['무료', []],
])('the parts of %s', (word, expected) => {
  expect(partsOf(word).map(({ morphemes }) => morphemes.join('+'))).toEqual(expected);
});

test.each([
  ['최고경영자', '최고 경영자'],
  ['매수세', '매수세'],
  ['최고가', '최고가'],
])('nouns of %s may stand apart', (expression, expected) => {
  expect(spaced(expression)).toBe(expected);
});

const at = (text: string, part: string) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length });

test.each([
  ['이 상품은 무위험 상품입니다', '무위험', 'WORD'],
  ['재무위험이 커졌다', '무위험', 'INSIDE'],
  ['재무 위험이 커졌다', '무 위험', 'INSIDE'],
  ['비용을 줄이고 수익성을', '고 수익', 'INSIDE'],
  ['매수세가 붙었다', '매수', 'INSIDE'],
  // A suffix makes no other word of it, a request may hold it with an ending, and a guess is none to rely on.
  ['상승이 확실시된다', '확실', 'WORD'],
  ['으뜸가는 수익률이다', '으뜸', 'WORD'],
  ['상승이 불확실하지 않다', '확실', 'DOUBTFUL'],
  ['상승이 불확실하다', '확실', 'INSIDE'],
  ['매수세에 동참하시기 바랍니다', '매수', 'DOUBTFUL'],
  ['사실상무위험 상품', '무위험', 'DOUBTFUL'],
  ['초고수익을 노린다', '고수익', 'DOUBTFUL'],
  [`무위험 ${'가'.repeat(61)}`, '무위험', 'UNREAD'],
])('in “%s” %s stands as %s', (text, hit, expected) => {
  expect(new Grammar(text).standing(at(text, hit))).toBe(expected);
});

test.each([
  ['미확정 수익률', '확정 수익', '미'],
  ['원금 보장이 되지 않습니다', '원금 보장', '않'],
  ['원금 보장 상품이 아니다', '원금 보장', '아니'],
  ['원금 보장을 못 한다', '원금 보장', '못'],
  ['원금 보장 여부를 확인한다', '원금 보장', '여부'],
  ['원금 보장은 법으로 금지된다', '원금 보장', '금지'],
  ['원금 보장과는 거리가 멉니다', '원금 보장', '거리가 멉'],
  ['원금 보장으로 이해하지 마시기 바랍니다', '원금 보장', '지 마'],
  ['원금 보장이라고 하지만 그렇지 않다', '원금 보장', '않'],
  ['원금 보장을 하거나 손실을 메우지 않는다', '원금 보장', '않'],
  ['원금 보장 상품입니까?', '원금 보장', '입니까'],
  ['원금 보장 상품이라고?', '원금 보장', '?'],
  ['원금 보장이 되는지 확인하십시오', '원금 보장', '는지'],
  ['원금 보장은커녕 손실이 컸다', '원금 보장', '커녕'],
  ['원금 보장을 내걸고 돈을 모은 업체가 기소되었다', '원금 보장', '기소'],
  ['‘원금 보장’ 문구가 쓰였다', '원금 보장', '‘’'],
  ['“원금 보장”', '원금 보장', null],
  ['원금 보장 상품이며 손실이 없다', '원금 보장', null],
  ['원금 보장 상품이다. 위험은 없다', '원금 보장', null],
])('the meaning of a hit in “%s” is turned by %s', (text, hit, expected) => {
  expect(new Grammar(text).turnedBy(at(text, hit))).toBe(expected);
});

test.each([
  ['장중 최고가를 기록했다', '최고가', true],
  ['장중 최고가인 8만 원', '최고가', true],
  ['국내 최고가 되었습니다', '최고가', false],
  ['국내 최고가 아니다', '최고가', false],
  ['최고가 따로 없어요', '최고가', false],
  ['상승이 불확실하지 않다', '불확실', false],
  ['불확정 수익률이 아닙니다', '불확정 수익률', false],
  ['불확실성이 해소되지 않았다', '불확실', true],
  ['불확실성이 없어지며 올랐다', '불확실', true],
  ['국내 최고 가성비', '최고 가', false],
  ['외국인이 순매수했다', '순매수', true],
  ['지금 순매수하세요', '순매수', false],
])('in “%s” the exception %s counts: %s', (text, exception, expected) => {
  expect(new Grammar(text).isExcepted(at(text, exception))).toBe(expected);
});

test.each([
  ['매수하세요.', true],
  ['담아 두시기 바랍니다.', true],
  ['투자하는 것이 좋습니다.', true],
  ['지금 사야 합니다!', true],
  ['지금 투자하시면 됩니다.', true],
  ['투자해 보시길.', true],
  ['투자할 만합니다.', true],
  ['투자해 보는 건 어떨까요?', true],
  ['규모를 키우실 시점입니다.', true],
  ['동참하는 것이 정답입니다.', true],
  ['규모를 늘릴 것을 조언합니다.', true],
  ['자금을 투입할 만한 가격대입니다.', true],
  ['지금이라도 매수했으면 합니다.', true],
  ['수수료 면제 대상이 되십니다.', true],
  ['지금이 매수할 적기입니다.', true],
  ['현지금융 규제와 함께 가격이 올랐다는 응답이 늘었다.', false],
  ['회장께서 지분을 늘리신다.', false],
  ['매수세가 이어질 전망입니다.', false],
  ['외국인이 순매수하는 것이 눈에 띄었습니다.', false],
  ['자사주를 소각할 예정입니다.', false],
  ['지수가 올랐습니다.', false],
  ['외국인이 순매수했습니다.', false],
  ['매매 시기를 늦췄습니다.', false],
])('“%s” asks to act: %s', (sentence, expected) => {
  expect(asksToAct(sentence, morphemesOf(sentence, 0, sentence.length) ?? [])).toBe(expected);
});
