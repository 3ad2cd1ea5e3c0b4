/**
 * Every screen of the console: no axe violation, nothing beyond the page on a telephone, and a screenshot to review. The
 * first screen in both languages, both schemes and forced colours; every one of them in `npm run test:deep`, and in `sweep.test.ts`.
 * Where scenes share a screen, `npm test` judges in one the whole and in the others what they add.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedger } from '../../../../agent/ledger/storage/ledger.ts';
import { applyMove } from '../../../../agent/ledger/transitions.ts';
import { withCriteria } from '../../../../agent/ledger/policy/changes.ts';
import { publishPolicy } from '../../../../agent/ledger/policy/versions.ts';
import { newEntry, receive } from '../../../support/agent/ledger.ts';
import { SEED_POLICY } from '../../../../agent/screening/seed/seed-policy.ts';
import { violationsIn } from '../../axe.ts';
import { seededLedger, type Language } from '../../console-fixture.ts';
import { ConsoleBrowser, moveTo } from '../../console-browser.ts';
import { fitsWidth } from '../../screenshots.ts';
import { singleSignOn } from '../../single-sign-on.ts';
import { OpenIdProvider } from '../../../support/openid-provider.ts';
import { makeAuthority } from '../../../support/pki.ts';
import { isDeep } from '../../../support/depth.ts';
import { runs } from '../../../support/runs.ts';
import { startRelayDouble } from '../relay-double.ts';

/** A colleague has decided one more item, which was drawn for a blind review. */
function withBlindReview(file: string): string {
  const ledger = openLedger(file);
  const at = new Date().toISOString();
  const actor = { kind: 'MEMBER', id: 'colleague', displayName: '동료', role: 'COMPLIANCE_REVIEWER' } as const;
  ledger.write((tx) => {
    const id = receive(tx, newEntry('drawn', { etf_name: '재심 ETF' }, { cursor: 900 }), 'PENDING_REVIEW', at);
    publishPolicy(tx, { snapshot: withCriteria(SEED_POLICY, { blindShare: 100 }), changes: [], actor, at });
    applyMove(tx, { id, move: 'reject', actor, at, reason: 'WEAK_GROUNDS' });
  });
  ledger.close();
  return file;
}

interface Scene {
  name: string;
  as: string | null;
  at: string;
  /** Begins on the page of the scene before it, without a load, where that has the same user and language. */
  from?: 'CLOSED_FORM' | 'SAME_PLACE' | 'OTHER_PLACE';
  /** What a scene adds to one that is judged whole: `npm test` judges it alone. */
  part?: string;
  /** Brings the scene onto the screen and waits for it. */
  ready: (page: Page) => Promise<void>;
}

const detail = async (page: Page): Promise<void> => page.locator('article h2').waitFor();
const key =
  (code: string, after: string) =>
  async (page: Page): Promise<void> => {
    await detail(page);
    await page.locator('[data-keys=awake]').waitFor();
    await page.locator('body').press(code);
    await page.locator(after).waitFor();
  };
/** Something that no scene before it has left there. */
const shown =
  (what: string) =>
  (page: Page): Promise<void> =>
    page.locator(`${what}:not([data-former])`).first().waitFor();
const preview = async (page: Page): Promise<void> => {
  await page.locator('form input').first().fill('상승');
  await page.locator('form button[type=submit]').click();
  await page.locator('[data-group=newlyReviewed]').waitFor();
};
const firstRow = async (page: Page): Promise<void> => {
  await page.locator('tbody a').first().click();
  await detail(page);
};

/** The blind review of a colleague's decision, with its form. */
const opinion = async (page: Page): Promise<void> => {
  await page.locator('tbody a').first().click();
  await page.locator('fieldset input[type=radio]').last().check();
  await page.locator('form button[type=submit]').waitFor();
};
const account = async (page: Page): Promise<void> => {
  await page.locator('header button[aria-haspopup=menu]').last().click();
  await page.locator('[role=menuitem]').first().click();
  await page.locator('[role=dialog] input[type=password]').first().waitFor();
};
const chain = async (page: Page): Promise<void> => {
  await shown('tbody tr')(page);
  await page.getByRole('button', { name: /기록 위변조 검사|Check for tampering/ }).click();
  await page.locator('p[role=status][data-tone=good]').waitFor();
};
/** From the request to the issued certificate, through the console API and a relay. */
const replace = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /인증서 교체|Replace certificate/ }).click();
  await page.getByRole('button', { name: /요청서 생성|Create request/ }).click();
  await page.locator('textarea[readonly]').waitFor();
  const pem = Buffer.from('-----BEGIN CERTIFICATE-----');
  await page.locator('input[type=file]').setInputFiles({ name: 'tenant.pem', mimeType: 'text/plain', buffer: pem });
};
const replaced = async (page: Page): Promise<void> => {
  if (!(await page.locator('textarea[readonly]').isVisible())) await replace(page);
  await page.locator('form button[type=submit]').click();
  await page.locator('[role=status][data-tone=good]', { hasText: 'CN=tenant-1-new' }).waitFor();
};

let written = 0;
/** The API is replaced by another version while a reviewer writes: the answer to a saved draft reports it. */
const otherVersion = async (page: Page): Promise<void> => {
  await key('KeyE', 'textarea')(page);
  written += 1;
  await page.locator('textarea').first().fill(`쓰던 글 ${written}`);
  await page.evaluate(() => {
    const ask = window.fetch.bind(window);
    window.fetch = async (...asked) => {
      const answer = await ask(...asked);
      const headers = new Headers(answer.headers);
      headers.set('x-causeway-version', '9.0.0; api=9; program=1');
      return new Response(answer.body, { status: answer.status, headers });
    };
  });
  // The draft is sent, and the answer names the other version.
  await page.locator('dialog[open]').getByText('9.0.0').waitFor();
};
const isThere = async (page: Page): Promise<void> => {
  await page.locator('textarea').first().waitFor();
  expect(await page.locator('textarea').first().inputValue()).toBe(`쓰던 글 ${written}`);
};
const behindOtherVersion = async (page: Page): Promise<void> => {
  if (!(await page.locator('dialog[open]').isVisible())) await otherVersion(page);
  await page.locator('dialog[open] button').last().click();
  await page
    .locator('[role=alert]', { has: page.locator('button') })
    .first()
    .waitFor();
  await isThere(page);
};

const CLOSED = { as: 'reviewer', at: '/review', from: 'CLOSED_FORM' } as const;
const MOVED = { from: 'OTHER_PLACE' } as const;

/** Those of one user stand together. */
const SCENES: readonly Scene[] = [
  { name: 'login', as: null, at: '/', ready: (page) => page.locator('input[name=username]').waitFor() },
  { name: 'review', as: 'reviewer', at: '/review', ready: detail },
  { name: 'review-reject', ...CLOSED, ready: key('KeyR', 'fieldset') },
  { name: 'review-approve', ...CLOSED, part: 'article', ready: key('KeyA', 'form') },
  { name: 'review-edit', ...CLOSED, part: 'article', ready: key('KeyE', 'textarea') },
  { name: 'review-keys', ...CLOSED, part: '[role=dialog]', ready: key('Shift+Slash', '[role=dialog] table') },
  { name: 'palette', ...CLOSED, ready: key('Control+KeyK', '[role=listbox]') },
  {
    name: 'review-opinion',
    as: 'reviewer',
    at: '/review?q=100003',
    part: 'article',
    ready: key('KeyO', 'article form textarea'),
  },
  { name: 'review-empty', as: 'reviewer', at: '/review?q=zzz', ready: (page) => page.locator('main h1').waitFor() },
  { name: 'other-version', as: 'reviewer', at: '/review', part: 'dialog[open]', ready: otherVersion },
  { name: 'other-version-behind', as: 'reviewer', at: '/review', from: 'SAME_PLACE', ready: behindOtherVersion },
  { name: 'samples', as: 'reviewer', at: '/samples', ...MOVED, ready: shown('main h1') },
  { name: 'quality-blind', as: 'reviewer', at: '/quality/blind', ready: opinion },
  { name: 'policy-words', as: 'reviewer', at: '/policy/words', ...MOVED, ready: shown('tbody tr') },
  { name: 'policy-preview', as: 'reviewer', at: '/policy/words', from: 'SAME_PLACE', part: 'main', ready: preview },
  { name: 'policy-notices', as: 'reviewer', at: '/policy/notices', ...MOVED, ready: shown('form textarea') },
  { name: 'policy-criteria', as: 'reviewer', at: '/policy/criteria', ...MOVED, ready: shown('tbody tr') },
  { name: 'policy-disclaimer', as: 'reviewer', at: '/policy/disclaimer', ...MOVED, ready: shown('textarea') },
  { name: 'policy-versions', as: 'reviewer', at: '/policy/versions', ...MOVED, ready: shown('tbody tr') },
  {
    name: 'policy-proposals',
    as: 'reviewer',
    at: '/policy/proposals',
    ready: (page) => page.locator('main h1').waitFor(),
  },
  { name: 'explanations', as: 'viewer', at: '/explanations', ready: shown('tbody a') },
  { name: 'dashboard', as: 'viewer', at: '/dashboard', ...MOVED, ready: shown('[role=slider]') },
  { name: 'quality', as: 'viewer', at: '/quality', ...MOVED, ready: shown('svg[role=img]') },
  { name: 'shown', as: 'viewer', at: '/shown', ...MOVED, ready: shown('form input') },
  { name: 'settings-roles', as: 'viewer', at: '/settings/roles', ...MOVED, ready: shown('tbody tr') },
  { name: 'settings-scope', as: 'admin', at: '/settings/scope', ready: shown('tbody tr') },
  { name: 'inspection', as: 'admin', at: '/inspection', ...MOVED, ready: shown('form input') },
  { name: 'settings-members', as: 'admin', at: '/settings/members', ...MOVED, ready: shown('tbody tr') },
  { name: 'settings-audit', as: 'admin', at: '/settings/audit', ...MOVED, ready: chain },
  { name: 'settings-sync', as: 'admin', at: '/settings/sync', ...MOVED, ready: shown('dl') },
  { name: 'settings-certificate', as: 'admin', at: '/settings/sync', from: 'SAME_PLACE', part: 'main', ready: replace },
  {
    name: 'settings-certificate-done',
    as: 'admin',
    at: '/settings/sync',
    from: 'SAME_PLACE',
    part: 'main',
    ready: replaced,
  },
  { name: 'settings-review-time', as: 'admin', at: '/settings/review-time', ready: shown('main h1') },
  { name: 'account', as: 'admin', at: '/dashboard', part: '[role=dialog]', ready: account },
  { name: 'explanation', as: 'operator', at: '/explanations', ready: firstRow },
];

/** As the window's name, it makes the next page discard drafts. */
const ANEW = 'anew';

let fixture: ConsoleBrowser;
let page: Page;
let who: string | null = null;
/** The scene and language of the page now. */
let stands = '';
/** The user, language and address of the page now. */
let place: { as: string | null; language: string; at: string } = { as: null, language: '', at: '' };
let relay: Awaited<ReturnType<typeof startRelayDouble>>;
let provider: OpenIdProvider;

beforeAll(async () => {
  relay = await startRelayDouble();
  provider = await OpenIdProvider.open(await makeAuthority());
  fixture = await ConsoleBrowser.open(
    (folder) => withBlindReview(seededLedger(folder)),
    (folder) => ({ CAUSEWAY_CONSOLE_RELAY: relay.url, ...singleSignOn(provider, folder) }),
  );
  page = await fixture.page();
  // A draft of an earlier scene stays in the session storage; here each scene begins without one.
  await page.addInitScript((anew) => {
    if (window.name !== anew) return;
    window.name = '';
    sessionStorage.clear();
  }, ANEW);
});
afterAll(async () => {
  await fixture.close();
  relay.close();
  await provider.end();
});

/** Loads an address once, as a user and in a language. */
async function visit(at: string, as: string | null, language: Language): Promise<void> {
  stands = '';
  if (as !== who) {
    await page.context().clearCookies();
    if (as !== null) await fixture.signIn(page.context(), as);
    who = as;
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.evaluate(
    ([chosen, anew]) => {
      localStorage.setItem('causeway.language', chosen);
      window.name = anew;
    },
    [language, ANEW] as const,
  );
  await page.goto(new URL(at, fixture.url).href);
}

/** Goes on from the page of the scene before it: by Escape, by nothing, or to another address within the page. */
async function goOn(from: NonNullable<Scene['from']>, at: string): Promise<void> {
  stands = '';
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  if (from === 'CLOSED_FORM') {
    await page.keyboard.press('Escape');
    await page.locator('article form, [role=dialog]').first().waitFor({ state: 'detached' });
  }
  if (from !== 'OTHER_PLACE') return;
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('main *')) one.setAttribute('data-former', '');
  });
  await moveTo(page, at);
}

/** Brings a scene onto the page, unless it is there already. */
async function show({ name, as, at, from, ready }: Scene, language: Language): Promise<void> {
  if (stands === `${name} in ${language}`) return;
  const isHere = place.as === as && place.language === language && (from === 'OTHER_PLACE' || place.at === at);
  if (from !== undefined && isHere) await goOn(from, at);
  else await visit(at, as, language);
  place = { as, language, at };
  await ready(page);
  stands = `${name} in ${language}`;
}

/** Switches the system's scheme to dark, as at dusk: the same page in other colours. */
async function darken(): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  // Of a row beyond the view none would ever end by itself.
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  });
}

const TELEPHONE = 390;

const LOOKS = [
  { language: 'ko', scheme: 'light' },
  { language: 'ko', scheme: 'dark' },
  { language: 'ko', scheme: 'forced' },
  { language: 'en', scheme: 'light' },
] as const;

/** Words and colours are shared: one screen shows a fault of a language or a scheme. */
const IN_EVERY_LOOK = 'review';
const looksOf = ({ name }: Scene): readonly (typeof LOOKS)[number][] =>
  name === IN_EVERY_LOOK ? LOOKS : LOOKS.slice(0, runs(1, LOOKS.length));

test.each(SCENES.flatMap((scene) => looksOf(scene).map((look) => ({ ...scene, ...look }))))(
  '$name in $language, $scheme',
  async ({ language, scheme, ...scene }) => {
    await show(scene, language);
    if (scheme === 'dark') await darken();
    if (scheme === 'forced') await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
    await fixture.screenshot(page, `screen-${scene.name}-${language}-${scheme}`);
    // All rules in Korean; in English those that words affect, in the dark and in forced colours those that colours affect.
    const rules = scheme === 'dark' || scheme === 'forced' ? 'COLOURS' : language === 'en' ? 'ALL_BUT_COLOURS' : 'ALL';
    const judged = isDeep || scene.part === undefined ? page.locator(':root') : page.locator(scene.part).first();
    expect(await violationsIn(judged, rules)).toEqual([]);
    if (rules === 'ALL') await fitsWidth(page, TELEPHONE);
  },
);

test.each((['light', 'dark'] as const).slice(0, runs(1, 2)))(
  'a draft from before a change of version is there again after a reload, %s',
  async (scheme) => {
    await visit('/review', 'reviewer', 'ko');
    if (scheme === 'dark') await darken();
    await otherVersion(page);
    await Promise.all([page.waitForEvent('load'), page.locator('dialog[open] button').first().click()]);
    await isThere(page);
    expect(await page.locator('dialog[open]').count()).toBe(0);
  },
);
