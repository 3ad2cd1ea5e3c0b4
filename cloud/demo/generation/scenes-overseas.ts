/** Live texts on funds of foreign markets, several of them by the second engine. */
import { contribution, excess, round, wonReturn } from './calculations.ts';
import { news, output, percent, points, type Draw, type Scene, type Story } from './scene.ts';

const told = { engine: 'v1', type: 'EVENT_SUPPORTED' } as const;

/** A foreign index and the exchange rate, both up or down, and their combined return in won. */
function abroad(
  draw: Draw,
  sign: 1 | -1,
): { asset: number; fx: number; won: ReturnType<typeof wonReturn>; move: number } {
  const asset = sign * draw.between(0.6, 2.1, 2);
  const fx = draw.pick([1, -1]) * draw.between(0.1, 0.4, 2);
  const won = wonReturn({ asset_return_pct: asset, fx_return_pct: fx });
  return { asset, fx, won, move: round(output(won, 'krw_return_pct') + draw.between(-0.04, 0.04, 2), 2) };
}

const fxNews = (draw: Draw, fx: number): Story['documents'][number] =>
  news(
    '나루금융신문',
    'FX_MOVE',
    draw.between(5, 60, 0),
    fx > 0 ? draw.pick(['원·달러 환율 상승', '원화 약세 지속']) : draw.pick(['원·달러 환율 하락', '원화 강세 지속']),
  );

export const OVERSEAS_SCENES: readonly Scene[] = [
  {
    engine: 'v2',
    ticker: '360750',
    tell(draw) {
      const sign = draw.pick([1, -1] as const);
      const { asset, fx, won, move } = abroad(draw, sign);
      const up = sign > 0;
      return {
        move,
        thread: up ? '뉴욕증시 상승' : '뉴욕증시 하락',
        calculations: [won],
        documents: [
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(300, 600, 0),
            up ? 'S&P500 상승 마감… 업종 고른 강세' : 'S&P500 하락 마감… 경기 지표 부담',
          ),
          fxNews(draw, fx),
        ],
        summary: `TIGER 미국S&P500은 ${draw.when} ${percent(move)} ${up ? '상승했습니다' : '하락했습니다'}. S&P500 지수가 ${percent(asset)} ${up ? '오르고' : '내리고'} 원·달러 환율이 ${percent(fx)} ${fx > 0 ? '올라' : '내려'} 원화로 환산한 수익률은 ${up ? '' : '-'}${percent(output(won, 'krw_return_pct'))}입니다. 환헤지를 하지 않는 상품이므로 환율 변동이 성과에 반영됩니다.`,
      };
    },
  },
  {
    ...told,
    ticker: '133690',
    confidence: ['HIGH', 'HIGH', 'MEDIUM'],
    tell(draw) {
      const sign = draw.pick([1, -1] as const);
      const { asset, fx, won, move } = abroad(draw, sign);
      const up = sign > 0;
      return {
        move,
        thread: up ? '미국 기술주 강세' : '미국 기술주 약세',
        calculations: [won],
        documents: [
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(300, 600, 0),
            up
              ? draw.pick(['나스닥100 상승… 실적 기대', '나스닥100 반등… 금리 안정'])
              : draw.pick(['나스닥100 하락… 차익 실현', '나스닥100 약세… 금리 상승 부담']),
          ),
          fxNews(draw, fx),
        ],
        summary: `TIGER 미국나스닥100은 ${draw.when} ${percent(move)} ${up ? '올랐다' : '내렸다'}. 나스닥100의 등락률 ${up ? '' : '-'}${percent(asset)}에 환율 변동 ${fx > 0 ? '' : '-'}${percent(fx)}를 합쳐 계산한 원화 기준 수익률은 ${up ? '' : '-'}${percent(output(won, 'krw_return_pct'))}다. ${up ? '대형 기술주의 실적 기대가 상승을 이끌었다.' : '대형 기술주에서 차익을 실현하려는 매물이 나왔다.'}`,
      };
    },
  },
  {
    ...told,
    ticker: '381180',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('엔비디아', [9, 12], [2.2, 6.1]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.6, 1.8, 2), 2);
      return {
        move,
        thread: '필라델피아 반도체지수 상승',
        against: ['환율이 같은 방향으로 움직여 지수만의 영향을 가르기 어렵다.'],
        calculations: [effect],
        documents: [
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(300, 600, 0),
            draw.pick(['필라델피아 반도체지수 강세… 엔비디아 신제품 공개', '엔비디아 상승… 반도체지수 견인']),
          ),
          news('미리내비즈', 'CAPEX_PLAN', draw.between(120, 500, 0), '클라우드 기업, 가속기 투자 계획 상향'),
        ],
        summary: `엔비디아가 ${percent(part.return_pct)} 오르며 반도체주를 이끌었다. TIGER 미국필라델피아반도체나스닥은 ${draw.when} ${percent(move)} 상승했고, 이 가운데 엔비디아의 기여도는 ${points(output(effect, 'contribution_pp'))}다. 클라우드 기업의 투자 확대 소식도 장비주에 온기를 더했다.`,
      };
    },
  },
  {
    engine: 'v2',
    ticker: '241180',
    tell(draw) {
      const sign = draw.pick([1, -1] as const);
      const asset = sign * draw.between(0.6, 2.0, 2);
      const fx = draw.pick([1, -1]) * draw.between(0.1, 0.4, 2);
      const won = wonReturn({ asset_return_pct: asset, fx_return_pct: fx });
      const move = round(output(won, 'krw_return_pct') + draw.between(-0.04, 0.04, 2), 2);
      const up = sign > 0;
      return {
        move,
        thread: up ? '닛케이225 상승' : '닛케이225 하락',
        calculations: [won],
        documents: [
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(10, 90, 0),
            up ? '닛케이225 상승… 수출주 강세' : '닛케이225 하락… 엔화 강세 부담',
          ),
          news('나루금융신문', 'FX_MOVE', draw.between(10, 90, 0), fx > 0 ? '원·엔 환율 상승' : '원·엔 환율 하락'),
        ],
        summary: `TIGER 일본니케이225는 ${draw.when} ${percent(move)} ${up ? '상승했습니다' : '하락했습니다'}. 닛케이225가 ${percent(asset)} ${up ? '올랐고' : '내렸고'} 원·엔 환율은 ${percent(fx)} ${fx > 0 ? '상승해' : '하락해'} 원화 기준 수익률은 ${up ? '' : '-'}${percent(output(won, 'krw_return_pct'))}로 계산됩니다.`,
      };
    },
  },
  {
    ...told,
    ticker: '458730',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const { asset, fx, won, move } = abroad(draw, 1);
      return {
        move,
        thread: '미국 배당주 강세',
        calculations: [won],
        documents: [
          news(
            '해담글로벌',
            'INDEX_MOVE',
            draw.between(300, 600, 0),
            draw.pick(['다우 배당주 상승… 방어 업종 선호', '미국 금융·필수소비재 강세']),
          ),
          fxNews(draw, fx),
        ],
        summary: `TIGER 미국배당다우존스가 ${draw.when} ${percent(move)} 상승했다. 배당주 지수의 상승률 ${percent(asset)}와 환율 변동 ${fx > 0 ? '' : '-'}${percent(fx)}를 합친 원화 기준 수익률은 ${percent(output(won, 'krw_return_pct'))}다. 경기방어 업종으로 자금이 옮겨 간 영향이 컸다.`,
      };
    },
  },
  {
    engine: 'v2',
    ticker: '465580',
    tell(draw) {
      const sign = draw.pick([1, -1] as const);
      const index = sign * draw.between(0.4, 1.2, 2);
      const move = round(index + sign * draw.between(0.2, 1.1, 2), 2);
      const apart = excess({ etf_return_pct: move, benchmark: '나스닥100(원화 환산)', benchmark_return_pct: index });
      const up = sign > 0;
      return {
        move,
        thread: up ? '빅테크 강세' : '빅테크 약세',
        calculations: [apart],
        documents: [
          news(
            '해담글로벌',
            'EARNINGS',
            draw.between(240, 600, 0),
            up ? '빅테크 실적 기대 상회… 클라우드 매출 증가' : '빅테크 설비투자 부담… 이익률 전망 하향',
          ),
          news(
            '미리내비즈',
            'ANALYST_REPORT',
            draw.between(120, 400, 0),
            up ? '인공지능 서비스 유료 이용자 증가세' : '데이터센터 감가상각 비용 증가 지적',
          ),
        ],
        summary: `ACE 미국빅테크TOP7 Plus는 ${draw.when} ${percent(move)} ${up ? '상승했습니다' : '하락했습니다'}. 원화로 환산한 나스닥100과 비교하면 ${points(output(apart, 'excess_pp'))} ${up ? '높은' : '낮은'} 성과입니다. ${up ? '주요 기업의 클라우드 매출 증가가 상승을 이끌었습니다.' : '설비투자 비용에 대한 우려가 대형 기술주에 부담을 주었습니다.'}`,
      };
    },
  },
];
