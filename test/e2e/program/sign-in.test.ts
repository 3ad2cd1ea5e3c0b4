/** Sign-in at a provider from the packed program, through the system's browser (D21). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright';
import { openConsole, seededLedger } from '../console-fixture.ts';
import { ProgramFixture, type Program } from '../program-fixture.ts';
import { singleSignOn } from '../single-sign-on.ts';
import { OpenIdProvider } from '../../support/openid-provider.ts';
import { makeAuthority } from '../../support/pki.ts';
import { waitFor } from '../../support/process.ts';

const fixture = new ProgramFixture();
let program: Program;
let page: Page;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await OpenIdProvider.open(await makeAuthority());
  const env = singleSignOn(provider, fixture.folder());
  ({ program, page } = await openConsole(fixture, seededLedger(fixture.folder()), 'light', env));
});
afterAll(async () => {
  await fixture.clear();
  await provider.end();
});

test('a sign-in at the provider, in the system browser, opens the console', async () => {
  await program.app.evaluate(({ shell }) => {
    shell.openExternal = async (address) => void Object.assign(globalThis, { signInAt: address });
  });
  await page.locator('button[name=signIn]').click();
  const address = await waitFor('the provider in the browser', () =>
    program.app.evaluate(() => (globalThis as unknown as { signInAt?: string }).signInAt),
  );
  const redirectUri = new URL(address).searchParams.get('redirect_uri') ?? '';
  provider.person = { sub: 'u-1', roles: ['cw-operator'], name: '김 운영', preferred_username: 'kim' };
  const back = await fetch(`${redirectUri}?${await provider.signIn(address)}`);
  expect(await back.text()).toMatch(/Causeway/);
  await page.getByRole('navigation').waitFor();
  await program.says('김 운영');
});
