/** A person exposes a figure without evidence only after acknowledging it (D221). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Evidence } from '../../../shared/wire/bundle.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
beforeAll(() => {
  console = new TestConsole();
});
afterAll(() => console.close());

/** The vendor's digits are kept: 0.070 is a number here too. */
const EVIDENCE: Evidence = {
  kind: 'CALCULATION',
  title: '금리',
  source: '시세',
  published_at: null,
  as_of: null,
  tool_run_id: 't',
  item_ids: [],
  arguments: {},
  output: { yield_change_pct: JSON.rawJSON('0.070') },
  formula_latex: null,
  description: '',
};
const SUPPORTED = '금리가 7bp 움직여 지수가 1.23% 올랐습니다.';
const OPEN = '금리가 7bp 움직여 지수가 9.99%p 올랐고 3건이 체결되어 9.99%p였습니다.';
const FIGURES = ['9.99%p', '3건'];

const WAYS = [
  ['approve', (text: string) => console.explanation('PENDING_REVIEW', { summary: text }, [EVIDENCE])],
  ['approve-edited', () => console.explanation('PENDING_REVIEW', {}, [EVIDENCE])],
  ['correct', () => console.explanation('PUBLISHED', {}, [EVIDENCE])],
] as const;

/** Exposes a text in one of the ways. */
function expose(way: (typeof WAYS)[number][0], id: string, text: string, more: object = {}) {
  const as = 'COMPLIANCE_REVIEWER';
  if (way === 'correct') {
    const body = { published_summary: text, ...more };
    return console.ask({ method: 'PATCH', url: `/api/v1/explanations/${id}/final`, as, body });
  }
  const body = way === 'approve' ? more : { edited_summary: text, ...more };
  return console.ask({ method: 'POST', url: `/api/v1/review/items/${id}/${way}`, as, body });
}

/** The acknowledged figures of the last decision on record. */
function recorded(): unknown {
  const { detail } = console.actions().at(-1) ?? { detail: '{}' };
  return (JSON.parse(detail) as { figuresLetStand?: unknown }).figuresLetStand;
}

describe.each(WAYS)('%s', (way, received) => {
  test('with figures that the evidence supports needs no acknowledgement', async () => {
    expect((await expose(way, received(SUPPORTED), SUPPORTED)).status).toBe(200);
    expect(recorded()).toEqual([]);
  });

  test('with figures without evidence is refused until each is named, and leaves no trace', async () => {
    const id = received(OPEN);
    const before = console.traces();
    const refused = await expose(way, id, OPEN);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'REVIEW4098',
        errors: [
          { path: 'body.acknowledgedFigures.9.99%p', message: '“9.99%p” (16-22) unsupported' },
          { path: 'body.acknowledgedFigures.3건' },
          { path: 'body.acknowledgedFigures.9.99%p' },
        ],
      },
    ]);
    expect((await expose(way, id, OPEN, { acknowledgedFigures: ['9.99%p', '9.99%'] })).body).toMatchObject({
      code: 'REVIEW4098',
      errors: [{ path: 'body.acknowledgedFigures.3건' }],
    });
    expect(console.traces()).toEqual(before);
    expect((await expose(way, id, OPEN, { acknowledgedFigures: [...FIGURES, '77%'] })).status).toBe(200);
    // What the text lacks was not let stand.
    expect(recorded()).toEqual(FIGURES);
  });
});

test('one refusal names words and figures alike', async () => {
  const id = console.explanation();
  const text = '매수 의견이 9.99%p 늘었습니다.';
  expect((await expose('approve-edited', id, text)).body).toMatchObject({
    code: 'REVIEW4094',
    errors: [{ path: 'body.acknowledgedWords.word-buy' }, { path: 'body.acknowledgedFigures.9.99%p' }],
  });
  const all = { acknowledgedWords: ['word-buy'], acknowledgedFigures: ['9.99%p'] };
  expect((await expose('approve-edited', id, text, all)).status).toBe(200);
});

test('digits of the fund’s own name are no figure', async () => {
  const summary = '미국채 3배 액티브는 지수를 따라 올랐습니다.';
  const id = console.explanation('PENDING_REVIEW', { summary, etf_name: '미국채 3배 액티브' });
  expect((await expose('approve', id, summary)).status).toBe(200);
});
