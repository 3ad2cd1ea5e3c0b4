/** The sentences of the rules' verdicts in Korean. */
export const koVerdicts = {
  'verdict.absent': '측정하지 않았습니다: 이 응답에는 {fact} 항목이 없습니다.',
  'verdict.nothing': '판정 대상이 없습니다.',
  'verdict.unseen': '확인하지 못했습니다: 값 {count}개를 판정할 수 없습니다.',

  'verdict.laneSilent.name': '조용한 레인',
  'verdict.laneSilent.good': '비교할 이전 두 주가 있는 모든 레인에서 평소 시간대에 실행이 시작되었습니다.',
  'verdict.laneSilent.since': '{silentLane}: {since} KST 이후 실행이 없습니다. 평소라면 {usual} 시간대에 시작합니다.',
  'verdict.laneSilent.ofDay':
    '{silentLane}: {since} KST 이후 그날 실행이 없었습니다. 평소라면 {usual} 시간대에 시작합니다.',
  'verdict.laneSilent.past':
    '{silentLane}: {from}부터 {until} KST까지 평소 시간대에 실행이 없었습니다. 이후 다시 시작되었습니다.',
  'verdict.laneSilent.never': '{silentLane}: 하루 종일 실행이 없었습니다. 평소라면 {usual} KST 시간대에 시작합니다.',
  'verdict.laneSilent.unheard': '그날 실행이 없고 비교할 이전 두 주도 없습니다: 레인 {count}개.',
  'verdict.laneSilent.noWeeks': '판정 대상이 없습니다: 비교할 이전 두 주가 없습니다.',
  'verdict.sourceLate.name': '원천 지연',
  'verdict.sourceLate.good': '모든 원천이 예정대로 수집되었습니다.',
  'verdict.sourceLate.due': '{source}: 예정 {due} KST까지 수집되지 않았습니다. 마지막 수집 {last}.',
  'verdict.sourceLate.rhythm': '{source}: {last} KST 이후 수집되지 않았습니다. 평소라면 {usual} 시간대에 수집합니다.',
  'verdict.sourceLate.past':
    '{source}: {from}부터 {until} KST까지 평소 시간대에 수집되지 않았습니다. 이후 다시 시작되었습니다.',
  'verdict.runLate.name': '실행 지연',
  'verdict.runLate.good': '계획된 실행이 모두 있고 마감을 넘긴 실행이 없습니다.',
  'verdict.runLate.missing': '{run}: 계획되었지만 실행이 없습니다.',
  'verdict.runLate.passed': '{run}: {time} KST에 계획되었지만 실행도 이슈도 없습니다.',
  'verdict.runLate.overdue': '{run}: 마감이 지났지만 끝나지 않았습니다.',
  'verdict.runLate.late': '{run}: 마감을 넘겨 끝났습니다.',

  'verdict.runFailed.name': '실행 실패',
  'verdict.runFailed.good': '실패로 끝난 실행이 없습니다.',
  'verdict.runFailed.failed':
    '{run}: {status, select, TIMED_OUT {시간 초과로} CANCELLED {취소되어} other {실패로}} 끝났습니다.',

  'verdict.runFailed.task':
    '{lane} {slot} {status, select, TIMED_OUT {시간 초과} CANCELLED {취소} other {실패}}: {task}, {reason, select, NONE {사유 기록 없음} other {{reason}}}{more, plural, =0 {} other { 외 #개 작업}}',
  'verdict.runFailed.recovered': '{lane} {slot} 실패: {task}. {time} KST에 {by}[으로/로] 복구되었습니다.',
  'verdict.runFailed.unfinished':
    '{lane} {slot} {status, select, TIMED_OUT {시간 초과} CANCELLED {취소} other {실패}}: {task} 작업이 끝나지 않았습니다.',
  'verdict.runFailed.untried':
    '{lane} {slot} {status, select, TIMED_OUT {시간 초과} CANCELLED {취소} other {실패}}: {task} 작업을 시작하지 못했습니다.',

  'verdict.taskFailed.name': '작업 실패',
  'verdict.taskFailed.good': '끝난 실행에 실패한 작업이 없습니다.',
  'verdict.taskFailed.failed':
    '{lane} {slot} 작업 실패: {task}, {reason, select, NONE {사유 기록 없음} other {{reason}}}',
  'verdict.taskFailed.recovered': '{lane} {slot}: {task} 실패. {time} KST에 {by}[으로/로] 복구되었습니다.',
  'verdict.taskFailed.optional':
    '{lane} {slot} 선택 작업 실패: {task}, {reason, select, NONE {사유 기록 없음} other {{reason}}}',

  'verdict.withdrawalUnreceived.name': '철회 미수신',
  'verdict.withdrawalUnreceived.good': '발행한 철회를 모든 고객사가 수신했습니다.',
  'verdict.withdrawalUnreceived.none': '판정 대상이 없습니다: 아직 발행한 철회가 없습니다.',
  'verdict.withdrawalUnreceived.waiting':
    '{name} ({etf}): 철회했으나 고객사 {count, number}곳이 아직 수신하지 않았습니다.',
  'verdict.withdrawalUnreceived.late':
    '{name} ({etf}): 철회했으나 고객사 {count, number}곳이 수신 주기의 두 배가 지나도록 수신하지 않았습니다.',

  'verdict.statusMismatch.name': '상태 불일치',
  'verdict.statusMismatch.good': '원장과 제어 영역의 상태가 일치합니다.',
  'verdict.statusMismatch.differs': '{run}: 원장은 {ledger}, 제어 영역은 {cloud} 상태입니다.',

  'verdict.taskIncomplete.name': '레코드 누락',
  'verdict.taskIncomplete.good': '누락되거나 실패한 레코드가 없습니다.',
  'verdict.taskIncomplete.failed': '{run} · {dataset}: 레코드 {failed, number}개가 실패했습니다.',
  'verdict.taskIncomplete.short':
    '{run} · {dataset}: {expected, number}개 중 {actual, number}개만 들어왔습니다(미지원 포함).',
  'verdict.taskIncomplete.noSignal': '확인하지 못했습니다: 원장이 신호를 주지 않은 값이 {count, number}개 있습니다.',

  'verdict.retriesUnusual.name': '재시도 과다',
  'verdict.retriesUnusual.good': '평소보다 많이 재시도한 작업이 없습니다.',
  'verdict.retriesUnusual.more': '{run} · {dataset}: {attempts}회 시도했습니다(평소 {usual}회).',

  'verdict.staleDataset.name': '기준일 경과',
  'verdict.staleDataset.good': '판정할 수 있는 데이터셋은 모두 최신입니다.',
  'verdict.staleDataset.stale': '{dataset}: 기준일이 {expected}이어야 하지만 {actual}입니다.',

  'verdict.unverifiableDataset.name': '최신성 확인 불가',
  'verdict.unverifiableDataset.good': '모든 데이터셋의 최신성을 판정할 수 있습니다.',
  'verdict.unverifiableDataset.code': '{dataset}: 최신성을 판정할 수 없습니다({code}).',
  'verdict.unverifiableDataset.noContract':
    '확인하지 못했습니다: 계약이 없어 최신성을 판정할 수 없는 데이터셋이 {count}개 있습니다.',

  'verdict.outputUnusual.name': '산출량 이상',
  'verdict.outputUnusual.good': '산출량이 평소 수준입니다.',
  'verdict.outputUnusual.none': '{output}: 평소 {base}건이지만 조회일에는 없습니다.',
  'verdict.outputUnusual.far': '{output}: 조회일 {today}건으로 평소 {base}건과 크게 다릅니다.',
  'verdict.outputUnusual.noUsual': '확인하지 못했습니다: 비교할 평소 값이 없는 산출이 {count}개 있습니다.',

  'verdict.chainBreak.name': '단계 단절',
  'verdict.chainBreak.good': '발화부터 게시까지 끊긴 단계가 없습니다.',
  'verdict.chainBreak.break': '{feed}: {from} {count}건 가운데 {to} 단계에 도달한 것이 없습니다.',

  'verdict.etfWithoutOutcome.name': '결과 없는 ETF',
  'verdict.etfWithoutOutcome.good': '발화한 ETF는 모두 결과가 있거나 진행 중입니다.',
  'verdict.etfWithoutOutcome.none': '{name} ({etf}): 발화했지만 아직 실행이 없습니다.',
  'verdict.etfWithoutOutcome.ended': '{name} ({etf}): 실행이 끝났습니다. 결과: {outcome}.',

  'verdict.publishedNotDelivered.name': '발행되지 않은 게시',
  'verdict.publishedNotDelivered.good': '게시된 결과는 모두 고객사에 발행되었습니다.',
  'verdict.publishedNotDelivered.some': '게시되었지만 어느 고객사에도 발행되지 않은 결과가 {count}건 있습니다.',

  'verdict.deliveredNotPublished.name': '발행되지 않은 철회',
  'verdict.deliveredNotPublished.good': '철회된 결과는 발행된 모든 고객사에 철회도 발행되었습니다.',
  'verdict.deliveredNotPublished.some': '더는 게시되지 않는데 철회가 발행되지 않은 기록이 {count}건 있습니다.',
  'verdict.deliveredNotPublished.nothingSent': '판정 대상이 없습니다: 아직 발행한 기록이 없습니다.',

  'verdict.deadLetters.name': '처리 실패 메시지',
  'verdict.deadLetters.good': '처리하지 못한 메시지가 없습니다.',
  'verdict.deadLetters.some': '{queue}: 처리하지 못한 메시지가 {count}건 있습니다.',

  'verdict.backlogGrowing.name': '대기 증가',
  'verdict.backlogGrowing.good': '대기 메시지가 크게 늘지 않았습니다.',
  'verdict.backlogGrowing.noEarlier': '측정하지 않았습니다: 1분 이상 전에 관측한 대기열이 없어 비교할 수 없습니다.',
  'verdict.backlogGrowing.grows': '{queue}: 대기 메시지가 {before}건에서 {now}건으로 늘었습니다.',
} as const;

export type VerdictMessageId = keyof typeof koVerdicts;
