/** Key presses of a reviewer: typed letters are text, and only a deliberate key decides. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { ExplanationItem, Page as ListPage } from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { runs } from '../../../support/runs.ts';
import { violationsIn } from '../../axe.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';
import type { ApiSession } from '../../console-fixture.ts';

const WAITING = 6;
/** The item with a word that the policy flags for review. */
const WITH_HIT = '100006';

let browser: ConsoleBrowser;
let page: Page;
let reader: ApiSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(WAITING);
  page = await browser.window();
  reader = await browser.person('viewer');
});
afterAll(() => browser.close());

const press = (key: string): Promise<void> => page.keyboard.press(key);

async function statuses(): Promise<Record<string, string>> {
  const { items } = await reader.ask<ListPage<ExplanationItem>>('GET', '/api/v1/explanations?q=10000&size=100');
  return Object.fromEntries(items.map((item) => [item.etf_ticker, item.status]));
}

async function opens(ticker: string): Promise<void> {
  await page.locator('article h2').getByText(ticker).waitFor();
}

/** Opens this item in the queue with its keys awake. */
async function goTo(ticker: string): Promise<void> {
  const { pathname, search } = new URL(page.url());
  const isOpen = (await page.locator('article form, [role=dialog], [role=menu]').count()) > 0;
  if (isOpen || search !== '' || !pathname.startsWith('/review')) {
    // Drafts of an earlier test must not open here.
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(new URL('/review', page.url()).href);
  }
  await page.getByRole('link', { name: new RegExp(ticker) }).click();
  await opens(ticker);
  await page.locator('article h2').click();
  await page.locator('[data-keys=awake]').waitFor();
}

const nothingDecided = (): Promise<void> =>
  statuses().then((found) => expect(new Set(Object.values(found))).toEqual(new Set(['PENDING_REVIEW'])));

/**
 * Every form that a reviewer can open in the queue, and the key that opens it. `focus.test.ts` and `queue.test.ts`
 * hold that the last three take the focus.
 */
const FORMS: [string, string, () => Promise<void>, () => ReturnType<Page['locator']>][] = [
  [
    'a false hit',
    WITH_HIT,
    () => page.getByRole('button', { name: /^오탐/ }).first().click(),
    () => page.locator('article form input'),
  ],
  [
    'a note',
    '100001',
    () => page.getByRole('button', { name: /^메모/ }).first().click(),
    () => page.locator('article form textarea'),
  ],
  ['an edit', '100001', () => press('KeyE'), () => page.locator('article form textarea')],
  [
    'saved views',
    '100001',
    () => page.locator('section header button[aria-haspopup=dialog]').click(),
    () => page.getByRole('dialog').locator('form input'),
  ],
  ['a second opinion', '100001', () => press('KeyO'), () => page.locator('article form textarea')],
  ['an approval', '100001', () => press('KeyA'), () => page.locator('article form input')],
  ['the palette', '100001', () => press('Control+KeyK'), () => page.getByRole('dialog').locator('input')],
];

describe('typed letters are text', () => {
  test.each(FORMS.slice(0, runs(4, FORMS.length)))(
    '%s takes the focus, and nothing that is typed decides',
    async (_what, ticker, open, field) => {
      await goTo(ticker);
      await open();
      await field().waitFor();
      await waitFor('the focus in the form', () => field().evaluate((one) => one === document.activeElement));
      await press('Control+A');
      await page.keyboard.type('ab e rob u');
      expect(await field().inputValue()).toBe('ab e rob u');
      // Neither do letters typed after the focus has left the field.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.type('ab e rob u');
      await nothingDecided();
      await page.evaluate(() => sessionStorage.clear());
      await press('Escape');
    },
  );

  test('letters typed on after a form has closed open another form at most, and decide nothing', async () => {
    await goTo('100001');
    await press('KeyA');
    await page.locator('article form').waitFor();
    await press('Escape');
    // Opening is harmless: the first key opens at once.
    await page.keyboard.type('ab are robe are aaa ');
    await page.locator('article form').waitFor();
    await nothingDecided();
    await page.evaluate(() => sessionStorage.clear());
  });

  test('a menu and a dialog take letters', async () => {
    await goTo('100001');
    await page.getByRole('button', { name: /사용자 메뉴/ }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.type('arejjj');
    await press('Escape');
    await opens('100001');
    await page.locator('[data-keys=awake]').waitFor();
    await press('Shift+Slash');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('are jjj');
    await opens('100001');
    expect(await page.locator('article form').count()).toBe(0);
    await nothingDecided();
  });
});

describe('Space and Enter send nothing from a form that a key has only just opened', () => {
  test('the approval key, then Space or Enter', async () => {
    for (const key of ['Space', 'Enter']) {
      await goTo('100001');
      await press('KeyA');
      await press(key);
      await page.locator('article form').waitFor();
      await press(key);
      await nothingDecided();
      await press('Escape');
    }
  });

  test('Enter held down on the button that opens the form', async () => {
    await goTo('100001');
    await page.getByRole('button', { name: /^승인/ }).first().focus();
    await page.keyboard.down('Enter');
    await page.locator('article form').waitFor();
    await page.locator('article form button[type=submit]').focus();
    for (let count = 0; count < 20; count += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.locator('article form').waitFor();
    await nothingDecided();
    await press('Escape');
  });

  test('a typed reason: Enter in a field of a decision does not send', async () => {
    await goTo('100001');
    await press('KeyR');
    await page.locator('fieldset').waitFor();
    await page.keyboard.type(' because\n');
    await press('Enter');
    await nothingDecided();
    expect(await page.locator('article form').count()).toBe(1);
    await press('Escape');
  });
});

describe('a double click counts as one click', () => {
  test.each(['승인', '수정 승인', '반려', '차단'].slice(0, runs(1, 4)))(
    'on %s: the form is open, and nothing is sent',
    async (name) => {
      await goTo('100001');
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      if (box === null) throw new Error(`${name} is not drawn`);
      const { x, y, height } = box;
      // Where the send button appears, the button that opened the form must not take the second half.
      for (const left of [4, 20]) {
        await page.mouse.click(x + left, y + height / 2, { clickCount: 3, delay: 20 });
        await page.locator('article form').waitFor();
        await nothingDecided();
        await page.locator('article form').getByRole('button', { name: '닫기' }).click();
        await page.locator('[data-keys=awake]').waitFor();
      }
    },
  );
});

describe('keys act on the items of the list', () => {
  const pressDecisions = async (): Promise<void> => {
    for (const key of ['KeyA', 'KeyE', 'KeyR', 'KeyB', 'KeyO']) await press(key);
    expect(await page.locator('article form').count()).toBe(0);
    await nothingDecided();
  };

  test('a search opens its first result', async () => {
    await goTo('100002');
    await page.getByRole('searchbox').first().fill('100004');
    await waitFor('one row', async () => (await page.locator('[data-item]').count()) === 1);
    await opens('100004');
  });

  test('a filter without results leaves nothing open', async () => {
    await goTo('100002');
    await page.getByRole('searchbox').first().fill('없는 말');
    await page.locator('[data-item]').first().waitFor({ state: 'detached' });
    expect(await page.locator('article').count()).toBe(0);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await pressDecisions();
  });

  test('an item opened by a link outside its list is marked, and its keys rest until the list contains it', async () => {
    await goTo('100002');
    const { pathname } = new URL(page.url());
    for (const way of ['조건 해제', '이 종목만 보기']) {
      await moveTo(page, `${pathname}?q=100004`);
      await opens('100002');
      await page.locator('[data-outside]').waitFor();
      await pressDecisions();
      await page.getByRole('button', { name: way }).click();
      await page.locator('[data-keys=awake]').waitFor();
      expect(await page.locator('[data-outside]').count()).toBe(0);
      await opens('100002');
    }
    await press('KeyA');
    await page.locator('article form').waitFor();
    await press('Escape');
  });
});

test('walking passes an open form: no letter ends in it', async () => {
  await goTo('100001');
  await press('KeyE');
  const field = page.locator('article form textarea');
  await field.waitFor();
  const before = await field.inputValue();
  await page.locator('article h2').click();
  await press('KeyJ');
  await opens('100002');
  await press('KeyK');
  await opens('100001');
  await field.waitFor();
  await press('KeyK');
  await page.keyboard.type('are');
  expect(await field.inputValue()).toBe(before);
  // From outside, the send key focuses the form, and Escape closes it as its label says.
  await press('Control+Enter');
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  await nothingDecided();
  await page.locator('article h2').click();
  await press('Escape');
  await page.locator('article form').waitFor({ state: 'detached' });
  await nothingDecided();
  expect(browser.complaints).toEqual([]);
});

describe('each user chooses their keys', () => {
  const dialog = () => page.getByRole('dialog');
  const change = async (action: string, key: string): Promise<void> => {
    await dialog()
      .getByRole('button', { name: `‘${action}’ 단축키 변경` })
      .click();
    await press(key);
  };

  test('a key that is taken or cannot be chosen is refused with a sentence', async () => {
    await goTo('100001');
    await page.getByRole('button', { name: '단축키 보기·변경' }).click();
    await change('승인 양식 열기', 'KeyR');
    await dialog().getByText('R 키는 이미 ‘반려 양식 열기’에 지정되어 있습니다.').waitFor();
    await press('Digit1');
    await dialog().getByText('지정할 수 없는 키입니다.').waitFor();
    // Escape cancels it, and leaves the dialog open.
    await press('Escape');
    await dialog().getByText('지정할 수 없는').waitFor({ state: 'detached' });
    await change('승인 양식 열기', 'KeyQ');
    await change('다음 설명', 'Semicolon');
    await dialog()
      .getByRole('row', { name: /승인 양식 열기/ })
      .getByText('Q', { exact: true })
      .waitFor();
    expect(await violationsIn(dialog())).toEqual([]);
    await browser.screenshot(page, 'keys-dialog');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('buttons show the chosen keys, and only these work', async () => {
    await page.locator('[data-keys=awake]').waitFor();
    await page.locator('[aria-keyshortcuts=Q]').getByText('Q', { exact: true }).waitFor();
    await press('KeyA');
    await press('KeyJ');
    expect(await page.locator('article form').count()).toBe(0);
    await opens('100001');
    await press('Semicolon');
    await opens('100002');
    await press('KeyQ');
    await page.locator('article form').waitFor();
    await press('Escape');
    await page.reload();
    await page.locator('[data-keys=awake]').waitFor();
    await press('KeyQ');
    await page.locator('article form').waitFor();
    await press('Escape');
  });

  test('and restores the standard ones, or turns them off', async () => {
    await page.getByRole('button', { name: '단축키 보기·변경' }).click();
    await dialog().getByRole('button', { name: '기본값으로 복원' }).click();
    await dialog()
      .getByRole('row', { name: /승인 양식 열기/ })
      .getByText('A', { exact: true })
      .waitFor();
    await dialog().getByLabel('단축키 사용').uncheck();
    await dialog().getByRole('button', { name: '닫기' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await page.locator('article kbd').count()).toBe(0);
    await page.locator('article h2').click();
    await press('KeyA');
    await press('KeyJ');
    expect(await page.locator('article form').count()).toBe(0);
    await page.evaluate(() => localStorage.removeItem('causeway.shortcuts'));
    await nothingDecided();
  });
});

test('a double click on the send button leaves the next item without a form', async () => {
  await goTo('100005');
  await press('KeyR');
  await page.locator('article form button[type=submit]').dblclick({ delay: 20 });
  await page.locator('article h2', { hasText: '100005' }).waitFor({ state: 'detached' });
  expect(await page.locator('article form').count()).toBe(0);
  const found = await statuses();
  expect([found['100005'], Object.values(found).filter((status) => status !== 'PENDING_REVIEW')]).toEqual([
    'REJECTED',
    ['REJECTED'],
  ]);
});

test('discarding a note asks once more, then removes it; a closed note is kept', async () => {
  await goTo('100001');
  const write = page.getByRole('button', { name: '메모 작성' });
  const field = page.getByLabel(/^내부 메모/);
  await write.click();
  await field.fill('닫아도 남는 메모');
  await page.locator('article form').getByRole('button', { name: '닫기' }).click();
  await write.click();
  expect(await field.inputValue()).toBe('닫아도 남는 메모');
  const discard = page.locator('article form').getByRole('button', { name: /작성 내용 삭제( 확정)?$/ });
  await discard.click();
  // Leaving it cancels.
  await field.focus();
  expect(await field.inputValue()).toBe('닫아도 남는 메모');
  await discard.click();
  await discard.click();
  await field.waitFor({ state: 'detached' });
  await write.click();
  expect(await field.inputValue()).toBe('');
  await page.reload();
  await write.click();
  expect(await field.inputValue()).toBe('');
  const { items } = await reader.ask<{ items: { kind: string }[] }>(
    'GET',
    `/api/v1/review/items/${new URL(page.url()).pathname.split('/').at(-1)}/timeline`,
  );
  expect(items.filter(({ kind }) => kind === 'NOTE')).toEqual([]);
});
