/** Every text is screened before a person exposes it, regardless of its author (D14). */
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import { recordScreening } from '../../../agent/ledger/explanations/screenings.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExplanationDetail, ReviewDetail } from '../../../shared/wire/console/console.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

describe('an edited text', () => {
  const edit = (id: string, edited_summary: string, more: object = {}) =>
    console.ask<ReviewDetail>({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve-edited`,
      as: 'COMPLIANCE_REVIEWER',
      body: { edited_summary, ...more },
    });

  test('becomes the published one unchanged; the received text stays', async () => {
    const id = console.explanation('PENDING_REVIEW', { summary: '받은 글입니다.' });
    const text = '고친 글 🙂 \n둘째 줄';
    const answer = await edit(id, text, { comment: '표현을 바꿈' });
    expect(answer.result).toMatchObject({
      summary: '받은 글입니다.',
      edited_summary: text,
      published_summary: text,
      comment: '표현을 바꿈',
      status: 'PUBLISHED',
    });
  });

  test.for([
    ['POST', 'PENDING_REVIEW', 'review/items/{id}/approve-edited', 'edited_summary'],
    ['PUT', 'PENDING_REVIEW', 'review/items/{id}/draft', 'edited_summary'],
    ['PATCH', 'PUBLISHED', 'explanations/{id}/final', 'published_summary'],
  ] as const)(
    'that turns the order of the writing around is refused: %s %s %s',
    async ([method, status, way, field]) => {
      const id = console.explanation(status);
      const before = console.traces();
      for (const turning of ['\u202A', '\u202E', '\u2066', '\u2069']) {
        const body = { [field]: `지수가 ${turning}3.1% 올랐습니다.` };
        const url = `/api/v1/${way.replace('{id}', id)}`;
        const answer = await console.ask({ method, url, as: 'COMPLIANCE_REVIEWER', body });
        expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('turn the order')]);
      }
      expect(console.traces()).toEqual(before);
    },
  );

  test('with a word of severity BLOCK is refused with every hit, and leaves no trace', async () => {
    const id = console.explanation();
    const before = console.traces();
    const answer = await edit(id, '이 상품은 확\u200b정 수익을 주고 무위험입니다.');
    expect([answer.status, answer.body.code]).toEqual([409, 'REVIEW4093']);
    expect(answer.body).toMatchObject({
      errors: [
        {
          path: 'body.edited_summary',
          message: expect.stringMatching(/= “확정 수익” \(6-12\)$/) as unknown,
          finding: { kind: 'WORD', matched: '확\u200b정 수익', word: '확정 수익' },
        },
        { path: 'body.edited_summary', message: expect.stringContaining('무위험') as unknown },
      ],
    });
    expect(console.traces()).toEqual(before);
  });

  test('with a character that no customer sees is refused, and leaves no trace', async () => {
    const id = console.explanation();
    const before = console.traces();
    const answer = await edit(id, '지수가 올랐\u200b습니다.');
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { errors: [{ path: 'body.edited_summary', message: expect.stringContaining('U+200B') as unknown }] },
    ]);
    expect(console.traces()).toEqual(before);
  });

  test('with a word of severity REVIEW waits for the reviewer’s acknowledgement', async () => {
    const id = console.explanation();
    const before = console.traces();
    const text = '시장에서 매수 의견이 많았고 최고 수준입니다.';
    const open = await edit(id, text);
    expect([open.status, open.body.code]).toEqual([409, 'REVIEW4094']);
    expect(open.body).toMatchObject({
      errors: [
        { path: 'body.acknowledgedWords.word-buy', message: '“매수” (5-7)' },
        { path: 'body.acknowledgedWords.word-best' },
      ],
    });
    expect((await edit(id, text, { acknowledgedWords: ['word-buy'] })).body).toMatchObject({
      errors: [{ path: 'body.acknowledgedWords.word-best' }],
    });
    expect(console.traces()).toEqual(before);
    expect((await edit(id, text, { acknowledgedWords: ['word-best', 'word-buy', 'not-in-it'] })).status).toBe(200);
    const last = JSON.parse(console.actions(before.actions).at(-1)?.detail ?? '{}') as { wordsLetStand?: string[] };
    expect(last.wordsLetStand?.toSorted()).toEqual(['word-best', 'word-buy']);
  });

  test('cannot be acknowledged past a word of severity BLOCK', async () => {
    const id = console.explanation();
    const acknowledgedWords = ['word-no-risk', 'word-buy'];
    expect((await edit(id, '매수하면 무위험입니다.', { acknowledgedWords })).body).toMatchObject({
      errors: [{ path: 'body.edited_summary', message: '“무위험” (5-8)' }],
    });
  });

  test('on an item that is gone or decided gets that answer first', async () => {
    expect((await edit('nothing', '확정 수익')).status).toBe(404);
    expect((await edit(console.explanation('REJECTED'), '확정 수익')).body).toMatchObject({
      code: 'COMMON409',
      errors: [{ path: 'status' }, { path: 'version' }],
    });
  });

  test('without an active policy is not approved, because it cannot be screened', async () => {
    await using bare = new TestConsole({ seed: 'members without policy' });
    const id = bare.explanation();
    const answer = await bare.ask({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve-edited`,
      as: 'COMPLIANCE_REVIEWER',
      body: { edited_summary: '고친 글' },
    });
    expect([answer.status, answer.body.code]).toEqual([409, 'COMMON409']);
    expect(answer.body.message).toContain('No screening policy');
  });
});

describe('a text as it was received', () => {
  const approve = (id: string, body: object = {}) =>
    console.ask<ReviewDetail>({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve`,
      as: 'COMPLIANCE_REVIEWER',
      body,
    });
  const waiting = (summary: string) => console.explanation('PENDING_REVIEW', { summary });

  test('with a word blocked since its screening is not approved', async () => {
    const id = waiting('무위험 상품입니다.');
    const before = console.traces();
    expect((await approve(id)).body).toMatchObject({
      code: 'REVIEW4093',
      errors: [{ path: 'summary', message: '“무위험” (0-3)' }],
    });
    expect(console.traces()).toEqual(before);
  });

  test('with a word that became a finding since its screening needs an acknowledgement', async () => {
    const id = waiting('매수 의견이 늘었습니다.');
    expect((await approve(id)).body).toMatchObject({ errors: [{ path: 'body.acknowledgedWords.word-buy' }] });
    const before = console.actions().at(-1)?.seq ?? 0;
    const done = await approve(id, { acknowledgedWords: ['word-buy'] });
    // The decision records the acknowledged words and the version of the matcher.
    const [{ detail } = { detail: '{}' }] = console.actions(before);
    expect(JSON.parse(detail)).toMatchObject({ wordsLetStand: ['word-buy'], matcherVersion: MATCHER_VERSION });
    expect(done.result).toMatchObject({ status: 'PUBLISHED', published_summary: '매수 의견이 늘었습니다.' });
  });

  test('with a word that its screening already reported needs no acknowledgement', async () => {
    const id = waiting('매수 의견이 늘었습니다.');
    const [hit] = console.context.screener.of(console.ledger).findWords('매수 의견이 늘었습니다.');
    console.ledger.write((tx) => {
      const screened = {
        outcome: 'PENDING_REVIEW',
        policyVersion: 1,
        matcherVersion: '1',
        checks: [
          {
            check: 'FORBIDDEN_WORDS',
            verdict: 'REVIEW',
            code: 'WORDS_REVIEW',
            parameters: {},
            message: '',
            hits: hit === undefined ? [] : [hit],
            policyVersion: 1,
            matcherVersion: '1',
          },
        ],
      } as const;
      recordScreening(tx, id, console.now.toISOString(), { ...screened, checks: [...screened.checks] });
    });
    expect((await approve(id)).result.status).toBe('PUBLISHED');
  });

  test('is shown with its present hits', async () => {
    const id = waiting('매수 의견이 늘었습니다.');
    const { result } = await console.ask<ReviewDetail>({
      method: 'GET',
      url: `/api/v1/review/items/${id}`,
      as: 'READ_ONLY',
    });
    expect(result.hitsNow).toMatchObject({
      policyVersion: 1,
      matcherVersion: MATCHER_VERSION,
      summary: [{ wordId: 'word-buy' }],
      edited_summary: null,
    });
  });
});

describe('the correction of an exposed text', () => {
  const correct = (id: string, body: object) =>
    console.ask<ExplanationDetail>({
      method: 'PATCH',
      url: `/api/v1/explanations/${id}/final`,
      as: 'COMPLIANCE_REVIEWER',
      body,
    });

  test('replaces it, and the received text stays', async () => {
    const id = console.explanation('AUTO_PUBLISHED', { summary: '받은 글입니다.' });
    const answer = await correct(id, { published_summary: '바로잡은 글입니다.' });
    expect(answer.result).toMatchObject({
      status: 'AUTO_PUBLISHED',
      summary: '받은 글입니다.',
      published_summary: '바로잡은 글입니다.',
      version: 2,
    });
  });

  test('is screened like an edited text', async () => {
    const id = console.explanation('PUBLISHED');
    const before = console.traces();
    expect((await correct(id, { published_summary: '무위험' })).body).toMatchObject({
      code: 'REVIEW4093',
      errors: [{ path: 'body.published_summary' }],
    });
    expect((await correct(id, { published_summary: '매수' })).body).toMatchObject({
      errors: [{ path: 'body.acknowledgedWords.word-buy' }],
    });
    expect((await correct(id, { published_summary: ' \u200b' })).status).toBe(400);
    expect(console.traces()).toEqual(before);
    expect((await correct(id, { published_summary: '매수', acknowledgedWords: ['word-buy'] })).status).toBe(200);
  });
});
