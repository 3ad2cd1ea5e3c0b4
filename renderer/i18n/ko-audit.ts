/** 감사 기록의 외부 보관 확인값. */
export const koAudit = {
  'audit.checkpoint': '감사 기록 확인값 외부 보관',
  'audit.checkpoint.off':
    '외부 보관 위치가 지정되지 않아 확인값을 보관하지 않습니다. 끝부분을 삭제하거나 전체를 다시 작성하면 위변조 검사만으로는 드러나지 않습니다.',
  'audit.checkpoint.none': '보관 위치: {place} · 아직 보관한 확인값 없음',
  'audit.checkpoint.last': '보관 위치: {place} · {rows, number}번 기록까지 전자서명 · 최근 보관',
  'audit.checkpoint.failing':
    '확인값을 보관하지 못하고 있습니다. 시스템 관리자에게 알려 보관 위치를 점검하십시오. 보관 실패 시작',
  'audit.checkpoint.REMOVED':
    '{from, number}번부터 {to, number}번까지의 기록이 없습니다. 보관된 확인값에는 {to, number}번 기록까지 전자서명되어 있습니다. 전자서명',
  'audit.checkpoint.RECOMPUTED':
    '{from, number}번부터 {to, number}번까지의 기록 중 전자서명 이후 변경된 기록이 있습니다. 전자서명',
  'audit.checkpoint.OTHER':
    '첫 기록부터 보관된 확인값과 다릅니다. 다른 원장이거나 전체가 다시 작성된 것입니다. 전자서명',
  'audit.checkpoint.FORKED':
    '{from, number}번 기록에서 백업으로 복원되어, 복원 전에 전자서명된 {from, number}번부터 {to, number}번까지의 기록이 없습니다. 승인된 복원인지 확인하십시오. 복원',
  'timeline.SAME_REGISTRAR': '유의: 1·2차 승인 계정을 동일인이 하루 이내에 등록',
  'audit.address': '접속 주소',
  'audit.chain.altered': '기록 {rows, number}건은 이상 없으나, 기록과 다른 항목이 {count, number}건 있습니다.',
  'audit.chain.unjudged':
    '기록 {rows, number}건의 연결은 끊기지 않았으나, 기록 봉인 키가 없어 {count, number}건을 판정하지 못했습니다. 위변조가 없다고 볼 수 없으므로 시스템 관리자에게 키를 되돌리게 하십시오.',
  'audit.chain.unjudged-too': '기록 봉인 키가 없어 {count, number}건은 확인하지 못했습니다.',
  'altered.title': '감사 기록과 다릅니다. 이 시스템을 거치지 않고 변경되었습니다.',
  'altered.todo': '시스템 관리자에게 알려 원장이 있는 서버에서 점검하게 하십시오.',
  'altered.LOG': '감사 기록',
  'altered.POLICY': '심사 정책 버전',
  'altered.PROPOSAL': '정책 변경 제안',
  'altered.ACCOUNT': '계정',
  'altered.CHANNEL': '채널',
  'altered.SCOPE': '제공 범위',
  'altered.NOTE': '메모',
  'altered.SETTING': '설정',
  'altered.is.ALTERED': '{what}: {row, number}번 기록 이후 기록 없이 변경됨',
  'altered.is.GONE': '{what}: {row, number}번 기록에 있으나 삭제됨',
  'altered.is.NO_ROW': '{what}: 등록한 기록이 없음',
  'altered.is.COVERED': '{what}: {row, number}번 기록 전에 기록 없이 변경됨',
  'altered.is.ROW_FORGED': '{what}: {row, number}번 기록은 이 시스템이 작성하지 않음',
  'altered.is.UNSEALED': '{what}: {row, number}번 기록부터 봉인 키 없이 작성됨',
  'altered.policy':
    '심사를 거치지 않는 제공을 중단했습니다. 이 버전으로 심사 없이 제공된 설명은 {count, number}건입니다.',
};
