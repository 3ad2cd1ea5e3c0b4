import { expect, test } from 'vitest';
import type { CheckResult, ReasonCode, WordHit } from '../../../shared/wire/console/console.ts';
import type { Support } from '../../../shared/evidence/support.ts';
import { suggestedReason } from './suggested-reason.ts';

function hit(severity: WordHit['severity'], reason?: ReasonCode): WordHit {
  return {
    wordId: 'w',
    word: '말',
    severity,
    ...(reason === undefined ? {} : { reason }),
    start: 0,
    end: 1,
    matched: '말',
    pass: 'strict',
    exception: null,
    isExact: true,
    why: '',
  };
}

const words = (...hits: WordHit[]) => ({ ...failed('FORBIDDEN_WORDS'), hits });
const failed = (check: CheckResult['check']): Pick<CheckResult, 'check' | 'verdict' | 'hits'> => ({
  check,
  verdict: 'REVIEW',
  hits: [],
});
const figure = (state: Support['state']) => ({ support: { state, by: null } as Support });

test('a hit suggests the reason that its word names in the policy, the most severe first', () => {
  expect(suggestedReason([words(hit('REVIEW', 'SOLICITATION'), hit('BLOCK', 'GUARANTEED_RETURN'))], [])).toBe(
    'GUARANTEED_RETURN',
  );
  expect(suggestedReason([words(hit('BLOCK'), hit('REVIEW', 'FORECAST'))], [figure('opposite')])).toBe('FORECAST');
});

test.each([
  ['an exception', { exception: '원금이 보장되지 않' }],
  ['a denied word', { grammar: 'TURNED', turnedBy: '않' }],
  ['letters inside of other words', { grammar: 'INSIDE' }],
] as const)('%s does not suggest the reason of the word, which would be its opposite', (_, more) => {
  const denied = { ...hit('REVIEW', 'GUARANTEED_RETURN'), ...more };
  expect(suggestedReason([words(denied)], [])).toBeNull();
  expect(suggestedReason([words(denied, hit('REVIEW', 'FORECAST'))], [])).toBe('FORECAST');
});

test('a figure contradicted by the evidence suggests a number mismatch; a figure without a value suggests nothing', () => {
  expect(suggestedReason([failed('CONFIDENCE')], [figure('supported'), figure('opposite')])).toBe('NUMBER_MISMATCH');
  expect(suggestedReason([], [figure('unit')])).toBe('NUMBER_MISMATCH');
  expect(suggestedReason([], [figure('unsupported')])).toBeNull();
});

test.each(['SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE'] as const)('%s that failed gives weak grounds', (check) => {
  expect(suggestedReason([failed(check)], [])).toBe('WEAK_GROUNDS');
});

test('a missing notice comes before weak grounds', () => {
  expect(suggestedReason([failed('CONFIDENCE'), failed('REQUIRED_NOTICE')], [])).toBe('RISK_NOTICE_MISSING');
});

test('a check that does not concern the text suggests nothing', () => {
  expect(suggestedReason([words(hit('BLOCK')), failed('SERVING_SCOPE')], [])).toBeNull();
  expect(suggestedReason([{ check: 'CONFIDENCE', verdict: 'PASS', hits: [] }], [])).toBeNull();
});
