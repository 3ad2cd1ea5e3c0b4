/**
 * The operator's screens over a day of the pipeline, in Chromium: their content, views fully in the address, the
 * keyboard, and no axe violation in either language.
 */
import { sql } from 'kysely';
import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes, PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { AT, embeddedKind } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import { goInPlace, logIn, openWindow, words, type OperatorBrowser } from '../operator-browser.ts';
import { writePipelineDay } from './pipeline-day.ts';

let fixture: PipelineFixture;
let window: OperatorBrowser;
let page: OperatorBrowser['page'];

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await PipelineFixture.open(embeddedKind, pagesOf('operator'));
  await writePipelineDay(fixture);
  // The browser also logs a refused name as an error.
  window = await openWindow(/the server responded with a status of 4\d\d/);
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
const open = (place: string) => goInPlace(window, place);
const address = (): string => {
  const { pathname, search } = new URL(page.url());
  return decodeURIComponent(pathname) + search;
};

/** The name of the file that a part of the screen saves. */
async function fileOf(part: Locator): Promise<string> {
  const saved = page.waitForEvent('download');
  await part.getByRole('button', { name: 'CSV 저장' }).click();
  return (await saved).suggestedFilename();
}

describe('Run history', () => {
  test('one Tab stop: arrows, Home and End go from slot to slot, and a missed one opens', async () => {
    await open('/runs');
    const grid = page.getByRole('table', { name: '레인별·날짜별 실행' });
    await grid.waitFor();
    expect(await grid.locator('a[href]:not([tabindex="-1"])').count()).toBe(1);
    await page.getByRole('link', { name: /^market\/2026-11-20/ }).focus();
    await page.keyboard.press('ArrowLeft');
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    expect(await focused()).toBe('market/2026-11-19/close: 정상, 결함 0건');
    expect(await grid.locator('a[href]:not([tabindex="-1"])').getAttribute('aria-label')).toBe(await focused());
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('market/2026-11-16/close: 정상, 결함 0건');
    // Over the weekend, which has no run.
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('market/2026-11-13/close: 정상, 결함 0건');
    await page.keyboard.press('End');
    expect(await focused()).toContain('market/2026-11-20');
    await page.keyboard.press('Control+End');
    const missed = 'source_observation/2026-11-20/1500: 계획했으나 실행 없음';
    expect(await focused()).toBe(missed);
    await page.keyboard.press('Home');
    expect(await focused()).toContain('source_observation/2026-11-13');
    await page.keyboard.press('End');

    // The panel takes the focus, and the grid keeps its width; Escape returns the focus to the same slot.
    const widthOf = async (): Promise<number | undefined> => (await grid.boundingBox())?.width;
    const width = await widthOf();
    await page.keyboard.press('Enter');
    await detail().getByText('계획 시각에 시작했어야 할 실행이 원장에 없습니다.', { exact: false }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    expect(await widthOf()).toBe(width);
    await page.keyboard.press('Escape');
    await detail().waitFor({ state: 'detached' });
    await expect.poll(focused).toBe(missed);
    expect(address()).toBe('/runs');
    // Slots of a lane have the same place on each day, and their hours stand below its name.
    const [first, second] = await Promise.all(
      ['source_observation/2026-11-20/0900', 'source_observation/2026-11-20/1500'].map((key) =>
        page.getByRole('link', { name: new RegExp(`^${key}`) }).boundingBox(),
      ),
    );
    expect(first?.y).toBe(second?.y);
    await page.getByRole('link', { name: 'market/2026-11-13/close: 정상, 결함 0건' }).focus();
    await page.keyboard.press('Enter');
    await detail().getByText('market/2026-11-13/close').first().waitFor();
    expect(address()).toBe('/runs/market/2026-11-13/close');
    // Every column of the tasks is in view.
    const tasks = detail().getByRole('region', { name: '작업 표' });
    expect(await tasks.evaluate((place) => place.scrollWidth - place.clientWidth)).toBe(0);
    await page.getByRole('combobox', { name: '레인' }).selectOption('news');
    await row('market').waitFor({ state: 'detached' });
    expect(address()).toBe('/runs/market/2026-11-13/close?lane=news');
  });
});

describe('Tenants', () => {
  test('columns, every connection status, filter and search in the address', async () => {
    await open('/tenants');
    await row('한국증권').waitFor();
    const state = async (name: string): Promise<string | undefined> => (await cells(name))[1];
    expect(await Promise.all(['한국증권', '서울증권', '부산투자증권', '대한자산운용'].map(state))).toEqual([
      '정상',
      '동기화 지연',
      '오류',
      '미연결',
    ]);
    await page.getByRole('combobox', { name: '연결 상태' }).selectOption('오류');
    await page.getByText('전체 1곳').waitFor();
    expect(address()).toBe('/tenants?status=ERROR');
    await row('부산투자증권').getByRole('link').click();
    await detail().getByText('SYNC4031').waitFor();
    await page.getByRole('button', { name: '조건 초기화' }).click();
    await page.getByRole('searchbox').fill('tenant-2');
    await page.getByText('전체 1곳').waitFor();
    expect(address()).toBe('/tenants/3?q=tenant-2');
  });

  test('offers no key, no coverage and no suspension', async () => {
    const names = words(await page.getByRole('main').getByRole('button').allInnerTexts());
    expect(names).toEqual(['자동 갱신 중지', '지금 갱신', '고객사 등록', '조건 초기화', 'CSV 저장', '닫기']);
  });

  test('a form by keyboard only: a missing value is reported at its field, and a taken name too', async () => {
    await open('/tenants/new');
    const form = page.getByRole('form', { name: '고객사 등록' });
    await form.getByLabel('고객사 이름').fill('한국증권');
    await page.keyboard.press('Enter');
    const mail = form.getByLabel('최초 관리자 이메일');
    await form.getByText('필수 입력 항목입니다.').first().waitFor();
    expect(await form.getByText('필수 입력 항목입니다.').count()).toBe(3);
    expect(await form.getByLabel('환경').evaluate((field) => field === document.activeElement)).toBe(true);
    await form.getByLabel('환경').selectOption('운영');
    await form.getByLabel('최초 관리자 이름').fill('이관리');
    await mail.fill('lee');
    await page.keyboard.press('Enter');
    await form.getByText('이메일 주소를 확인하십시오', { exact: false }).waitFor();
    await mail.fill('lee@new.example');
    await page.keyboard.press('Enter');
    await form.getByText('눈으로 구별할 수 없는 이름', { exact: false }).waitFor();
    // A lost session and a reload take nothing of it.
    await page.context().clearCookies();
    await logIn(page, fixture.url);
    await open('/tenants/new');
    expect(await mail.inputValue()).toBe('lee@new.example');
    await form.getByLabel('고객사 이름').fill('새봄증권');
    await form.getByLabel('고객사 이름').press('Enter');
    await detail().getByRole('heading', { name: '새봄증권' }).waitFor();
    await row('새봄증권').waitFor();
    await row('새봄증권').getByText('연결 준비 중').waitFor();
    await page.getByText('연결된 적 없는 고객사', { exact: false }).first().waitFor();
  });
});

describe('Event Pipeline', () => {
  test('source status: never, null and 0 are distinguished', async () => {
    await open('/sources');
    await row('공시').waitFor();
    expect((await cells('뉴스')).slice(0, 2)).toEqual(['정상', '11-20 15:57']);
    expect(await cells('공시')).toEqual([
      '오류',
      '11-20 15:48',
      '이력 없음',
      '11-20 16:10',
      '신호 없음',
      expect.stringContaining('서비스 이용 불가 응답'),
    ]);
    // The words stand for the ledger's code; a click shows it.
    expect(await row('공시').getByText('HTTP_503').isVisible()).toBe(false);
    await row('공시').getByText('서비스 이용 불가 응답').click();
    await row('공시').getByText('HTTP_503').waitFor();
    expect((await cells('시세'))[4]).toBe('0');
    expect((await cells('실적·재무')).slice(0, 3)).toEqual(['알 수 없음', '이력 없음', '이력 없음']);
  });

  test('news: N of M with a definition; a tile narrows the list, and unmeasured facts are named', async () => {
    await open('/news');
    const funnel = page.getByRole('group', { name: '뉴스 단계' }).getByRole('button');
    await row('수집만 된 기사 0').waitFor();
    expect(words(await funnel.allInnerTexts())).toEqual([
      '수집 9 전체를 알 수 없어 비율 없음 이 날(KST) 들어온 뉴스 문서 수',
      '구조화 5 9건 중 5건 · 55.6% 수집한 문서 가운데 진술이 하나라도 나온 문서',
      '분석에 사용 5 5건 중 5건 · 100.0% 구조화한 문서 가운데 분석 실행이 근거로 쓴 문서',
    ]);
    await funnel.nth(2).click();
    await row('수집만 된 기사 0').waitFor({ state: 'detached' });
    expect(address()).toBe('/news?stage=USED');
    await page.getByText('전체 5건').waitFor();
    await page.getByText('재시도 소진 1건').waitFor();
    await page.getByText('다른 원장입니다.', { exact: false }).waitFor();
    for (const unmeasured of ['추출의 최종 구분', '중복 제거', '종목 연결']) await page.getByText(unmeasured).waitFor();
    await open('/news?date=2026-11-19');
    await page.getByText('이 날, 이 단계의 문서가 없습니다.').waitFor();
  });

  test('holdings: impact with its analyses; unknown, withheld, resolved and none each have their own text', async () => {
    await open('/holdings');
    const verdict = async (): Promise<string> =>
      words([await page.locator('[data-tone] > p').first().innerText()])[0] ?? '';
    await page.getByText('영향 있음', { exact: true }).waitFor();
    await page.getByText('재실행을 권고합니다.', { exact: false }).waitFor();
    await row('한강 반도체 ETF').getByText('게시').waitFor();
    const date = '2026-11-19';
    await open(`/holdings?referenceDate=${date}`);
    await page.getByText('알 수 없음', { exact: true }).waitFor();
    expect(await verdict()).toContain('영향이 없다는 뜻이 아닙니다');
    await page.getByRole('heading', { name: '영향받은 기준일 분석', exact: true }).waitFor();
    // Where nothing was judged, there is no file to save.
    expect(await page.getByRole('button', { name: 'CSV 저장' }).count()).toBe(0);
    const refresh = (): Promise<void> => page.getByRole('button', { name: '지금 갱신' }).click();
    const loaded = (etf: string, load: number) =>
      fixture.put('holdings_loaded', {
        reference_date: date,
        etf_instrument_id: etf,
        holdings_load_id: load,
        loaded_at: AT,
      });
    await fixture.put('holdings_snapshot', { reference_date: date, taken_at: minutes(-90) });
    await fixture.put(
      'holdings_expected',
      { reference_date: date, etf_instrument_id: 'a' },
      { reference_date: date, etf_instrument_id: 'b' },
    );
    const load = (status: string) =>
      fixture.put('holdings_load', {
        reference_date: date,
        status,
        started_at: minutes(-60),
        ended_at: status === 'RUNNING' ? null : minutes(-50),
      });
    await load('SUCCEEDED');
    const first = await fixture.newestId('holdings_load');
    await loaded('a', first);
    await load('RUNNING');
    await refresh();
    await page.getByText('판단 보류', { exact: true }).waitFor();
    expect(await page.getByText('영향 없음', { exact: true }).count()).toBe(0);
    await load('SUCCEEDED');
    await loaded('b', await fixture.newestId('holdings_load'));
    await refresh();
    await page.getByText('해소됨', { exact: true }).waitFor();
    const late = page.getByRole('region', { name: '뒤늦게 채워진 ETF 1개' });
    expect(await fileOf(late)).toBe(`causeway-holdings-resolved-${date}.csv`);
    const whole = '2026-11-18';
    await fixture.put('holdings_snapshot', { reference_date: whole, taken_at: minutes(-2000) });
    await fixture.put('holdings_load', {
      reference_date: whole,
      status: 'SUCCEEDED',
      started_at: minutes(-1990),
      ended_at: minutes(-1980),
    });
    await open(`/holdings?referenceDate=${whole}`);
    await page.getByText('영향 없음', { exact: true }).waitFor();
    expect(await verdict()).toContain('기대한 ETF가 처음부터 모두 들어왔습니다.');
  });

  test('minutes: every state in words; a session without a judgement has none; stored grounds', async () => {
    await open('/minute');
    await page.getByText('경과한 390분 중 385분이 원장에 있음').waitFor();
    const hour = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('img', { name: '완전 55분, 원장에 없음 5분' }) });
    await hour.getByText('종목·분 45,100 / 45,100 수집, 실패 0, 미집계 5분').waitFor();
    expect(words(await row(/13:10/).getByRole('cell').allInnerTexts()).slice(0, 2)).toEqual(['원장에 없음', '5']);
    await row('2026-11-20').getByText('저장된 판정 없음').waitFor();
    await row('2026-11-19').getByRole('link').click();
    await detail().getByText('기준가보다 2.5% 올라 임계를 넘음').waitFor();
    await detail().getByText('다시 계산하지 않습니다').waitFor();
    expect(address()).toBe('/minute/krx-20261119');
  });

  test('an analysis as a whole: evidence, counter-factors, confidence, times, and the tenants that would be told', async () => {
    await open('/analyses');
    await row('한강 반도체 ETF').getByRole('link').click();
    await detail().getByText('높음').waitFor();
    await detail().getByText('엔진 미제공').waitFor();
    await detail().getByRole('link', { name: '기사 2 (새 창)' }).waitFor();
    await detail().getByText('2026-11-20 15:30:00 KST').first().waitFor();
    await detail().getByRole('button', { name: '철회…' }).click();
    await page.getByRole('dialog').getByText('철회를 발행할 고객사: 4곳').waitFor();
    await page.keyboard.press('Escape');
    await row('한강 통신 ETF').getByRole('link').click();
    await detail().getByText('첨부된 증빙이 없습니다.').waitFor();
    await detail().getByText('측정값 없음').waitFor();
  });
});

describe('at the end', () => {
  test('with a lane name of any length on a page of any width, the newest runs are in view', async () => {
    await fixture.run({ run_key: `${'lane'.repeat(30)}/2026-11-20/close` }, {});
    // A new document reads what this has changed.
    await page.goto(`${fixture.url}/overview`);
    for (const [width, pane] of [
      [360, ''],
      [720, ''],
      [1440, ''],
      [1440, '/market'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await open(`/overview${pane}`);
      const lanes = page.getByRole('region').filter({ has: row('lanelane') });
      const edges = await lanes.last().evaluate((region) => {
        const newest = [...region.querySelectorAll('td li:last-child a'), region];
        return newest.map((one) => one.getBoundingClientRect().right);
      });
      expect([width, pane, Math.max(...edges)]).toEqual([width, pane, edges.at(-1)]);
    }
  });

  test('a failure with a key of 150 signs and a message of a thousand hides no other, and keeps its line ends', async () => {
    const message = `the first line\n${'a long message of the provider '.repeat(32)}\nthe last line`;
    await fixture.run(
      { run_key: 'news/2026-11-20/long', status: 'FAILED' },
      { task_key: 'k'.repeat(150), attempts: [{ status: 'FAILED', error_code: 'E', error_message: message }] },
      { task_key: 'raw-short', attempts: [{ status: 'FAILED', error_code: 'E', error_message: 'short' }] },
    );
    await fixture.put('document', {
      document_id: 'long',
      document_type: 'NEWS',
      source_code: 'YNA',
      title: 'headline'.repeat(125),
      available_at: minutes(-5),
    });
    // A new document reads what this has changed.
    await page.goto(`${fixture.url}/overview`);
    for (const place of ['/overview/news', '/news', '/failures']) {
      await open(place);
      for (const width of [1024, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const region = page.getByRole('region').filter({ has: page.getByRole('table') });
        await region.first().getByRole('row').nth(1).waitFor();
        const over = await region.first().evaluate((one) => one.scrollWidth - one.clientWidth);
        expect([place, width, over]).toEqual([place, width, 0]);
      }
    }
    const long = row('kkkkk');
    const height = async (): Promise<number> => (await long.boundingBox())?.height ?? 0;
    const closed = await height();
    expect(await row('raw-short').getByRole('button', { name: '더 보기' }).count()).toBe(0);
    await long.getByRole('button', { name: '더 보기' }).click();
    await long.getByRole('button', { name: '접기' }).waitFor();
    expect(await height()).toBeGreaterThan(closed);
    expect(await long.getByText('the first line', { exact: false }).innerText()).toContain('the first line\na long');
    expect(new URL(page.url()).pathname).toBe('/failures');
  });

  test('long reasons of judgements take two lines each with the rest on demand, and keep their line ends', async () => {
    const reason = `the first line\n${'a long reason of the judge '.repeat(30)}\nthe last line`;
    const { db } = fixture.store;
    await sql`update minute_daily_judgment set reason = ${reason}`.execute(db);
    await sql`update minute_judgment_ground set reason = ${reason}, original_text = ${reason}`.execute(db);
    await page.goto(`${fixture.url}/minute/krx-20261119`);
    await detail().getByText('저장된 원문', { exact: true }).click();
    for (const place of [row('2026-11-19'), detail()]) {
      const more = place.getByRole('button', { name: '더 보기' });
      await more.first().click();
      const text = await place.getByText('the first line').first().innerText();
      expect(text).toContain('the first line\na long');
    }
    // The ground's reason is open, its original text not yet.
    await detail().getByRole('button', { name: '더 보기' }).waitFor();
  });

  test('one long name pushes no column of a list out of view, and an ordinary one keeps its line', async () => {
    const long = '아주 긴 이름의 증권회사 '.padEnd(100, '가나다라');
    const { db } = fixture.store;
    await sql`update tenant set name = ${long} where tenant_id = 2`.execute(db);
    await sql`update entity set entity_name = ${long} where entity_id = 'inst-900101'`.execute(db);
    await sql`update instrument_name set entity_name = ${long} where ticker = '900101'`.execute(db);
    const over: [string, number, number][] = [];
    const lines: number[] = [];
    await page.goto(`${fixture.url}/overview`);
    for (const place of ['/tenants', '/holdings', '/analyses', '/minute/krx-20261119']) {
      await open(place);
      for (const width of [1024, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const named = page.getByRole('rowheader').filter({ hasText: place === '/tenants' ? long : '900101' });
        await named.last().waitFor();
        const widest = await page.evaluate(() => {
          const scrolled = [...document.querySelectorAll('main, main *')].filter((one) =>
            /auto|scroll/.test(getComputedStyle(one).overflowX),
          );
          return Math.max(0, ...scrolled.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
        });
        over.push([place, width, widest]);
        if (place !== '/analyses') continue;
        const ordinary = page.getByRole('link', { name: '900102 한강 은행 ETF' });
        lines.push(
          await ordinary.evaluate(
            (one) => new Set([...one.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size,
          ),
        );
      }
    }
    expect(over.filter(([, , by]) => by > 0)).toEqual([]);
    expect(lines).toEqual([1, 1]);
  });

  test('the browser reported no error', () => {
    expect(window.complaints).toEqual([]);
  });
});
