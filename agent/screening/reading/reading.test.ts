import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { readPage } from './page.ts';
import { readingsOf } from './reading.ts';

/** The text as it is read first, with every line end seen. */
const read = (text: string): string => readingsOf(text)[0].read?.text ?? text;
const all = (text: string): string[] => readingsOf(text).map((one) => `${one.as} ${one.read?.text ?? text}`);

describe('markup is read as a browser shows it', () => {
  test.each([
    ['<b>원금</b> 보장', '원금 보장'],
    ['원<i class="a>b" data-x=\'>\'>금</i>', '원금'],
    ['원금&nbsp;보장', '원금\u00a0보장'],
    ['보&shy;장', '보\u00ad장'],
    ['&#50896;&#xAE08; &#x1F600;', '원금 😀'],
    ['&amp;lt;b&gt;', '&lt;b>'],
    ['R&D와 S&P는 &nosuch;하다', 'R&D와 S&P는 &nosuch;하다'],
    ['<p>원금</p><p>보장</p>', '\n원금\n\n보장\n'],
    ['원금<br/>보장', '원금\n보장'],
    ['원<!-- 숨김 -->금<!>보<?x?>장</>', '원금보장'],
    ['<script>원금</script>보장<style>원금</style>', '보장'],
    ['<script>"</b><p>"</script>보장', '보장'],
    ['<template>숨김<template>숨김</template>숨김</template>보장', '보장'],
    ['<textarea>원&#44552;</textarea>', '원금'],
    ['보장<b 원금', '보장'],
    ['A < B이고 <삼성전자>', 'A < B이고 <삼성전자>'],
    ['원금\r\n<b>보장</b>\0', '원금\r\n보장'],
    ['[원금](…) 보장', '원금 보장'],
    ['![원금](a.png)[보장][1]', '원금보장'],
    ['**원금** __보장__ ~~`상품`~~', '원금 보장 상품'],
  ])('%j is %j', (text, shown) => expect(read(text)).toBe(shown));

  const PARTS = [
    '원',
    '금',
    ' ',
    '<b>',
    '</b>',
    '<p>',
    '</p>',
    '<br>',
    '&nbsp;',
    '&#50896;',
    '&shy;',
    '&amp',
    '&',
    '<',
    '</',
  ];
  const MORE = [
    '</>',
    '<!-- ',
    '-->',
    '<!',
    '>',
    '<script>',
    '</script>',
    '\r\n',
    'a',
    '=',
    '"',
    "'",
    '<a b="',
    'x;',
    '<?',
  ];
  const NOT_SHOWN = new Set(['script', '#comment', '#documentType']);
  const shownIn = (node: DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment): string => {
    if ('value' in node) return node.value;
    return NOT_SHOWN.has(node.nodeName) || !('childNodes' in node) ? '' : node.childNodes.map(shownIn).join('');
  };
  test('which is the text of the tree that a parser makes, every unit with its place', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS, ...MORE), { maxLength: 12 }), (parts) => {
        const html = parts.join('');
        const { text, starts, ends } = readPage(html);
        const tight = (one: string): string => one.replaceAll(/\s/g, '');
        expect(tight(text)).toBe(tight(shownIn(parseFragment(html))));
        expect([starts.length, ends.length]).toEqual([text.length, text.length]);
        expect(
          starts.every((start, at) => start < (ends[at] ?? 0) && (at === 0 || start >= (starts[at - 1] ?? 0))),
        ).toBe(true);
      }),
      { numRuns: runs(1_000, 20_000) },
    );
  });

  test('and the source is read second', () => {
    expect(all('<b>원금</b> 元金')).toEqual(['PAGE 원금 원금', 'PLAIN <b>원금</b> 원금']);
    expect(all('[단독](종합) 상승')).toEqual(['PAGE 단독 상승', 'PLAIN [단독](종합) 상승']);
  });
});

describe('Chinese characters are read in Korean', () => {
  test.each([
    ['元金保障 商品', '원금보장 상품'],
    ['確定收益 目標收益率 絶對收益', '확정수익 목표수익률 절대수익'],
    ['無危險, 損失없는 投資', '무위험, 손실없는 투자'],
    ['賣買 推薦과 買受 勸誘', '매매 추천과 매수 권유'],
    ['利益 年利率 女性 老人 來年', '이익 연리율 여성 노인 내년'],
    ['換率 比率 損失率 系列 分裂', '환율 비율 손실률 계열 분열'],
    ['不動産 不足 不確實 不安', '부동산 부족 불확실 불안'],
    ['수익率 환率', '수익률 환율'],
    ['买卖 保证 险 収益 証券', '매매 보증 험 수익 증권'],
    ['\uf90a利', '금리'],
    ['統一 一流', '통일 일류'],
    ['원一금', '원一금'],
    ['\u3400㐂', '\u3400㐂'],
  ])('%j is %j', (text, korean) => expect(read(text)).toBe(korean));

  test.each([
    ['원금(元金) 보장(保障)', '원금 보장'],
    ['元金(원금) 保障［보장］', '원금 보장'],
    ['투자 원금 ( 元 金 ) 보장', '투자 원금  보장'],
    ['영업이익(營業利益)', '영업이익'],
    ['이익(利益), 금리(金利)', '이익, 금리'],
    ['원금(保障)', '원금(보장)'],
    ['원금(원금) 보장', '원금(원금) 보장'],
    ['(元金)', '(원금)'],
    ['금(元金)', '금(원금)'],
  ])('a parenthesis that repeats the word before it is passed over: %j is %j', (text, korean) =>
    expect(read(text)).toBe(korean),
  );

  test('with initial sounds inside of a word as the other way', () => {
    expect(all('營業利益')).toEqual(['PLAIN 영업리익', 'PLAIN 영업이익']);
    expect(all('元一金')).toEqual(['PLAIN 원일금', 'PLAIN 원一금']);
    expect(all('元金')).toEqual(['PLAIN 원금']);
  });
});

test('an ordinary text is read as it is', () => {
  expect(readingsOf('S&P 500이 0.5% 올랐다.')).toEqual([{ as: 'PLAIN', read: null, isSecond: false }]);
  expect(readingsOf('지수가 올랐다.')).toEqual([{ as: 'PLAIN', read: null, isSecond: false }]);
});
