import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReviewDetail } from '../../shared/wire/console.ts';
import { TestConsole } from './testing.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

describe('an edited text', () => {
  const edit = (id: string, edited_summary: string, comment?: string) =>
    console.ask<ReviewDetail>({
      method: 'POST',
      url: `/api/v1/review/items/${id}/approve-edited`,
      as: 'COMPLIANCE_REVIEWER',
      body: { edited_summary, ...(comment === undefined ? {} : { comment }) },
    });

  test('becomes the published one, letter by letter; what was received stays', async () => {
    const id = console.explanation('PENDING_REVIEW', { summary: '받은 글입니다.' });
    const text = '고친 글 🙂 \n둘째 줄';
    const answer = await edit(id, text, '표현을 바꿈');
    expect(answer.result).toMatchObject({
      summary: '받은 글입니다.',
      edited_summary: text,
      published_summary: text,
      comment: '표현을 바꿈',
      status: 'PUBLISHED',
    });
  });

  test('with a word of severity BLOCK is refused with every hit, and nothing of it remains', async () => {
    const id = console.explanation();
    const before = console.traces();
    const answer = await edit(id, '이 상품은 확\u200b정 수익을 주고 무위험입니다.');
    expect([answer.status, answer.body.code]).toEqual([409, 'COMMON409']);
    expect(answer.body).toMatchObject({
      errors: [
        { path: 'body.edited_summary', message: expect.stringMatching(/^6-12 .*확정 수익/) as unknown },
        { path: 'body.edited_summary', message: expect.stringContaining('무위험') as unknown },
      ],
    });
    expect(console.traces()).toEqual(before);
  });

  test('with a word of severity REVIEW is the reviewer’s own decision', async () => {
    const answer = await edit(console.explanation(), '시장에서 매수 의견이 많았습니다.');
    expect(answer.status).toBe(200);
  });

  test('on an item that is gone or decided is told so first', async () => {
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
