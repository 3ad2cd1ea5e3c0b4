/** The word list: several at a time, and as a file. */
export const koWords = {
  'policy.word.several': '쉼표로 나눈 {count}개를 각각 금지어로 등록',
  'policy.word.long': '금지어 하나는 200자까지 입력할 수 있습니다.',
  'policy.word.excepted.CLEAR':
    '“{word}”[은/는] 금지어 “{of}”의 허용 예외입니다. 금지어로 등록하면 이 예외와 관계없이 검출됩니다.',
  'policy.word.excepted.REVIEW':
    '“{word}”[은/는] 금지어 “{of}”의 심사 예외입니다. 금지어로 등록하면 두 금지어로 각각 검출됩니다.',
  'policy.changes.count': '변경 {count, number}건',
  'words.file': '금지어 목록 파일',
  'words.export.xlsx': '엑셀(XLSX)로 내보내기',
  'words.export.csv': 'CSV로 내보내기',
  'words.import': '파일 가져오기',
  'words.import.title': '“{name}” 가져오기',
  'words.import.unreadable': '“{name}”[을/를] 표로 읽을 수 없습니다. 엑셀(XLSX) 또는 CSV 파일을 선택하십시오.',
  'words.import.added': '추가 {count, number}개',
  'words.import.changed': '처리·사유·예외 변경 {count, number}개',
  'words.import.switched': '사용 여부 변경 {count, number}개',
  'words.import.same': '변경 없음 {count, number}개',
  'words.import.absent': '파일에 없는 금지어 {count, number}개는 그대로 둡니다.',
  'words.import.nothing': '바뀌는 내용이 없습니다.',
  'words.import.problems': '아래 행을 고친 뒤 다시 가져오십시오. 고치기 전에는 아무것도 반영하지 않습니다.',
  'words.import.more': '그 밖에 {count, number}개 행',
  'words.import.problem.MISSING': '{row}행: 금지어가 비어 있습니다.',
  'words.import.problem.LONG': '{row}행: “{value}”의 길이가 200자를 넘습니다.',
  'words.import.problem.TWICE': '{row}행: “{value}” 중복',
  'words.import.problem.VALUE': '{row}행: “{value}”[은/는] 이 열에 쓸 수 없는 값입니다.',
  'words.import.problem.EXCEPTIONS':
    '{row}행: “{value}”의 예외 표현을 읽을 수 없습니다. 중복이나 글자 없는 표현을 확인하십시오.',
  'words.import.problem.NEW_OFF': '{row}행: 새 금지어 “{value}”[은/는] 사용 상태로만 등록할 수 있습니다.',
  'words.import.tooLong':
    '한 버전에서 추가·변경할 수 있는 금지어는 각각 {most, number}개까지입니다. 파일을 나누어 가져오십시오.',
} as const;
