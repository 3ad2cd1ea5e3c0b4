/** A whole word list in one version of the policy (D214), and the search in it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActivePolicy, Preview, WordPage } from '../../../shared/wire/console/console.ts';
import { MOST_WORDS_AT_ONCE } from '../../../shared/wire/console/constants.ts';
import { TestConsole, type Asked } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeEach(() => {
  console = new TestConsole();
});
afterEach(() => console.close());

const ask = <T>(method: Asked['method'], url: string, body?: unknown) =>
  console.ask<T>({
    method,
    url: `/api/v1/screening/${url}`,
    as: 'COMPLIANCE_REVIEWER',
    ...(body === undefined ? {} : { body }),
  });

/** Twenty exceptions each: more bytes than other requests may have. */
const wordsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    word: `낱말 ${n}번`,
    severity: 'REVIEW',
    exceptions: Array.from({ length: 20 }, (_, at) => ({ text: `긴 낱말 ${n}번 뒤 ${at}`, becomes: 'CLEAR' })),
  }));

test('500 words are previewed and published as one version, and no more than those', async () => {
  const addWords = wordsOf(MOST_WORDS_AT_ONCE);
  const preview = await ask<Preview>('POST', 'preview', { addWords });
  expect(preview.result.changes).toHaveLength(500);
  expect((await ask<ActivePolicy>('POST', 'versions', { addWords })).result.policyVersion).toBe(2);
  const { items } = (await ask<WordPage>('GET', 'words?size=100&q=%EB%82%B1%EB%A7%90')).result;
  const changeWords = items.map(({ id }) => ({ id, severity: 'BLOCK' }));
  expect((await ask<ActivePolicy>('POST', 'versions', { changeWords })).result.policyVersion).toBe(3);
  expect((await ask('POST', 'versions', { addWords: wordsOf(501) })).status).toBe(400);
});

test.for(['원금보장', '원금　보장', '保障', '보장'.normalize('NFD')])(
  'the list is searched for “%s” as a text is',
  async (q) => {
    const { items } = (await ask<WordPage>('GET', `words?q=${encodeURIComponent(q)}`)).result;
    expect(items.map(({ word }) => word)).toContain('원금 보장');
  },
);
