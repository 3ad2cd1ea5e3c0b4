/** What a policy and a word catch, before anything is published. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trial, WordExamples } from '../../../shared/wire/console/policy.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
  console.explanation('PENDING_REVIEW', { summary: '재무 위험이 커졌습니다. 위험이 전혀 없는 상품입니다.' });
  console.explanation('PENDING_REVIEW', { summary: '위험 자산이 줄었습니다.' });
});
afterAll(() => console.close());

const ask = <T>(url: string, body: object) =>
  console.ask<T>({ method: 'POST', url: `/api/v1/screening/${url}`, as: 'COMPLIANCE_REVIEWER', body });

test('a text is tried under the policy in force and under a draft, and nothing is written', async () => {
  const before = console.actions().length;
  const text = '원금이 보장되고 반드시 대성공합니다.';
  const { result } = await ask<Trial>('trial', {
    text,
    addWords: [{ word: '대성공', severity: 'BLOCK' }],
    toggleWords: ['word-without-fail'],
  });
  const words = (hits: Trial['draft']) => hits.map(({ word, severity }) => `${word} ${severity}`);
  expect(result.policyVersion).toBe(1);
  expect(words(result.inForce)).toEqual(['원금 보장 REVIEW', '반드시 REVIEW']);
  expect(words(result.draft)).toEqual(['원금 보장 REVIEW', '대성공 BLOCK']);
  expect(words((await ask<Trial>('trial', { text })).result.draft)).toEqual(words(result.inForce));
  expect(console.actions().length).toBe(before);
  expect((await ask('trial', { text: ' ' })).status).toBe(400);
});

test('a word shows its parts, and what it catches and does not, from the ledger and made of it', async () => {
  const { result } = await ask<WordExamples>('words/examples', { word: '위험 없는', severity: 'BLOCK' });
  expect(result.parts).toEqual(['위험', '없다']);
  const told = (origin: string, isCaught: boolean) =>
    result.examples.filter((one) => one.origin === origin && one.hits.length > 0 === isCaught).map(({ text }) => text);
  expect(told('LEDGER', true)).toEqual(['위험이 전혀 없는 상품입니다.']);
  expect(told('LEDGER', false).toSorted()).toEqual(['위험 자산이 줄었습니다.', '재무 위험이 커졌습니다.']);
  expect(told('MADE', true)).toContain('위험이 전혀 없습니다.');
  expect(told('MADE', false)).toContain('위험이 커졌습니다.');
});

test('a word that is found by its letters alone has no parts', async () => {
  const word = { word: '원금 보장', severity: 'BLOCK', apart: null };
  const { result } = await ask<WordExamples>('words/examples', word);
  expect(result.parts).toEqual([]);
  expect(result.examples.find(({ text }) => text === '원금을 전액 보장합니다.')?.hits).toEqual([]);
});
