/** Changes that are asked for while the network is cut, and changes whose answer is lost on the way. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleBrowser } from './console-browser.ts';

let desk: ConsoleBrowser;

beforeAll(async () => {
  desk = await ConsoleBrowser.open(6);
});
afterAll(() => desk.close());

const NOT_SENT = '전송되지 않았습니다. 서버에 연결할 수 없습니다.';
const heading = (page: Page) => page.locator('article h2');
const form = (page: Page) => page.locator('article form');

/** The item that is open. */
async function opened(page: Page): Promise<string> {
  await heading(page).waitFor();
  return decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
}

async function cut(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.locator('[data-outage]').waitFor();
}

async function statusOf(id: string): Promise<string> {
  return (await (await desk.person('viewer')).ask<{ status: string }>('GET', `/api/v1/review/items/${id}`)).status;
}

test('a decision that was not sent says so, keeps its text, and is sent when the connection is back', async () => {
  const page = await desk.window();
  const id = await opened(page);
  await page.keyboard.press('e');
  const field = form(page).locator('textarea');
  await field.fill('연결이 끊긴 동안 고친 문구다.');
  await cut(page);
  await field.press('Control+Enter');
  await form(page).locator('[data-tone=bad][role=alert]', { hasText: NOT_SENT }).waitFor();
  expect(await statusOf(id)).toBe('PENDING_REVIEW');
  await desk.screenshot(page, 'outage-not-sent');

  await page.context().setOffline(false);
  await form(page).locator('[data-tone=info]', { hasText: '아직 전송되지 않았으며' }).waitFor();
  expect(await page.locator('[data-tone=bad][role=alert]').count()).toBe(0);
  await desk.screenshot(page, 'outage-back');
  expect(await field.inputValue()).toBe('연결이 끊긴 동안 고친 문구다.');
  expect(await statusOf(id)).toBe('PENDING_REVIEW');
  await field.press('Control+Enter');
  await page.getByText('수정한 문구로 승인했습니다').waitFor();
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.context().close();
});

test('a decision that was taken though its answer was lost is looked up and told as done', async () => {
  const page = await desk.window();
  const id = await opened(page);
  let isHeard = false;
  await page.route('**/approve', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
    isHeard = true;
  });
  await page.route(`**/review/items/${id}`, (route) => (isHeard ? route.abort() : route.continue()));
  await page.keyboard.press('a');
  await form(page).getByRole('button', { name: '승인' }).click();
  await form(page).getByText('처리 여부를 알 수 없습니다').waitFor();
  await desk.screenshot(page, 'outage-unanswered');
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.unroute(`**/review/items/${id}`);
  await page.getByText('승인했습니다').waitFor();
  await expect.poll(() => opened(page)).not.toBe(id);
  await page.context().close();
});

test('a decision that never arrived though it may have is looked up and told as not sent', async () => {
  const page = await desk.window();
  const id = await opened(page);
  await page.route('**/approve', (route) => route.abort('connectionreset'), { times: 1 });
  await page.keyboard.press('a');
  await form(page).getByRole('button', { name: '승인' }).click();
  await form(page).locator('[data-tone=info]', { hasText: '서버가 받지 못해 처리된 것이 없습니다' }).waitFor();
  expect(await statusOf(id)).toBe('PENDING_REVIEW');
  await form(page).getByRole('button', { name: '승인' }).click();
  await page.getByText('승인했습니다').waitFor();
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.context().close();
});

test('a note whose answer was lost is there once, and is said to be', async () => {
  const page = await desk.window();
  const id = await opened(page);
  await page.route(
    '**/notes',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: '메모 작성' }).click();
  const field = page.getByRole('textbox', { name: /내부 메모/ });
  await field.fill('한 번만 남아야 한다.');
  await page.getByRole('button', { name: '메모 등록' }).click();
  await field.waitFor({ state: 'detached' });
  const { items } = await (
    await desk.person('viewer')
  ).ask<{ items: { kind: string; text?: string }[] }>('GET', `/api/v1/review/items/${id}/timeline`);
  expect(items.filter(({ text }) => text === '한 번만 남아야 한다.')).toHaveLength(1);
  await page.context().close();
});

test('settings say the same: what was not sent is said, and nothing red stays', async () => {
  const page = await desk.window({ username: 'admin' });
  await page.goto(`${desk.url}/settings/scope`);
  const toggle = page.getByRole('button', { name: 'MTS 제외' });
  await toggle.waitFor();
  await cut(page);
  await toggle.click();
  await page.getByRole('button', { name: '확정: MTS 제외' }).click();
  await page.locator('main [role=alert]', { hasText: NOT_SENT }).waitFor();
  await page.context().setOffline(false);
  await page.locator('main [data-tone=info]', { hasText: '아직 전송되지 않았으며' }).waitFor();
  expect(await page.locator('[data-tone=bad][role=alert]').count()).toBe(0);
  await page.context().close();
  expect(desk.complaints).toEqual([]);
});
