/** Required notices of a policy: found where present, reported where missing, checked only where required. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNoticeCheck } from './notices.ts';
import { policySnapshotSchema, type PolicySnapshot, type RequiredNotice } from './policy.ts';
import { createScreener, type ScreeningInput } from './screen.ts';
import { withMessage } from './sentences.ts';
import { SEED_POLICY } from './seed/seed-policy.ts';

const RISK: RequiredNotice = {
  id: 'notice-risk',
  name: '원금 손실 고지',
  severity: 'REVIEW',
  active: true,
  terms: ['원금 손실', '손실이 발생할 수'],
  onlyWith: [],
};

const good: ScreeningInput = {
  summary: '반도체 업종 강세로 1.8% 올랐습니다.',
  explanation_type: 'EVENT_SUPPORTED',
  confidence_level: 'HIGH',
  sourceEventIds: ['event-1', 'event-2'],
  observed_return: null,
  outOfScope: [],
};

const screened = (notices: RequiredNotice[], summary = good.summary, more: Partial<PolicySnapshot> = {}) =>
  createScreener({ version: 3, snapshot: { ...SEED_POLICY, ...more, notices } }).screen({ ...good, summary });

const missing = (notice: Partial<RequiredNotice>, text: string): (readonly [string, string])[] =>
  createNoticeCheck([{ ...RISK, ...notice }])(text).missing.map((one) => [one.notice.id, one.severity]);

describe('the check', () => {
  test('is made and recorded only while a notice is in use, after the five of D14', () => {
    const named = (notices: RequiredNotice[]) => screened(notices).checks.map(({ check }) => check);
    const five = ['FORBIDDEN_WORDS', 'SOURCE_COUNT', 'CONFIDENCE', 'EXPLANATION_TYPE', 'SERVING_SCOPE'];
    expect(named([])).toEqual(five);
    expect(named([{ ...RISK, active: false }])).toEqual(five);
    expect(named([RISK])).toEqual([...five, 'REQUIRED_NOTICE']);
  });

  test('sends a text that lacks the notice to review, or blocks it, and names it', () => {
    const { outcome, checks } = screened([RISK]);
    expect({ outcome, checks: checks.map(withMessage) }).toMatchObject({
      outcome: 'PENDING_REVIEW',
      checks: [
        {},
        {},
        {},
        {},
        {},
        {
          verdict: 'REVIEW',
          code: 'NOTICES_REVIEW',
          parameters: { notices: '“원금 손실 고지”', count: 1, ids: 'notice-risk' },
          message: '필수 문구 “원금 손실 고지”에 해당하는 표현이 없어 심사가 필요합니다.',
          hits: [],
          policyVersion: 3,
        },
      ],
    });
    const both: RequiredNotice[] = [
      RISK,
      { ...RISK, id: 'notice-ai', name: 'AI 고지', severity: 'BLOCK', terms: ['생성형 AI'] },
    ];
    const blocked = screened(both);
    expect([blocked.outcome, blocked.checks.at(-1)?.parameters]).toEqual([
      'BLOCKED',
      { notices: '“AI 고지”', count: 1, ids: 'notice-risk notice-ai' },
    ]);
    expect(screened(both, '생성형 AI가 썼습니다. 원금 손실 위험이 있습니다.').outcome).toBe('AUTO_PUBLISHED');
  });

  test('passes with a reason for a text that needs no notice', () => {
    const only = { ...RISK, onlyWith: ['레버리지'] };
    expect(screened([only]).checks.at(-1)).toMatchObject({ verdict: 'PASS', code: 'NOTICES_NOT_NEEDED' });
    expect(screened([only], '레버리지 상품이 올랐습니다.').outcome).toBe('PENDING_REVIEW');
  });

  test('that breaks down sends the text to review', () => {
    const broken = { ...RISK, terms: [null as unknown as string] };
    const { outcome, checks, failures } = screened([broken]);
    expect([outcome, checks.at(-1)?.code, failures.length]).toEqual(['PENDING_REVIEW', 'CHECK_FAILED', 1]);
  });
});

describe('a term', () => {
  test.for([
    ['원금 손실이 발생할 수 있습니다.', true],
    ['원금손실 위험', true],
    ['투자 시 손실이\n발생할 수 있음', true],
    ['원\u200b금 손실', true],
    // A wide reading of these would let the text pass.
    ['회원 금손 실수', false],
    ['원금, 손실', false],
    ['원금과 손실', false],
  ] as const)('in “%s” is found: %s', ([text, found]) => {
    expect(missing({}, text)).toEqual(found ? [] : [['notice-risk', 'REVIEW']]);
  });
});

describe('a word on which a notice depends', () => {
  const severity = 'BLOCK';
  test.for([
    ['레버리지 2배', [['notice-risk', 'BLOCK']]],
    ['레버 리지', [['notice-risk', 'BLOCK']]],
    // A loose hit may be chance: a person decides.
    ['레버·리지', [['notice-risk', 'REVIEW']]],
    ['지렛대', []],
    ['레버리지, 원금 손실 위험', []],
  ] as const)('in “%s”', ([text, expected]) => {
    expect(missing({ severity, onlyWith: ['레버리지', '인버스'] }, text)).toEqual(expected);
  });
});

/** No digits: a number goes on in the text around it. */
const plain = fc.string({ unit: fc.constantFrom(...'가나다라마바사 ab'), minLength: 1, maxLength: 6 });
const term = plain.map((text) => text.trim()).filter((text) => text !== '');

test('invariant: a text with a term verbatim never lacks the notice, one without any of its characters always does', () => {
  fc.assert(
    fc.property(
      fc.array(term, { minLength: 1, maxLength: 4 }),
      plain,
      plain,
      fc.nat(),
      (terms, before, after, pick) => {
        const chosen = terms[pick % terms.length] ?? '';
        expect(missing({ terms }, `${before}${chosen}${after}`)).toEqual([]);
        expect(missing({ terms }, '。、xyz')).toEqual([['notice-risk', 'REVIEW']]);
      },
    ),
  );
});

test('invariant: adding terms never makes a notice missing, adding conditions never makes a missing one present', () => {
  fc.assert(
    fc.property(
      fc.array(term, { minLength: 1, maxLength: 3 }),
      term,
      fc.array(term, { maxLength: 3 }),
      plain,
      (terms, more, onlyWith, text) => {
        const lacks = (notice: Partial<RequiredNotice>): boolean => missing(notice, text).length > 0;
        if (!lacks({ terms, onlyWith })) expect(lacks({ terms: [...terms, more], onlyWith })).toBe(false);
        if (onlyWith.length > 0 && lacks({ terms, onlyWith }))
          expect(lacks({ terms, onlyWith: [...onlyWith, more] })).toBe(true);
      },
    ),
  );
});

test('no policy has the same notice twice', () => {
  expect(policySnapshotSchema.safeParse({ ...SEED_POLICY, notices: [RISK, RISK] }).success).toBe(false);
});
