/** Changes requested while the network is cut, and changes whose answer is lost on the way. */
import type { Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWER_MS } from '../../../shared/ui/http/request.ts';
import { runs } from '../../support/runs.ts';
import { violationsIn } from '../axe.ts';
import { decide } from '../console-fixture.ts';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(9);
});
afterAll(() => browser.close());

const NOT_SENT = '전송되지 않았습니다. 서버에 연결할 수 없습니다.';
const heading = (page: Page) => page.locator('article h2');
const form = (page: Page) => page.locator('article form');

/** The open item. */
async function opened(page: Page): Promise<string> {
  await heading(page).waitFor();
  return decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
}

async function cut(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.locator('[data-outage]').waitFor();
}

async function statusOf(id: string): Promise<string> {
  return (await (await browser.person('viewer')).ask<{ status: string }>('GET', `/api/v1/review/items/${id}`)).status;
}

test('an unsent decision says so, keeps its text, and is sent when the connection is back', async () => {
  const page = await browser.window();
  const id = await opened(page);
  await page.keyboard.press('e');
  const field = form(page).locator('textarea');
  await field.fill('연결이 끊긴 동안 고친 문구다.');
  await cut(page);
  await field.press('Control+Enter');
  await form(page).locator('[data-tone=bad][role=alert]', { hasText: NOT_SENT }).waitFor();
  expect(await statusOf(id)).toBe('PENDING_REVIEW');
  expect(await violationsIn(form(page))).toEqual([]);
  await browser.screenshot(page, 'outage-not-sent');

  await page.context().setOffline(false);
  await form(page).locator('[data-tone=info]', { hasText: '아직 전송되지 않았으며' }).waitFor();
  expect(await page.locator('[data-tone=bad][role=alert]').count()).toBe(0);
  await browser.screenshot(page, 'outage-back');
  expect(await field.inputValue()).toBe('연결이 끊긴 동안 고친 문구다.');
  expect(await statusOf(id)).toBe('PENDING_REVIEW');
  await field.press('Control+Enter');
  await page.getByText('수정한 문구로 승인했습니다').waitFor();
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.context().close();
});

test('a decision made with a lost answer is looked up and reported as done', async () => {
  const page = await browser.window();
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
  await browser.screenshot(page, 'outage-unanswered');
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.unroute(`**/review/items/${id}`);
  await page.getByText('승인했습니다').waitFor();
  await expect.poll(() => opened(page)).not.toBe(id);
  await page.context().close();
});

test('a decision that never arrived is looked up and reported as not sent', async () => {
  const page = await browser.window();
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

test('an unanswered read ends, says so, and continues by itself once there are answers', async () => {
  const page = await browser.window();
  await opened(page);
  await page.clock.install();
  const held: Route[] = [];
  await page.route('**/explanations?**', (route) => void held.push(route));
  await page.getByRole('link', { name: '가격 변동 설명' }).click();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await page.clock.fastForward(3_000);
  await page.getByText('서버가 아직 응답하지 않습니다').waitFor();
  // An event repeats the pending read, which gets its full time again.
  const silence = page.getByText('서버가 응답하지 않습니다.');
  await expect
    .poll(async () => {
      await page.clock.fastForward(ANSWER_MS);
      return silence.count();
    })
    .toBeGreaterThan(0);
  await browser.screenshot(page, 'silence');
  await page.unroute('**/explanations?**');
  await page.clock.fastForward(ANSWER_MS);
  await page.locator('tbody a').first().waitFor();
  await page.context().close();
});

test('an unanswered decision is looked up after a while, and the typed text stays', async () => {
  const page = await browser.window();
  const id = await opened(page);
  await page.clock.install();
  const held: Route[] = [];
  await page.route('**/approve', (route) => void held.push(route));
  await page.keyboard.press('a');
  const field = form(page).getByRole('textbox');
  await field.fill('확인함.');
  await field.press('Control+Enter');
  await expect.poll(() => held.length).toBe(1);
  await page.clock.fastForward(ANSWER_MS);
  await form(page).locator('[data-tone=info]', { hasText: '서버가 받지 못해 처리된 것이 없습니다' }).waitFor();
  expect(await field.inputValue()).toBe('확인함.');
  expect(await statusOf(id)).toBe('PENDING_REVIEW');

  await page.unroute('**/approve');
  await page.route('**/approve', async (route) => {
    await route.fetch();
    held.push(route);
  });
  await field.press('Control+Enter');
  await expect.poll(() => held.length).toBe(2);
  await page.clock.fastForward(ANSWER_MS);
  await page.getByText('승인했습니다').waitFor();
  expect(await statusOf(id)).toBe('PUBLISHED');
  await page.context().close();
});

test('a decision requested while another one is being sent is reported as not sent', async () => {
  const page = await browser.window();
  const first = await opened(page);
  const held: Route[] = [];
  await page.route('**/approve', (route) => void held.push(route));
  await page.keyboard.press('a');
  await form(page).waitFor();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => held.length).toBe(1);
  await heading(page).click();
  await page.keyboard.press('j');
  await expect.poll(() => opened(page)).not.toBe(first);
  const second = await opened(page);
  await decide(page, 'r');
  await form(page).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('Control+Enter');
  await form(page).locator('[role=alert]', { hasText: '앞서 보낸 결정을 처리하는 중입니다' }).waitFor();
  expect(await statusOf(second)).toBe('PENDING_REVIEW');
  await browser.screenshot(page, 'decision-busy');
  await held[0]?.continue();
  await page.getByText('승인했습니다').waitFor();
  expect(await opened(page)).toBe(second);
  await page.keyboard.press('Control+Enter');
  await page.getByText('반려했습니다').waitFor();
  expect([await statusOf(first), await statusOf(second)]).toEqual(['PUBLISHED', 'REJECTED']);
  await page.context().close();
});

test('a note whose answer was lost exists once, and is reported so', async () => {
  const page = await browser.window();
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
    await browser.person('viewer')
  ).ask<{ items: { kind: string; text?: string }[] }>('GET', `/api/v1/review/items/${id}/timeline`);
  expect(items.filter(({ text }) => text === '한 번만 남아야 한다.')).toHaveLength(1);
  await page.context().close();
});

test('settings behave the same: an unsent change is reported, and no error stays', async () => {
  const page = await browser.window({ username: 'admin', at: '/settings/scope' });
  const toggle = page.getByRole('button', { name: 'MTS 제외' });
  await toggle.click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox', { name: '사유' }).fill('채널 점검');
  await sheet.getByRole('textbox', { name: '그대로 입력' }).fill('MTS');
  await cut(page);
  await sheet.getByRole('button', { name: 'MTS 제외' }).click();
  await sheet.locator('[role=alert]', { hasText: NOT_SENT }).waitFor();
  await page.context().setOffline(false);
  await sheet.locator('[data-tone=info]', { hasText: '아직 전송되지 않았으며' }).waitFor();
  expect(await page.locator('[data-tone=bad][role=alert]').count()).toBe(0);
  await page.context().close();
  expect(browser.complaints).toEqual([]);
});

const isMissing = (route: Route): Promise<void> => route.abort('connectionreset');
const isBroken = async (route: Route): Promise<void> => {
  const response = await route.fetch();
  const body = await response.text();
  // What the half of a file lacks may be its last statements alone.
  await route.fulfill({ response, body: `${body.slice(0, body.length / 2)}(` });
};

/** The browser refuses either, and the screen hears of both in the same way. */
const SCREEN_FILES = [
  ['is broken', isBroken],
  ['is missing', isMissing],
] as const;

test.each(SCREEN_FILES.slice(0, runs(1, SCREEN_FILES.length)))(
  'a screen whose file %s says so and is loaded anew, with the unsaved text',
  async (_how, answer) => {
    const page = await browser.window();
    await opened(page);
    await page.keyboard.press('e');
    await form(page).locator('textarea').fill('화면 파일이 없는 동안 고친 문구다.');
    await page.route('**/assets/policy-screen*', answer);
    await page.getByRole('link', { name: '정책' }).click();
    await page.getByText('화면 파일을 불러오지 못했습니다').waitFor();
    expect(await violationsIn(page.locator('main'))).toEqual([]);
    await browser.screenshot(page, 'outage-file');
    await page.unroute('**/assets/policy-screen*');
    // Past the browser's cache, which may hold the broken file.
    const asked = page.waitForRequest(
      (request) => request.resourceType() === 'fetch' && request.url().includes('/assets/policy-screen'),
    );
    await page.getByRole('button', { name: '새로 고침' }).click();
    expect((await (await asked).allHeaders())['cache-control']).toBe('no-cache');
    await page.getByRole('heading', { name: '정책', level: 1 }).waitFor();
    await page.getByRole('link', { name: '심사 대기 목록' }).click();
    await expect.poll(() => form(page).locator('textarea').inputValue()).toBe('화면 파일이 없는 동안 고친 문구다.');
    await page.context().close();
  },
);

/** One for each way in which `start.js` hears of it; of broken words it hears as of missing ones. */
const FIRST_FILES = [
  ['assets/ko-*.js', 'is missing', isMissing],
  ['assets/*.css', 'is missing', isMissing],
  ['assets/index-*.js', 'is broken', isBroken],
  ['assets/index-*.js', 'is missing', isMissing],
  ['assets/ko-*.js', 'is broken', isBroken],
] as const;

describe('the first files of a page', () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.window();
  });
  afterAll(() => page.context().close());

  test.each(FIRST_FILES.slice(0, runs(4, FIRST_FILES.length)))(
    'a page whose first file %s %s says so, and starts by itself once the server gives it',
    async (file, _how, answer) => {
      await page.route(`**/${file}`, answer);
      await page.reload();
      const told = page.getByRole('alert').filter({ hasText: '화면을 다 불러오지 못했습니다' });
      await told.waitFor();
      await page.unroute(`**/${file}`);
      await told.waitFor({ state: 'detached' });
      await heading(page).waitFor();
    },
  );
});
