/** The words of a file of the word list, as the screens name the same things. Each entry is Korean, then English. */
type Words = readonly [ko: string, en: string];

export const WORD_COLUMNS = {
  word: ['금지어', 'Word'],
  severity: ['처리', 'Action'],
  reason: ['해당 사유', 'Reason category'],
  active: ['사용', 'In use'],
  passing: ['허용 예외', 'Exceptions: pass'],
  reviewing: ['심사 예외', 'Exceptions: review'],
  apart: ['비교 방식', 'Matched by'],
  replacing: ['대체 문구', 'Replacements'],
} as const satisfies Record<string, Words>;

export const SEVERITY_WORDS = { BLOCK: ['차단', 'Block'], REVIEW: ['심사', 'Review'] } as const satisfies Record<
  string,
  Words
>;

/** In the column of how a word is matched, beside the number of words between its parts (D220). */
export const BY_LETTERS: Words = ['글자', 'letters'];

export const IN_USE_WORDS = { on: ['사용', 'on'], off: ['미사용', 'off'] } as const satisfies Record<string, Words>;
