/** The checks as a policy configures them (console API 2: rule instances). */
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { CHECKS, type ActivePolicy, type CheckName } from '../../../shared/wire/console/console.ts';

type RuleInstance = ActivePolicy['rules'][number];

export function ruleInstances(snapshot: PolicySnapshot): RuleInstance[] {
  return CHECKS.map((check) => ({ check, ...setUp(check, snapshot) }));
}

function setUp(check: CheckName, { words, notices, criteria }: PolicySnapshot): Omit<RuleInstance, 'check'> {
  switch (check) {
    case 'FORBIDDEN_WORDS': {
      const active = words.filter((word) => word.active);
      const blocking = active.filter(({ severity }) => severity === 'BLOCK').length;
      return {
        active: active.length > 0,
        leadsTo: blocking > 0 ? 'BLOCK' : 'REVIEW',
        parameters: { words: words.length, active: active.length, blocking },
      };
    }
    case 'SOURCE_COUNT':
      return {
        active: criteria.minSources > 0,
        leadsTo: 'REVIEW',
        parameters: { minSources: criteria.minSources },
      };
    case 'CONFIDENCE':
      return { active: true, leadsTo: 'REVIEW', parameters: { minConfidence: criteria.minConfidence } };
    case 'EXPLANATION_TYPE':
      return {
        active: criteria.uncertainToReview,
        leadsTo: 'REVIEW',
        parameters: { uncertainToReview: criteria.uncertainToReview },
      };
    case 'SERVING_SCOPE':
      return { active: true, leadsTo: 'REVIEW', parameters: {} };
    case 'REQUIRED_NOTICE': {
      const active = notices.filter((notice) => notice.active);
      const blocking = active.filter(({ severity }) => severity === 'BLOCK').length;
      return {
        active: active.length > 0,
        leadsTo: blocking > 0 ? 'BLOCK' : 'REVIEW',
        parameters: { notices: notices.length, active: active.length, blocking },
      };
    }
    case 'OBSERVED_RETURN':
      return {
        active: criteria.suspectToReview,
        leadsTo: 'REVIEW',
        parameters: { suspectToReview: criteria.suspectToReview },
      };
  }
}
