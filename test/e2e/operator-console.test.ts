/** The vendor's operator in a browser: logs in, looks through the analyses and takes one back everywhere. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LineAnswer, Load } from '../../cloud/engine/load.ts';
import { ensurePages } from '../../electron/packaging/pages.ts';
import type { Page as ListPage } from '../../shared/wire/console.ts';
import type { Envelope } from '../../shared/wire/envelope.ts';
import type { Analysis } from '../../shared/wire/operator.ts';
import { liveLoad } from '../support/loads.ts';
import { PROJECT, TestBed } from '../support/process.ts';

const SLOW_MS = 120_000;
const TOKEN = 'operator-console-test';
const SCREENSHOTS = path.join(PROJECT, 'artifacts', 'screenshots');
const AS_OF = '2026-11-20T05:30:00.000Z';

const CHIPS = { id: 'op-chips.1', ticker: '900101', name: '운영 반도체 ETF' };
const BANKS = { id: 'op-banks', ticker: '900102', name: '운영 은행 ETF' };
const LATE = { id: 'op-late', ticker: '900105', name: '운영 나중 ETF' };

const bed = new TestBed();
let browser: Browser;
let context: BrowserContext;
let page: Page;
let urls: { operator: string; engine: string };
/** What the browser complained about: above all, what the content security policy forbids. */
const complaints: string[] = [];

beforeAll(async () => {
  await ensurePages({ front: 'operator', log: () => undefined });
  const home = bed.folder('operator-console');
  const env = { CAUSEWAY_HOME: home, CAUSEWAY_DEMO: '1' };
  let said = '';
  for (const tenant of ['한국증권', '서울증권']) {
    const init = bed.start('cloud/main.ts', { args: ['init', '--tenant', tenant], env });
    expect((await init.ended(SLOW_MS)).code, init.stderr).toBe(0);
    said = init.stdout;
  }
  const { pki } = JSON.parse(said) as { pki: Record<'serverCert' | 'serverKey' | 'clientCa', string> };
  const cloud = bed.start('cloud/main.ts', {
    env: {
      ...env,
      // The account is the demo's; on the screens stands only what these tests load.
      CAUSEWAY_DEMO: '0',
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_TOKEN: TOKEN,
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
    },
  });
  const [operator, engine] = await Promise.all([
    cloud.listening('operator', SLOW_MS),
    cloud.listening('engine', SLOW_MS),
  ]);
  urls = { operator: operator.url, engine: engine.url };
  await load(
    liveLoad({
      ...CHIPS,
      asOf: AS_OF,
      observedReturn: 0.0123,
      summary:
        '반도체 수출이 석 달 연속 늘었다는 소식에 종가는 전일보다 1.23% 올랐습니다. 대형주 두 종목이 상승분의 절반을 차지했습니다.',
    }),
    liveLoad({
      ...BANKS,
      asOf: AS_OF,
      observedReturn: -0.0207,
      summary: '금리 인하 전망에 은행주가 내려 2.07% 하락했습니다.',
    }),
    liveLoad({
      id: 'op-flat',
      ticker: '900103',
      name: '운영 보합 ETF',
      asOf: AS_OF,
      observedReturn: 0,
      summary: '변동이 없었습니다.',
    }),
    unmeasured('op-none', '900104', '운영 미측정 ETF'),
  );

  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  context = await browser.newContext({ locale: 'ko-KR', viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    // A refused login and a conflict are answered with a status that the browser notes as an error too.
    if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
});
afterAll(async () => {
  await browser?.close();
  await bed.clear();
});

/** An explanation whose trigger measured nothing, and which has no evidence at all. */
function unmeasured(id: string, ticker: string, name: string): Load {
  const whole = liveLoad({ id, ticker, name, asOf: AS_OF, summary: '관측값 없이 만든 설명입니다.' });
  return {
    ...whole,
    trigger: { ...whole.trigger, observed_return: null },
    lineage: { documents: [], source_events: [], event_evidences: [], disclosure_facts: [], calculations: [] },
  };
}

async function load(...loads: Load[]): Promise<void> {
  const answer = await fetch(`${urls.engine}/internal/v1/loads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: loads.map((one) => JSON.stringify(one)).join('\n'),
  });
  const body = (await answer.json()) as Envelope<{ lines: LineAnswer[] }>;
  expect(body, JSON.stringify(body)).toMatchObject({
    isSuccess: true,
    result: { lines: loads.map(() => ({ outcome: 'PUBLISHED' })) },
  });
}

/** A second operator session beside the browser's. */
async function otherSession(): Promise<{
  read: (id: string) => Promise<Analysis | undefined>;
  invalidate: (id: string, reason: string) => Promise<number>;
}> {
  const login = await fetch(`${urls.operator}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  const cookie = login.headers.getSetCookie().join('; ').split(';')[0] ?? '';
  return {
    read: async (id) => {
      const answer = await fetch(`${urls.operator}/api/v1/analyses?size=100`, { headers: { cookie } });
      const body = (await answer.json()) as Envelope<ListPage<Analysis>>;
      return body.isSuccess ? body.result?.items.find((item) => item.id === id) : undefined;
    },
    invalidate: async (id, reason) =>
      (
        await fetch(`${urls.operator}/api/v1/analyses/${id}/invalidate`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json' },
          body: JSON.stringify({ reason }),
        })
      ).status,
  };
}

async function screenshot(name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `operator-${name}.png`) });
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const detail = () => page.getByRole('article');

async function logIn(password: string): Promise<void> {
  await page.getByLabel('사용자 이름').fill('operator');
  await page.getByLabel('비밀번호').fill(password);
  await page.getByRole('button', { name: '로그인' }).click();
}

describe('the operator console', () => {
  test('a wrong password is refused; after the right one the operator stands where the address said', async () => {
    await page.goto(`${urls.operator}/analyses?publicationState=PUBLISHED`);
    await logIn('wrong');
    await page.getByRole('alert').getByText('사용자 이름 또는 비밀번호가 올바르지 않습니다.').waitFor();
    await screenshot('login-ko');
    await logIn('causeway-demo');
    await page.getByRole('heading', { level: 1, name: '가격 변동 분석' }).waitFor();
    expect(new URL(page.url()).search).toBe('?publicationState=PUBLISHED');
    expect(await page.getByRole('combobox', { name: '게시 상태' }).inputValue()).toBe('PUBLISHED');
  });

  test('the list shows what was loaded, with nothing measured apart from zero', async () => {
    await page.getByRole('button', { name: '조건 지우기' }).click();
    const cells = async (name: string): Promise<string[]> =>
      (await row(name).getByRole('cell').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    await row(CHIPS.name).waitFor();
    const [market, rate, direction, , evidence, status, state] = await cells(CHIPS.name);
    expect([market, rate, direction, evidence, status, state]).toEqual([
      'KRX',
      '상승 +1.23%',
      '상승',
      '3',
      '분석 완료',
      '게시',
    ]);
    expect((await cells(BANKS.name))[1]).toBe('하락 −2.07%');
    expect((await cells('운영 보합 ETF')).slice(1, 3)).toEqual(['보합 0.00%', '보합']);
    const none = await cells('운영 미측정 ETF');
    expect([none[1], none[2], none[4]]).toEqual(['—', '—', '0']);
    expect(await row('운영 미측정 ETF').getByRole('img', { name: '값 없음' }).count()).toBe(2);
    await page.getByText(/초 전에 읽음 · \d+초 뒤 갱신/).waitFor();
    await screenshot('analyses-ko');
  });

  test('filters stand in the address and survive a reload', async () => {
    await page.getByRole('searchbox', { name: '종목명·코드 검색' }).fill('은행');
    await page.getByText('모두 1건').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('은행');
    await page.reload();
    await page.getByText('모두 1건').waitFor();
    expect(await page.getByRole('searchbox', { name: '종목명·코드 검색' }).inputValue()).toBe('은행');
    await page.getByRole('combobox', { name: '게시 상태' }).selectOption('무효화');
    await page.getByText('조건에 맞는 분석이 없습니다.').waitFor();
    await page.getByRole('button', { name: '조건 지우기' }).click();
    await row(CHIPS.name).waitFor();
  });

  test('invalidating needs a reason, says what follows, and tells how many tenants are told', async () => {
    await row(CHIPS.name).getByRole('link').click();
    await detail().getByRole('heading', { name: CHIPS.name }).waitFor();
    await screenshot('analysis-ko');
    await detail().getByRole('button', { name: '무효화…' }).click();
    const dialog = page.getByRole('dialog', { name: '설명 무효화' });
    await dialog.getByText('이 설명을 받은 모든 고객사에서 설명이 철회됩니다.', { exact: false }).waitFor();
    await dialog.getByText('지금 무효화하면 알릴 고객사: 2곳').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['서울증권', '한국증권']);
    const reason = dialog.getByRole('textbox', { name: '무효화 사유 (필수)' });
    await reason.fill('   ');
    await dialog.getByRole('button', { name: '무효화', exact: true }).click();
    await dialog.getByText('무효화 사유를 입력하세요.').waitFor();
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true);
    await screenshot('invalidate-ko');
    await reason.fill('기여도 계산에 쓴 비중이 잘못되었습니다.');
    await dialog.getByRole('button', { name: '무효화', exact: true }).click();
    await page.getByText(`${CHIPS.ticker} ${CHIPS.name}: 무효화했습니다. 고객사 2곳에 철회를 알립니다.`).waitFor();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('the state changes on the screen, and there is nothing left to invalidate', async () => {
    await row(CHIPS.name).getByText('무효화', { exact: true }).waitFor();
    await detail().getByText('기여도 계산에 쓴 비중이 잘못되었습니다.').waitFor();
    await detail().getByText('이미 무효화된 설명입니다.', { exact: false }).waitFor();
    expect(await detail().getByRole('button', { name: '무효화…' }).count()).toBe(0);
    await screenshot('invalidated-ko');
    const { read, invalidate } = await otherSession();
    expect(await read(CHIPS.id)).toMatchObject({
      publicationState: 'INVALIDATED',
      withdrawalReason: '기여도 계산에 쓴 비중이 잘못되었습니다.',
    });
    expect(await invalidate(CHIPS.id, '다시')).toBe(409);
  });

  test('a second invalidation of what somebody else has just taken back is explained, even out of a narrowed list', async () => {
    await page.goto(`${urls.operator}/analyses?publicationState=PUBLISHED`);
    await row(BANKS.name).getByRole('link').click();
    await detail().getByRole('button', { name: '무효화…' }).click();
    const dialog = page.getByRole('dialog', { name: '설명 무효화' });
    await dialog.getByRole('textbox', { name: '무효화 사유 (필수)' }).fill('수치가 맞지 않습니다.');
    const { invalidate } = await otherSession();
    expect(await invalidate(BANKS.id, '다른 사람이 먼저')).toBe(200);
    await dialog.getByRole('button', { name: '무효화', exact: true }).click();
    await dialog.getByRole('alert').getByText('이 설명은 이미 게시 상태가 아닙니다.', { exact: false }).waitFor();
    await dialog.getByRole('alert').getByText('무효화', { exact: true }).waitFor();
    await screenshot('conflict-ko');
    await dialog.getByRole('button', { name: '닫기' }).last().click();
    await detail().getByText('다른 사람이 먼저').waitFor();
    await row(BANKS.name).waitFor({ state: 'detached' });
  });

  test('what is new appears by itself within half a minute', async () => {
    await page.clock.install();
    await page.goto(`${urls.operator}/analyses`);
    await row(CHIPS.name).waitFor();
    await load(liveLoad({ ...LATE, asOf: AS_OF, summary: '나중에 온 설명입니다.' }));
    expect(await row(LATE.name).count()).toBe(0);
    await page.clock.fastForward(31_000);
    await row(LATE.name).waitFor();
  });

  test('in English and in the dark it says the same', async () => {
    await page.getByRole('button', { name: '언어 · 화면' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Price-movement analyses' }).waitFor();
    await row(LATE.name).getByRole('link').click();
    await page.getByRole('button', { name: 'Invalidate…' }).waitFor();
    await screenshot('analysis-en');
    await page.getByRole('button', { name: 'Language · Display' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Invalidate…' }).click();
    await page.getByRole('dialog', { name: 'Invalidate the explanation' }).waitFor();
    await screenshot('invalidate-dark-en');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await screenshot('analysis-dark-en');
  });

  test('narrow as on a telephone nothing runs out of the page', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await row(CHIPS.name).waitFor();
    expect(await overflow()).toBe(0);
    await screenshot('narrow-dark-en');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('after logging out nothing is shown, and the browser had nothing to complain about', async () => {
    await page.getByRole('button', { name: /^User menu/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await screenshot('login-dark-en');
    expect(complaints).toEqual([]);
  });
});
