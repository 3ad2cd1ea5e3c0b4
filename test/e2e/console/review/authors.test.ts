/** Authorship of the text under review: two users and two windows at the same items, in a plain browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type {
  ExplanationItem,
  Page as ListPage,
  ReviewDetail,
  ReviewItem,
} from '../../../../shared/wire/console/console.ts';
import { waitFor } from '../../../support/process.ts';
import { violationsIn } from '../../axe.ts';
import { decide, type ApiSession } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';

const [FIRST, SECOND, THIRD] = ['준법심사자', '둘째 심사자', '셋째 심사자'];

let browser: ConsoleBrowser;
/** The first reviewer's window. Tests open the others that they need: an idle one takes time too. */
let window: Page;
/** The same users at the API, and one more. */
let first: ApiSession;
let second: ApiSession;
let third: ApiSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(9);
  const admin = await browser.person('admin');
  for (const [username, displayName] of [
    ['second', SECOND],
    ['third', THIRD],
  ] as const)
    await admin.join({
      username,
      displayName,
      role: 'COMPLIANCE_REVIEWER',
      password: 'causeway-demo',
    });
  window = await browser.window();
  [first, second, third] = [
    await browser.person('reviewer'),
    await browser.person('second'),
    await browser.person('third'),
  ];
  await first.ask('PATCH', '/api/v1/screening/criteria', { fourEyes: true });
});
afterAll(() => browser.close());

async function itemOf(ticker: string, as = first): Promise<ReviewDetail> {
  const { items } = await as.ask<ListPage<ReviewItem>>('GET', `/api/v1/review/items?q=${ticker}`);
  return as.ask<ReviewDetail>('GET', `/api/v1/review/items/${items[0]?.id}`);
}

async function explanationOf(ticker: string): Promise<ExplanationItem | undefined> {
  return (await first.ask<ListPage<ExplanationItem>>('GET', `/api/v1/explanations?q=${ticker}`)).items[0];
}

async function openItem(page: Page, ticker: string): Promise<ReviewDetail> {
  const item = await itemOf(ticker);
  await moveTo(page, `/review/${item.id}`);
  await page.locator('article h2').getByText(ticker).waitFor();
  return item;
}

/** Opens the edit by its key and replaces its text. */
async function write(page: Page, text: string): Promise<void> {
  await decide(page, 'KeyE');
  await page.locator('form textarea').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const saved = (page: Page): Promise<void> => page.locator('form [data-saved=saved]').waitFor();
const approveEdited = (as: ApiSession, id: string, text: string): Promise<ReviewDetail> =>
  as.ask<ReviewDetail>('POST', `/api/v1/review/items/${id}/approve-edited`, { edited_summary: text });

test("a colleague's draft names its author; sent by another reviewer it keeps its author, who cannot give the second approval", async () => {
  const text = '동료가 쓰던 문구, 1.23% 상승.';
  const colleague = await browser.window({ username: 'second' });
  const { id } = await openItem(colleague, '100001');
  await write(colleague, text);
  await saved(colleague);

  await openItem(window, '100001');
  const note = window.getByRole('note').filter({ hasText: `${SECOND} 님이 수정 문구를 작성 중입니다.` });
  await note.waitFor();
  // The form of a refusal names the colleague too, and asks once before the work is overtaken (D236).
  await decide(window, 'KeyR');
  await window.locator('article form').getByRole('note').filter({ hasText: SECOND }).waitFor();
  await window.keyboard.press('Digit1');
  await window.keyboard.press('Control+Enter');
  await window
    .getByRole('alert')
    .filter({ hasText: `${SECOND} (` })
    .waitFor();
  expect((await itemOf('100001')).status).toBe('PENDING_REVIEW');
  await browser.screenshot(window, 'authors-overtakes');
  await window.keyboard.press('Escape');
  // It appears neither on the other's screen nor in the initial text of an edit.
  await decide(window, 'KeyE');
  expect(await window.locator('form textarea').inputValue()).not.toContain('동료가');
  await browser.screenshot(window, 'authors-colleague-draft');
  expect(await violationsIn(note)).toEqual([]);
  await note.getByRole('button', { name: '이어서 작성' }).click();
  await note.getByRole('button', { name: new RegExp(`이어서 작성: ${SECOND} .* 확정`) }).click();
  await window.locator('form').getByText(`작성자: ${SECOND}, ${FIRST}`).waitFor();
  expect(await window.locator('form textarea').inputValue()).toBe(text);
  await browser.screenshot(window, 'authors-taken-over');
  await window.locator('form textarea').press('Control+Enter');
  // It is another person's turn now.
  await window.getByRole('link', { name: /100001/ }).waitFor({ state: 'detached' });
  await window.getByRole('button', { name: '2차 승인 1' }).click();
  await window.getByRole('link', { name: /100001.*2차 승인 대기/ }).waitFor();

  const waits = await itemOf('100001', second);
  expect(waits.waitingEdit).toMatchObject({ displayName: FIRST, authors: [SECOND, FIRST], mine: true });
  for (const author of [first, second]) await expect(approveEdited(author, id, text)).rejects.toThrow('REVIEW4095');
  // Its first author's screen shows it too, beside what is their turn.
  await colleague.goto(new URL(`/review/${id}?split=SECOND_PERSON`, browser.url).href);
  const refusal = colleague.getByText('본인이 작성했거나 1차 승인한 문구는');
  await refusal.first().waitFor();
  await colleague.getByRole('button', { name: '현재 내용 확인, 계속 처리' }).click();
  // The form with these words is still open, and sends nothing.
  const approval = colleague.getByRole('button', { name: '2차 승인', exact: true });
  expect(await colleague.getByRole('button', { name: '수정 승인' }).isDisabled()).toBe(true);
  await colleague.locator('form textarea').press('Control+Enter');
  await colleague.getByRole('alert').filter({ hasText: '다른 심사자' }).waitFor();
  await colleague.keyboard.press('Escape');
  expect(await approval.isDisabled()).toBe(true);
  expect(await approval.getAttribute('aria-describedby')).toBe(await refusal.first().getAttribute('id'));
  await decide(colleague, 'KeyA');
  await refusal.nth(1).waitFor();
  expect(await colleague.locator('article form').count()).toBe(0);
  await approveEdited(third, id, text);
  const { history } = await first.ask<ReviewDetail>('GET', `/api/v1/review/items/${id}`);
  expect(history.at(-1)).toMatchObject({ actor: THIRD, authors: [SECOND, FIRST] });
  await openTimeline(window, id);
  await window.locator('article').getByText(`작성: ${SECOND}, ${FIRST}`).first().waitFor();
});

async function openTimeline(page: Page, id: string): Promise<void> {
  await moveTo(page, `/review/${id}`);
  await page.locator('article h2').waitFor();
}

test("sent over the API without a take-over, a colleague's draft is still theirs", async () => {
  const { id } = await itemOf('100002');
  const text = '동료의 초안, 1.23% 상승.';
  await second.ask('PUT', `/api/v1/review/items/${id}/draft`, { edited_summary: text });
  await approveEdited(first, id, text);
  await expect(approveEdited(second, id, text)).rejects.toThrow('REVIEW4095');
});

test('A on an item with a waiting edit exposes the edit; the received text is behind a menu', async () => {
  const text = '먼저 승인된 수정 문구, 1.23% 상승.';
  const { id } = await itemOf('100003');
  await approveEdited(second, id, text);
  await openItem(window, '100003');
  const panel = window.locator('article section').filter({ hasText: '심사 대상: 수정 문구' }).first();
  await panel.getByText(`작성: ${SECOND}`).waitFor();
  expect(await panel.locator('p[lang=ko]').first().innerText()).toBe(text);
  expect((await panel.locator('ins').allInnerTexts()).join('')).toContain('먼저');
  await window.getByRole('button', { name: '2차 승인', exact: true }).waitFor();
  await window.getByRole('button', { name: '다시 수정' }).waitFor();
  await browser.screenshot(window, 'authors-under-review');
  await decide(window, 'KeyA');
  await window.getByRole('form', { name: /100003.*수정 문구로 승인/ }).waitFor();
  await window.locator('form:focus-within').waitFor();
  await window.keyboard.press('Control+Enter');
  await waitFor('the edit to be exposed', async () => (await explanationOf('100003'))?.status === 'PUBLISHED');
  expect((await explanationOf('100003'))?.published_summary).toBe(text);

  const again = await itemOf('100004');
  await approveEdited(second, again.id, text);
  await expect(first.ask('POST', `/api/v1/review/items/${again.id}/approve`, {})).rejects.toThrow('REVIEW4092');
  await openItem(window, '100004');
  await window.getByRole('button', { name: '다른 처리' }).click();
  await window.getByRole('menuitem', { name: '수신 문구로 승인' }).click();
  await window.locator('form').getByText('수정 문구 대신 수신 문구가 제공됩니다.').waitFor();
  await window.getByRole('button', { name: '승인', exact: true }).click();
  await waitFor('the text to be exposed', async () => (await explanationOf('100004'))?.status === 'PUBLISHED');
  expect((await explanationOf('100004'))?.published_summary).toBe(again.summary);
});

test('two windows of one user share one draft; neither overwrites the other', async () => {
  const { id } = await openItem(window, '100005');
  const other = await browser.window({ at: `/review/${id}` });
  await write(window, '첫 창의 문구, 1.23% 상승.');
  await saved(window);
  await decide(other, 'KeyE');
  await other.locator('form textarea').waitFor();
  await waitFor(
    'the other window to have it',
    async () => (await other.locator('form textarea').inputValue()) === '첫 창의 문구, 1.23% 상승.',
  );
  // Live: the other window has no unsaved text.
  await window.locator('form textarea').press('End');
  await window.keyboard.insertText(' 더 씁니다.');
  await waitFor('the other window to follow', async () =>
    (await other.locator('form textarea').inputValue()).endsWith('더 씁니다.'),
  );
  // Both write at once: nothing is lost, and the user chooses the text that stays.
  const item = await itemOf('100005');
  await other.locator('form textarea').press('End');
  await other.keyboard.insertText(' 둘째 창.');
  await first.ask('PUT', `/api/v1/review/items/${item.id}/draft`, {
    edited_summary: '또 다른 창의 문구',
    draftVersion: item.draft?.version,
  });
  const conflict = other
    .getByRole('alert')
    .filter({ hasText: '다른 창에서 작성 내용을 수정하여 임시 저장을 일시 중지했습니다.' });
  await conflict.waitFor();
  expect(await other.locator('form textarea').inputValue()).toContain('둘째 창.');
  await browser.screenshot(other, 'authors-elsewhere');
  await conflict.getByRole('button', { name: '이 창의 문구 유지' }).click();
  await conflict.waitFor({ state: 'detached' });
  await waitFor(
    'the draft to be kept',
    async () => (await itemOf('100005')).draft?.text?.endsWith('둘째 창.') === true,
  );
  await waitFor('the first window to follow', async () =>
    (await window.locator('form textarea').inputValue()).endsWith('둘째 창.'),
  );
});

test("the user's own decision in another window is distinguished from a colleague's, and the text can be kept", async () => {
  await window.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const own = await openItem(window, '100006');
  await write(window, '내가 쓰던 문구, 1.23% 상승.');
  await first.ask('POST', `/api/v1/review/items/${own.id}/reject`, { reason: '사유' });
  const panel = window.locator('section[role=alert]');
  await panel.getByText('본인이 다른 창에서 먼저 처리했습니다.').waitFor();
  await panel.getByRole('button', { name: '내 문구 복사' }).click();
  await panel.getByRole('button', { name: '복사됨' }).waitFor();
  expect(await window.evaluate(() => navigator.clipboard.readText())).toBe('내가 쓰던 문구, 1.23% 상승.');
  await browser.screenshot(window, 'authors-own-window');
  expect(await violationsIn(panel)).toEqual([]);

  const foreign = await openItem(window, '100007');
  await write(window, '또 쓰던 문구, 1.23% 상승.');
  await second.ask('POST', `/api/v1/review/items/${foreign.id}/approve`, {});
  await panel.getByText('다른 사용자가 먼저 처리했습니다.').waitFor();
  expect(await panel.innerText()).toContain(SECOND);
  // The actions of the new state are one key away, with their form open.
  await panel.getByRole('button', { name: '제공 중지' }).click();
  await window.getByRole('form', { name: /100007/ }).waitFor();
  expect((await explanationOf('100007'))?.status).toBe('PUBLISHED');

  const next = await openItem(window, '100008');
  await write(window, '셋째로 쓰던 문구, 1.23% 상승.');
  await second.ask('POST', `/api/v1/review/items/${next.id}/approve`, {});
  await panel.getByRole('button', { name: '다음 건' }).click();
  await waitFor(
    'another item to open',
    async () => !(await window.locator('article h2').innerText()).includes('100008'),
  );
  expect(browser.complaints).toEqual([]);
});
