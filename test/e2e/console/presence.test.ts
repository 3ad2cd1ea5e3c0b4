/** Several reviewers at the queue: each sees the others who have an item open, and none who has left. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(4);
  const admin = await browser.person('admin');
  for (const name of ['둘째', '셋째'])
    await admin.join({
      username: name === '둘째' ? 'second' : 'third',
      displayName: name,
      role: 'COMPLIANCE_REVIEWER',
      password: 'causeway-demo',
    });
});
afterAll(() => browser.close());

/** The ids of waiting items, in the order of the queue. */
async function waiting(): Promise<string[]> {
  const asked = await (await browser.person('viewer')).ask<{ items: { id: string }[] }>('GET', '/api/v1/review/items');
  return asked.items.map(({ id }) => id);
}

/** The viewers of an item, as the API lists them. */
async function viewers(id: string): Promise<string[]> {
  const person = await browser.person('viewer');
  const { claims } = await person.ask<{ claims: { displayName: string }[] }>('GET', `/api/v1/review/items/${id}`);
  return claims.map(({ displayName }) => displayName);
}

async function told(id: string, names: string[]): Promise<void> {
  await expect.poll(() => viewers(id), { timeout: 10_000 }).toEqual(names);
}

async function visit(page: Page, id: string): Promise<void> {
  await page.locator(`[data-item="${id}"]`).click();
  await page.waitForURL(`**/review/${id}*`);
}

test('every viewer is shown to all others, in the list and in the head', async () => {
  const [first = '', second = ''] = await waiting();
  const pages = [await browser.window({ username: 'reviewer' }), await browser.window({ username: 'second' })] as const;
  for (const page of pages) await visit(page, first);
  const [one, two] = pages;
  await expect.poll(async () => (await viewers(first)).toSorted()).toEqual(['둘째', '준법심사자']);
  // As the window of the third would.
  const third = await browser.person('third', 'causeway-demo');
  await third.ask('POST', `/api/v1/review/items/${first}/claim`);
  await one.locator('article header').getByText('둘째, 셋째 심사 중').waitFor();
  await two.locator('article header').getByText('준법심사자, 셋째 심사 중').waitFor();
  await one.locator(`[data-item="${first}"]`).getByText('둘째, 셋째 심사 중').waitFor();
  await browser.screenshot(one, 'presence-three');

  // Another item by address, in the same window: there, and only there.
  await two.goto(`${browser.url}/review/${second}`);
  await one.locator('article header').getByText('셋째 심사 중', { exact: true }).waitFor();
  await one.locator(`[data-item="${second}"]`).getByText('둘째 심사 중').waitFor();
  await third.ask('DELETE', `/api/v1/review/items/${first}/claim`);
  await told(first, ['준법심사자']);
  await two.close({ runBeforeUnload: true });
  await told(second, []);
  // A closed context discards the last requests of its pages.
  await one.close({ runBeforeUnload: true });
  await told(first, []);
  for (const page of pages) await page.context().close();
});

test('a reload, a logout and a closed window leave no viewer behind', async () => {
  const [first = ''] = await waiting();
  const page = await browser.window({ username: 'second' });
  await visit(page, first);
  await told(first, ['둘째']);
  await page.goto(`${browser.url}/settings`);
  await told(first, []);
  await page.goto(`${browser.url}/review/${first}`);
  await told(first, ['둘째']);
  await page.getByRole('button', { name: /사용자 메뉴/ }).click();
  await page.getByRole('menuitem', { name: '로그아웃' }).click();
  await page.locator('input[name=username]').waitFor();
  expect(await viewers(first)).toEqual([]);
  await page.context().close();
});

test('an item that is only walked past is neither claimed nor put on record', async () => {
  const page = await browser.window({ username: 'third' });
  const claims: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/claim')) claims.push(request.method());
  });
  const [first = '', , , last = ''] = await waiting();
  await visit(page, first);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('j');
  await page.waitForURL(`**/review/${last}*`);
  await told(last, ['셋째']);
  expect(claims.filter((method) => method === 'POST').length).toBeLessThanOrEqual(2);
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});
