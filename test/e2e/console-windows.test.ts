/** More than one window and more than one person at the console, in a plain browser. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleBrowser } from './console-browser.ts';

let desk: ConsoleBrowser;

beforeAll(async () => {
  desk = await ConsoleBrowser.open(3);
});
afterAll(() => desk.close());

test('two windows of one person have a session each', async () => {
  const [first, second] = [await desk.window(), await desk.window({ width: 800, height: 600 })];
  await first.locator('article h2').waitFor();
  await second.locator('[data-item]').first().waitFor();
  await first.getByRole('button', { name: /사용자 메뉴/ }).click();
  await first.getByRole('menuitem', { name: '로그아웃' }).click();
  await first.locator('input[name=username]').waitFor();
  await second.reload();
  await second.locator('[data-item]').first().waitFor();
  expect(desk.complaints).toEqual([]);
});
