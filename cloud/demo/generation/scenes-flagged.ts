/**
 * Live texts that a careful engine would not have written, so that the reviewers have something to
 * decide: words that promise, single sources, low confidence. Beside them legitimate look-alikes.
 */
import { contribution, premium, round, turnover } from './calculations.ts';
import { disclosure, news, output, percent, points, type Scene } from './scene.ts';

const told = { engine: 'v1', type: 'EVENT_SUPPORTED' } as const;

export const FLAGGED_SCENES: readonly Scene[] = [
  {
    ...told,
    ticker: '161510',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('기업은행', [5, 7], [1.1, 3.4]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.2, 0.9, 2), 2);
      return {
        move,
        thread: '배당 확대 공시와 고배당주 강세',
        calculations: [effect],
        documents: [
          disclosure('DIVIDEND', draw.between(30, 180, 0), '기업은행, 현금·현물배당 결정'),
          news('한강경제', 'FUND_FLOW', draw.between(20, 120, 0), '고배당주 ETF로 자금 유입'),
        ],
        summary: `PLUS 고배당주는 ${draw.when} ${percent(move)} 올랐다. 배당을 공시한 기업은행이 ${points(output(effect, 'contribution_pp'))}를 기여했다. ${draw.pick(['배당락 전에 편입하면 사실상 확정수익을 챙길 수 있다는 기대가 반영됐다.', '분배금이 매월 따박따박 나온다는 점이 개인 자금을 끌어들였다.', '배당은 이사회 결정에 따라 바뀔 수 있는 불확정 수익이라는 점도 함께 봐야 한다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '329200',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const move = draw.between(0.3, 1.1, 2);
      const nav = draw.between(4_600, 5_100, 0);
      const price = nav + draw.between(3, 12, 0);
      const gap = premium({ price_krw: price, nav_krw: nav });
      return {
        move,
        thread: '금리 하락과 리츠 강세',
        calculations: [gap],
        documents: [
          news('나루금융신문', 'RATE_MOVE', draw.between(30, 150, 0), '시장금리 하락… 리츠 조달 비용 감소 기대'),
          disclosure('DIVIDEND', draw.between(40, 200, 0), '신한알파리츠, 현금·현물배당 결정'),
        ],
        summary: `시장금리가 내리며 TIGER 리츠부동산인프라가 ${draw.when} ${percent(move)} 상승했다. 시장가격은 순자산가치를 ${percent(output(gap, 'premium_pct'))} 웃돈다. ${draw.pick(['월급처럼 분배금을 받으려는 수요가 꾸준하다.', '임대차 계약이 길어 무위험에 가까운 현금흐름이라는 평가다.', '다만 원금이 보장되지 않는 상품이므로 부동산 경기의 불확실성을 함께 살펴야 한다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '445290',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('두산로보틱스', [8, 11], [4.1, 11.2]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.6, 2.1, 2), 2);
      return {
        move,
        thread: '로봇 수주와 정책 기대',
        calculations: [effect],
        documents: [
          disclosure('SUPPLY_CONTRACT', draw.between(20, 120, 0), '두산로보틱스, 단일판매·공급계약 체결'),
          news('미리내비즈', 'POLICY', draw.between(60, 240, 0), '제조 현장 로봇 보급 예산안 공개'),
        ],
        summary: `두산로보틱스의 공급계약 공시에 KODEX 로봇액티브가 ${draw.when} ${percent(move)} 상승했다. 이 종목의 기여도는 ${points(output(effect, 'contribution_pp'))}다. ${draw.pick(['보급 예산이 집행되면 로봇주는 반드시 재평가될 것이라는 전망도 있다.', '업계에서는 급등 예상 종목이 더 나올 수 있다고 본다.', '예산 규모는 국회 심의에서 달라질 수 있어 불확실성이 남아 있다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '117700',
    confidence: ['MEDIUM'],
    tell(draw) {
      const move = draw.between(0.8, 2.6, 2);
      const volume = turnover({
        turnover_100m_krw: draw.between(180, 330, 0),
        average_20d_100m_krw: draw.between(110, 150, 0),
      });
      return {
        move,
        thread: '주택 공급 정책 기대',
        calculations: [volume],
        documents: [
          news(
            '한강경제',
            'POLICY',
            draw.between(30, 240, 0),
            draw.pick(['재건축 안전진단 절차 추가 완화 검토', '공공주택 착공 물량 확대 방안 논의']),
          ),
        ],
        summary: `주택 정책에 대한 기대가 KODEX 건설을 ${draw.when} ${percent(move)} 끌어올렸다. 거래대금은 20거래일 평균의 ${output(volume, 'multiple').toFixed(1)}배로 늘었다. 방안이 확정되기 전이어서 실제 시행 여부는 지켜봐야 한다.`,
      };
    },
  },
  {
    ...told,
    ticker: '396500',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('삼성전자', [22, 25], [1.2, 3.6]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.3, 1.1, 2), 2);
      return {
        move,
        thread: '메모리 업황 개선 기대',
        calculations: [effect],
        documents: [
          news('한강경제', 'ANALYST_REPORT', draw.between(60, 240, 0), '증권가, 메모리 업황 전망 엇갈려'),
          disclosure('EARNINGS', draw.between(90, 400, 0), '삼성전자, 영업(잠정)실적 공정공시'),
        ],
        summary: `TIGER 반도체TOP10이 ${draw.when} ${percent(move)} 올랐다. 잠정 실적을 내놓은 삼성전자가 ${percent(part.return_pct)} 상승해 ${points(output(effect, 'contribution_pp'))}를 보탰다. ${draw.pick(['증권사들의 매수 추천이 이어지고 있어 상승 여력은 충분하다.', '실적이 업계 최고 수준이라는 평가가 나온다.', '장중 연중 최고가를 새로 썼지만 오후 들어 매수세는 다소 약해졌다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '300950',
    confidence: ['LOW'],
    tell(draw) {
      const part = draw.stock('크래프톤', [20, 24], [-4.9, -1.6]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') - draw.between(0.2, 0.9, 2), 2);
      return {
        move,
        thread: '게임주 약세',
        calculations: [effect],
        documents: [
          news(
            '미리내비즈',
            'PRODUCT',
            draw.between(60, 300, 0),
            draw.pick(['대형 신작 출시 일정 조정 관측', '해외 게임 시장 월 매출 둔화']),
          ),
          news('서울마켓뉴스', 'INVESTOR_FLOW', draw.between(10, 80, 0), '게임주 거래 부진… 개인 순매도'),
        ],
        summary: `KODEX 게임산업은 ${draw.when} ${percent(move)} 하락했다. 크래프톤이 ${percent(part.return_pct)} 내려 ${points(output(effect, 'contribution_pp'))}를 깎았다. 신작 일정과 관련한 관측이 돌고 있으나 회사의 공식 발표는 확인되지 않았다.`,
      };
    },
  },
  {
    ...told,
    ticker: '153130',
    confidence: ['HIGH'],
    tell(draw) {
      const move = draw.between(0.01, 0.03, 2);
      const nav = draw.between(112_000, 112_900, 0);
      const price = nav + draw.between(6, 30, 0);
      const gap = premium({ price_krw: price, nav_krw: nav });
      return {
        move,
        thread: '단기자금 유입',
        calculations: [gap],
        documents: [
          news('나루금융신문', 'FUND_FLOW', draw.between(30, 180, 0), '단기채 상품으로 대기 자금 유입'),
          news('서울마켓뉴스', 'RATE_MOVE', draw.between(10, 90, 0), '단기금리 보합… 자금시장 안정'),
        ],
        summary: `KODEX 단기채권은 ${draw.when} ${percent(move)} 올랐다. 이자 수익이 쌓인 데 따른 움직임으로, 괴리율은 ${percent(output(gap, 'premium_pct'))}다. ${draw.pick(['만기가 짧아 예금만큼 안전하다는 인식이 퍼지고 있다.', '손실 없는 대기 자금 운용처를 찾는 수요가 늘었다.', '채권형 상품도 원금이 보장되지 않으므로 금리 변동에 따른 손실 가능성이 있다.'])}`,
      };
    },
  },
];
