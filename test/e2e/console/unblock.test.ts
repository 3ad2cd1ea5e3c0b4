/** A reviewer lifts blocks of the screening, from the preview of a policy and from the explanation's page (D209). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive, screened } from '../../support/agent/ledger.ts';
import { ConsoleBrowser, moveTo } from '../console-browser.ts';
import { seededLedger } from '../console-fixture.ts';

const BLOCKED = ['무위험 상품입니다.', '무위험에 가깝습니다.'];
let browser: ConsoleBrowser;
let ids: string[];

beforeAll(async () => {
  browser = await ConsoleBrowser.open((folder) => {
    const file = seededLedger(folder);
    const ledger = openLedger(file);
    ids = ledger.write((tx) =>
      BLOCKED.map((summary, index) => {
        const result = { etf_ticker: `90000${index}`, etf_name: `차단 ETF ${index}`, summary };
        return receive(tx, newEntry(`blocked-${index}`, result, { cursor: 900 + index }), screened('BLOCKED'));
      }),
    );
    ledger.close();
    return file;
  });
});
afterAll(() => browser.close());

test('with a reason, one by one; a block by a person cannot be lifted', async () => {
  const page = await browser.window({ at: '/policy/words' });
  await page.getByLabel('금지어 검색').fill('무위험');
  await page.getByRole('button', { name: '“무위험” 변경' }).click();
  const form = page.getByRole('form', { name: '“무위험” 변경' });
  await form.getByRole('combobox', { name: '처리' }).selectOption('REVIEW');
  await form.getByRole('button', { name: '영향 미리 보기' }).click();
  const preview = page.getByRole('region', { name: '게시 전 미리 보기' });
  const freed = preview.locator('[data-group=freedBlocks]');
  expect(await freed.locator('strong').first().innerText()).toBe('2');
  await preview.getByLabel('변경 사유').fill('오탐이 잦음');
  await preview.getByRole('button', { name: '새 버전으로 게시' }).click();
  // They stay blocked, and are offered until the reviewer closes the dialog.
  await preview.getByRole('button', { name: '닫기' }).waitFor();
  const lift = freed.getByRole('button', { name: '차단 ETF 0: 자동 차단 해제' });
  const confirm = freed.getByRole('button', { name: /확정/ });
  await lift.click();
  await confirm.click();
  await freed.getByText('사유를 입력하십시오.').waitFor();
  await freed.getByLabel('차단 해제 사유').fill('재무위험을 뜻함');
  await lift.click();
  await confirm.click();
  await freed.getByText('심사 대기로 보냄').first().waitFor();
  expect(await freed.getByRole('button', { name: /자동 차단 해제/ }).count()).toBe(1);
  await browser.screenshot(page, 'policy-freed-blocks-ko');

  await moveTo(page, `/explanations/${ids[1] ?? ''}`);
  await page.getByRole('button', { name: '자동 차단 해제' }).click();
  const operation = page.getByRole('form', { name: /자동 차단을 해제하고/ });
  await operation.getByRole('button', { name: '자동 차단 해제' }).click();
  await operation.getByText('사유를 입력하십시오.').waitFor();
  await operation.getByLabel('차단 해제 사유').fill('재무위험을 뜻함');
  await browser.screenshot(page, 'explanation-unblock-ko');
  await operation.getByRole('button', { name: '자동 차단 해제' }).click();
  await page.getByRole('link', { name: '심사 화면에서 열기' }).first().waitFor();

  const reviewer = await browser.person('reviewer');
  await reviewer.ask('POST', `/api/v1/review/items/${ids[1] ?? ''}/block`, { reason: '사유' });
  await page.getByText('‘차단’ 상태에서 가능한 조치가 없습니다.').waitFor();
  expect(browser.complaints).toEqual([]);
});
