/**
 * Every screen of the operator console: each name is a link to its object, axe finds nothing, and nothing overflows the
 * page on a telephone; one screen in both languages and both schemes. In `npm run test:deep` every screen in each of
 * them and in each narrower window.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { embeddedKind } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import { goInPlace, logIn, openWindow, type OperatorBrowser } from '../operator-browser.ts';
import { fitsWidth, inEveryLook, inItsLooks, inNarrowerWindows, speak } from '../screenshots.ts';
import { isDeep } from '../../support/depth.ts';
import { runs } from '../../support/runs.ts';
import { writePipelineDay } from './pipeline-day.ts';

let fixture: PipelineFixture;
let window: OperatorBrowser;
let page: OperatorBrowser['page'];
let seen = 0;

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await PipelineFixture.open(embeddedKind, pagesOf('operator'));
  await writePipelineDay(fixture);
  window = await openWindow(/the server responded with a status of 4\d\d/);
  ({ page } = window);
  await logIn(page, fixture.url);
});
afterAll(async () => {
  await window?.close();
  await fixture?.close();
});

const TELEPHONE = 360;
const DAY = '2026-11-20';
const RUN = encodeURIComponent(`disclosure/${DAY}/close`);
const PLACES = {
  overview: '/overview',
  lane: '/overview/disclosure',
  history: '/runs',
  run: `/runs/${RUN}`,
  missed: `/runs/${encodeURIComponent(`source_observation/${DAY}/1500`)}`,
  failures: `/failures?date=${DAY}`,
  impact: `/failures?date=${DAY}&from=list`,
  facts: `/facts?date=${DAY}&axis=tasks`,
  compared: `/facts?date=${DAY}&against=2026-11-19&axis=runs`,
  tenants: '/tenants',
  tenant: '/tenants/3',
  'tenant-new': '/tenants/new',
  sources: '/sources',
  news: '/news',
  holdings: '/holdings',
  minute: '/minute/krx-20261119',
  analyses: '/analyses',
  analysis: '/analyses/res-chips',
  profile: '/profile',
} as const;

/** The grid of the runs keeps its columns beside an open run, where axe reads it; a list hides some of its own there. */
const BESIDE = 'history';

/** Runs by the form of their keys; tickers, ETFs, tenants and datasets of the day by name. */
const NAMES = [
  String.raw`\b[a-z_]+/\d{4}-\d\d-\d\d/\w+`,
  String.raw`\b9001\d\d\b`,
  '한강 (?:반도체|은행|보합|통신) ETF',
  '한국증권|서울증권|부산투자증권|대한자산운용',
  String.raw`\b(?:krx_daily_price|krx_investor_flow|etf_nav|news_raw|news_body|dart_list|dart_body|flow_1m)\b`,
].join('|');

/**
 * Visible names, and those that neither are a link nor have one beside them. A heading names the open object itself.
 */
const namesInView = (): Promise<{ seen: number; withoutLink: string[] }> =>
  page.evaluate((pattern) => {
    const withoutLink: string[] = [];
    let seen = 0;
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null) {
      const place = walker.currentNode.parentElement;
      if (place?.checkVisibility() !== true || place.closest('pre, h1, h2, h3, option, svg') !== null) continue;
      const around = place.closest('tr, li, dl, section') ?? place;
      const links = [...around.querySelectorAll('a')].map(({ textContent }) => textContent);
      const open = place.closest('article')?.querySelector('h2')?.textContent ?? '';
      for (const [name] of (walker.currentNode.nodeValue ?? '').matchAll(new RegExp(pattern, 'g'))) {
        seen += 1;
        const isLink = place.closest('a') !== null || links.some((link) => link.includes(name));
        if (!isLink && !open.includes(name)) withoutLink.push(`${name}: ${place.textContent.slice(0, 80)}`);
      }
    }
    return { seen, withoutLink };
  }, NAMES);

async function open(place: string): Promise<void> {
  await goInPlace(window, place);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (/^\/\w+\/\w/.test(place)) await page.getByRole('article').getByRole('heading', { level: 2 }).waitFor();
}

test.for(Object.entries(PLACES).map(([name, place], index) => [name, place, index] as const))(
  '%s: names are links; nothing for axe and nothing beyond the page',
  async ([name, place, index]) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await speak(page, 'ko');
    await open(place);
    if (name === 'impact') {
      await page
        .getByRole('table', { name: '이 날 실패한 작업' })
        .getByRole('rowheader')
        .getByRole('link')
        .first()
        .click();
      await page.getByRole('heading', { name: '원인' }).waitFor();
    }
    const names = await namesInView();
    seen += names.seen;
    expect([name, names.withoutLink]).toEqual([name, []]);
    if (isDeep || name !== BESIDE) await (name === 'overview' ? inEveryLook : inItsLooks)(page, `operator-${name}`);
    await speak(page, 'ko');
    await fitsWidth(page, TELEPHONE);
    // The name of the screen and the age of its data stay.
    if (name !== 'profile') await page.locator('main header button[aria-pressed]').waitFor();
    if (index < runs(0, Number.POSITIVE_INFINITY)) await inNarrowerWindows(page, name, index);
  },
);

test('the day has enough names to check', () => {
  expect(seen).toBeGreaterThan(100);
});

test('the browser reported no error', () => {
  expect(window.complaints).toEqual([]);
});
