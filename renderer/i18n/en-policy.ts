import type { koPolicy } from './ko-policy.ts';

export const enPolicy: Record<keyof typeof koPolicy, string> = {
  'check.REQUIRED_NOTICE': 'Required notices',
  'check.NOTICES_PRESENT': 'Every required notice is present.',
  'check.NOTICES_NOT_NEEDED': 'No notice is required in this text.',
  'check.NOTICES_BLOCK': 'Blocked: required notice {notices}{more, plural, =0 {} other { and # more}} is missing.',
  'check.NOTICES_REVIEW':
    'Needs review: required notice {notices}{more, plural, =0 {} other { and # more}} is missing.',
  'policy.change.NOTICE': 'Required notice changed: “{name}”',
};
