/** The word list in a browser: several words at a time, and as a file that leaves, is edited and comes back. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { csvLine } from '../../../shared/wire/csv.ts';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;
beforeAll(async () => {
  browser = await ConsoleBrowser.open(1);
  page = await browser.window({ at: '/policy/words' });
});
afterAll(() => browser.close());

const form = () => page.getByRole('form', { name: '금지어 등록' });
const preview = () => page.getByRole('region', { name: '게시 전 미리 보기' });

test('a list in the field is offered as several words, and an exception of another word is said', async () => {
  await form().getByLabel('금지어').fill('최고가, 새낱말, 다른 낱말');
  await form().getByText('쉼표로 나눈 3개를 각각 금지어로 등록').waitFor();
  await form().getByText('허용 예외입니다').waitFor();
  await browser.screenshot(page, 'policy-words-several');
  await form().getByRole('button', { name: '영향 미리 보기' }).click();
  await preview().getByText('“다른 낱말”').waitFor();
  await form().getByLabel('쉼표로 나눈').uncheck();
  await form().getByRole('button', { name: '영향 미리 보기' }).click();
  await preview().getByText('“최고가, 새낱말, 다른 낱말”').waitFor();
  await preview().getByRole('button', { name: '취소' }).click();
});

test('a sentence is tried beside a word that the policy has already', async () => {
  const word = form().getByRole('textbox', { name: '금지어', exact: true });
  await word.fill('최고');
  await page.getByText('시험: 금지어와 정책이 찾는 표현').click();
  const trial = page.getByRole('region', { name: '문장 시험' });
  await trial.getByRole('textbox').fill('국내 최고 상품입니다.');
  await trial.getByText('이미 등록된 금지어입니다: “최고”').waitFor();
  expect(await trial.getByRole('heading', { level: 4 }).allTextContents()).toEqual(['현행 정책']);
  await trial.locator('mark').first().waitFor();
  await browser.screenshot(page, 'policy-words-trial');
  await word.fill('');
});

test('the list is saved, comes back with 500 more words, is previewed and published', async () => {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV로 내보내기' }).click();
  const csv = readFileSync(await (await saving).path(), 'utf8');
  const added = Array.from({ length: 500 }, (_, n) => csvLine([`긴 목록 ${n}`, '심사']));
  const choose = async (name: string, text: string): Promise<void> => {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: '파일 가져오기' }).click();
    await (await choosing).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  };
  await choose('bad.csv', csv + csvLine(['낱말', '금지']));
  await page.getByText('이 열에 쓸 수 없는 값입니다').waitFor();
  await browser.screenshot(page, 'policy-words-import-problem');
  await choose('same.csv', csv);
  await page.getByText('바뀌는 내용이 없습니다.').waitFor();
  await choose('words.csv', csv + added.join(''));
  await page.getByText('추가 500개').waitFor();
  await page.getByRole('button', { name: '영향 미리 보기' }).click();
  await preview().getByRole('region', { name: '변경 500건' }).getByText('“긴 목록 499”').waitFor();
  await browser.screenshot(page, 'policy-words-import');
  await preview().getByLabel('변경 사유').fill('협회 목록 반영');
  await preview().getByRole('button', { name: '새 버전으로 게시' }).click();
  await form().waitFor();
  await page.getByRole('searchbox', { name: '금지어 검색' }).fill('긴목록');
  await page.getByText('전체 500개').waitFor();
  const workbook = page.waitForEvent('download');
  await page.getByRole('button', { name: '엑셀(XLSX)로 내보내기' }).click();
  expect((await workbook).suggestedFilename()).toMatch(/^words-.*\.xlsx$/);
});
