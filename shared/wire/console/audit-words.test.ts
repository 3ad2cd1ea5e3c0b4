/** The audit log in words: every recorded action has a phrase, and no detail shows a code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ActivePolicy, RequiredNotice } from './policy.ts';
import { MOVES } from './constants.ts';
import { ACTION_WORDS, actionInWords, actorInWords, AUDIT_LANGUAGES, detailInWords } from './audit-words.ts';

const PROJECT = path.join(import.meta.dirname, '..', '..', '..');

/** The actions named in the sources: every text of this form that is not a file, column or function name. */
function recorded(): string[] {
  const files = ['agent', 'electron'].flatMap((folder) =>
    readdirSync(path.join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => readFileSync(path.join(PROJECT, folder, file), 'utf8')),
  );
  const named = files.flatMap((text) => [
    ...text.matchAll(/action(?:: |\W*=\W*)(?:\w+ \? )?'([a-z]+\.[a-z-]+)'(?: : '([a-z]+\.[a-z-]+)')?/g),
    ...text.matchAll(/record\w*\([^'()]*(?:\(tx\))?[^'()]*'([a-z]+\.[a-z-]+)'/g),
  ]);
  return named.flatMap((match) => match.slice(1).filter((action) => action !== undefined));
}

test('every recorded action has a phrase in both languages', () => {
  const acts = new Set([...recorded(), ...MOVES.map((move) => `explanation.${move}`)]);
  expect(acts.size).toBeGreaterThan(35);
  expect([...acts].filter((act) => !Object.hasOwn(ACTION_WORDS, act))).toEqual([]);
  for (const words of Object.values(ACTION_WORDS)) expect(words.every((word) => word.trim() !== '')).toBe(true);
});

test('a detail is shown field by field, without ids and codes', () => {
  const detail = {
    from: 'PENDING_REVIEW',
    to: 'PUBLISHED',
    reason: 'REJECT',
    policyVersion: 3,
    heldUntil: '2026-11-20T06:30:00.000Z',
    editedBy: '김심사',
    editedById: 'member-1',
    matcherVersion: '7',
    wordsLetStand: ['word-1'],
    figuresLetStand: ['9.99%p', '3건'],
    withoutOpinion: true,
    nothing: null,
  };
  expect(detailInWords({ action: 'explanation.approve', detail }, 'ko')).toBe(
    '변경 전: 심사 대기 · 변경 후: 승인 · 사유: REJECT · 정책 버전: 3 · 제공 보류 기한: 2026-11-20 15:30:00 KST · 수정자: 김심사 · 확인한 근거 없는 수치: 9.99%p; 3건 · 의견 없이 결정: 예',
  );
  expect(detailInWords({ action: 'scope.toggle', detail: { scope_type: 'MARKET', from: true, to: false } }, 'en')).toBe(
    'kind: market · before: on · after: off',
  );
  const span = { spanFrom: '2026-11-01', spanTo: '2026-11-20', explanations: 3 };
  expect(detailInWords({ action: 'dossier.make', detail: span }, 'ko')).toBe(
    '기간: 2026-11-01 – 2026-11-20 · 설명 수: 3',
  );
  const inspection = { form: 'LIST', query: { from: '2026-11-01', to: '2026-11-20', word: '매수' }, total: 3 };
  expect(detailInWords({ action: 'inspection.ask', detail: inspection }, 'en')).toBe(
    'file type: LIST · asked for: span: 2026-11-01 – 2026-11-20, word: 매수 · found: 3',
  );
  const changes = [{ kind: 'WORD_ADDED', wordId: 'w', word: '무위험', severity: 'BLOCK' }];
  expect(detailInWords({ action: 'policy.publish', detail: { changes } }, 'ko')).toBe(
    '변경 내역: 금지어 추가, 금지어: 무위험, 심각도: 차단',
  );
});

test('every change of a policy is shown without field names', () => {
  const notice = {
    id: 'notice-1',
    name: '손실 고지',
    severity: 'BLOCK',
    active: true,
    terms: ['원금 손실'],
    onlyWith: ['수익'],
  } satisfies RequiredNotice;
  const criteria: Record<keyof NonNullable<ActivePolicy['criteria']>, unknown[]> = {
    autoProvision: [true, false],
    minSources: [2, 3],
    minConfidence: ['LOW', 'HIGH'],
    uncertainToReview: [true, false],
    suspectToReview: [false, true],
    insidePasses: [true, false],
    fourEyes: [false, true],
    sampleShare: [5, 10],
    blindShare: [0, 5],
    holdSeconds: [0, 60],
    expiresAt: [null, '15:30'],
    reasonDigits: [null, 'FORECAST OTHER'],
  };
  const word = {
    wordId: 'w',
    word: '반도체',
    severity: 'REVIEW',
    exceptions: [{ text: '반도체 업종', becomes: 'CLEAR' }],
  };
  const changes = [
    { kind: 'FIRST', words: 15 },
    { kind: 'WORD_ADDED', ...word },
    { kind: 'WORD_CHANGED', ...word, from: { severity: 'BLOCK', exceptions: [] } },
    { kind: 'NOTICE', from: null, to: notice },
    { kind: 'NOTICE', from: notice, to: null },
    ...Object.entries(criteria).map(([criterion, [from, to]]) => ({ kind: 'CRITERION', criterion, from, to })),
    { kind: 'RESTORED', version: 1 },
    { kind: 'NOTE', text: '오탐 감소' },
  ];
  const told = detailInWords({ action: 'policy.propose', detail: { baseVersion: 3, changes } }, 'ko');
  expect(told).not.toMatch(/[a-z]|[A-Z]{2}/);
  expect(told).toContain('금지어: 반도체, 심각도: 심사, 예외 표현: 내용: 반도체 업종, 예외 처리: 허용');
});

test("a reason of the taxonomy is shown in words, a person's own words unchanged", () => {
  const told = (reason: string, language: 'ko' | 'en'): string =>
    detailInWords({ action: 'explanation.reject', detail: { reason } }, language);
  expect(told('WEAK_GROUNDS', 'ko')).toBe('사유: 근거 부족');
  expect(told('OTHER: ASSERTIVE', 'en')).toBe('reason: Other: ASSERTIVE');
  expect(told('NOT_OURS', 'ko')).toBe('사유: NOT_OURS');
  expect(told('확인함', 'en')).toBe('reason: 확인함');
});

test('an action without a translation is shown as recorded', () => {
  for (const language of AUDIT_LANGUAGES) {
    expect(actionInWords('constructor', language)).toBe('constructor');
    expect(actorInWords('김심사', language)).toBe('김심사');
  }
  expect(actorInWords('SYSTEM', 'ko')).toBe('시스템');
});
