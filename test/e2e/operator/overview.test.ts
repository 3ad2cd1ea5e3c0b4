/** Run Overview over a day of the pipeline, in Chromium: the worst of each lane first, the address, and the refresh. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes, PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { embeddedKind } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import { waitFor } from '../../support/process.ts';
import { violationsIn } from '../axe.ts';
import { goInPlace, logIn, openWindow, words, type OperatorBrowser } from '../operator-browser.ts';
import { writePipelineDay } from './pipeline-day.ts';

let fixture: PipelineFixture;
let window: OperatorBrowser;
let page: OperatorBrowser['page'];

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await PipelineFixture.open(embeddedKind, pagesOf('operator'));
  await writePipelineDay(fixture);
  // Before the login the first requests are refused, and the test cuts one off: the browser logs both as errors.
  window = await openWindow(/the server responded with a status of 4\d\d|ERR_FAILED/);
  ({ page } = window);
  await logIn(page, fixture.url);
});
afterAll(async () => {
  await window?.close();
  await fixture?.close();
});

const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const detail = () => page.getByRole('article');
const cells = async (name: string | RegExp): Promise<string[]> =>
  words(await row(name).getByRole('cell').allInnerTexts());
/** In a new document. */
const open = (place: string) => page.goto(`${fixture.url}${place}`);
const go = (place: string) => goInPlace(window, place);
const address = (): string => {
  const { pathname, search } = new URL(page.url());
  return decodeURIComponent(pathname) + search;
};

describe('Run Overview', () => {
  test('is the first screen: one lane per row, with state, outcomes in a unit, runs, defects in stage order', async () => {
    expect(address()).toBe('/overview');
    await page.getByText('DB 시각').waitFor();
    await page.getByText('2026-11-20 16:00:00 KST').waitFor();
    await row('disclosure').waitFor();
    // Lanes that need attention come first.
    expect(words(await page.getByRole('rowheader').allInnerTexts())).toEqual([
      '공시 disclosure',
      '뉴스 news',
      '원천 관측 source_observation',
      '장중 수급 intraday_flow',
      '시장 market',
    ]);
    const [worst, latest] = await cells('disclosure');
    expect(latest).toMatch(/^막힘 .*15:10 필수 작업 5개 성공 1 실행 없음 2 실패 2$/);
    expect(worst).toMatch(
      /^막힘 .*15:10 실행 1건 중 확인 필요 1건 실행 전체 실행 실패 .* raw 작업 실패 2개 작업 제공처가 503으로 답함 raw 수집 미달 140건 dart_body normalize 작업 없음 2개 작업$/,
    );
    expect((await cells('market'))[0]).toMatch(/^정상 .*15:10 실행 1건 중 확인 필요 0건$/);
    // A later planned slot has no run: the good run before it does not make the lane good.
    expect((await cells('source_observation'))[0]).toMatch(
      /^알 수 없음 실행 1건 중 확인 필요 0건 .*계획했으나 실행 없음/,
    );
    expect(
      await row('disclosure')
        .getByRole('list', { name: /최근 실행/ })
        .getByRole('link')
        .count(),
    ).toBe(6);
    await row('disclosure').getByRole('link', { name: 'disclosure/2026-11-18/close: 막힘, 결함 1건' }).waitFor();
  });

  test('is requested without waiting for the session’s answer', async () => {
    const asked = page.waitForRequest('**/sources/overview');
    await page.route('**/api/v1/session', async (route) => {
      await asked;
      await route.continue();
    });
    await open('/');
    await row('disclosure').waitFor();
    expect(address()).toBe('/overview');
    await page.unroute('**/api/v1/session');
  });

  test('a lane that appears in the ledger appears on the screen', async () => {
    await fixture.run(
      { run_key: 'options_greeks/2026-11-20/close', status: 'RUNNING', deadline: minutes(30) },
      { attempts: [] },
    );
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await row('options_greeks').waitFor();
    expect((await cells('options_greeks'))[0]).toMatch(/^진행 중 .*16:00 실행 1건 중 확인 필요 0건$/);
    expect(words(await row('options_greeks').getByRole('rowheader').allInnerTexts())).toEqual(['options_greeks']);
  });

  test('on a past day: shows and names that day’s latest runs, with a link back to today', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByLabel('조회 종료일 (KST)').press('Control+A');
    // A partly typed day sends no request.
    await page.keyboard.type('20261118');
    await page.getByText('2026-11-18까지의 실행입니다.', { exact: false }).waitFor();
    expect(address()).toBe('/overview?date=2026-11-18');
    expect(asked.filter((url) => url.includes('date=0'))).toEqual([]);
    expect((await cells('disclosure'))[0]).toMatch(/^막힘 .*11-18 15:40 /);
    await page.getByRole('link', { name: '오늘 보기' }).click();
    await page.getByText('2026-11-18까지의 실행입니다.', { exact: false }).waitFor({ state: 'detached' });
    expect(address()).toBe('/overview');
  });

  test('a planned slot without a run stands at its time in the strip, and opens', async () => {
    const strip = row('source_observation').getByRole('list', { name: /최근 실행/ });
    // The first of a day has its day below.
    expect(words(await strip.getByRole('listitem').allInnerTexts()).slice(-2)).toEqual(['15 11-20', '15']);
    const gap = strip.getByRole('link', { name: 'source_observation/2026-11-20/1500: 계획했으나 실행 없음' });
    await gap.click();
    await detail().getByText('계획 시각에 시작했어야 할 실행이 원장에 없습니다.', { exact: false }).waitFor();
    expect(address()).toBe('/overview/source_observation?run=source_observation%2F2026-11-20%2F1500');
    expect(await gap.getAttribute('aria-current')).toBe('true');
    await detail().getByRole('button', { name: '닫기' }).click();
  });

  test('a day without trouble says so in one line', async () => {
    const calm = page.getByText('모든 레인이 평소 시간대에 실행되었고, 확인이 필요한 레인이 없습니다.');
    await go('/overview?date=2026-11-17');
    await calm.waitFor();
    await go('/overview?date=2026-11-18');
    await row('disclosure').getByText('막힘').first().waitFor();
    expect(await calm.count()).toBe(0);
  });

  test('a day on which nothing was due is neutral, with the last counted run beside it', async () => {
    await go('/overview?date=2026-11-15');
    await row('market').getByText('이 날의 실행 없음').waitFor();
    expect((await cells('market'))[0]).toMatch(
      /^판정 대상 없음 이 날의 실행 없음 마지막 판정 대상 실행 정상 .*11-13 15:40 2026-11-13 15:40 이후 실행 없음\. 비교할 이전 두 주 없음$/,
    );
    await page.getByRole('button', { name: '판정 대상 없음 5' }).waitFor();
    await page.getByRole('button', { name: '정상 0' }).waitFor();
    await go('/overview');
    await row('market').waitFor();
  });

  test('a tile filters by one state; lane and run are in the address, and a reload keeps all of it', async () => {
    await page.getByRole('button', { name: '막힘 1' }).click();
    await row('market').waitFor({ state: 'detached' });
    await row('disclosure')
      .getByRole('link', { name: /2026-11-18/ })
      .click();
    await detail().getByText('disclosure/2026-11-18/close').first().waitFor();
    expect(address()).toBe('/overview/disclosure?state=BLOCKED&run=disclosure%2F2026-11-18%2Fclose');
    await page.reload();
    await detail().getByText('disclosure/2026-11-18/close').first().waitFor();
    expect(await page.getByRole('button', { name: '막힘 1' }).getAttribute('aria-pressed')).toBe('true');
    await detail().getByRole('button', { name: '닫기' }).click();
    expect(address()).toBe('/overview?state=BLOCKED');
    await page.getByRole('button', { name: /^전체 레인/ }).click();
  });

  test('the run has every task: zero, no signal and not due are distinguished', async () => {
    await row('market').getByRole('link', { name: 'market', exact: false }).first().click();
    const task = (name: string) => detail().getByRole('row').filter({ hasText: name });
    await task('etf_nav').waitFor();
    const own = async (name: string): Promise<string[]> => words(await task(name).getByRole('cell').allInnerTexts());
    expect((await own('etf_nav')).slice(1, 7)).toEqual(['성공', '1', '0', '0', '0', '0 / 0']);
    expect((await own('price_board')).slice(2, 7)).toEqual([
      '1',
      '신호 없음',
      '신호 없음',
      '신호 없음',
      '신호 없음 / 신호 없음',
    ]);
    expect((await own('krx_investor_flow'))[4]).toBe('12');
    await detail().getByRole('link', { name: '구성종목 누락 영향' }).click();
    await page.getByRole('heading', { level: 1, name: '구성종목 누락 영향' }).waitFor();
    await go('/overview/disclosure');
    await task('board').waitFor();
    expect((await own('board'))[1]).toBe('예정 아님');
  });
});

describe('the refresh', () => {
  const asked = (): number => reads;
  let reads = 0;

  /**
   * Read and answered. The page's clock keeps running, so a slow machine may never show the age of 0 s; and if it is
   * advanced while an answer is awaited, the request reaches its time limit.
   */
  const FRESH = /^\d초 전 조회 · \d+초 뒤/;

  test('reads again every half minute, not while hidden or paused, and keeps focus and scroll', async () => {
    page.on('request', (request) => {
      if (request.url().endsWith('/sources/overview')) reads += 1;
    });
    await page.clock.install();
    await open('/overview');
    const lane = row('market').getByRole('link').first();
    await lane.focus();
    reads = 0;
    await page.clock.fastForward(31_000);
    await waitFor('another reading', () => asked() > 0);
    await page.getByText(FRESH).waitFor();
    expect(asked()).toBe(1);
    expect(await lane.evaluate((link) => link === document.activeElement)).toBe(true);

    await page.getByRole('button', { name: '자동 갱신 중지' }).click();
    await page.clock.fastForward(100_000);
    await page.getByRole('alert').getByText('오래된 자료입니다').waitFor();
    expect(asked()).toBe(1);
    await page.getByRole('button', { name: '자동 갱신 재개' }).click();

    const show = (state: 'hidden' | 'visible') =>
      page.evaluate((next) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => next });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await page.getByText(FRESH).waitFor();
    await show('hidden');
    const before = asked();
    await page.clock.fastForward(100_000);
    expect(asked()).toBe(before);
    await page.getByText(/^1[0-2]\d초 전 조회/).waitFor();
    await show('visible');
    await page.getByText(FRESH).waitFor();
    expect(asked()).toBe(before + 1);
  });

  test('reports a failed refresh, and keeps its data', async () => {
    await page.route('**/sources/overview', (route) => route.abort());
    await page.getByRole('button', { name: '지금 갱신' }).click();
    // Two more attempts come between the first failure and the message.
    for (let tries = 0; tries < 3; tries += 1) await page.clock.fastForward(1_000);
    await page.getByRole('alert').getByText('갱신하지 못했습니다. 이전 자료를 표시합니다').waitFor();
    await row('market').waitFor();
    await page.unroute('**/sources/overview');
    await page.clock.resume();
  });
});

describe('with a clock of its own', () => {
  let other: OperatorBrowser;
  beforeAll(async () => {
    other = await openWindow(/the server responded with a status of 4\d\d/);
    await logIn(other.page, fixture.url);
  });
  afterAll(() => other?.close());

  test('the viewed day holds for the whole console, filters survive navigation, and a pause survives a reload', async () => {
    const menu = async (name: string): Promise<string> => {
      await other.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await other.page.getByRole('heading', { level: 1, name }).waitFor();
      const { pathname, search } = new URL(other.page.url());
      return pathname + search;
    };
    await other.page.goto(`${fixture.url}/overview?date=2026-11-19&state=BLOCKED`);
    await other.page.getByRole('button', { name: '자동 갱신 중지' }).click();
    expect(await menu('실행 이력')).toBe('/runs?to=2026-11-19');
    expect(await menu('고객사')).toBe('/tenants');
    expect(await menu('판정과 사실')).toBe('/facts?date=2026-11-19');
    await other.page.reload();
    await other.page.getByRole('button', { name: '자동 갱신 재개' }).waitFor();
    expect(await menu('실행 개요')).toBe('/overview?state=BLOCKED&date=2026-11-19');
    expect(other.complaints).toEqual([]);
  });

  test('Ctrl+K finds screens, tenants and analyses from anywhere, by the physical key', async () => {
    const go = async (typed: string, option: RegExp): Promise<string> => {
      await other.page.keyboard.press('Control+KeyK');
      const field = other.page.getByRole('combobox', { name: /검색/ });
      await field.fill(typed);
      await other.page.getByRole('option', { name: option }).first().waitFor();
      if (typed === '고객') expect(await violationsIn(other.page.getByRole('dialog'))).toEqual([]);
      // Enter rests for half a second after the palette has opened.
      await waitFor('the palette to take Enter', async () => {
        await field.press('Enter').catch(() => undefined);
        return (await field.count()) === 0;
      });
      return decodeURIComponent(new URL(other.page.url()).pathname);
    };
    expect(await go('고객', /^고객사/)).toBe('/tenants');
    expect(await go('900102', /^900102/)).toBe('/analyses/res-banks');
    // Of a day with many lanes, the tasks of the last one are found as well.
    for (const lane of Array.from({ length: 20 }, (_, n) => `many_${String(n).padStart(2, '0')}`))
      await fixture.run({ run_key: `${lane}/2026-11-20/0900` }, { task_key: `rare-${lane}` });
    await other.page.reload();
    await other.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await go('rare-many_19', /^rare-many_19/)).toBe('/runs/many_19/2026-11-20/0900');
    // Closed by its key with a text in it, it starts empty: that text finds nothing any more.
    await other.page.keyboard.press('Control+KeyK');
    await other.page.getByRole('combobox', { name: /검색/ }).fill('900102');
    await other.page
      .getByRole('option', { name: /^900102/ })
      .first()
      .waitFor();
    await other.page.keyboard.press('Control+KeyK');
    // The filters of the list beside it are boxes of their own.
    await waitFor(
      'the palette to close',
      async () => (await other.page.getByRole('combobox', { name: /검색/ }).count()) === 0,
    );
    await other.page.keyboard.press('Control+KeyK');
    await other.page.getByRole('option', { name: /^고객사/ }).waitFor();
    expect(await other.page.getByRole('option', { name: /^900102/ }).count()).toBe(0);
    await other.page.keyboard.press('Escape');
    await waitFor(
      'the palette to close',
      async () => (await other.page.getByRole('combobox', { name: /검색/ }).count()) === 0,
    );
    expect(other.complaints).toEqual([]);
  });
});

test('the browser reported no error', () => {
  expect(window.complaints).toEqual([]);
});
