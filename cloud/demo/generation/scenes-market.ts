/** Live texts on indices, rates, currencies and commodities at home. */
import {
  distributionDrop,
  excess,
  leverage,
  netBuying,
  premium,
  rateEffect,
  round,
  wonReturn,
} from './calculations.ts';
import { grouped, news, output, percent, points, type Scene } from './scene.ts';

const told = { engine: 'v1', type: 'EVENT_SUPPORTED' } as const;

export const MARKET_SCENES: readonly Scene[] = [
  {
    ...told,
    ticker: '069500',
    confidence: ['HIGH', 'HIGH', 'MEDIUM'],
    tell(draw) {
      const move = draw.between(0.4, 1.6, 2);
      const foreign = draw.between(900, 4200, 0);
      const institution = draw.between(200, 1900, 0);
      const bought = netBuying({
        market: '유가증권시장',
        foreign_100m_krw: foreign,
        institution_100m_krw: institution,
      });
      return {
        move,
        thread: '외국인·기관 동반 순매수',
        against: ['순매수의 절반 이상이 장 마감 무렵에 몰려 장중 상승을 모두 설명하지는 못한다.'],
        calculations: [bought],
        documents: [
          news(
            '서울마켓뉴스',
            'INVESTOR_FLOW',
            draw.between(5, 60, 0),
            draw.pick(['외국인, 유가증권시장 순매수 확대', '외국인·기관 동반 순매수… 대형주 강세']),
          ),
          news('나루금융신문', 'FX_MOVE', draw.between(20, 120, 0), '원·달러 환율 하락… 위험자산 선호'),
        ],
        summary: draw.pick([
          `KODEX 200은 ${draw.when} ${percent(move)} 올랐다. 외국인이 ${grouped(foreign)}억 원, 기관이 ${grouped(institution)}억 원을 순매수해 합계 ${grouped(output(bought, 'sum_100m_krw'))}억 원의 자금이 유가증권시장에 들어왔다. 환율이 내린 점도 외국인 수급에 우호적이었다.`,
          `외국인과 기관의 매수세가 대형주에 모이면서 KODEX 200이 ${draw.when} ${percent(move)} 상승했다. 두 주체의 순매수 합계는 ${grouped(output(bought, 'sum_100m_krw'))}억 원으로, 원화 강세와 맞물려 지수를 끌어올렸다.`,
        ]),
      };
    },
  },
  {
    ...told,
    ticker: '102110',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const move = -draw.between(0.4, 1.5, 2);
      const nav = draw.between(58_000, 63_000, 0);
      const price = nav - draw.between(10, 60, 0);
      const gap = premium({ price_krw: price, nav_krw: nav });
      return {
        move,
        thread: '프로그램 매물과 코스피200 하락',
        against: ['같은 시각 아시아 증시도 함께 내려 국내 수급만의 영향으로 보기 어렵다.'],
        calculations: [gap],
        documents: [
          news(
            '서울마켓뉴스',
            'INVESTOR_FLOW',
            draw.between(5, 60, 0),
            draw.pick(['프로그램 매물 출회… 코스피200 약세', '외국인 선물 순매도에 지수 밀려']),
          ),
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(120, 420, 0),
            draw.pick(['아시아 증시 동반 하락', '미국 지수 선물 약세']),
          ),
        ],
        summary: `선물 시장에서 나온 매도가 프로그램 매물로 이어지며 TIGER 200은 ${draw.when} ${percent(move)} 하락했다. 시장가격 ${grouped(price)}원은 순자산가치 ${grouped(nav)}원보다 낮아 괴리율은 -${percent(output(gap, 'premium_pct'))}다. 해외 증시의 약세도 부담으로 작용했다.`,
      };
    },
  },
  {
    ...told,
    ticker: '122630',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const index = draw.pick([1, -1]) * draw.between(0.4, 1.6, 2);
      const move = round(2 * index + draw.between(-0.06, 0.06, 2), 2);
      const tracked = leverage({ multiple: 2, underlying_return_pct: index, etf_return_pct: move });
      const up = move > 0;
      return {
        move,
        thread: up ? '코스피200 상승' : '코스피200 하락',
        calculations: [tracked],
        documents: [
          news(
            '서울마켓뉴스',
            'INDEX_MOVE',
            draw.between(5, 40, 0),
            up ? '코스피200 오름폭 확대… 대형주 강세' : '코스피200 낙폭 확대… 대형주 약세',
          ),
          news(
            '나루금융신문',
            'INVESTOR_FLOW',
            draw.between(10, 60, 0),
            up ? '외국인 지수선물 순매수' : '외국인 지수선물 순매도',
          ),
        ],
        summary: `KODEX 레버리지는 ${draw.when} ${percent(move)} ${up ? '올랐다' : '내렸다'}. 코스피200이 ${percent(index)} ${up ? '상승' : '하락'}한 데 두 배를 적용하면 ${percent(output(tracked, 'expected_return_pct'))}이며, 실제 움직임과의 차이는 ${points(output(tracked, 'gap_pp'))}다. 배수는 하루 수익률에만 적용된다.`,
      };
    },
  },
  {
    engine: 'v1',
    type: 'UNCERTAIN',
    ticker: '229200',
    confidence: ['MEDIUM', 'LOW'],
    tell(draw) {
      const kospi = draw.between(-0.3, 0.3, 2);
      const move = round(draw.pick([1, -1]) * draw.between(0.9, 2.2, 2), 2);
      const apart = excess({ etf_return_pct: move, benchmark: '코스피', benchmark_return_pct: kospi });
      const up = move > 0;
      return {
        move,
        thread: '코스닥150 등락',
        calculations: [apart],
        documents: [
          news(
            '서울마켓뉴스',
            'INDEX_MOVE',
            draw.between(5, 40, 0),
            up ? '코스닥 강세… 업종별 차별화' : '코스닥 약세… 업종별 차별화',
          ),
          news('가온헬스케어타임스', 'CLINICAL_TRIAL', draw.between(60, 300, 0), '중소형 바이오 종목별 등락 엇갈려'),
        ],
        summary: `KODEX 코스닥150이 ${draw.when} ${percent(move)} ${up ? '상승했다' : '하락했다'}. 같은 구간의 코스피와 비교하면 ${points(output(apart, 'excess_pp'))} 차이가 난다. 여러 업종의 움직임이 엇갈려 특정 뉴스나 공시를 주된 원인으로 확인하지 못했다.`,
      };
    },
  },
  {
    ...told,
    ticker: '148070',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const yieldChange = draw.pick([1, -1]) * draw.between(2, 6, 1);
      const effect = rateEffect({ duration_years: 8, yield_change_bp: yieldChange });
      const move = round(output(effect, 'price_effect_pct') + draw.between(-0.03, 0.03, 2), 2);
      const up = move > 0;
      return {
        move,
        thread: up ? '국고채 금리 하락' : '국고채 금리 상승',
        calculations: [effect],
        documents: [
          news(
            '서울마켓뉴스',
            'RATE_MOVE',
            draw.between(10, 60, 0),
            up ? '국고채 금리 하락… 외국인 선물 순매수' : '국고채 금리 상승… 물가 경계감',
          ),
          news(
            '나루금융신문',
            'MACRO_RELEASE',
            draw.between(60, 300, 0),
            up ? '주요국 경기 지표 둔화' : '수입물가 예상 상회',
          ),
        ],
        summary: `국고채 10년물 금리가 ${Math.abs(yieldChange).toFixed(1)}bp ${up ? '내리면서' : '오르면서'} KIWOOM 국고채10년은 ${draw.when} ${percent(move)} ${up ? '올랐다' : '내렸다'}. 듀레이션 8년으로 어림한 금리 효과는 ${percent(output(effect, 'price_effect_pct'))}로 실제 등락률과 큰 차이가 없다. 채권 가격은 금리와 반대로 움직이므로 만기 전에는 손실이 날 수 있다.`,
      };
    },
  },
  {
    ...told,
    ticker: '411060',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const gold = draw.between(0.5, 1.7, 2);
      const fx = draw.pick([1, -1]) * draw.between(0.1, 0.4, 2);
      const won = wonReturn({ asset_return_pct: gold, fx_return_pct: fx });
      const move = round(output(won, 'krw_return_pct') + draw.between(-0.05, 0.05, 2), 2);
      return {
        move,
        thread: '국제 금값 상승',
        against: [],
        calculations: [won],
        documents: [
          news(
            '해담글로벌',
            'COMMODITY_MOVE',
            draw.between(60, 360, 0),
            draw.pick(['국제 금값 상승… 중앙은행 보유량 늘어', '국제 금값 반등… 실질금리 하락']),
          ),
          news('나루금융신문', 'FX_MOVE', draw.between(10, 90, 0), fx > 0 ? '원·달러 환율 상승' : '원·달러 환율 하락'),
        ],
        summary: `ACE KRX금현물이 ${draw.when} ${percent(move)} 올랐다. 국제 금값이 ${percent(gold)} 상승했고 원·달러 환율은 ${percent(fx)} ${fx > 0 ? '올라' : '내려'} 원화 기준 수익률은 ${percent(output(won, 'krw_return_pct'))}로 계산된다. ${draw.pick(['국내 금 시세와 국제 시세의 차이는 크지 않다.', '금은 이자가 없어 실질금리의 움직임에 민감하다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '261220',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const wti = draw.pick([1, -1]) * draw.between(0.9, 3.1, 2);
      const move = round(wti + draw.between(-0.12, 0.12, 2), 2);
      const apart = excess({ etf_return_pct: move, benchmark: 'WTI 선물', benchmark_return_pct: wti });
      const up = wti > 0;
      return {
        move,
        thread: up ? '국제유가 상승' : '국제유가 하락',
        calculations: [apart],
        documents: [
          news(
            '해담글로벌',
            'COMMODITY_MOVE',
            draw.between(90, 420, 0),
            up ? '국제유가 상승… 해상 운송 차질 우려' : '국제유가 하락… 산유국 공급 확대',
          ),
          news(
            '새빛에너지뉴스',
            'INVENTORY',
            draw.between(60, 360, 0),
            up ? '미국 원유 재고 감소' : '미국 원유 재고 증가',
          ),
        ],
        summary: `KODEX WTI원유선물(H)은 ${draw.when} ${percent(move)} ${up ? '상승했다' : '하락했다'}. WTI 선물의 등락률 ${up ? '' : '-'}${percent(wti)}와의 차이는 ${points(output(apart, 'excess_pp'))}다. ${up ? '원유 재고 감소와 운송 차질 우려가 유가를 밀어 올렸다.' : '산유국의 공급 확대와 재고 증가가 유가를 눌렀다.'}`,
      };
    },
  },
  {
    ...told,
    ticker: '138230',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const fx = -draw.between(0.2, 0.8, 2);
      const move = round(fx + draw.between(-0.04, 0.04, 2), 2);
      const apart = excess({ etf_return_pct: move, benchmark: '원·달러 환율', benchmark_return_pct: fx });
      return {
        move,
        thread: '원화 강세',
        calculations: [apart],
        documents: [
          news(
            '나루금융신문',
            'FX_MOVE',
            draw.between(5, 60, 0),
            draw.pick(['원·달러 환율 하락… 수출업체 달러 매도', '원화 강세… 외국인 주식 자금 유입']),
          ),
          news('해담글로벌', 'MACRO_RELEASE', draw.between(120, 420, 0), '미국 고용 지표 둔화… 달러지수 하락'),
        ],
        summary: `원·달러 환율이 ${percent(fx)} 내리면서 KIWOOM 미국달러선물은 ${draw.when} ${percent(move)} 하락했다. 현물 환율과의 수익률 차이는 ${points(output(apart, 'excess_pp'))}다. 미국 고용 지표가 둔화된 뒤 달러 약세가 이어지고 있다.`,
      };
    },
  },
  {
    ...told,
    ticker: '466940',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const paid = draw.between(65, 95, 0);
      const drop = distributionDrop({ distribution_krw: paid, previous_close_krw: draw.between(16_800, 18_400, 0) });
      const move = round(output(drop, 'effect_pct') + draw.between(-0.15, 0.15, 2), 2);
      return {
        move,
        thread: '은행주 분배락',
        calculations: [drop],
        documents: [
          news('나루금융신문', 'DISTRIBUTION', draw.between(200, 390, 0), '월 분배 ETF 분배락… 기준가 조정'),
          news('한강경제', 'VALUE_UP', draw.between(30, 180, 0), '은행주 등락 엇갈려… 환원 계획 발표 대기'),
        ],
        summary: `TIGER 은행고배당플러스TOP10은 ${draw.when} ${percent(move)} 하락했다. 주당 분배금 ${paid}원이 빠져나간 분배락 효과가 ${percent(output(drop, 'effect_pct'))}로, 하락분은 대체로 이것으로 설명된다. 분배금은 지급일에 따로 들어오므로 가격만 보고 손실로 해석하지 않도록 유의해야 한다.`,
      };
    },
  },
];
