/**
 * The Tenant Admin answers an inspector: counts, asks for the archive, goes on working, downloads what anybody can check,
 * and deletes it. The other roles see who asked for what.
 */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { DossierFixture, IDS, TICKER } from '../../support/agent/dossier.ts';
import { cheapHash } from '../../support/shared/accounts.ts';
import { verifyArchive } from '../../../agent/operations/dossier/verify-archive.ts';
import { systemIds } from '../../../shared/time/clock.ts';
import { ConsoleBrowser, moveTo, type WindowOptions } from '../console-browser.ts';

let browser: ConsoleBrowser;
let fixture: DossierFixture;
beforeAll(async () => {
  browser = await ConsoleBrowser.open((folder) => {
    fixture = new DossierFixture({
      folder,
      begin: (ledger, now) => seedDemo(ledger, { now: () => now }, systemIds, cheapHash),
    });
    fixture.ledger.close();
    return fixture.file;
  });
});
afterAll(() => browser.close());
afterEach(() => expect(browser.complaints).toEqual([]));

async function opened(options: WindowOptions): Promise<Page> {
  const page = await browser.window({ ...options, at: '/inspection' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

async function counted(page: Page, label: string, word: string): Promise<void> {
  const from = page.getByLabel('거래일 시작');
  await from.fill('2026-11-01');
  await from.press('Tab');
  await page.getByLabel(label).fill(word);
  await page.getByRole('button', { name: '건수 확인' }).click();
}

test('counted first, made in the background, downloaded, checked, and deleted', async () => {
  const page = await opened({ username: 'admin' });
  await page.getByText('작성한 검사 자료가 없습니다.').waitFor();
  await counted(page, '사유에 포함된 말', '없는 사유');
  await page.getByText('작성할 자료가 없습니다').waitFor();
  expect(await page.getByRole('button', { name: '작성 요청' }).count()).toBe(0);
  await counted(page, '사유에 포함된 말', '');
  await page.getByText('조건에 맞는 설명 3건').waitFor();
  await page.getByLabel('증빙 파일 묶음 (ZIP)').check();
  await browser.screenshot(page, 'inspection-counted');
  await page.getByRole('button', { name: '작성 요청' }).click();
  await page.getByText('작성 완료').waitFor();
  await browser.screenshot(page, 'inspection-ready');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: /^내려받기/ }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/^inspection-.*\.zip$/);
  const bytes = readFileSync(await file.path());
  const read = (position: number, length: number) => bytes.subarray(position, position + length);
  const pinned = { vendor: [fixture.vendor.publicKey], tenant: null, checkpoints: null };
  expect([...verifyArchive({ size: bytes.length, read }, pinned)]).toContain('Each of the 3 dossiers fits.');
  // The conditions have changed: the count before says nothing about them.
  await page.getByLabel('처리자', { exact: true }).fill('심사자');
  await page.getByText('조건이 바뀌었습니다.').waitFor();
  expect(await page.getByRole('button', { name: '작성 요청' }).count()).toBe(0);
  await page.getByRole('button', { name: /^파일 삭제/ }).click();
  await page.getByRole('button', { name: /파일 삭제/ }).click();
  await page.getByText('파일 삭제됨').waitFor();
}, 120_000);

test('an explanation leads to the request about it, with its conditions filled in', async () => {
  const page = await browser.window({ username: 'admin', at: `/explanations/${IDS.edited}` });
  await page.getByRole('link', { name: '이 종목으로 검사 자료 작성' }).click();
  await page.getByRole('button', { name: '건수 확인' }).click();
  await page.getByText('조건에 맞는 설명 2건').waitFor();
  expect(await page.getByLabel('종목코드').inputValue()).toBe(TICKER);
  // The screen is there already: another link brings other conditions.
  await moveTo(page, '/inspection?person=%EC%8B%AC%EC%82%AC%EC%9E%90&from=2026-11-01');
  await page.getByRole('button', { name: '건수 확인' }).click();
  await page.getByText('조건에 맞는 설명 1건').waitFor();
});

test('the other roles see the requests and no button; narrow, English and dark too', async () => {
  const viewer = await opened({ username: 'viewer', language: 'en', scheme: 'dark' });
  await viewer.getByText('Only a Tenant Admin').waitFor();
  await viewer.getByText('File deleted').waitFor();
  expect(await viewer.locator('main form, main tbody button').count()).toBe(0);
  await browser.screenshot(viewer, 'inspection-viewer-en-dark');
  const admin = await opened({ username: 'admin', language: 'en', width: 390, height: 844 });
  await admin.getByRole('button', { name: 'Count' }).focus();
  await admin.keyboard.press('Enter');
  await admin.getByText(/Explanations that match|No explanation matches/).waitFor();
  await browser.screenshot(admin, 'inspection-390-en');
  await admin.setViewportSize({ width: 1440, height: 900 });
  await browser.screenshot(admin, 'inspection-en');
}, 120_000);
