/** A reviewer's changes of the compliance policy, in a plain browser with real keys. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deepTest } from '../../support/runs.ts';
import { violations } from '../axe.ts';
import { ConsoleBrowser, moveTo } from '../console-browser.ts';

let browser: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  page = await browser.window();
});
afterAll(() => browser.close());

const open = async (part: string): Promise<void> => {
  const place = `/policy/${part}`;
  // The same part is loaded anew.
  await (new URL(page.url()).pathname === place ? page.reload() : moveTo(page, place));
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const preview = () => page.getByRole('region', { name: '게시 전 미리 보기' });
const publish = () => preview().getByRole('button', { name: '새 버전으로 게시' });
/** With its reason, which publishing requires. */
const publishFor = async (reason: string): Promise<void> => {
  await preview().getByLabel('변경 사유').fill(reason);
  await publish().click();
};
/** The list has more words than a page. */
const search = (word: string): Promise<void> => page.getByLabel('금지어 검색').fill(word);
const wordForm = () => page.getByRole('form', { name: '금지어 등록' });

test('a required notice is turned on, shown among the rules, and catches texts that lack it', async () => {
  await open('notices');
  const form = page.getByRole('form', { name: '필수 문구 등록' });
  await form.getByRole('button', { name: '영향 미리 보기' }).click();
  await form.getByText('명칭을 입력하십시오.').waitFor();
  await form.getByText('인정 표현을 하나 이상 입력하십시오.').waitFor();
  await form.getByLabel('명칭').fill('원금 손실 고지');
  await form.getByLabel('인정 표현').fill('원금 손실, 손실이 발생할 수');
  await form.getByLabel('적용 조건').fill('거래대금');
  await form.getByRole('button', { name: '영향 미리 보기' }).click();
  await preview().getByText('필수 문구 “원금 손실 고지” 누락으로 심사가 필요합니다.').first().waitFor();
  await browser.screenshot(page, 'policy-notice-preview-ko');
  await publish().click();
  await preview().getByText('변경 사유를 입력하십시오.').waitFor();
  expect(
    await preview()
      .getByLabel('변경 사유')
      .evaluate((field) => field === document.activeElement),
  ).toBe(true);
  await publishFor('손실 위험 고지 의무');
  await page.getByRole('cell', { name: '거래대금' }).waitFor();
  await open('criteria');
  const rule = page.getByRole('row', { name: /필수 문구/ });
  expect(await rule.innerText()).toContain('사용');
  // An approval after this change needs the notice too.
  const person = await browser.person('reviewer');
  const { items } = await person.ask<{ items: { id: string }[] }>('GET', '/api/v1/review/items?status=PENDING_REVIEW');
  await expect(person.ask('POST', `/api/v1/review/items/${items[0]?.id ?? ''}/approve`)).rejects.toThrow(
    'lacks a notice',
  );
});

describe('a word', () => {
  test('is previewed beside its form, whose fields keep the typed text while a flip is read', async () => {
    await open('words');
    await wordForm().getByLabel('금지어').fill('수출이 늘어');
    await wordForm().getByLabel('허용 예외').fill('수출이 늘어난 듯, 반도체');
    await wordForm().getByLabel('심사 예외').fill('수출이 늘어날');
    await wordForm().getByRole('combobox', { name: '처리' }).selectOption('BLOCK');
    await wordForm().getByText('금지어를 포함하지 않아 적용되지 않는 허용 예외: “반도체”').waitFor();
    await wordForm().getByRole('button', { name: '영향 미리 보기' }).click();
    const onShow = preview().locator('[data-group=caughtExposed]');
    await onShow.locator('mark').first().waitFor();
    expect(await onShow.locator('mark').first().innerText()).toBe('수출이 늘어');
    expect(await onShow.locator('strong').first().innerText()).toBe('2');
    await browser.screenshot(page, 'policy-word-preview-ko');
    const [form, beside] = [await wordForm().boundingBox(), await preview().boundingBox()];
    expect((form?.x ?? 0) + (form?.width ?? 0)).toBeLessThanOrEqual(beside?.x ?? 0);
    const opened = page.context().waitForEvent('page');
    await onShow.getByRole('link').first().click();
    const window = await opened;
    await window.locator('article h2, h2').first().waitFor();
    await window.close();
    expect(await wordForm().getByLabel('허용 예외').inputValue()).toBe('수출이 늘어난 듯, 반도체');
  });

  test('cannot be published from an outdated preview once the form has changed', async () => {
    await wordForm().getByLabel('허용 예외').fill('수출이 늘어난 듯');
    await preview().getByText('미리 보기 이후 입력 내용이 변경되었습니다', { exact: false }).waitFor();
    expect(await publish().isDisabled()).toBe(true);
    await wordForm().getByRole('button', { name: '영향 미리 보기' }).click();
    await preview().locator('mark').first().waitFor();
    expect(await publish().isDisabled()).toBe(false);
  });

  test('is published with a reason, and the exposed texts that it would catch are sent to review after a count', async () => {
    await publishFor('단정적 표현 민원');
    await preview().getByText('새 버전을 게시했습니다', { exact: false }).waitFor();
    expect(await preview().getByRole('button', { name: '재심사 전환' }).isDisabled()).toBe(true);
    await preview().getByLabel('전체 선택').check();
    await preview().getByRole('button', { name: '재심사 전환 2' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('처리 대상 2건').waitFor();
    await dialog.getByText('상태 ETF 2', { exact: false }).first().waitFor();
    await dialog.getByRole('radio').first().check();
    await dialog.getByRole('button', { name: /^다음: / }).click();
    await dialog.getByRole('button', { name: /^2건 / }).click();
    await dialog.getByText('2건을 처리했습니다.').waitFor();
    await dialog.getByRole('button', { name: '닫기' }).last().click();
    await preview().getByText('선택한 문구를 재심사로 전환했습니다.').waitFor();
    await preview().getByRole('button', { name: '닫기' }).click();
    expect(await wordForm().getByLabel('금지어').inputValue()).toBe('');
    await open('versions');
    await page.getByText('단정적 표현 민원').first().waitFor();
    await page.getByText('수출이 늘어날').first().waitFor();
  });

  test('that exists is reported, with its row', async () => {
    await open('words');
    await wordForm().getByLabel('금지어').fill('확정수익');
    await wordForm().getByRole('button', { name: '영향 미리 보기' }).click();
    await preview().getByText('이미 등록된 금지어입니다: “확정 수익”').waitFor();
    await preview().getByRole('button', { name: '등록된 금지어 보기' }).click();
    const row = page.locator('tr[aria-current=true]');
    expect(await row.innerText()).toContain('확정 수익');
  });

  test('gets another severity and other exceptions, which the preview shows before and after', async () => {
    await open('words');
    await search('최고');
    await page.getByRole('button', { name: '“최고” 변경' }).click();
    const form = page.getByRole('form', { name: '“최고” 변경' });
    expect(await form.getByLabel('금지어').getAttribute('readonly')).not.toBeNull();
    await page.waitForFunction(() => document.activeElement?.tagName === 'SELECT');
    await form.getByRole('combobox', { name: '처리' }).selectOption('BLOCK');
    await form.getByLabel('심사 예외').fill('?');
    await form.getByText('“?”에는 글자나 숫자가 없습니다', { exact: false }).waitFor();
    await form.getByRole('button', { name: '영향 미리 보기' }).click();
    expect(await preview().count()).toBe(0);
    await form.getByLabel('심사 예외').fill('국내 최고');
    await form.getByRole('button', { name: '영향 미리 보기' }).click();
    await preview().getByText('금지어 변경: “최고”').waitFor();
    expect((await preview().locator('li').first().innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /심사.*최고가 · 허용.* → 차단.*국내 최고 · 심사/,
    );
    await publishFor('최상급 표현 제한');
    await preview().waitFor({ state: 'detached' });
    // The focused button is gone, and its form is another one now.
    await page.locator('main:focus, main :focus').waitFor();
  });

  test('being typed is kept during a visit to another word or part, and over a reload', async () => {
    await open('words');
    await wordForm().getByLabel('금지어').fill('쓰던 금지어');
    await wordForm().getByLabel('허용 예외').fill('쓰던 금지어 예외');
    await search('매수');
    await page.getByRole('button', { name: '“매수” 변경' }).click();
    const change = page.getByRole('form', { name: '“매수” 변경' });
    await change.getByLabel('심사 예외').fill('매수 의견');
    await search('확실');
    await page.getByRole('button', { name: '“확실” 변경' }).click();
    await page.getByRole('form', { name: '“확실” 변경' }).waitFor();
    await page.getByRole('link', { name: '고지 문구' }).click();
    const disclaimer = page.getByRole('textbox', { name: /고지/ });
    await disclaimer.press('Control+End');
    await disclaimer.pressSequentially(' 쓰던 고지');
    await page.reload();
    expect(await disclaimer.inputValue()).toMatch(/쓰던 고지$/);
    await page.getByRole('link', { name: '금지어' }).click();
    await search('매수');
    await page.getByRole('button', { name: '“매수” 변경' }).click();
    expect(await change.getByLabel('심사 예외').inputValue()).toBe('매수 의견');
    await change.getByRole('button', { name: '취소' }).click();
    expect(await wordForm().getByLabel('금지어').inputValue()).toBe('쓰던 금지어');
    expect(await wordForm().getByLabel('허용 예외').inputValue()).toBe('쓰던 금지어 예외');
    await search('매수');
    await page.getByRole('button', { name: '“매수” 변경' }).click();
    expect(await change.getByLabel('심사 예외').inputValue()).not.toBe('매수 의견');
    await page.evaluate(() => sessionStorage.clear());
  });

  test('with a missing field names the field and the rule', async () => {
    await open('words');
    await wordForm().getByRole('button', { name: '영향 미리 보기' }).click();
    await wordForm().getByText('금지어를 입력하십시오.').waitFor();
  });
});

test('an invalid criterion shows its range, and the preview stands beside the form', async () => {
  await open('criteria');
  const least = page.getByLabel('최소 출처 수');
  await least.fill('101');
  await page.getByText('0에서 100까지의 정수를 입력하십시오.').waitFor();
  expect(await page.getByRole('button', { name: '영향 미리 보기' }).isDisabled()).toBe(true);
  await least.fill('3');
  await page.getByRole('button', { name: '영향 미리 보기' }).click();
  await preview().getByText('최소 출처 수').waitFor();
  expect(await least.inputValue()).toBe('3');
  await browser.screenshot(page, 'policy-criteria-preview-ko');
  await preview().getByRole('button', { name: '취소' }).click();
  expect(await least.inputValue()).toBe('3');
});

test('any two versions are shown side by side, and one of them is restored', async () => {
  await open('versions');
  const compare = page.getByRole('region', { name: '버전 비교' });
  await compare.getByLabel('기준 버전').selectOption('1');
  await compare.getByText('금지어 추가: “수출이 늘어”').waitFor();
  await compare.getByText('필수 문구 추가: “원금 손실 고지”').waitFor();
  await browser.screenshot(page, 'policy-compare-ko');
  await compare.getByRole('button', { name: '이 버전으로 복원 (버전 1)' }).click();
  await preview().getByText('금지어 삭제: “수출이 늘어”').waitFor();
  await publishFor('시험 종료');
  await page.getByText('버전 1로 복원', { exact: true }).first().waitFor();
});

test('under four eyes the second person sees every exception of the change', async () => {
  const first = await browser.person('reviewer');
  await first.ask('POST', '/api/v1/screening/versions', { criteria: { fourEyes: true } });
  await first.ask('POST', '/api/v1/screening/proposals', {
    changeWords: [{ id: 'word-certain', exceptions: [{ text: '확실시', becomes: 'REVIEW' }] }],
    reason: '오탐 감소',
  });
  await open('proposals');
  const row = page.getByRole('row', { name: /확실시/ });
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/오탐 감소 .*불확실 · 허용 → .*확실시 · 심사/);
});

deepTest(
  'both languages have no axe violations, in words, notices, criteria, versions and their previews',
  async () => {
    for (const language of ['ko', 'en'] as const) {
      const window = await browser.window({ language, width: 1280 });
      const narrow = await browser.window({ language, width: 800, height: 600, at: '/policy/words' });
      await narrow.locator('form input').first().fill('반도체');
      await narrow.locator('form button[type=submit]').click();
      await narrow.locator('[data-group=newlyReviewed]').waitFor();
      expect(await narrow.evaluate(() => document.documentElement.scrollWidth <= globalThis.innerWidth)).toBe(true);
      await browser.screenshot(narrow, `policy-words-800-${language}`);
      for (const part of ['words', 'notices', 'criteria', 'disclaimer', 'versions']) {
        await window.goto(`${browser.url}/policy/${part}`);
        await window.getByRole('heading', { level: 1 }).waitFor();
        await window.locator('tbody tr, textarea').first().waitFor();
        if (part === 'words') {
          await window.locator('form input').first().fill('반도체');
          await window.locator('form button[type=submit]').click();
          await window.locator('[data-group=newlyReviewed]').waitFor();
        }
        await browser.screenshot(window, `policy-${part}-${language}`);
        expect(await violations(window), `${part} ${language}`).toEqual([]);
      }
    }
    expect(browser.complaints).toEqual([]);
  },
);
