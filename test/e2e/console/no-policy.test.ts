/** A console whose ledger has no policy yet: every screen says so, with the consequence, until there is one (D61). */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerMember } from '../../../agent/ledger/accounts/member-changes.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../../../agent/ledger/demo/seed.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import { hashPasswordSync } from '../../../shared/service/accounts/passwords.ts';
import { violationsIn } from '../axe.ts';
import { ConsoleBrowser } from '../console-browser.ts';

const AT = '2026-11-20T07:00:00.000Z';

let browser: ConsoleBrowser;

beforeAll(async () => {
  browser = await ConsoleBrowser.open((folder) => {
    const file = path.join(folder, 'ledger.sqlite');
    const ledger = openLedger(file);
    const passwordHash = hashPasswordSync(DEMO_PASSWORD);
    ledger.write((tx) => {
      for (const account of DEMO_ACCOUNTS)
        registerMember(tx, { ...account, id: account.username, passwordHash, actor: { kind: 'SYSTEM' }, at: AT });
    });
    ledger.close();
    return file;
  });
});
afterAll(() => browser.close());

test('the notice is in the language of the screen, links to the policy, and disappears with the first one', async () => {
  const english = await browser.window({ username: 'viewer', language: 'en' });
  const told = english.locator('[data-policy=none]');
  await told.getByText('v1 texts are not provided; v2 texts are provided without a disclaimer.').waitFor();
  expect(await told.getByRole('status').innerText()).toBe('No policy in force');

  const page = await browser.window({ width: 1024, height: 768 });
  const notice = page.locator('[data-policy=none]');
  await notice.getByText('v1 설명은 제공되지 않으며, v2 설명은 고지 문구 없이 제공됩니다.').waitFor();
  expect(await notice.getByRole('status').innerText()).toBe('적용 중인 정책 없음');
  expect(await violationsIn(notice)).toEqual([]);
  await browser.screenshot(page, 'policy-none');
  await notice.getByRole('link', { name: '심사 정책 열기' }).click();
  await page.waitForURL('**/policy');
  await notice.waitFor();

  const ledger = openLedger(browser.ledger);
  ledger.write((tx) => publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: AT }));
  ledger.close();
  await notice.waitFor({ state: 'detached' });
  await told.waitFor({ state: 'detached' });
  expect(browser.complaints).toEqual([]);
});
