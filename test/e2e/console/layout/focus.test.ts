/** The focus of a user without a mouse: visible on a dark screen, and returned by a closing form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { waitFor } from '../../../support/process.ts';
import { decide } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  page = await browser.window();
  await page.locator('article h2').waitFor();
});
afterAll(() => browser.close());

/** The focused element, by its tag and the beginning of its text. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    return `${activeElement?.tagName ?? ''} ${activeElement?.textContent.slice(0, 6) ?? ''}`;
  });

test.each(['KeyA', 'KeyE', 'KeyR', 'KeyB', 'KeyO'])(
  'Escape in the form that %s opens gives the focus to the heading of the item, not to the page',
  async (key) => {
    await page.locator('body').evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await decide(page, key);
    await page.locator('article form').waitFor();
    await waitFor('a field to have the focus', async () => /^(INPUT|TEXTAREA)/.test(await focused()));
    await page.keyboard.press('Escape');
    await page.locator('article form').waitFor({ state: 'detached' });
    expect(await focused()).toBe('H2 100001');
  },
);

test('forced colours show what is current, and a tick that is set', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.getByRole('checkbox', { name: '전체 선택' }).check();
  const styles = (selector: string, name: 'appearance' | 'outlineStyle'): Promise<string[]> =>
    page.locator(selector).evaluateAll((all, asked) => all.map((one) => getComputedStyle(one)[asked]), name);
  expect(await styles('nav a', 'outlineStyle')).toContain('solid');
  expect((await styles('[data-item]', 'outlineStyle')).filter((style) => style === 'solid')).toHaveLength(1);
  // Drawn by the system, and not by a colour that is not there.
  expect(new Set(await styles('input[type=checkbox]', 'appearance'))).toEqual(new Set(['auto']));
  await page.getByRole('checkbox', { name: '전체 선택' }).uncheck();
  await page.emulateMedia({ forcedColors: 'none' });
});

test('the ring of a focused button stands out from a dark menu by 3:1', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  // Enter works only after its button has had the focus for a while.
  const own = page.getByRole('menuitem', { name: '내 계정' });
  await waitFor('the menu to open', async () => {
    if (!(await own.isVisible())) await page.getByRole('button', { name: /사용자 메뉴/ }).press('Enter');
    return own.isVisible();
  });
  await waitFor('the menu to take the focus', async () => (await focused()).startsWith('BUTTON 내 계정'));
  const contrast = await page.evaluate(() => {
    const light = (colour: string): number => {
      const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? [])
        .map((part) => Number(part) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const item = document.activeElement;
    const menu = item?.closest('[role=menu]');
    if (item === null || menu === null || menu === undefined) return 0;
    const [ring, ground] = [getComputedStyle(item).outlineColor, getComputedStyle(menu).backgroundColor].map(light);
    return ((ring ?? 0) + 0.05) / ((ground ?? 0) + 0.05);
  });
  expect(contrast).toBeGreaterThan(3);
});

test('the message about a flagged word names the word, without the API’s notation', async () => {
  await page.keyboard.press('Escape');
  await decide(page, 'KeyE');
  const field = page.locator('article form textarea').first();
  await field.fill('매수 의견이 이어졌다.');
  await page.keyboard.press('Control+Enter');
  const note = page.locator('article form [role=alert]');
  await note.waitFor();
  expect(await note.innerText()).toContain('“매수”');
  expect(await note.innerText()).not.toMatch(/∅|\(\d+-\d+\)/);
});

test('Escape closes the state of the feed, whose button keeps the focus', async () => {
  await page.keyboard.press('Escape');
  await page.locator('article form').waitFor({ state: 'detached' });
  const button = page.getByRole('banner').getByRole('button', { name: /^수신/ });
  await button.press('Enter');
  const details = page.getByRole('dialog');
  await details.waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('in a narrow window the focus goes from the row to the item, from item to item, and back to the row', async () => {
  const narrow = await browser.window({ width: 720, height: 450, username: 'viewer' });
  const heading = (ticker: string): Promise<void> =>
    narrow.locator('h2:focus', { hasText: ticker }).waitFor({ timeout: 5_000 });
  await narrow.getByRole('link', { name: /100001/ }).press('Enter');
  await heading('100001');
  // The next item is known once the list has loaded.
  await narrow.getByRole('link', { name: '목록으로 (3건 대기)' }).waitFor();
  await narrow.keyboard.press('KeyJ');
  await heading('100002');
  await narrow.getByRole('link', { name: /목록으로/ }).press('Enter');
  await narrow.locator('[data-item]:focus', { hasText: '100002' }).waitFor({ timeout: 5_000 });
});

/** Tag and beginning of the focused element, so that a failure shows where the focus went. */
const focusOf = (at: Page): Promise<string> =>
  at.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent.slice(0, 30)}`);
async function expectFocus(at: Page, place: RegExp): Promise<void> {
  await expect.poll(() => focusOf(at), { timeout: 10_000 }).toMatch(place);
}

test('after the login the focus is at the beginning of the screen', async () => {
  const fresh = await browser.page({ at: '/quality' });
  await fresh.locator('input[name=username]').fill('reviewer');
  await fresh.locator('input[name=password]').fill('causeway-demo');
  await fresh.keyboard.press('Enter');
  await expectFocus(fresh, /^MAIN/);
  await moveTo(fresh, '/review');
  await fresh.locator('article h2').waitFor();
});

describe('the palette', () => {
  const palette = () => page.getByRole('dialog').locator('input');
  const ask = async (for_: string): Promise<void> => {
    await page.keyboard.press('Control+KeyK');
    await palette().fill(for_);
    await page.getByRole('option', { selected: true }).getByText(for_).waitFor();
    // Enter rests for half a second after the palette has opened.
    await waitFor('the palette to take Enter', async () => {
      await page.keyboard.press('Enter');
      return (await palette().count()) === 0;
    });
  };

  test('moves the focus to the screen that it opens', async () => {
    await page.locator('body').evaluate(() => (document.activeElement as HTMLElement).blur());
    await ask('심사 품질');
    await page.waitForURL('**/quality**');
    await expectFocus(page, /^MAIN/);
    await ask('200004');
    await page.locator('article h2', { hasText: '200004' }).waitFor();
    await expectFocus(page, /^(MAIN|H2)/);
  });

  test('returns the focus when Escape closes it', async () => {
    await moveTo(page, '/review');
    await page.locator('article h2').waitFor();
    await page.getByRole('button', { name: '메모 작성' }).click();
    await page.getByLabel(/^내부 메모/).fill('쓰던 메모');
    await page.keyboard.press('Control+KeyK');
    await palette().waitFor();
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    await expectFocus(page, /^TEXTAREA/);
    expect(await page.getByLabel(/^내부 메모/).inputValue()).toBe('쓰던 메모');
    await page.locator('body').evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Control+KeyK');
    await palette().waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page, /^MAIN/);
    await page.keyboard.press('Escape');
    await page.locator('article form').waitFor({ state: 'detached' });
  });
});

test('from a list hidden by its open item, Enter leads to the heading, and the way back to the row, in view', async () => {
  const narrow = await browser.window({ width: 720, height: 450, at: '/explanations' });
  const row = narrow.getByRole('link', { name: /200004/ });
  await row.waitFor();
  await row.focus();
  for (const back of [
    () => narrow.locator('article').getByRole('button', { name: '닫기' }).press('Enter'),
    () => narrow.goBack().then(() => undefined),
  ]) {
    await narrow.keyboard.press('Enter');
    await expectFocus(narrow, /^H2 200004/);
    await back();
    await expectFocus(narrow, /^A 200004/);
    await waitFor('the row in view', () =>
      row.evaluate((link) => {
        const { top, bottom, left } = link.getBoundingClientRect();
        return [top + 1, bottom - 1].every((y) => link.contains(document.elementFromPoint(left + 4, y)));
      }),
    );
  }
});

test('Tab continues from the name of a view to its button, which says what is missing', async () => {
  await page.locator('[data-item]').first().waitFor();
  await page.getByRole('button', { name: '저장한 보기' }).click();
  await page.getByLabel('현재 보기의 이름').press('Tab');
  await page.getByRole('button', { name: '저장', exact: true }).and(page.locator(':focus')).click();
  await page.getByText('이름을 입력하십시오.').waitFor();
  await page.keyboard.press('Escape');
});

test('a form sent by its button returns the focus too', async () => {
  await page.locator('article h2').waitFor();
  await page.getByRole('button', { name: '메모 작성' }).click();
  await page.getByLabel(/^내부 메모/).fill('단추로 보낸 메모');
  await page.locator('article form button[type=submit]').click();
  await page.locator('article form').waitFor({ state: 'detached' });
  await expectFocus(page, /^(H2|BUTTON)/);
});

test('a button disabled while its answer is awaited gets the focus back', async () => {
  await moveTo(page, '/settings/audit');
  const check = page.getByRole('button', { name: '기록 위변조 검사' });
  const answer = Promise.withResolvers<undefined>();
  await page.route('**/api/v1/audit/chain', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await check.focus();
  await page.keyboard.press('Enter');
  await expectFocus(page, /^BODY/);
  answer.resolve(undefined);
  await page.getByText('위변조가 발견되지 않았습니다').waitFor();
  await check.and(page.locator(':focus')).waitFor();
});
