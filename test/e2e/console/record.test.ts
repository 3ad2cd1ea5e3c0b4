/** The audit log and the accounts as users see them: log, forms, forbidden pages, saved views. */
import path from 'node:path';
import { readFileSync } from 'node:fs';
import type { Page as Window } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExplanationItem, Page, ReviewItem } from '../../../shared/wire/console/console.ts';
import { runs } from '../../support/runs.ts';
import { violations, violationsIn } from '../axe.ts';
import { ConsoleBrowser, moveTo } from '../console-browser.ts';

let browser: ConsoleBrowser;
/** The viewer's window, in which tests go on: a load takes two seconds of processor time. */
let viewer: Window;
/** A busy machine renders late. */
const LATE = { timeout: 20_000 };

beforeAll(async () => {
  browser = await ConsoleBrowser.open(3);
  viewer = await browser.window({ username: 'viewer', at: '/settings' });
});
afterAll(async () => {
  await browser.close();
  expect(browser.complaints).toEqual([]);
});

describe('the audit log', () => {
  test('shows actions in words, with ticker and name, and hides claims by default', async () => {
    const reviewer = await browser.person('reviewer');
    const { items } = await reviewer.ask<Page<ReviewItem>>('GET', '/api/v1/review/items');
    const [item] = items;
    if (item === undefined) throw new Error('Nothing waits.');
    await reviewer.ask('POST', `/api/v1/review/items/${item.id}/claim`);
    await reviewer.ask('POST', `/api/v1/review/items/${item.id}/reject`, { reason: '근거 부족' });
    const page = viewer;
    await moveTo(page, '/settings/audit');
    const row = page.getByRole('row').filter({ hasText: '근거 부족' });
    await expect.poll(() => row.innerText(), LATE).toMatch(/반려/);
    expect(await row.innerText()).toContain(`${item.etf_ticker} ${item.etf_name}`);
    expect(await row.innerText()).toContain('변경 전: 심사 대기');
    expect(await row.innerText()).not.toContain('준법 심사자');
    const table = page.getByRole('table');
    expect(await table.innerText()).not.toMatch(/explanation\.|PENDING_REVIEW|심사 착수/);
    await page.getByLabel('심사 착수·해제 포함').check();
    await expect.poll(() => table.innerText(), LATE).toContain('심사 착수');
    await page.getByLabel('처리자').selectOption({ index: 1 });
    await expect.poll(() => table.getByRole('row').count(), LATE).toBeGreaterThan(1);
    await browser.screenshot(page, 'record-audit-ko');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV 저장' }).click();
    const file = await (await saving).path();
    expect(readFileSync(file, 'utf8').split('\r\n')[0]).toBe(
      '\ufeff번호,일시(KST),처리자,처리 내용,대상,종목코드,종목명,거래일,대상 ID,상세,해시',
    );
  });

  test('is in English on an English screen', async () => {
    const page = await browser.window({ username: 'admin', language: 'en', at: '/settings/audit' });
    const row = page.getByRole('row').filter({ hasText: '근거 부족' });
    await expect.poll(() => row.innerText(), LATE).toContain('Rejected');
    expect(await row.innerText()).toMatch(/reviewer/i);
    await browser.screenshot(page, 'record-audit-en');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect(readFileSync(await (await saving).path(), 'utf8').split('\r\n')[0]).toContain('No.,Time (KST),Person,Role');
  });
});

describe('accounts', () => {
  test('a registration names the invalid field and rule; the rules are visible before', async () => {
    const page = await browser.window({ username: 'admin', at: '/settings/members' });
    const form = page.getByRole('form', { name: '사용자 등록' });
    await form.getByText(/^8자 이상\. 로그인 ID/).waitFor();
    const fill = async (username: string, name: string, password: string): Promise<void> => {
      await form.getByLabel('로그인 ID').fill(username);
      await form.getByLabel('이름').fill(name);
      await form.getByLabel('초기 비밀번호').fill(password);
      await form.getByRole('button', { name: '사용자 등록' }).click();
    };
    const faultOf = (label: string) =>
      form.getByLabel(label).evaluate((input) => {
        const ids = input.getAttribute('aria-describedby')?.split(' ') ?? [];
        const fault = ids.find((id) => id.endsWith('error'));
        return input.getAttribute('aria-invalid') === 'true' && fault !== undefined
          ? (document.getElementById(fault)?.textContent ?? null)
          : null;
      });
    await fill('김 심사', 'SYSTEM', 'short');
    await expect.poll(() => faultOf('로그인 ID'), LATE).toMatch(/영문자·숫자와/);
    expect(await faultOf('이름')).toBe('시스템이 사용하는 이름입니다.');
    expect(await faultOf('초기 비밀번호')).toBe('8자 이상이어야 합니다.');
    await browser.screenshot(page, 'record-member-form');
    expect(await violationsIn(form)).toEqual([]);
    await fill('REVIEWER', '새 사람', 'long enough');
    await expect.poll(() => faultOf('로그인 ID'), LATE).toBe('이미 등록된 로그인 ID입니다.');
    expect(await faultOf('이름')).toBeNull();
    await fill('longname', '새 사람', 'LongName');
    await expect.poll(() => faultOf('초기 비밀번호'), LATE).toBe('로그인 ID와 달라야 합니다.');
    await fill('longname', '새 사람', 'long enough');
    await page.getByRole('cell', { name: 'longname' }).waitFor();
  });

  test('an operator: the own password by field and rule, a forbidden page, and no first administrator after the logout', async () => {
    const page = await browser.window({ username: 'operator' });
    await page.getByRole('button', { name: /사용자 메뉴/ }).click();
    await page.getByRole('menuitem', { name: /계정/ }).click();
    const form = page.getByRole('form', { name: '비밀번호 변경' });
    const change = async (present: string, next: string): Promise<void> => {
      await form.getByLabel('현재 비밀번호').fill(present);
      await form.getByLabel('새 비밀번호', { exact: true }).fill(next);
      await form.getByLabel('새 비밀번호 확인').fill(next);
      await form.getByRole('button', { name: '비밀번호 변경' }).click();
    };
    await change('causeway-demo', 'short');
    await form.getByText('8자 이상이어야 합니다.', { exact: true }).waitFor();
    await change('causeway-demo', 'causeway-demo');
    await form.getByText('현재 비밀번호와 달라야 합니다.').waitFor();
    await change('not this one', 'long enough');
    await form.getByText('현재 비밀번호가 일치하지 않습니다.').waitFor();

    await moveTo(page, '/settings/members');
    await page.getByText('사용자·역할 정보는 시스템 관리자만 볼 수 있습니다.', { exact: false }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/members');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await browser.screenshot(page, 'record-forbidden');
    expect(await violationsIn(page.locator('main'))).toEqual([]);

    await page.getByRole('button', { name: /사용자 메뉴/ }).click();
    await page.getByRole('menuitem', { name: '로그아웃' }).click();
    await page.locator('input[name=username]').waitFor();
    expect(await page.getByRole('button', { name: '최초 관리자 등록' }).count()).toBe(0);
  });
});

const LANGUAGES = ['ko', 'en'] as const;
const SCHEMES = ['light', 'dark'] as const;

test('the first administrator is offered while no account exists, in a form without axe violations', async () => {
  const env = {
    CAUSEWAY_LEDGER: path.join(browser.fixture.folder('empty'), 'ledger.sqlite'),
    CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
  };
  const { url } = await browser.fixture.start('electron/console-api/main.ts', { env }).listening();
  for (const language of LANGUAGES.slice(0, runs(1, LANGUAGES.length))) {
    const page = await browser.page({ language, at: url });
    await page.getByRole('button', { name: /최초 관리자 등록|first administrator/i }).click();
    await page.locator('input[name=setupCode]').waitFor();
    for (const colorScheme of SCHEMES.slice(0, runs(1, SCHEMES.length))) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await browser.screenshot(page, `record-set-up-${language}`);
  }
});

test('every number of the dashboard equals the total of its linked list, and a mark leads to its audit row', async () => {
  const reviewer = await browser.person('reviewer');
  const { items } = await reviewer.ask<Page<ExplanationItem>>('GET', '/api/v1/explanations?exposure=EXPOSED');
  const ticker = items[0]?.etf_ticker ?? '';
  await reviewer.ask('POST', `/api/v1/scope/stocks/${ticker}/toggle`, { reason: '이해상충' });
  const page = viewer;
  await moveTo(page, '/dashboard');
  const tiles = page.locator('a').filter({ has: page.locator('[class*=number]') });
  await expect
    .poll(async () => (await tiles.allInnerTexts()).filter((words) => !words.includes('—')).length, LATE)
    .toBe(10);
  const counted = (await tiles.evaluateAll((links) =>
    links.map((link) => [
      link.getAttribute('href') ?? '',
      link.querySelector('[class*=number]')?.textContent.trim() ?? '',
    ]),
  )) as [string, string][];
  const lists = counted.filter(
    ([href, number]) => /^\/(explanations|samples)/.test(href) && /^[1-9][\d,]*$/.test(number),
  );
  expect(lists.map(([, number]) => number)).toEqual([String(items.length - 1), '1']);
  for (const [href, number] of lists) {
    await page
      .locator(`a[href="${href}"]`)
      .filter({ has: page.locator('[class*=number]') })
      .first()
      .click();
    const said = page.getByText(/^(전체|표본) [\d,]+건/).first();
    await expect.poll(async () => [href, (await said.innerText()).match(/[\d,]+/)?.[0]], LATE).toEqual([href, number]);
    await page.goBack();
    await tiles.first().waitFor();
  }
  const hour = page.getByRole('slider');
  const [now, reading] = [await hour.getAttribute('aria-valuetext'), page.locator('[class*=reading]')];
  expect(await reading.innerText()).toBe(now);
  await hour.press('ArrowLeft');
  await expect.poll(() => reading.innerText(), LATE).not.toBe(now);
  expect(await reading.innerText()).toBe(await hour.getAttribute('aria-valuetext'));
  await page.getByRole('link', { name: `종목 ${ticker} 제공 제외` }).click();
  await expect
    .poll(() => page.locator('tbody tr').allInnerTexts(), LATE)
    .toEqual([expect.stringContaining('이해상충')]);
});

test('the tiles of the board count within the filter', async () => {
  const page = viewer;
  const filters = ['?q=100002', '?from=2026-11-20&to=2026-11-20', '', '?from=2026-11-21'];
  for (const filter of filters.slice(0, runs(1, filters.length))) {
    await moveTo(page, `/explanations${filter}`);
    const tiles = page.getByRole('group').filter({ has: page.getByRole('button', { name: /^자동 제공/ }) });
    const numbers = () => tiles.locator('[class*=count]').allInnerTexts();
    await expect.poll(async () => (await numbers()).filter((number) => /^[\d,]+$/.test(number)).length, LATE).toBe(8);
    const told = await numbers();
    for (const [at, number] of told.entries()) {
      await tiles.getByRole('button').nth(at).click();
      const said = page.getByText(/^전체 [\d,]+건/).first();
      await expect
        .poll(async () => [filter, at, await said.innerText()], LATE)
        .toEqual([filter, at, `전체 ${number}건`]);
      expect([filter, at, await numbers()]).toEqual([filter, at, told]);
    }
  }
  await browser.screenshot(page, 'record-board');
});

test('saved views follow the account', async () => {
  const first = await browser.window({ username: 'operator', at: '/explanations?status=BLOCKED' });
  const views = first.getByRole('button', { name: '저장한 보기', exact: true });
  for (const [status, name] of [
    ['BLOCKED', '막힌 것'],
    ['STOPPED', '중지된 것'],
  ] as const) {
    await moveTo(first, `/explanations?status=${status}`);
    await views.click();
    await first.getByLabel('현재 보기의 이름').fill(name);
    await first.getByRole('button', { name: '저장', exact: true }).click();
    await first.getByRole('link', { name }).waitFor();
    await views.click();
    await first.getByRole('link', { name }).waitFor({ state: 'detached' });
  }

  const second = await browser.window({ username: 'operator', at: '/explanations' });
  await second.getByRole('button', { name: '저장한 보기' }).click();
  await second.getByRole('link', { name: '막힌 것' }).waitFor();
  await second.getByRole('link', { name: '중지된 것' }).click();
  await expect.poll(async () => new URL(second.url()).search, LATE).toBe('?status=STOPPED');
  await second.getByRole('button', { name: '저장한 보기' }).click();
  await browser.screenshot(second, 'record-views');
  await second.getByRole('button', { name: '저장한 보기 “막힌 것” 삭제', exact: true }).click();
  await second.getByRole('button', { name: '저장한 보기 “막힌 것” 삭제 확정' }).click();
  await second.getByRole('link', { name: '막힌 것' }).waitFor({ state: 'detached' });
});
