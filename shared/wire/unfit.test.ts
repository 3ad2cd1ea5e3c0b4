import { describe, expect, test } from 'vitest';
import { quoteOf, unfitnessOf } from './unfit.ts';
import type { UnfitKind } from './unfit-kinds.ts';

const found = (text: string): [UnfitKind, string][] => unfitnessOf(text).map((one) => [one.kind, quoteOf(text, one)]);
const kinds = (text: string): UnfitKind[] => unfitnessOf(text).map(({ kind }) => kind);

/** Texts as vendors write them: none of these is held up. */
const FIT = [
  '반도체 업종의 수출 증가 소식에 지수가 1.2% 올랐고, 외국인은 사흘째 순매수했습니다.',
  'KODEX 200(069500)은 전 거래일보다 2.31% 오른 35,120원에 마감했다.',
  'S&P 500과 나스닥100이 나란히 내렸고, AT&T와 P&G의 실적은 R&D 비용 때문에 예상을 밑돌았습니다.',
  'M&A 기대에 B&Q홀딩스가 3%s등급 채권과 함께 올랐습니다.',
  '미국 연방준비제도(Fed)의 FOMC 의사록이 공개되며 “higher for longer” 우려가 커졌습니다.',
  'SPDR S&P 500 ETF Trust(SPY)와 Invesco QQQ Trust Series 1이 올랐습니다.',
  'Bank of America와 JPMorgan Chase & Co.의 실적 발표에 금융 업종이 올랐습니다.',
  '세계 최대 크루즈선(Oasis of the Seas, Allure of the Seas)의 수주 소식이 전해졌습니다.',
  '대규모 언어 모델(Large Language Model) 수요가 늘며 AI 반도체가 강세입니다.',
  'AI 언어 모델 개발사가 새 모델을 공개해 관련 종목이 올랐습니다.',
  '오픈AI의 챗봇 서비스 이용자가 늘었다는 소식에 올랐습니다.',
  '정부의 요청에 따라 제출 기한이 늘었고, 회사는 요청을 받아들였습니다.',
  '대표이사는 실적 부진에 대해 주주들에게 사과했습니다.',
  '향후 방향을 예측하기 어렵습니다.',
  '회사는 배당을 늘리겠다고 밝혔고, 증권사는 목표가를 올렸습니다.',
  '접근성이 좋은 물류 거점을 확보했습니다.',
  '거래소 답변에 따르면 상장 요건을 갖췄습니다.',
  'PER < 10배, PBR > 0.8배인 종목이 강세였습니다.',
  '<표 1> 편입 상위 종목과 <삼성전자>의 비중을 보면 다음과 같습니다.',
  '[단독](종합) 2차전지 업종이 사흘 만에 반등했습니다.',
  '[속보] 기준금리를 0.25%p 내렸습니다.',
  '수익률*은 세전 기준이며 3~5% 범위입니다. (* 보수 차감 전)',
  '- 반도체 강세\n- 환율 하락\n1. 외국인 순매수',
  '반도체·2차전지 ▲1.2%, 은행 ▽0.4% … “경기 둔화” 우려 → 채권 강세',
  '中 경기 부양책과 美 국채 금리 하락에 올랐습니다.',
  '日 엔화(円) 약세로 수출주가 올랐습니다.',
  '元·달러 환율이 내렸고 原油 가격이 올랐습니다.',
  'β가 1.2로 높고 α는 0.3%p였습니다.',
  '로레알(L’Oréal)과 네슬레(Nestlé)의 실적이 예상을 웃돌았습니다.',
  '회사 웹사이트는 www.ahlstrom.com입니다.',
  '문의: ir@example.com',
  '지수는 왜 올랐을까? 외국인 매수 때문입니다.',
  '실적이 좋아졌습니다! 👨‍👩‍👧 소비가 늘었습니다 ❤️',
  '① 반도체 ② 자동차 ㈜한화 ㎡당 3억',
  '매출은 160mln zloty, 영업이익은 42.3mln유로로 집계됐습니다.',
  'TIGER 미국나스닥100, ACE 미국빅테크TOP7 Plus, KBSTAR 200이 올랐습니다.',
  '자세한 내용은 투자설명서를 확인하시기 바랍니다.',
  '$AAPL과 $TSLA가 나란히 올랐고 #반도체 관련 종목이 강세였습니다.',
  'XX형 반도체와 OLED 장비, X-레이 장비 수요가 늘었습니다.',
  '다음은 반도체입니다. 업황이 좋아지고 있습니다.',
  '네 종목이 모두 올랐습니다.',
  '경제가 AI 투자로 살아났고, 문제가 인공지능 반도체의 공급에서 생겼습니다.',
  '경제 지식은 국제 학습 데이터와 함께 늘었습니다.',
  'SOXX와 XLK가 올랐고 (단위: %, %p) 1.5%sell 신호가 나왔습니다.',
  'https://dart.fss.or.kr/main.do?rcpNo=2026&dcmNo=1을 보면 배당이 늘었습니다.',
  'Fed의 ‘soft landing’과 ‘no landing’ 시나리오, “buy the dip” 심리에 올랐습니다.',
  'Meta Platforms, Apple, Amazon, Alphabet(Google), Microsoft, iShares 20+ Year Treasury Bond ETF가 올랐습니다.',
  '소프트뱅크(ソフトバンク)의 실적이 시장의 예상을 웃돌면서 관련 종목이 올랐습니다.',
  '순자산은 \\100,000이고 [공시]에 따르면 20_30대 가입자가 늘었습니다.',
  '편입 상위 종목은 다음과 같습니다. 삼성전자, SK하이닉스',
  '아래와 같이 요약됩니다. 반도체가 올랐습니다.',
  '회사는 언론 보도에 답변할 계획이 없다고 했습니다.',
  '물론 위험도 있습니다.',
  '',
];

test.each(FIT)('a text for readers is fit: %s', (text) => expect(found(text)).toEqual([]));

const UNFIT: [UnfitKind, string[]][] = [
  [
    'CHARACTERS',
    ['오늘 \u0007올랐습니다.', '지수가 \ufffd\ufffd 올랐습니다.', '원금\u200b 보장', '올랐\u202e습니다', '가\ud800'],
  ],
  [
    'MARKUP',
    [
      '<b>원금</b> 보장',
      '원금&nbsp;보장',
      '보&shy;장',
      '&#50896;&#44552; 상승',
      '&#xC6D0;&#xae08 상승',
      '지수가 &lt 올랐습니다',
      '올랐습니다.<br>내렸습니다.',
      '<script>alert(1)</script>지수가 올랐습니다.',
      '<!-- 초안 --> 지수가 올랐습니다.',
      '지수가 올랐습니다.</p>',
      '지수가 올랐습니다.<img src=x onerror=alert(1)',
      '<?xml version="1.0"?>지수가 올랐습니다.',
      '<![CDATA[지수가]]> 올랐습니다.',
      '[원금](https://example.com) 보장',
      '[원금](…) 보장',
      '[근거][1] 지수가 올랐습니다.',
      '지수가 **1.2%** 올랐습니다.',
      '## 요약\n지수가 올랐습니다.',
      '```\n지수가 올랐습니다.\n```',
      '`KODEX 200`이 올랐습니다.',
      '[b]지수[/b]가 올랐습니다.',
    ],
  ],
  [
    'PLACEHOLDER',
    [
      '{{name}}이 올랐습니다.',
      '{종목명}이 {등락률}% 올랐습니다.',
      '${ticker}가 올랐습니다.',
      '%s이 %.2f% 올랐습니다.',
      '%(name)s이 올랐습니다.',
      '{0}이 올랐습니다.',
      '<NAME>이 올랐습니다.',
      '<etf_name>이 올랐습니다.',
      '[종목명]이 올랐습니다.',
      '〈회사명〉의 실적이 좋아졌습니다.',
      '[TICKER]가 올랐습니다.',
      '[YOUR COMPANY NAME]의 실적이 좋아졌습니다.',
      '##NAME##이 올랐습니다.',
      '○○증권이 XX% 올랐다고 밝혔습니다.',
      '지수가 XX% 올랐습니다.',
      'OOO은행의 실적이 좋아졌습니다.',
      'Lorem ipsum dolor sit amet',
      ['TO', 'DO: 원인을 적는다'].join(''),
      '원인은 TBD입니다.',
      '지수가 NaN% 올랐습니다.',
      'undefined이 올랐습니다.',
      '수익률은 None%입니다.',
      '[object Object]이 올랐습니다.',
      '여기에 내용을 입력하세요.',
      '...',
      ' — ',
      '(·)\n“”',
    ],
  ],
  [
    'GARBLED',
    [
      'ì›ê¸ˆ ë³´ìž¥',
      '¿ø±Ý º¸Àå »óÇ°',
      '지수가 올랐습니다â€™',
      '?먭툑 蹂댁옣 ?곹뭹',
      '지수가 ???? 올랐습니다.',
      '\\uc6d0\\uae08 보장',
      '지수가 올랐습니다.\\n외국인이 샀습니다.',
      '%EC%9B%90%EA%B8%88 보장',
    ],
  ],
  [
    'FOREIGN',
    [
      'Principal is guaranteed.',
      'PRINCIPAL GUARANTEED',
      '지수가 올랐습니다. Your principal is fully guaranteed with no risk.',
      '지수 상승. PRINCIPAL IS GUARANTEED WITH NO RISK AT ALL.',
      'The index rose 1.2% on 반도체 exports.',
      '元本保証で利回りは確定です。',
      'この商品は元本保証です. 지수 상승',
      '保证本金，收益稳定',
      'Гарантированный доход без риска',
      'El capital está garantizado sin ningún riesgo para el inversor. 지수가 올랐습니다.',
    ],
  ],
  [
    'ASSISTANT',
    [
      '죄송하지만 투자 조언은 제공할 수 없습니다.',
      'AI 언어 모델로서 실시간 시세를 알 수 없습니다.',
      '인공지능 모델이므로 정확하지 않을 수 있습니다.',
      '저는 AI 어시스턴트로서 답합니다.',
      '요청하신 설명을 작성해 드리겠습니다. 지수가 올랐습니다.',
      '요청하신 내용을 바탕으로 정리했습니다.',
      '물론입니다! 지수가 오른 까닭은 다음과 같습니다.',
      '네, 알겠습니다. 지수가 올랐습니다.',
      '다음은 KODEX 200의 변동 원인에 대한 설명입니다: 지수가 올랐습니다.',
      '실시간 데이터에 접근할 수 없습니다.',
      '제 지식은 2024년까지입니다.',
      '지수가 올랐습니다. 추가로 필요하시면 말씀해 주세요.',
      '더 궁금하신 점이 있으면 알려 주세요.',
      '지수가 올랐습니다. 도움이 되셨기를 바랍니다.',
      'assistant: 지수가 올랐습니다.',
      '수정된 문구는 다음과 같습니다. 지수가 올랐습니다.',
      '아래와 같이 요약했습니다. 지수가 올랐습니다.',
      '종목의 전망에 대해서는 답변을 드릴 수 없습니다.',
      'As an AI, 지수의 방향은 알 수 없습니다.',
      "I'm sorry, 지수의 방향은 알 수 없습니다.",
      'I cannot 제공 투자 조언.',
      "Sure, here's 설명: 지수가 올랐습니다.",
      'Certainly! 지수가 올랐습니다.',
      '<|im_start|>지수가 올랐습니다.',
    ],
  ],
];

test.each(UNFIT.flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))('%s: %s', (kind, text) =>
  expect(kinds(text)).toContain(kind),
);

describe('what a finding says', () => {
  test('the first place of each kind, and one for all of a text in another language', () => {
    expect(found('{{name}}이 <b>올랐</b>습니다\u0007.')).toEqual([
      ['CHARACTERS', 'U+0007 (22-23)'],
      ['MARKUP', '“<b>” (10-13)'],
      ['PLACEHOLDER', '“{{name}}” (0-8)'],
    ]);
    expect(found('All is well.')).toEqual([['FOREIGN', '“All is well.” (0-12)']]);
    expect(found('지수 👨‍👩‍👧 \u0007')).toEqual([['CHARACTERS', 'U+0007 (12-13)']]);
  });
  test('no more than forty characters of it, on one line and never half of one', () => {
    const [[, quoted] = ['', '']] = found(`<b ${'😀'.repeat(100)}> 지수`);
    expect([quoted, quoted.isWellFormed()]).toEqual([`“<b ${'😀'.repeat(37)}…” (0-204)`, true]);
    expect(found('<b\n\nid=1> 지수')).toEqual([['MARKUP', '“<b id=1>” (0-9)']]);
  });
});
