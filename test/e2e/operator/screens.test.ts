/**
 * The operator's screens over a day of the pipeline, in Chromium: what each of them says, that the address holds
 * all of a view, how it is kept fresh, the keyboard, and no violation that axe can find in either language.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes, PipelineBed } from '../../../cloud/testing/pipeline-bed.ts';
import { AT, embeddedKind } from '../../../cloud/testing/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import { inEveryLook } from '../screenshots.ts';
import { logIn, openBrowser, words, type OperatorBrowser } from '../operator-browser.ts';
import { writePipelineDay } from './pipeline-day.ts';

let bed: PipelineBed;
let window: OperatorBrowser;
let page: OperatorBrowser['page'];

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  bed = await PipelineBed.open(embeddedKind, pagesOf('operator'));
  await writePipelineDay(bed);
  // A refused name and a request that the test cuts off are noted by the browser as errors too.
  window = await openBrowser(/the server responded with a status of 4\d\d|ERR_FAILED/);
  ({ page } = window);
  await logIn(page, bed.url);
});
afterAll(async () => {
  await window?.close();
  await bed?.close();
});

const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const detail = () => page.getByRole('article');
const cells = async (name: string | RegExp): Promise<string[]> =>
  words(await row(name).getByRole('cell').allInnerTexts());
const open = (place: string) => page.goto(`${bed.url}${place}`);
const address = (): string => {
  const { pathname, search } = new URL(page.url());
  return decodeURIComponent(pathname) + search;
};

describe('Run Overview', () => {
  test('is the first screen: a lane a row, with state, outcomes in a unit, runs, defects in stage order', async () => {
    expect(address()).toBe('/overview');
    await page.getByText('DB 시각').waitFor();
    await page.getByText('2026-11-20 16:00:00 KST').waitFor();
    await row('disclosure').waitFor();
    // What needs somebody comes first.
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
    // A later slot was planned and has no run: the good run before it makes nothing good.
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

  test('is asked for without waiting for the answer of who is logged in', async () => {
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
    await bed.run(
      { run_key: 'options_greeks/2026-11-20/close', status: 'RUNNING', deadline: minutes(30) },
      { attempts: [] },
    );
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await row('options_greeks').waitFor();
    expect((await cells('options_greeks'))[0]).toMatch(/^진행 중 .*16:00 실행 1건 중 확인 필요 0건$/);
    expect(words(await row('options_greeks').getByRole('rowheader').allInnerTexts())).toEqual(['options_greeks']);
  });

  test('on a past day: the latest runs of then, said to be so, with a way back to today', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByLabel('조회 종료일 (KST)').press('Control+A');
    // A day that is still being typed asks for nothing.
    await page.keyboard.type('20261118');
    await page.getByText('2026-11-18까지의 실행을 봅니다.', { exact: false }).waitFor();
    expect(address()).toBe('/overview?date=2026-11-18');
    expect(asked.filter((url) => url.includes('date=0'))).toEqual([]);
    expect((await cells('disclosure'))[0]).toMatch(/^막힘 .*11-18 15:40 /);
    await page.getByRole('link', { name: '오늘 보기' }).click();
    await page.getByText('2026-11-18까지의 실행을 봅니다.', { exact: false }).waitFor({ state: 'detached' });
    expect(address()).toBe('/overview');
  });

  test('a planned slot without a run stands at its time in the strip, and opens', async () => {
    const strip = row('source_observation').getByRole('list', { name: /최근 실행/ });
    expect(words(await strip.getByRole('listitem').allInnerTexts()).slice(-2)).toEqual(['15', '15']);
    const gap = strip.getByRole('link', { name: 'source_observation/2026-11-20/1500: 계획했으나 실행 없음' });
    await gap.click();
    await detail().getByText('계획 시각에 시작했어야 할 실행이 원장에 없습니다.', { exact: false }).waitFor();
    expect(address()).toBe('/overview/source_observation?run=source_observation%2F2026-11-20%2F1500');
    expect(await gap.getAttribute('aria-current')).toBe('true');
    await detail().getByRole('button', { name: '닫기' }).click();
  });

  test('a day without trouble says so in one line, and since when', async () => {
    await open('/overview?date=2026-11-17');
    await page.getByText('확인이 필요한 레인이 없습니다.').waitFor();
    await page.getByText('적어도 2026-11-11 00:00 KST 이후 이상 없음').waitFor();
    await open('/overview?date=2026-11-18');
    await row('disclosure').getByText('막힘').first().waitFor();
    expect(await page.getByText('확인이 필요한 레인이 없습니다.').count()).toBe(0);
  });

  test('a day on which nothing was due is neutral, with the last run that counted beside it', async () => {
    await open('/overview?date=2026-11-15');
    await row('market').getByText('이 날의 실행 없음').waitFor();
    expect((await cells('market'))[0]).toMatch(
      /^판정 대상 없음 이 날의 실행 없음 마지막 판정 대상 실행 정상 .*11-13 15:40$/,
    );
    await page.getByRole('button', { name: '판정 대상 없음 5' }).waitFor();
    await page.getByRole('button', { name: '정상 0' }).waitFor();
    await open('/overview');
    await row('market').waitFor();
  });

  test('a tile shows one state alone; lane and run stand in the address, and a reload keeps all of it', async () => {
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

  test('the run has every task: zero, no signal and not due are three things', async () => {
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
    await open('/overview/disclosure');
    await task('board').waitFor();
    expect((await own('board'))[1]).toBe('예정 아님 NOT_DUE');
  });
});

describe('keeping fresh', () => {
  const asked = (): number => reads;
  let reads = 0;

  test('reads again every half minute, not while it is hidden or paused, and keeps focus and scroll', async () => {
    page.on('request', (request) => {
      if (request.url().endsWith('/sources/overview')) reads += 1;
    });
    await page.clock.install();
    await open('/overview');
    const lane = row('market').getByRole('link').first();
    await lane.focus();
    reads = 0;
    await page.clock.fastForward(31_000);
    await page.getByText('0초 전 조회').waitFor();
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
    await page.getByText('0초 전 조회').waitFor();
    await show('hidden');
    const before = asked();
    await page.clock.fastForward(100_000);
    expect(asked()).toBe(before);
    await page.getByText(/1[0-2]\d초 전 조회/).waitFor();
    await show('visible');
    await page.getByText('0초 전 조회', { exact: false }).filter({ hasNotText: '100초' }).waitFor();
    expect(asked()).toBe(before + 1);
  });

  test('says that it could not be read again, and keeps what it has', async () => {
    await page.route('**/sources/overview', (route) => route.abort());
    await page.getByRole('button', { name: '지금 갱신' }).click();
    // Two more tries stand between the first failure and the word.
    for (let tries = 0; tries < 3; tries += 1) await page.clock.fastForward(1_000);
    await page.getByRole('alert').getByText('갱신하지 못했습니다. 이전 자료입니다').waitFor();
    await row('market').waitFor();
    await page.unroute('**/sources/overview');
    await page.clock.resume();
  });
});

describe('Run history', () => {
  test('lanes by days with planned slots without a run; the arrow keys go from cell to cell', async () => {
    await open('/runs');
    await page.getByRole('link', { name: /^market\/2026-11-20/ }).focus();
    await page.keyboard.press('ArrowLeft');
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    expect(await focused()).toBe('market/2026-11-19/close: 정상, 결함 0건');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('market/2026-11-16/close: 정상, 결함 0건');
    // Over the weekend, which holds no run.
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('market/2026-11-13/close: 정상, 결함 0건');
    await page.getByRole('link', { name: 'source_observation/2026-11-20/1500: 계획했으나 실행 없음' }).waitFor();
    // Slots of a lane have one place on each day, and their hours stand below its name.
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
    expect(names).toEqual(['자동 갱신 중지', '지금 갱신', '고객사 등록', '조건 초기화', '닫기']);
  });

  test('a form by keyboard alone: what is missing is said at its field, and a taken name too', async () => {
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
    await form.getByText('다른 고객사가 사용 중인 이름입니다.').waitFor();
    await form.getByLabel('고객사 이름').fill('새봄증권');
    await page.keyboard.press('Enter');
    await detail().getByRole('heading', { name: '새봄증권' }).waitFor();
    await row('새봄증권').waitFor();
    await row('새봄증권').getByText('미연결').waitFor();
  });
});

describe('Event Pipeline', () => {
  test('source status: never, null and 0 apart', async () => {
    await open('/sources');
    await row('공시').waitFor();
    expect((await cells('뉴스')).slice(0, 2)).toEqual(['정상', '11-20 15:57']);
    expect(await cells('공시')).toEqual([
      '오류',
      '11-20 15:48',
      '이력 없음',
      '11-20 16:10',
      '신호 없음',
      expect.stringContaining('HTTP_503'),
    ]);
    expect((await cells('시세'))[4]).toBe('0');
    expect((await cells('실적·재무')).slice(0, 3)).toEqual(['알 수 없음', '이력 없음', '이력 없음']);
  });

  test('news: N of M with a definition; a tile narrows the list, and what nobody measures is said', async () => {
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
    await page.getByText('DEAD 1건').waitFor();
    await page.getByText('다른 원장입니다.', { exact: false }).waitFor();
    for (const unmeasured of ['추출의 최종 구분', '중복 제거', '종목 연결']) await page.getByText(unmeasured).waitFor();
    await open('/news?date=2026-11-19');
    await page.getByText('이 날, 이 단계의 문서가 없습니다.').waitFor();
  });

  test('holdings: impact with its analyses; unknown, withheld, resolved and none each say something else', async () => {
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
    const refresh = (): Promise<void> => page.getByRole('button', { name: '지금 갱신' }).click();
    const loaded = (etf: string, load: number) =>
      bed.put('holdings_loaded', {
        reference_date: date,
        etf_instrument_id: etf,
        holdings_load_id: load,
        loaded_at: AT,
      });
    await bed.put('holdings_snapshot', { reference_date: date, taken_at: minutes(-90) });
    await bed.put(
      'holdings_expected',
      { reference_date: date, etf_instrument_id: 'a' },
      { reference_date: date, etf_instrument_id: 'b' },
    );
    const load = (status: string) =>
      bed.put('holdings_load', {
        reference_date: date,
        status,
        started_at: minutes(-60),
        ended_at: status === 'RUNNING' ? null : minutes(-50),
      });
    await load('SUCCEEDED');
    const first = await bed.newestId('holdings_load');
    await loaded('a', first);
    await load('RUNNING');
    await refresh();
    await page.getByText('판단 보류', { exact: true }).waitFor();
    expect(await page.getByText('영향 없음', { exact: true }).count()).toBe(0);
    await load('SUCCEEDED');
    await loaded('b', await bed.newestId('holdings_load'));
    await refresh();
    await page.getByText('해소됨', { exact: true }).waitFor();
    await page.getByText('뒤늦게 채워진 ETF 1개').waitFor();
    const whole = '2026-11-18';
    await bed.put('holdings_snapshot', { reference_date: whole, taken_at: minutes(-2000) });
    await bed.put('holdings_load', {
      reference_date: whole,
      status: 'SUCCEEDED',
      started_at: minutes(-1990),
      ended_at: minutes(-1980),
    });
    await open(`/holdings?referenceDate=${whole}`);
    await page.getByText('영향 없음', { exact: true }).waitFor();
    expect(await verdict()).toContain('기대한 ETF가 처음부터 모두 들어왔습니다.');
  });

  test('minutes: every state told in words; a session without a judgement has none; stored grounds', async () => {
    await open('/minute');
    await page.getByText('경과한 390분 중 385분이 원장에 있음').waitFor();
    await page.getByRole('img', { name: '완전 55분, 원장에 없음 5분' }).waitFor();
    expect(words(await row(/13:10/).getByRole('cell').allInnerTexts()).slice(0, 2)).toEqual(['원장에 없음', '5']);
    await row('2026-11-20').getByText('저장된 판정 없음').waitFor();
    await row('2026-11-19').getByRole('link').click();
    await detail().getByText('기준가보다 2.5% 올라 임계를 넘음').waitFor();
    await detail().getByText('다시 계산하지 않습니다').waitFor();
    expect(address()).toBe('/minute/krx-20261119');
  });

  test('an analysis whole: evidence, counter-factors, confidence, times, and who would be told', async () => {
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

describe('every screen in both languages and both schemes', () => {
  const SCREENS = {
    overview: '/overview',
    lane: '/overview/disclosure',
    runs: '/runs/disclosure%2F2026-11-20%2Fclose',
    tenants: '/tenants/3',
    'tenant-new': '/tenants/new',
    sources: '/sources',
    news: '/news',
    holdings: '/holdings',
    minute: '/minute/krx-20261119',
    analysis: '/analyses/res-chips',
    profile: '/profile',
  };
  test.for(Object.entries(SCREENS))('%s: nothing that axe finds, and pictures to look at', async ([name, place]) => {
    await open(place);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main [role=status]').first().waitFor({ state: 'detached' });
    if (/\/\w+\/.+/.test(place)) await detail().getByRole('heading', { level: 2 }).waitFor();
    await inEveryLook(page, `operator-${name}`);
  });

  test('narrow as on a telephone no screen runs out of the page, nor its name and age out of view', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const place of Object.values(SCREENS)) {
      await open(place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (place !== '/profile') await page.locator('main header button[aria-pressed]').waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([place, width]).toEqual([place, 360]);
    }
  });

  test('however long the name of a lane and however narrow the page, the newest runs are in view', async () => {
    await bed.run({ run_key: `${'lane'.repeat(30)}/2026-11-20/close` }, {});
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

  test('the browser had nothing to complain about', () => {
    expect(window.complaints).toEqual([]);
  });
});
