/** The record and the accounts as people see them: audit log, forms, pages that one may not see, saved views. */
import { readFileSync } from 'node:fs';
import type { Page as Window } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page, ReviewItem } from '../../shared/wire/console.ts';
import { violations } from './axe.ts';
import { ConsoleBrowser } from './console-browser.ts';

let desk: ConsoleBrowser;

beforeAll(async () => {
  desk = await ConsoleBrowser.open(3);
});
afterAll(async () => {
  await desk.close();
  expect(desk.complaints).toEqual([]);
});

const open = async (page: Window, path: string): Promise<void> => {
  await page.goto(`${desk.url}${path}`);
};

describe('the audit log', () => {
  test('tells acts in words, with ticker and name, and hides claims until they are asked for', async () => {
    const reviewer = await desk.person('reviewer');
    const { items } = await reviewer.ask<Page<ReviewItem>>('GET', '/api/v1/review/items');
    const [item] = items;
    if (item === undefined) throw new Error('Nothing waits.');
    await reviewer.ask('POST', `/api/v1/review/items/${item.id}/claim`);
    await reviewer.ask('POST', `/api/v1/review/items/${item.id}/reject`, { reason: '근거 부족' });
    const page = await desk.window({ username: 'viewer' });
    await open(page, '/settings/audit');
    const row = page.getByRole('row').filter({ hasText: '근거 부족' });
    await expect.poll(() => row.innerText()).toMatch(/반려/);
    expect(await row.innerText()).toContain(`${item.etf_ticker} ${item.etf_name}`);
    expect(await row.innerText()).toContain('변경 전: 심사 대기');
    expect(await row.innerText()).not.toContain('준법 심사자');
    const table = page.getByRole('table');
    expect(await table.innerText()).not.toMatch(/explanation\.|PENDING_REVIEW|심사 착수/);
    await page.getByLabel('심사 착수·해제 포함').check();
    await expect.poll(() => table.innerText()).toContain('심사 착수');
    await page.getByLabel('처리자').selectOption({ index: 1 });
    await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(1);
    await desk.screenshot(page, 'record-audit-ko');
    expect(await violations(page)).toEqual([]);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV 저장' }).click();
    const file = await (await saving).path();
    expect(readFileSync(file, 'utf8').split('\r\n')[0]).toBe(
      '\ufeff번호,일시(KST),처리자,처리 내용,대상,종목코드,종목명,거래일,대상 ID,상세,해시',
    );
  });

  test('is in English where the screen is', async () => {
    const page = await desk.window({ username: 'admin', language: 'en' });
    await open(page, '/settings/audit');
    const row = page.getByRole('row').filter({ hasText: '근거 부족' });
    await expect.poll(() => row.innerText()).toContain('Rejected');
    expect(await row.innerText()).toMatch(/reviewer/i);
    await desk.screenshot(page, 'record-audit-en');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect(readFileSync(await (await saving).path(), 'utf8').split('\r\n')[0]).toContain('No.,Time (KST),Person,Role');
  });
});
