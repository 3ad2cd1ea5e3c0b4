/** The review queue in windows of every size: one pane where two do not fit, and the text in view during a decision. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { Page as ListPage, ReviewItem } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { runs } from '../../../support/runs.ts';
import { violations, violationsIn } from '../../axe.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser } from '../../console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(9);
});
afterAll(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

const inView = (page: Page): Promise<boolean> =>
  page.locator('[data-reading]').evaluate((text) => {
    const { top, bottom, left, right } = text.getBoundingClientRect();
    // The topmost element at both ends of the text is the text itself: nothing covers it.
    const sees = (y: number): boolean => text.contains(document.elementFromPoint((left + right) / 2, y));
    return top >= 0 && bottom <= innerHeight && sees(top + 4) && sees(bottom - 4);
  });

/** Headings of the open item that the upper edge cuts. */
const cutHeadings = (page: Page): Promise<string[]> =>
  page
    .locator('article [role=region]')
    .first()
    .evaluate((scroller) => {
      const edge = scroller.getBoundingClientRect().top;
      return [...scroller.querySelectorAll('h2, h3')].flatMap((heading) => {
        const { top, bottom } = heading.getBoundingClientRect();
        return top < edge - 1 && bottom > edge + 1 ? [heading.textContent] : [];
      });
    });

/** The buttons of this screen that another element covers. */
const covered = (page: Page): Promise<string[]> =>
  page.locator('main button:visible').evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      // The rows and the text scroll below other elements.
      if (button.closest('li:not([data-hold]), [role=region]') !== null) return [];
      const isOnTop = [left + 4, right - 4].every((x) => {
        const found = document.elementFromPoint(x, (top + bottom) / 2);
        return found !== null && (button.contains(found) || found.contains(button));
      });
      return isOnTop ? [] : [button.textContent];
    }),
  );

async function statusOf(ticker: string): Promise<string | undefined> {
  const reader = await browser.person('viewer');
  const { items } = await reader.ask<ListPage<ReviewItem>>('GET', `/api/v1/explanations?q=${ticker}`);
  return items[0]?.status;
}

const TELEPHONE = 390;

// 200 % zoom of 1440 x 900 has the least height and a telephone the least width; a small window is between them.
const SIZES = [
  [720, 450, '100001'],
  [TELEPHONE, 780, '100003'],
  [800, 600, '100002'],
] as const;

describe.each(SIZES.slice(0, runs(2, SIZES.length)))('%d x %d', (width, height, ticker) => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.window({ width, height });
  });
  afterAll(() => page.context().close());

  test('begins with the list, and one pane fills the window', async () => {
    await page.locator('[data-item]').first().waitFor();
    expect(await page.locator('article').count()).toBe(0);
    await browser.screenshot(page, `narrow-list-${width}`);
    await page.getByRole('link', { name: new RegExp(ticker) }).click();
    await page.locator('article h2', { hasText: ticker }).waitFor();
    expect(await page.locator('[data-item]').first().isVisible()).toBe(false);
    expect(await inView(page)).toBe(true);
    await browser.screenshot(page, `narrow-item-${width}`);
    // `sweep.test.ts` judges the screen at the other widths.
    if (width === TELEPHONE) expect(await violations(page)).toEqual([]);
    // No horizontal scrolling.
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    expect(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
  });

  test('the text is in view on j and k, and with each form, whose buttons hide none of its fields', async () => {
    await page.keyboard.press('KeyJ');
    await waitFor('the next', async () => !(await page.locator('article h2').innerText()).includes(ticker));
    expect(await inView(page)).toBe(true);
    await page.keyboard.press('KeyK');
    await page.locator('article h2', { hasText: ticker }).waitFor();
    for (const key of ['KeyA', 'KeyE', 'KeyR', 'KeyB', 'KeyO']) {
      // The reader had scrolled to the evidence.
      await page
        .locator('article [role=region]')
        .first()
        .evaluate((one) => one.scrollTo(0, one.scrollHeight));
      await decide(page, key);
      await page.locator('article form').waitFor();
      await waitFor(`the text in view with ${key}`, () => inView(page));
      await waitFor(`no heading cut with ${key}`, async () => (await cutHeadings(page)).length === 0);
      const room = await page.locator('article form').evaluate((element) => {
        const { top } = element.lastElementChild?.getBoundingClientRect() ?? { top: 0 };
        const fields = [...element.querySelectorAll('input:not([type=radio]), textarea')];
        return fields.map((field) => top - field.getBoundingClientRect().bottom);
      });
      if (key !== 'KeyO') expect([key, Math.min(...room) >= 0]).toEqual([key, true]);
      if (key === 'KeyR') {
        await page.getByRole('button', { name: /전체 사유 보기/ }).click();
        await waitFor('the text in view with every reason', () => inView(page));
        await browser.screenshot(page, `narrow-form-${width}`);
      }
      await page.keyboard.press('Escape');
    }
  });

  test('decides, and leads back to the list', async () => {
    await page.getByRole('button', { name: /^승인/ }).click();
    await page.locator('article form').waitFor();
    await page.keyboard.press('Control+Enter');
    await waitFor('the approval', async () => (await statusOf(ticker)) === 'PUBLISHED');
    // The notice of the approval stands beside the menus of the head, which on a telephone have a line of their own.
    await page.locator('[role=status]').getByText('승인했습니다').waitFor();
    if (width > 640) await page.getByRole('button', { name: /검색/ }).click({ trial: true });
    await page.getByRole('link', { name: /목록으로/ }).click();
    await page.locator('[data-item]').first().waitFor();
    expect(await page.locator('article').count()).toBe(0);
  });
});

test('a decision about a text that was not in view asks once', async () => {
  const page = await browser.window({ width: 800, height: 600 });
  await page.locator('[data-item]').first().waitFor();
  await page.evaluate(() => {
    const unseen = new CSSStyleSheet();
    unseen.insertRule('[data-reading] { position: fixed; top: -9999px }');
    document.adoptedStyleSheets = [unseen];
  });
  await page.getByRole('link', { name: /100005/ }).click();
  await decide(page, 'KeyA');
  await page.locator('article form').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('화면에 표시된 적이 없습니다').waitFor();
  expect(await statusOf('100005')).toBe('PENDING_REVIEW');
  await page.keyboard.press('Control+Enter');
  await waitFor('the approval', async () => (await statusOf('100005')) === 'PUBLISHED');
  await page.context().close();
});

test('the undo of an approval on hold stays in view below the item', async () => {
  const reviewer = await browser.person('reviewer');
  await reviewer.ask('PATCH', '/api/v1/screening/criteria', { holdSeconds: 60 });
  const page = await browser.window({ width: 720, height: 450 });
  const oldest = (await page.locator('[data-item]').first().innerText()).slice(0, 6);
  await page.getByRole('link', { name: /100008/ }).click();
  await decide(page, 'KeyA');
  await page.locator('article form').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('article h2', { hasText: oldest }).waitFor();
  expect(await page.locator('[data-item]').first().isVisible()).toBe(false);
  expect(await inView(page)).toBe(true);
  await browser.screenshot(page, 'narrow-hold');
  const undo = page.getByRole('region', { name: '제공 전 보류' }).getByRole('button');
  // The approval notice covers no button that decides or takes a decision back, beside the item and the list.
  await page.getByRole('status').getByText('승인했습니다').waitFor();
  expect(await covered(page)).toEqual([]);
  await page.getByRole('link', { name: /목록으로/ }).click();
  await page.locator('[data-item]').first().waitFor();
  expect(await covered(page)).toEqual([]);
  await browser.screenshot(page, 'narrow-hold-list');
  await undo.click();
  await page.locator('article h2', { hasText: '100008' }).waitFor();
  await waitFor('the undo', async () => (await statusOf('100008')) === 'PENDING_REVIEW');
  await page.context().close();
});

test('a form below the text opens whole, with its send button, and stays whole when its room shrinks', async () => {
  const page = await browser.window({ width: 800, height: 600 });
  await page.getByRole('link', { name: /100006/ }).click();
  await page.getByRole('button', { name: '메모 작성' }).click();
  const send = page.getByRole('form', { name: '메모 작성' }).getByRole('button', { name: '메모 등록' });
  const isInView = (): Promise<boolean> =>
    send.evaluate((button) => {
      const { left, width, top, bottom } = button.getBoundingClientRect();
      return [top + 2, bottom - 2].every((y) => button.contains(document.elementFromPoint(left + width / 2, y)));
    });
  await waitFor('the button in view', isInView);
  // As a line does that appears late among the decisions.
  await page.setViewportSize({ width: 800, height: 540 });
  await waitFor('the button in view again', isInView, 5_000);
  await page.context().close();
});

describe('the navigation', () => {
  test('folds at 1024, and unfolds above the screen', async () => {
    const page = await browser.window({ width: 1024, height: 768 });
    await page.locator('article h2').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    await browser.screenshot(page, 'folded-1024');
    const fold = page.getByRole('button', { name: '메뉴', exact: true });
    await fold.click();
    const nav = page.getByRole('navigation');
    await nav.waitFor();
    expect(await nav.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await browser.screenshot(page, 'unfolded-1024');
    expect(await violationsIn(nav)).toEqual([]);
    await page.keyboard.type('are');
    expect(await page.locator('article form').count()).toBe(0);
    await page.keyboard.press('Escape');
    await nav.waitFor({ state: 'hidden' });
    expect(await fold.evaluate((one) => one === document.activeElement)).toBe(true);
    await fold.click();
    await nav.getByRole('link', { name: '가격 변동 설명' }).click();
    await page.locator('table').first().waitFor();
    expect(await nav.count()).toBe(0);
    await page.context().close();
  });

  test('stands beside the screen at 1440', async () => {
    const page = await browser.window();
    await page.getByRole('navigation').waitFor();
    expect(await page.getByRole('button', { name: '메뉴', exact: true }).count()).toBe(0);
    await page.context().close();
  });
});
