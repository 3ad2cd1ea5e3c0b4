/** A password that an administrator has set: given in the settings, replaced at the first login, with real keys. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { waitFor } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';
import { violations, violationsIn } from '../axe.ts';
import { ConsoleBrowser } from '../console-browser.ts';

let browser: ConsoleBrowser;
beforeAll(async () => {
  browser = await ConsoleBrowser.open(1);
});
afterAll(() => browser.close());

/** The label of the focused field. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent ?? '');

/** Types at the login screen. */
async function enter(page: Page, username: string, password: string): Promise<void> {
  await page.locator('input[name=username]').waitFor();
  await page.locator('input[name=username]').focus();
  await page.keyboard.type(username);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
}

const WORDS = {
  ko: {
    present: '현재 비밀번호',
    next: '새 비밀번호',
    heading: '새 비밀번호 설정',
    common: '널리 알려져 추측하기 쉬운 비밀번호입니다. 다른 비밀번호를 입력하십시오.',
    different: '새 비밀번호와 일치하지 않습니다.',
  },
  en: {
    present: 'Current password',
    next: 'New password',
    heading: 'Set a new password',
    common: 'This password is widely known and easy to guess. Choose another one.',
    different: 'The new passwords do not match.',
  },
} as const;

/** The English words are checked in the deep suite: the screen is the same. */
test.for((['ko', 'en'] as const).slice(0, runs(1, 2)))(
  'the first login is the form alone, at once and by keys: %s',
  async (language) => {
    const username = `first.${language}`;
    const admin = await browser.person('admin');
    const password = 'given by the admin';
    await admin.ask('POST', '/api/v1/members', { username, displayName: username, role: 'READ_ONLY', password });
    const page = await browser.page({ language });
    const words = WORDS[language];
    await enter(page, username, password);
    await page.getByRole('heading', { name: words.heading }).waitFor();
    await expect.poll(() => focused(page)).toBe(words.present);
    expect(await page.locator('nav').count()).toBe(0);
    await page.keyboard.type(password);
    for (const [next, again, said] of [
      ['Password1', 'Password2', words.different],
      ['Password1', 'Password1', words.common],
    ]) {
      await page.getByLabel(words.next, { exact: true }).fill(next ?? '');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(again ?? '');
      await page.keyboard.press('Enter');
      await page.getByText(said ?? '', { exact: true }).waitFor();
    }
    await expect.poll(() => focused(page)).toBe(words.next);
    expect(await violations(page)).toEqual([]);
    await browser.screenshot(page, `own-password-${language}`);
    // Reloading the page does not bypass it.
    await page.reload();
    await expect.poll(() => focused(page)).toBe(words.present);
    for (const typed of [password, `of ${username}'s own`, `of ${username}'s own`]) {
      await page.keyboard.type(typed);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.locator('main#main').waitFor();
    await page.context().close();
    expect(browser.complaints).toEqual([]);
  },
);

test('an administrator resets a password by keyboard, and sees which rules it breaks', async () => {
  const admin = await browser.window({ username: 'admin', at: '/settings/members' });
  const button = admin.getByRole('button', { name: '운영자 님 비밀번호 초기화' });
  await button.focus();
  await admin.keyboard.press('Enter');
  const dialog = admin.getByRole('dialog');
  await expect.poll(() => focused(admin)).toBe('임시 비밀번호');
  await admin.keyboard.type('operator-2026');
  // A form that has only just opened rests: Enter sends it once it is awake.
  const refusal = dialog.getByText('로그인 ID와 달라야 합니다.', { exact: true });
  await waitFor('the refusal', async () => {
    await admin.keyboard.press('Enter');
    return refusal.isVisible();
  });
  expect(await violationsIn(dialog)).toEqual([]);
  await browser.screenshot(admin, 'reset-password');
  await admin.keyboard.press('ControlOrMeta+A');
  await admin.keyboard.type('given once more');
  await admin.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await admin
    .getByRole('row', { name: /운영자/ })
    .getByText('임시 비밀번호')
    .waitFor();
  await browser.screenshot(admin, 'members-temporary-password');
  const page = await browser.page();
  await enter(page, 'operator', 'given once more');
  await page.getByRole('heading', { name: WORDS.ko.heading }).waitFor();
  expect(browser.complaints).toEqual([]);
});
