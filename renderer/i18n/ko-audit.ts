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
};
