/** Words of the compliance policy: required notices, exceptions, the preview beside its form, versions side by side. */
export const koPolicy = {
  'check.REQUIRED_NOTICE': '필수 문구',
  'check.NOTICES_PRESENT': '필수 문구가 모두 있습니다.',
  'check.NOTICES_NOT_NEEDED': '필수 문구 대상이 아닙니다.',
  'check.NOTICES_BLOCK': '필수 문구 {notices}{more, plural, =0 {} other { 외 #개}} 누락으로 차단합니다.',
  'check.NOTICES_REVIEW': '필수 문구 {notices}{more, plural, =0 {} other { 외 #개}} 누락으로 심사가 필요합니다.',
  'policy.change.NOTICE': '필수 문구 변경: “{name}”',
} as const;
