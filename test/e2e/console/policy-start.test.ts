/** A policy version with a start, and replacement phrases in the edit sheet, with real keys and a mouse. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { ActivePolicy, WordPage } from '../../../shared/wire/console/console.ts';
import { violationsIn } from '../axe.ts';
import { decide, TEXT } from '../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(1);
  page = await browser.window();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

test('the caret on a hit opens its phrases with /; Enter or a click puts one in its place', async () => {
  const api = await browser.person('reviewer');
  const { items } = await api.ask<WordPage>('GET', `/api/v1/screening/words?q=${encodeURIComponent('매수')}`);
  const id = items.find(({ word }) => word === '매수')?.id ?? '';
  await api.ask('PATCH', `/api/v1/screening/words/${id}`, { replacements: ['순매수 우위', '매수 우위 흐름'] });
  await moveTo(page, '/review');
  await decide(page, 'KeyE');
  const field = page.getByRole('textbox', { name: /수정 문구/ });
  await field.waitFor();
  await page.getByRole('button', { name: '“매수” 바꾸기' }).waitFor();
  const list = page.getByRole('listbox', { name: '“매수” 대체 문구' });
  const caretTo = (at: number) =>
    field.evaluate((node, to) => (node as HTMLTextAreaElement).setSelectionRange(to, to), at);
  // Beside a hit it is a letter.
  await caretTo(0);
  await field.press('/');
  expect(await field.inputValue()).toBe(`/${TEXT} 매수 의견이 이어졌다.`);
  await field.press('Backspace');
  await caretTo(TEXT.length + 2);
  await field.press('/');
  await list.waitFor();
  await browser.screenshot(page, 'replacements-ko');
  expect(await violationsIn(page.locator('article form'))).toEqual([]);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await list.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe(`${TEXT} 매수 우위 흐름 의견이 이어졌다.`);
  await page.keyboard.type('!');
  expect(await field.inputValue()).toBe(`${TEXT} 매수 우위 흐름! 의견이 이어졌다.`);
  await page.getByRole('button', { name: '“매수” 바꾸기' }).click();
  await list.getByRole('option', { name: '순매수 우위' }).click();
  expect(await field.inputValue()).toBe(`${TEXT} 순매수 우위 우위 흐름! 의견이 이어졌다.`);
});

test('a version is published for later, edited, and cancelled by another reviewer', async () => {
  await moveTo(page, '/policy/words');
  const form = page.getByRole('form', { name: '금지어 등록' });
  await form.getByLabel('금지어', { exact: true }).fill('초강세');
  await form.getByLabel('대체 문구').fill('호조\n큰 폭의 상승');
  await form.getByRole('button', { name: '영향 미리 보기' }).click();
  const preview = page.getByRole('region', { name: '게시 전 미리 보기' });
  await preview.getByText('“호조”, “큰 폭의 상승”').waitFor();
  await preview.getByLabel('시행', { exact: true }).selectOption('later');
  await preview.getByLabel('변경 사유').fill('개정');
  await preview.getByRole('button', { name: '새 버전으로 게시' }).click();
  await preview.getByText('현재 이후의 시행 시각을 입력하십시오.').waitFor();
  const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  await preview.getByLabel('시행 시각 (한국 시간)').fill(`${day}T09:00`);
  await browser.screenshot(page, 'policy-start-form-ko');
  await preview.getByRole('button', { name: '새 버전으로 게시' }).click();
  const note = page.locator('[data-waiting]');
  await note.getByText(`버전 3: ${day} 09:00 KST부터 시행 예정`).waitFor();
  await note.getByText('작성자 본인은 취소할 수 없습니다.').waitFor();
  // The screen shows what waits.
  await page.getByRole('searchbox', { name: '금지어 검색' }).fill('초강세');
  await page.getByRole('rowheader', { name: '초강세', exact: true }).waitFor();
  await browser.screenshot(page, 'policy-start-waiting-ko');
  expect(await violationsIn(page.locator('main'))).toEqual([]);

  await note.getByRole('button', { name: '시행 시각 변경' }).click();
  await preview.getByLabel('시행 시각 (한국 시간)').fill(`${day}T10:30`);
  await preview.getByLabel('변경 사유').fill('시각 조정');
  await preview.getByRole('button', { name: '새 버전으로 게시' }).click();
  await note.getByText(`버전 4: ${day} 10:30 KST부터 시행 예정`).waitFor();

  const admin = await browser.person('admin');
  const account = { username: 'second', displayName: '둘째 심사자', role: 'COMPLIANCE_REVIEWER' } as const;
  const second = await admin.join({ ...account, password: 'causeway-demo' });
  const other = await browser.window({ username: 'second', at: '/policy/versions' });
  await other.locator('[data-waiting]').getByRole('button', { name: '시행 취소' }).click();
  const cancel = other.getByRole('form', { name: '시행 취소' });
  await cancel.getByRole('button', { name: '시행 취소' }).click();
  await cancel.getByText('취소 사유를 입력하십시오.').waitFor();
  await cancel.getByLabel('취소 사유').fill('내부 보류');
  await cancel.getByRole('button', { name: '시행 취소' }).click();
  await other.getByText('둘째 심사자 님이 취소: 내부 보류').waitFor();
  await other.locator('[data-waiting]').waitFor({ state: 'detached' });
  await browser.screenshot(other, 'policy-start-cancelled-ko');
  expect(await other.getByRole('row', { name: /시행 전 다른 버전으로 대체/ }).count()).toBe(1);
  const policy = await second.ask<ActivePolicy>('GET', '/api/v1/screening/policy?edited=true');
  expect(policy).toMatchObject({ policyVersion: 2, waiting: null });
});
