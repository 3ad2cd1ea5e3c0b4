/** Walking through the queue: an item reuses the elements of the one before, and no state is carried over. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import type { Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

type Evidences = ReturnType<typeof newEntry>['evidences'];

const calculation = (name: string, formula: string | null, output: Record<string, unknown>): Evidences[number] => ({
  kind: 'CALCULATION',
  title: name,
  source: '주식 시세',
  published_at: null,
  as_of: '2026-11-20',
  tool_run_id: `tool-${name}`,
  item_ids: [`item-${name}`],
  arguments: { weight_pct: 20 },
  output,
  formula_latex: formula,
  description: `${name}의 설명`,
});
const news = (title: string): Evidences[number] => ({
  kind: 'NEWS',
  title,
  source: '한강경제',
  published_at: '2026-11-20T01:00:00.000Z',
  news_id: title,
});

/** Items whose evidence differs in kind, number, formula and shape of its values. */
const UNLIKE: readonly [ticker: string, summary: string, evidences: Evidences][] = [
  ['400001', '기여도는 0.90%p였다.', [calculation('기여도', String.raw`C_i = w_i \times r_i`, { pp: 0.9 })]],
  ['400002', '뉴스만 있다. 2.5% 올랐다.', [news('첫 소식'), news('둘째 소식')]],
  [
    '400003',
    '수익률 1.10%와 2.20%를 비교했다.',
    [
      news('셋째 소식'),
      calculation('수익률', String.raw`r_t = \frac{p_t}{p_{t-1}} - 1`, { values: [1.1, 2.2] }),
      calculation('공식 없음', null, { rows: [{ a: 1, b: 2 }] }),
    ],
  ],
  ['400004', '틀린 공식이 있다.', [calculation('틀린 공식', String.raw`\frac{`, { pp: 3 })]],
  ['400005', '근거가 없다.', []],
];

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  const ledger = openLedger(browser.ledger);
  ledger.write((tx) => {
    for (const [index, [ticker, summary, evidences]] of UNLIKE.entries()) {
      const result = { etf_ticker: ticker, etf_name: `다른 ETF ${ticker}`, summary };
      const entry = newEntry(`unlike-${ticker}`, result, { cursor: 500 + index, evidences });
      receive(
        tx,
        entry,
        'PENDING_REVIEW',
        new Date(Date.parse('2026-11-20T09:00:00.000Z') + index * 1_000).toISOString(),
      );
    }
  });
  ledger.close();
  // One carries a colleague's edit, which stands above the received text.
  const colleague = await browser.secondReviewer();
  await colleague.ask('PATCH', '/api/v1/screening/criteria', { fourEyes: true });
  const { items } = await colleague.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items?q=400002');
  await colleague.ask('POST', `/api/v1/review/items/${items[0]?.id}/approve-edited`, {
    edited_summary: '고친 문구다.',
  });
  const before = (): void => {
    // An item in view for a second gets the entry of a begun review. The walk causes it, so it is hidden.
    const begun = new CSSStyleSheet();
    begun.insertRule('li[data-kind]:not([data-kind=MOVE]) { display: none }');
    document.adoptedStyleSheets = [begun];
  };
  page = await browser.window({ height: 700, before });
  await page.locator('article h2').waitFor();
});
afterAll(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

const article = () => page.locator('article');
const scroller = () => page.locator('article > [role=region]');
/** The field of a refusal form, which stands below everything else. */
const noteOf = () => article().locator('form').last().locator('input:not([type=radio])');
const openIs = (ticker: string) => page.locator('article h2', { hasText: ticker }).waitFor();
const goTo = async (ticker: string): Promise<void> => {
  await page.locator('[data-item]', { hasText: ticker }).click();
  await openIs(ticker);
};
/** Everything that an item shows, once its history has loaded. */
async function shown(ticker: string): Promise<string> {
  await openIs(ticker);
  await article().locator('ol > li[data-kind=MOVE]').first().waitFor();
  return article().innerText();
}

test('an item reached by walking shows the same as one opened by its address', async () => {
  const fresh = new Map<string, string>();
  for (const [ticker] of UNLIKE) {
    await goTo(ticker);
    await page.reload();
    fresh.set(ticker, await shown(ticker));
  }
  await goTo('100001');
  const walked = ['100002', '100003', '100004', ...UNLIKE.map(([ticker]) => ticker)];
  const way = [
    ...walked.map((ticker) => [ticker, 'j'] as const),
    ...walked
      .slice(0, -1)
      .toReversed()
      .map((ticker) => [ticker, 'k'] as const),
  ];
  for (const [ticker, key] of way) {
    await page.keyboard.press(key);
    const told = await shown(ticker);
    const expected = fresh.get(ticker);
    if (expected !== undefined) expect(told).toBe(expected);
  }
});

test('KaTeX loads with the first formula that is unfolded, and with no item of the queue', async () => {
  const ofKatex: string[] = [];
  page.on('request', (request) => {
    if (/katex|set-formula/i.test(request.url())) ofKatex.push(request.url());
  });
  await goTo('400001');
  await page.reload();
  await shown('400001');
  await page.waitForLoadState('networkidle');
  expect(ofKatex).toEqual([]);
  const fold = article().locator('details', { hasText: 'C_i' });
  await fold.locator('summary').first().click();
  await fold.locator('.katex').waitFor();
  expect(ofKatex).not.toEqual([]);
  // Once it is there, the formula of the next item needs no second paint.
  await goTo('400003');
  await article().locator('.katex').first().waitFor({ state: 'attached' });
});

describe('of the item before', () => {
  test('no form, text, opened part, scroll position or focus is carried over', async () => {
    await goTo('100004');
    await article()
      .getByRole('button', { name: /오탐 표시/ })
      .click();
    await article()
      .getByLabel(/오탐 사유/)
      .fill('오탐 글');
    await article().getByRole('button', { name: '메모 작성' }).click();
    await article()
      .getByLabel(/^내부 메모/)
      .fill('메모 글');
    await article()
      .getByRole('button', { name: /의견 요청/ })
      .click();
    await article()
      .getByLabel(/의견 요청 내용/)
      .fill('질문 글');
    await article().getByRole('button', { name: /^반려/ }).click();
    await waitFor('four forms', async () => (await article().locator('form').count()) === 4);
    await noteOf().fill('반려 글');
    await browser.screenshot(page, 'walk-forms');
    for (const summary of await article().locator('summary').all()) await summary.click();
    expect(await article().locator('details[open]').count()).toBeGreaterThan(2);
    await scroller().evaluate((one) => one.scrollTo(0, one.scrollHeight));

    await goTo('100003');
    expect(await article().locator('form').count()).toBe(0);
    expect(await article().locator('details[open]').count()).toBe(0);
    expect(await scroller().evaluate((one) => one.scrollTop)).toBe(0);
    expect(await page.locator('[data-keys]').count()).toBe(1);
    await decide(page, 'e');
    await article().locator('form').waitFor();
    const written = await article()
      .locator('textarea')
      .evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
    expect(written.join()).not.toMatch(/글/);
    expect(await article().innerText()).not.toMatch(/(오탐|메모|질문|반려) 글/);
    await page.keyboard.press('Escape');

    // The other item's draft is kept there only.
    await goTo('100004');
    expect(await noteOf().inputValue()).toBe('반려 글');
    expect(await article().locator('form').count()).toBe(1);
    await article().getByRole('button', { name: '닫기' }).last().click();
  });

  test('the focus on a part of it does not move to the same part of the next', async () => {
    await goTo('100001');
    await article().locator('summary').first().focus();
    await page.keyboard.press('j');
    await openIs('100002');
    await page.locator('article h2:focus', { hasText: '100002' }).waitFor();
  });

  test('having been in view does not count for the next', async () => {
    await goTo('100001');
    await page.evaluate(() => {
      const unseen = new CSSStyleSheet();
      unseen.insertRule('[data-reading] { position: fixed; top: -9999px }');
      document.adoptedStyleSheets.push(unseen);
    });
    await page.keyboard.press('j');
    await openIs('100002');
    await decide(page, 'a');
    // Its field has the focus a moment after it stands there; from outside, the keys would only lead to it.
    await article().locator('form:focus-within').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('화면에 표시된 적이 없습니다').waitFor();
    await waitFor('the form to stay', async () => (await article().locator('form').count()) === 1);
    await page.keyboard.press('Escape');
  });
});
