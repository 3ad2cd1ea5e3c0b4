/**
 * The second factor with real keys: required by an administrator, set up by QR code or key, given at the login, reset.
 */
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../support/process.ts';
import { violations } from '../axe.ts';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await ConsoleBrowser.open(2);
});
afterAll(() => browser.close());

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent ?? '');
const isEnrolling = (page: Page, language: 'ko' | 'en'): Promise<void> =>
  page
    .getByRole('heading', { name: language === 'ko' ? '2단계 인증 등록' : 'Set up two-factor authentication' })
    .waitFor();
const secretOn = async (page: Page): Promise<string> =>
  (await page.locator('main code').innerText()).replaceAll(/\s/g, '');
const typeLogin = async (page: Page): Promise<void> => {
  await page.locator('input[name=username]').fill('reviewer');
  await page.locator('input[name=password]').fill('causeway-demo');
  await page.keyboard.press('Enter');
};

test('a reviewer who needs one sets it up by keyboard, gives it at the next login, and is told of a reset', async () => {
  const admin = await browser.window({ username: 'admin', at: '/settings/members' });
  const reviewer = await browser.window();
  await reviewer.locator('article h2').waitFor();
  await admin.getByLabel('심사자 2단계 인증 의무화').focus();
  await admin.keyboard.press('Space');
  await expect.poll(() => admin.getByLabel('심사자 2단계 인증 의무화').isChecked()).toBe(true);
  await browser.screenshot(admin, 'second-factor-setting');

  // The reviewer's next request leads to the set-up.
  await reviewer.reload();
  await isEnrolling(reviewer, 'ko');
  await expect.poll(() => focused(reviewer)).toBe('앱에 표시된 6자리 코드');
  await reviewer.getByRole('img', { name: '인증 앱 등록용 QR 코드' }).waitFor();
  expect([await reviewer.locator('nav').count(), await violations(reviewer)]).toEqual([0, []]);
  await browser.screenshot(reviewer, 'second-factor-ko');
  const secret = Secret.fromBase32(await secretOn(reviewer));
  await reviewer.keyboard.type('000000');
  await reviewer.keyboard.press('Enter');
  await reviewer.getByText('지금 유효한 코드가 아니거나 이미 사용한 코드입니다.').waitFor();
  const code = TOTP.generate({ secret });
  await reviewer.keyboard.type(code);
  await reviewer.keyboard.press('Enter');
  await reviewer.getByRole('heading', { name: '복구 코드' }).waitFor();
  const codes = await reviewer.locator('main li').allInnerTexts();
  expect(codes).toHaveLength(10);
  expect(await violations(reviewer)).toEqual([]);
  await browser.screenshot(reviewer, 'second-factor-codes');
  await expect.poll(() => reviewer.evaluate(() => document.activeElement?.textContent)).toBe('보관했음, 계속');
  await waitFor('the console', async () => {
    await reviewer.keyboard.press('Enter');
    return reviewer.locator('article h2').isVisible();
  });

  const again = await browser.page();
  await typeLogin(again);
  await expect.poll(() => focused(again)).toBe('인증 코드');
  expect(await violations(again)).toEqual([]);
  await browser.screenshot(again, 'second-factor-login');
  // A used code is not accepted again.
  await again.keyboard.type(code);
  await again.keyboard.press('Enter');
  await again.getByRole('alert').getByText('지금 유효한 코드가 아니거나 이미 사용한 코드입니다.').waitFor();
  await again.keyboard.press('ControlOrMeta+A');
  await again.keyboard.type(codes[0] ?? '');
  await again.keyboard.press('Enter');
  await again.locator('main#main').waitFor();

  await admin.reload();
  const reset = admin.getByRole('button', { name: '준법심사자 님 2단계 인증 초기화' });
  await reset.focus();
  await waitFor('the reset', async () => {
    if (await reset.isVisible()) await admin.keyboard.press('Enter');
    return (await reset.count()) === 0;
  });
  const told = await browser.page();
  await typeLogin(told);
  await isEnrolling(told, 'ko');
  await told.getByText('2단계 인증을 초기화했습니다').waitFor();
  await browser.screenshot(told, 'second-factor-after-reset');
  expect(browser.complaints).toEqual([]);
});

test('the set-up in English', async () => {
  const page = await browser.page({ language: 'en' });
  await typeLogin(page);
  await isEnrolling(page, 'en');
  await expect.poll(() => focused(page)).toBe('The 6 digits that the app shows');
  await browser.screenshot(page, 'second-factor-en');
  await page.keyboard.type(TOTP.generate({ secret: Secret.fromBase32(await secretOn(page)) }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  expect(browser.complaints).toEqual([]);
});
