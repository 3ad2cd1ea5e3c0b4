/** Sectors by real keys: no row has an open field, a long list is searched, and a button opens the field. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import type { Page as ListPage, StockScope } from '../../../shared/wire/console/console.ts';
import type { ApiSession } from '../console-fixture.ts';
import { ConsoleBrowser } from '../console-browser.ts';

const SECTORS = 24;

let browser: ConsoleBrowser;
let page: Page;
let api: ApiSession;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(SECTORS);
  api = await browser.person('reviewer');
  const { items } = await api.ask<ListPage<StockScope>>('GET', '/api/v1/scope/stocks?size=100');
  for (const [index, { code }] of items.slice(0, SECTORS).entries())
    await api.ask('PUT', `/api/v1/scope/stocks/${code}/sector`, {
      sector: `업종 ${String(index + 1).padStart(2, '0')}`,
    });
  page = await browser.window({ at: '/settings/scope' });
  await sectors().locator('tbody tr').first().waitFor();
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

const sectors = () => page.getByRole('region', { name: '업종', exact: true });
const stocks = () => page.getByRole('region', { name: '종목', exact: true });

test('no instrument has an open field; the list shows ten sectors and a search', async () => {
  await stocks().locator('tbody tr').first().waitFor();
  expect(await page.locator('tbody input').count()).toBe(0);
  expect(await sectors().locator('tbody tr').count()).toBe(10);
  await sectors().getByRole('searchbox', { name: '업종 검색' }).fill('2');
  // 02, 12, 20 to 24.
  await expect.poll(() => sectors().locator('tbody tr').count()).toBe(7);
  await browser.screenshot(page, 'scope-sectors');
  await sectors().getByRole('searchbox').fill('');
  await sectors()
    .getByRole('button', { name: `전체 ${SECTORS}개 보기` })
    .click();
  expect(await sectors().locator('tbody tr').count()).toBe(SECTORS);
});

test('a sector is changed by its button: the field has the focus, Escape closes it, its button saves', async () => {
  const row = stocks().locator('tbody tr').first();
  const button = row.getByRole('button', { name: /의 업종 변경$/ });
  await button.focus();
  await page.keyboard.press('Enter');
  const field = row.locator('input');
  await field.waitFor();
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type('반도체');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await button.click();
  await field.fill('반도체');
  await row.getByRole('button', { name: '저장' }).click();
  await row.getByText('반도체').waitFor();
  const { items } = await api.ask<ListPage<StockScope>>('GET', '/api/v1/scope/stocks?sector=반도체');
  expect(items).toHaveLength(1);
});

test('a whole market is excluded only with a reason and its name, warns everybody, and is confirmed as intended', async () => {
  const admin = await browser.window({ username: 'admin', at: '/settings/scope' });
  await admin.getByRole('button', { name: /^KRX .*제외$/ }).click();
  const sheet = admin.getByRole('dialog');
  const exclude = sheet.getByRole('button', { name: /^KRX .*제외$/ });
  await sheet.locator('p[data-tone]').first().waitFor();
  await sheet.getByRole('textbox', { name: '사유' }).fill('거래소 장애');
  await sheet.getByRole('textbox', { name: /KRX/ }).fill('KR');
  expect(await exclude.isDisabled()).toBe(true);
  await sheet.getByRole('textbox', { name: /KRX/ }).fill('KRX');
  await exclude.click();
  await sheet.waitFor({ state: 'detached' });
  // The strip comes to other users without a press.
  const strip = page.locator('aside[data-exclusions]');
  await strip.getByText('시장 KRX 제공 제외 중').waitFor();
  await admin.getByRole('button', { name: /^KRX .*의도한 제외로 확인$/ }).click();
  await admin.getByRole('dialog').getByRole('textbox', { name: '사유' }).fill('취급하지 않는 시장');
  await admin.getByRole('dialog').getByRole('button', { name: '의도한 제외로 확인' }).click();
  await strip.waitFor({ state: 'detached' });
  await admin.getByText('의도한 제외: 취급하지 않는 시장').waitFor();
  await admin.context().close();
});
