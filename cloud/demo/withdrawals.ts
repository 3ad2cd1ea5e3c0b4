/** The demo operator's withdrawals, and their reasons (operator API 3). */

/** A result or v2 analysis of the shipped file that the operator invalidates once it has been loaded. */
export interface Withdrawal {
  /** Its id in the reference week. */
  id: string;
  reason: string;
}

export const WITHDRAWALS: readonly Withdrawal[] = [
  {
    id: 'ma-20260616-10',
    reason: '원화 환산에 전 거래일 환율이 쓰인 것이 확인되어 분석을 철회합니다.',
  },
  {
    id: 'er-20260618-03b',
    reason:
      '근거로 쓰인 기사에 정정 보도가 나왔습니다. 공공 클라우드 예산은 증액이 아니라 항목 이관으로 확인되어 설명을 철회합니다.',
  },
];

/** Reasons for the occasional withdrawals of the running demo. */
export const REASONS: readonly string[] = [
  '근거 기사에 정정 보도가 나와 설명의 핵심 내용이 사실과 달라졌습니다.',
  '계산에 쓰인 원천 데이터가 정정되어 설명을 철회합니다.',
  '다른 종목에 관한 문서가 근거로 잘못 연결된 것이 확인되어 설명을 철회합니다.',
  '수익률 산출 구간이 잘못 지정된 것이 확인되어 설명을 철회합니다.',
];
