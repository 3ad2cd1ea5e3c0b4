/** Live texts on funds of one industry. Constituents are real, what happens to them is invented. */
import { contribution, contributions, excess, round, turnover } from './calculations.ts';
import { disclosure, news, output, percent, points, type Scene } from './scene.ts';

const told = { engine: 'v1', type: 'EVENT_SUPPORTED' } as const;

export const SECTOR_SCENES: readonly Scene[] = [
  {
    ...told,
    ticker: '091160',
    confidence: ['HIGH', 'HIGH', 'MEDIUM'],
    tell(draw) {
      const parts = [draw.stock('SK하이닉스', [25, 29], [2.1, 5.4]), draw.stock('삼성전자', [20, 24], [0.9, 2.8])];
      const sum = contributions(parts);
      const move = round(output(sum, 'sum_pp') + draw.between(0.15, 0.8, 2), 2);
      return {
        move,
        thread: '메모리 가격 상승과 반도체주 강세',
        calculations: [sum],
        documents: [
          news(
            '다온산업일보',
            'PRICE_INDEX',
            draw.between(60, 200, 0),
            draw.pick(['D램 고정거래가격 인상 폭 예상 상회', '서버용 메모리 견적 잇달아 상향… 공급 여유 줄어']),
          ),
          news('해담글로벌', 'INDEX_MOVE', draw.between(240, 500, 0), '필라델피아 반도체지수 상승 마감… 설비투자 기대'),
        ],
        summary: draw.pick([
          `KODEX 반도체는 ${draw.when} ${percent(move)} 올랐다. 메모리 가격 인상 소식에 SK하이닉스와 삼성전자가 동반 상승했고, 두 종목의 기여도는 합쳐서 ${points(output(sum, 'sum_pp'))}다. 해외 반도체주가 강했던 점도 투자 심리를 받쳤다.`,
          `메모리 가격이 시장의 예상보다 많이 올랐다는 보도에 반도체주가 힘을 받았다. KODEX 반도체의 상승률은 ${draw.when} ${percent(move)}이며, 이 가운데 ${points(output(sum, 'sum_pp'))}가 SK하이닉스와 삼성전자에서 나왔다.`,
        ]),
      };
    },
  },
  {
    ...told,
    ticker: '091160',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('SK하이닉스', [25, 29], [-4.6, -1.8]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') - draw.between(0.3, 1.1, 2), 2);
      return {
        move,
        thread: '수출 통제 우려와 반도체주 약세',
        against: ['통제 대상은 아직 확정되지 않았다.', '약세는 보도가 나오기 전 시간외 거래에서 이미 시작됐다.'],
        calculations: [effect],
        documents: [
          news('한강경제', 'POLICY', draw.between(90, 300, 0), '첨단 반도체 수출 통제 품목 확대 논의 재개'),
          news('서울마켓뉴스', 'INVESTOR_FLOW', draw.between(10, 80, 0), '외국인, 전기전자 업종 순매도… 차익 실현'),
        ],
        summary: draw.pick([
          `반도체 수출 통제가 강화될 수 있다는 우려에 KODEX 반도체가 ${draw.when} ${percent(move)} 내렸다. 비중이 큰 SK하이닉스가 ${percent(part.return_pct)} 하락해 수익률을 ${points(output(effect, 'contribution_pp'))} 끌어내렸고, 외국인 매물이 낙폭을 키웠다.`,
          `KODEX 반도체는 ${draw.when} ${percent(move)} 하락했다. 외국인이 전기전자 업종을 순매도하는 가운데 SK하이닉스의 기여도가 -${points(output(effect, 'contribution_pp'))}로 가장 컸다. 수출 통제 논의의 향방에 대한 불확실성이 남아 있다.`,
        ]),
      };
    },
  },
  {
    ...told,
    ticker: '305720',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const sum = contributions([
        draw.stock('LG에너지솔루션', [16, 20], [1.8, 4.2]),
        draw.stock('에코프로비엠', [8, 11], [2.2, 6.5]),
      ]);
      const move = round(output(sum, 'sum_pp') + draw.between(0.4, 1.2, 2), 2);
      return {
        move,
        thread: '에너지저장장치 수주와 2차전지주 반등',
        calculations: [sum],
        documents: [
          disclosure(
            'SUPPLY_CONTRACT',
            draw.between(20, 150, 0),
            'LG에너지솔루션, 단일판매·공급계약 체결(에너지저장장치)',
          ),
          news(
            '새빛에너지뉴스',
            'SECTOR_STATISTICS',
            draw.between(120, 360, 0),
            '북미 에너지저장장치 설치량 분기 기준 증가',
          ),
        ],
        summary: `LG에너지솔루션이 에너지저장장치 공급계약을 공시하자 2차전지주가 반등했다. KODEX 2차전지산업은 ${draw.when} ${percent(move)} 상승했고, LG에너지솔루션과 에코프로비엠이 ${points(output(sum, 'sum_pp'))}를 보탰다. ${draw.pick(['전기차 수요 회복 여부는 아직 확인되지 않았다.', '리튬 가격의 방향이 다음 변수로 꼽힌다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '364980',
    confidence: ['HIGH', 'MEDIUM', 'LOW'],
    tell(draw) {
      const sum = contributions([
        draw.stock('LG에너지솔루션', [22, 25], [-4.4, -1.6]),
        draw.stock('삼성SDI', [17, 20], [-4.1, -1.2]),
      ]);
      const move = round(output(sum, 'sum_pp') - draw.between(0.3, 1.1, 2), 2);
      return {
        move,
        thread: '전기차 수요 둔화와 2차전지주 약세',
        calculations: [sum],
        documents: [
          news(
            '미리내비즈',
            'GUIDANCE',
            draw.between(60, 240, 0),
            draw.pick(['유럽 완성차 업체, 전기차 신차 출시 일정 연기', '북미 완성차 업체, 배터리 공장 가동 시점 조정']),
          ),
          news('새빛에너지뉴스', 'COMMODITY_MOVE', draw.between(30, 180, 0), '탄산리튬 현물가 약세 이어져'),
        ],
        summary: `TIGER 2차전지TOP10이 ${draw.when} ${percent(move)} 하락했다. 완성차 업체의 계획 변경 소식이 배터리 수요에 대한 걱정을 키웠고, LG에너지솔루션과 삼성SDI 두 종목이 ${points(output(sum, 'sum_pp'))}를 끌어내렸다. 탄산리튬 가격의 약세도 부담이다.`,
      };
    },
  },
  {
    ...told,
    ticker: '466920',
    confidence: ['HIGH', 'HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock(draw.pick(['한화오션', '삼성중공업', 'HD현대중공업']), [18, 23], [3.2, 8.4]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.8, 2.1, 2), 2);
      const ships = draw.pick(['LNG 운반선', '컨테이너선', '암모니아 운반선']);
      const count = draw.between(2, 8, 0);
      return {
        move,
        thread: `${part.name} ${ships} 수주`,
        calculations: [effect],
        documents: [
          disclosure(
            'ORDER_WIN',
            draw.between(15, 120, 0),
            `${part.name}, 단일판매·공급계약 체결(${ships} ${count}척)`,
          ),
          news('다온산업일보', 'PRICE_INDEX', draw.between(90, 300, 0), '신조선가지수 강보합… 선주 문의 늘어'),
        ],
        summary: draw.pick([
          `${part.name}의 ${ships} ${count}척 수주 공시가 조선주를 밀어 올렸다. SOL 조선TOP3플러스는 ${draw.when} ${percent(move)} 올랐으며, ${part.name}의 기여도는 ${points(output(effect, 'contribution_pp'))}다.`,
          `SOL 조선TOP3플러스가 ${draw.when} ${percent(move)} 상승했다. ${ships} ${count}척을 수주했다고 공시한 ${part.name}에서 ${points(output(effect, 'contribution_pp'))}의 기여가 나왔고, 신조선가 강세도 우호적인 배경이 됐다.`,
        ]),
      };
    },
  },
  {
    ...told,
    ticker: '449450',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const sum = contributions([
        draw.stock('한화에어로스페이스', [20, 23], [-4.2, -1.5]),
        draw.stock('현대로템', [17, 20], [-3.8, -1.1]),
      ]);
      const move = round(output(sum, 'sum_pp') - draw.between(0.2, 0.8, 2), 2);
      return {
        move,
        thread: '방산주 차익 실현',
        against: ['매도 주체를 가르는 집계가 아직 나오지 않았다.'],
        calculations: [sum],
        documents: [
          news(
            '해담글로벌',
            'GEOPOLITICS',
            draw.between(120, 400, 0),
            draw.pick(['휴전 협상 재개 합의… 유럽 방산주 일제히 하락', '유럽 재무장 예산 심의 연기']),
          ),
          news('서울마켓뉴스', 'INVESTOR_FLOW', draw.between(10, 60, 0), '기관, 방산·조선주 차익 실현'),
        ],
        summary: `PLUS K방산은 ${draw.when} ${percent(move)} 하락했다. 유럽발 소식에 단기간 많이 오른 방산주에서 매물이 나왔고, 한화에어로스페이스와 현대로템이 합산 ${points(output(sum, 'sum_pp'))}를 깎았다. ${draw.pick(['수주 잔고 자체에는 변화가 없다.', '개별 기업의 악재 공시는 확인되지 않았다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '102970',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const move = draw.between(1.2, 3.9, 2);
      const kospi = draw.between(0.1, 0.9, 2);
      const above = excess({ etf_return_pct: move, benchmark: '코스피', benchmark_return_pct: kospi });
      return {
        move,
        thread: '증시 거래대금 증가와 증권주 강세',
        calculations: [above],
        documents: [
          news(
            '서울마켓뉴스',
            'SECTOR_STATISTICS',
            draw.between(20, 120, 0),
            '투자자예탁금 다시 늘어… 거래대금 증가세',
          ),
          disclosure(
            'BUYBACK',
            draw.between(40, 200, 0),
            draw.pick(['삼성증권, 자기주식 취득 결정', '키움증권, 주식소각 결정', 'NH투자증권, 자기주식 취득 결정']),
          ),
        ],
        summary: `증시 거래대금이 늘면서 수수료 수익에 대한 기대가 커졌다. KODEX 증권은 ${draw.when} ${percent(move)} 올라 코스피 상승률 ${percent(kospi)}를 ${points(output(above, 'excess_pp'))} 앞섰다. 업계의 주주환원 공시도 이어지고 있다.`,
      };
    },
  },
  {
    ...told,
    ticker: '091170',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const sum = contributions([
        draw.stock('KB금융', [19, 22], [0.8, 2.6]),
        draw.stock('신한지주', [17, 20], [0.6, 2.2]),
        draw.stock('하나금융지주', [13, 16], [0.5, 2.4]),
      ]);
      const move = round(output(sum, 'sum_pp') + draw.between(0.1, 0.5, 2), 2);
      return {
        move,
        thread: '시장금리 상승과 은행주 강세',
        calculations: [sum],
        documents: [
          news('나루금융신문', 'RATE_MOVE', draw.between(30, 150, 0), '국고채 금리 반등… 은행 이자이익 방어 기대'),
          news(
            '한강경제',
            'VALUE_UP',
            draw.between(60, 240, 0),
            draw.pick(['금융지주, 분기 균등 배당 정착', '금융지주 자사주 매입·소각 일정 공개']),
          ),
        ],
        summary: `시장금리가 반등하면서 은행주의 이자이익이 방어될 것이라는 기대가 나온다. KODEX 은행은 ${draw.when} ${percent(move)} 상승했고 KB금융, 신한지주, 하나금융지주가 합쳐서 ${points(output(sum, 'sum_pp'))}를 기여했다.`,
      };
    },
  },
  {
    ...told,
    ticker: '091180',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const sum = contributions([draw.stock('현대차', [22, 25], [0.9, 3.1]), draw.stock('기아', [20, 23], [0.7, 2.9])]);
      const move = round(output(sum, 'sum_pp') + draw.between(0.2, 0.7, 2), 2);
      return {
        move,
        thread: '하이브리드 판매 호조와 완성차주 강세',
        calculations: [sum],
        documents: [
          disclosure(
            'SALES_REPORT',
            draw.between(30, 180, 0),
            draw.pick(['현대차, 월별 판매실적 공정공시', '기아, 월별 판매실적 공정공시']),
          ),
          news('다온산업일보', 'FX_MOVE', draw.between(60, 240, 0), '원화 약세에 수출 기업 채산성 개선'),
        ],
        summary: `KODEX 자동차가 ${draw.when} ${percent(move)} 올랐다. 하이브리드차 판매가 늘었다는 월별 실적 공시에 원화 약세가 더해졌고, 현대차와 기아의 기여도 합계는 ${points(output(sum, 'sum_pp'))}다. ${draw.pick(['관세 협의의 결과는 아직 나오지 않았다.', '부품주의 상승 폭은 완성차보다 작았다.'])}`,
      };
    },
  },
  {
    ...told,
    ticker: '364970',
    confidence: ['MEDIUM', 'MEDIUM', 'LOW'],
    tell(draw) {
      const part = draw.stock('셀트리온', [22, 25], [-3.6, -1.2]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') - draw.between(0.3, 1.2, 2), 2);
      return {
        move,
        thread: '바이오주 조정',
        against: ['조정 폭이 지수 변동 범위 안에 있다.'],
        calculations: [effect],
        documents: [
          news(
            '가온헬스케어타임스',
            'CLINICAL_TRIAL',
            draw.between(40, 200, 0),
            draw.pick(['항암 병용 임상, 환자 모집 일정 지연', '주요 학회 초록 공개… 기대치에는 못 미쳐']),
          ),
          news('서울마켓뉴스', 'INVESTOR_FLOW', draw.between(10, 90, 0), '기관, 의약품 업종 순매도'),
        ],
        summary: `TIGER 바이오TOP10은 ${draw.when} ${percent(move)} 하락했다. 임상 관련 소식이 기대에 미치지 못한 가운데 비중이 큰 셀트리온이 ${percent(part.return_pct)} 내려 ${points(output(effect, 'contribution_pp'))}를 끌어내렸다. 기관의 순매도도 겹쳤다.`,
      };
    },
  },
  {
    ...told,
    ticker: '228790',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock(draw.pick(['아모레퍼시픽', '코스맥스', '한국콜마']), [11, 15], [3.1, 8.2]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') + draw.between(0.5, 1.5, 2), 2);
      return {
        move,
        thread: '화장품 수출 증가',
        calculations: [effect],
        documents: [
          disclosure('EARNINGS', draw.between(30, 150, 0), `${part.name}, 영업(잠정)실적 공정공시`),
          news(
            '한강경제',
            'TRADE_STATISTICS',
            draw.between(60, 300, 0),
            draw.pick(['화장품 수출, 북미·중동에서 두 자릿수 증가', '인디 브랜드 수주 늘어… 위탁생산 가동률 상승']),
          ),
        ],
        summary: `화장품 수출이 늘었다는 통계와 ${part.name}의 잠정 실적 공시가 맞물렸다. TIGER 화장품은 ${draw.when} ${percent(move)} 상승했고, ${part.name}의 상승률 ${percent(part.return_pct)}에 편입 비중을 곱한 기여도는 ${points(output(effect, 'contribution_pp'))}다.`,
      };
    },
  },
  {
    ...told,
    ticker: '487240',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const sum = contributions([
        draw.stock('HD현대일렉트릭', [19, 22], [2.1, 5.6]),
        draw.stock('LS ELECTRIC', [16, 19], [1.4, 4.8]),
      ]);
      const move = round(output(sum, 'sum_pp') + draw.between(0.4, 1.3, 2), 2);
      return {
        move,
        thread: '북미 전력망 투자와 전력기기주 강세',
        calculations: [sum],
        documents: [
          disclosure(
            'SUPPLY_CONTRACT',
            draw.between(20, 160, 0),
            draw.pick([
              'HD현대일렉트릭, 단일판매·공급계약 체결(변압기)',
              'LS ELECTRIC, 단일판매·공급계약 체결(배전반)',
            ]),
          ),
          news('새빛에너지뉴스', 'CAPEX_PLAN', draw.between(80, 320, 0), '북미 전력회사, 송전망 투자 계획 상향'),
        ],
        summary: `북미 전력회사가 송전망 투자 계획을 늘렸다는 소식에 전력기기주가 강세다. KODEX AI전력핵심설비는 ${draw.when} ${percent(move)} 상승했으며 HD현대일렉트릭과 LS ELECTRIC이 ${points(output(sum, 'sum_pp'))}를 만들었다.`,
      };
    },
  },
  {
    ...told,
    ticker: '475050',
    confidence: ['MEDIUM', 'LOW'],
    tell(draw) {
      const move = -draw.between(0.9, 3.2, 2);
      const volume = turnover({
        turnover_100m_krw: draw.between(60, 140, 1),
        average_20d_100m_krw: draw.between(30, 45, 1),
      });
      return {
        move,
        thread: '엔터주 약세',
        against: ['약세의 계기로 볼 공시가 없다.'],
        calculations: [volume],
        documents: [
          news(
            '미리내비즈',
            'SECTOR_STATISTICS',
            draw.between(30, 200, 0),
            draw.pick(['음반 초동 판매량 감소세… 공연 매출이 메워', '아이돌 앨범 수출 두 달째 감소']),
          ),
          disclosure(
            'EARNINGS',
            draw.between(20, 180, 0),
            draw.pick(['에스엠, 영업(잠정)실적 공정공시', 'JYP Ent., 영업(잠정)실적 공정공시']),
          ),
        ],
        summary: `ACE KPOP포커스가 ${draw.when} ${percent(move)} 내렸다. 음반 판매 둔화를 다룬 보도와 잠정 실적 공시가 잇따르며 매물이 늘어 거래대금은 20거래일 평균의 ${output(volume, 'multiple').toFixed(1)}배가 됐다. 편입 종목이 적어 개별 소식에 대한 민감도가 높다.`,
      };
    },
  },
  {
    ...told,
    ticker: '434730',
    confidence: ['HIGH', 'MEDIUM'],
    tell(draw) {
      const part = draw.stock('두산에너빌리티', [19, 22], [-6.4, -2.1]);
      const effect = contribution(part);
      const move = round(output(effect, 'contribution_pp') - draw.between(0.4, 1.4, 2), 2);
      return {
        move,
        thread: '해외 원전 일정 지연',
        calculations: [effect],
        documents: [
          news(
            '새빛에너지뉴스',
            'ORDER_PROSPECT',
            draw.between(50, 240, 0),
            draw.pick(['동유럽 원전 본계약 일정 순연', '소형모듈원전 설계 인증 심사 기간 연장']),
          ),
          news('서울마켓뉴스', 'INVESTOR_FLOW', draw.between(10, 80, 0), '단기 급등주 매물 소화… 원전주 하락'),
        ],
        summary: `HANARO 원자력iSelect는 ${draw.when} ${percent(move)} 하락했다. 해외 원전 일정이 늦춰진다는 보도에 두산에너빌리티가 ${percent(part.return_pct)} 내렸고, 이 종목의 기여도만 -${points(output(effect, 'contribution_pp'))}에 달했다.`,
      };
    },
  },
];
