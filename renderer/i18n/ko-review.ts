/** Korean words of what reviewers do together: notes, the second person, samples, many at once. */
export const koReview = {
  'timeline.title': '이력과 메모',
  'timeline.entries': '이력',
  'timeline.more': '이전 이력 더 보기 ({shown} / {total})',
  'timeline.NOTE': '내부 메모',
  'timeline.CLAIMED': '보기 시작',
  'timeline.RELEASED': '보기 마침',
  'note.label': '내부 메모 (채널에 제공되지 않으며 고치거나 지울 수 없음)',
  'note.write': '메모 쓰기',
  'note.add': '메모 남기기',
  'note.done': '메모를 남겼습니다.',
} as const;
