/**
 * From a bad morning to cause and effect in Chromium: three clicks from the first screen to the tenant that waits
 * behind a failed task, links at every name, and a withdrawal that no tenant has received.
 */
import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withdraw } from '../../../cloud/publication/withdraw.ts';
import { minutes, PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { embeddedKind } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import { violations } from '../axe.ts';
import { takePicture } from '../../support/pictures.ts';
import { deepTest, runs } from '../../support/runs.ts';
import { fitsWidth, inItsLooks } from '../screenshots.ts';
import { goInPlace, logIn, openWindow, words, type OperatorBrowser } from '../operator-browser.ts';
import { writePipelineDay } from './pipeline-day.ts';

const DAY = '2026-11-20';
const RUN = `disclosure/${DAY}/close`;

let fixture: PipelineFixture;
let window: OperatorBrowser;
let page: Page;

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await PipelineFixture.open(embeddedKind, pagesOf('operator'));
  await writePipelineDay(fixture);
  window = await openWindow(/the server responded with a status of 4\d\d/);
  ({ page } = window);
  await page.addInitScript(() => {
    addEventListener(
      'click',
      ({ isTrusted }) => {
        if (isTrusted) sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1));
      },
      true,
    );
  });
  await logIn(page, fixture.url);
});
afterAll(async () => {
  await window?.close();
  await fixture?.close();
});

const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const detail = () => page.getByRole('article');
/** In a new document, which reads what the test has changed in the ledger. */
const open = (place: string) => page.goto(`${fixture.url}${place}`);
const go = (place: string) => goInPlace(window, place);
const path = (): string => decodeURIComponent(new URL(page.url()).pathname);
/** The user's clicks, as the page counts them. */
const clicks = () => page.evaluate(() => Number(sessionStorage.getItem('clicks')));
const region = (name: string | RegExp) => detail().getByRole('region', { name });
const links = async (name: string | RegExp): Promise<string[]> =>
  words(await region(name).first().getByRole('link').allInnerTexts());

describe('three clicks from the first screen', () => {
  test('a failed task leads to its ETFs, their analyses of the day and a waiting tenant', async () => {
    await page.evaluate(() => sessionStorage.removeItem('clicks'));
    // 1: the failed task in the row of its lane.
    await row('공시')
      .getByRole('link', { name: /2개 작업/ })
      .first()
      .click();
    await detail().getByRole('heading', { level: 2, name: 'task-1' }).waitFor();
    expect(await clicks()).toBe(1);
    expect(path()).toBe(`/failures/${RUN}`);
    await detail().getByText('서비스 이용 불가 응답').first().waitFor();
    expect(await links(/이 작업의 영향을 받는 ETF 3개/)).toEqual([
      '900101 한강 반도체 ETF',
      '900102 한강 은행 ETF',
      '900103 한강 보합 ETF',
    ]);
    expect(await links('당일 분석 3건')).toHaveLength(3);
    expect(await links(/이 분석을 기다리는 고객사 3곳/)).toEqual([
      '부산투자증권',
      '서울증권',
      '한국증권',
      // The line of those that never connected.
      '보기',
    ]);
    // 2: an analysis of the day. 3: a tenant that has not received it.
    await region('당일 분석 3건')
      .getByRole('link', { name: /한강 은행/ })
      .first()
      .click();
    await detail()
      .getByRole('heading', { name: /한강 은행/ })
      .waitFor();
    await detail().getByRole('link', { name: '서울증권' }).click();
    await detail().getByRole('heading', { name: '서울증권' }).waitFor();
    expect([await clicks(), path()]).toEqual([3, '/tenants/2']);
  });

  test('the page shows the reason, what waited behind it, and that nothing has come since', async () => {
    await go(`/failures/${encodeURIComponent(RUN)}?date=${DAY}&task=task-1`);
    await detail().getByText('아직 성공한 실행이 없습니다.').waitFor();
    expect(words(await region('원인').getByRole('link').allInnerTexts())).toEqual([
      RUN,
      'disclosure',
      'dart_body',
      'task-3',
      'task-4',
    ]);
    await region('원인').getByRole('link', { name: 'task-3' }).click();
    await detail().getByRole('heading', { level: 2, name: 'task-3' }).waitFor();
    await page.reload();
    await detail().getByRole('heading', { level: 2, name: 'task-3' }).waitFor();
    // Beside it the list of the day, causes before the tasks that waited for them.
    const tasks = page.getByRole('table', { name: '이 날 실패한 작업' });
    const links = words(await tasks.getByRole('rowheader').getByRole('link').allInnerTexts());
    expect(links.filter((_link, index) => index % 2 === 0)).toEqual(['task-1', 'task-2', 'task-3', 'task-4', 'task-2']);
    // Each with its run.
    expect(links.filter((_link, index) => index % 2 === 1)).toEqual([RUN, RUN, RUN, RUN, `news/${DAY}/1500`]);
  });

  test('a lane without a lineage claims none: all ETFs of the day are an upper bound', async () => {
    await fixture.run(
      { run_key: `source_observation/${DAY}/1200`, status: 'FAILED', created_at: minutes(-30) },
      { task_key: 'raw-financials', dataset: 'financials', attempts: [{ status: 'FAILED', error_code: 'HTTP_503' }] },
    );
    await open(`/failures/${encodeURIComponent(`source_observation/${DAY}/1200`)}?task=raw-financials`);
    await region(/영향 가능 ETF 4개 \(상한\)/)
      .first()
      .getByText('원장에 기록이 없습니다.', { exact: false })
      .waitFor();
    await go(`/failures/${encodeURIComponent(RUN)}?task=none`);
    await page.getByText('원장에 이 작업이 없습니다.').waitFor();
  });
});

describe('every name is a link', () => {
  test('in the facts, and beside a verdict whose sentence names task and reason', async () => {
    await go(`/facts?date=${DAY}&axis=tasks`);
    const verdicts = page.getByRole('list', { name: '판정 목록' });
    await verdicts.getByText(`source_observation 1200 실패: raw-financials, HTTP_503`).waitFor();
    const failed = verdicts.getByRole('listitem').filter({ hasText: 'source_observation 1200 실패' });
    expect(words(await failed.getByRole('link').allInnerTexts())).toEqual([
      'raw-financials',
      `source_observation/${DAY}/1200`,
    ]);
    await failed.getByRole('link', { name: 'raw-financials' }).click();
    expect(path()).toBe(`/failures/source_observation/${DAY}/1200`);
    await page.goBack();
    const tasks = page.getByRole('table', { name: '작업', exact: true });
    await tasks.getByRole('link', { name: 'dart_list' }).first().click();
    await page.getByRole('table', { name: '데이터셋' }).getByRole('link', { name: 'dart_list' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?date=${DAY}&axis=datasets&q=dart_list`);
    await page.getByRole('link', { name: /^ETF 원장/ }).click();
    const fired = page.getByRole('table', { name: 'ETF 원장' }).getByRole('link');
    expect(await fired.first().getAttribute('href')).toMatch(/^\/analyses\?q=9001/);
  });

  test('equal verdicts are grouped with a count, and open one by one', async () => {
    for (const slot of ['0900', '1000'])
      await fixture.run(
        { run_key: `news/${DAY}/${slot}`, status: 'FAILED', created_at: minutes(-200) },
        { task_key: 'raw-news', dataset: 'news_raw', attempts: [{ status: 'FAILED', error_code: 'TIMEOUT' }] },
      );
    await open(`/facts?date=${DAY}&severity=BAD`);
    const group = page.getByRole('button', { name: /news 0900 실패: raw-news, TIMEOUT 같은 판정 2건/ });
    await group.waitFor();
    const place = page.getByRole('listitem').filter({ has: group });
    // The head links to the cause and to each of the runs, without being opened.
    const leads = place.getByRole('list', { name: '이 판정에서 이동' }).first().getByRole('link');
    expect(words(await leads.allInnerTexts())).toEqual(['raw-news', `news/${DAY}/0900`, `news/${DAY}/1000`]);
    expect(await leads.first().getAttribute('href')).toContain(`/failures/${encodeURIComponent(`news/${DAY}/0900`)}`);
    await group.click();
    const members = place
      .getByRole('list')
      .filter({ has: page.getByRole('button') })
      .getByRole('button');
    await expect.poll(() => members.count()).toBe(2);
    await members.filter({ hasText: 'news 1000 실패: raw-news, TIMEOUT' }).click();
    await page.getByRole('table', { name: '읽은 사실' }).waitFor();
    await page.reload();
    await page.getByRole('table', { name: '읽은 사실' }).waitFor();
    expect(await group.getAttribute('aria-expanded')).toBe('true');
  });
});

describe('withdrawn and not received', () => {
  test('is a warning, then bad on overview, tenants and in the list, until the tenants have it', async () => {
    await go('/tenants');
    await page.getByText('판정 대상이 없습니다: 아직 발행한 철회가 없습니다.').waitFor();
    // A tenant that has connected has the text; the others would receive it together with its withdrawal.
    await sql`update tenant_pull_state set last_good_after =
      (select max(cursor) from tenant_delivery d where d.tenant_id = tenant_pull_state.tenant_id)`.execute(
      fixture.store.db,
    );
    await fixture.store.transaction((trx) => withdraw(trx, { explanationResultId: 'res-banks' }, '오류', minutes(0)));
    await page.getByRole('button', { name: '지금 갱신' }).click();
    const line = page.getByRole('region', { name: '철회 수신' });
    await line.getByText('주의').waitFor();
    await line.getByText('철회 1건을 고객사 3곳이 아직 수신하지 않음').waitFor();
    await fixture.store.db
      .updateTable('tenant_delivery')
      .set({ created_at: minutes(-5) })
      .where('delivery_type', '=', 'INVALIDATION')
      .execute();
    // A past day is judged by its runs; what waits now stands beside it, and is said to be of now.
    await open('/overview?date=2026-11-17');
    await line.getByText('현재 값').waitFor();
    await page.getByText('확인이 필요한 레인이 없습니다.').waitFor();
    await go('/overview');
    await line.getByText('이상', { exact: true }).waitFor();
    expect(await line.getByText('현재 값').count()).toBe(0);
    await line
      .getByRole('link', {
        name: '한강 은행 ETF (900102): 철회했으나 고객사 3곳이 수신 주기의 두 배가 지나도록 수신하지 않았습니다.',
      })
      .click();
    expect(path()).toBe('/analyses/res-banks');
    await row('한강 은행').getByText('철회 4곳 · 수신 0곳').waitFor();
    await row('한강 은행').getByText('미수신 3곳').waitFor();
    await row('한강 은행').getByText('미연결 1곳').waitFor();
    await row('한강 반도체').getByText('발행 4곳 · 수신 3곳').waitFor();
  });
});

describe('the report of the day', () => {
  test('is a printable document: failures, affected ETFs and waiting tenants, without axe violations', async () => {
    await open(`/facts?date=${DAY}`);
    await page.getByRole('list', { name: '판정 목록' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '보고서 저장' }).click(),
    ]);
    const document = await window.context.newPage();
    try {
      await document.setContent(readFileSync(await download.path(), 'utf8'));
      const headings = words(await document.getByRole('heading', { level: 2 }).allInnerTexts());
      expect(headings).toEqual([
        '실패한 작업과 사유',
        '영향받는 ETF',
        '수신하지 않은 고객사',
        '판정',
        '미측정 항목',
        '적용한 규칙과 버전',
        '사실',
        '원본',
      ]);
      const row = async (name: string): Promise<string> =>
        words([await document.getByRole('row').filter({ hasText: name }).first().innerText()]).join();
      expect(await row('raw-financials')).toBe(
        `source_observation/${DAY}/1200 raw-financials financials 실패 서비스 이용 불가 응답 HTTP_503 2026-11-20 16:00:00 미해결`,
      );
      expect(await row('서울증권')).toContain('서울증권 1 1 1 2026-11-20 ');
      await document.getByText('900101', { exact: true }).first().waitFor();
      expect(await document.getByText('현재 값').count()).toBeGreaterThan(3);
      expect(await violations(document)).toEqual([]);
      for (const width of [1440, 390]) {
        await document.setViewportSize({ width, height: 900 });
        const over = await document.evaluate(
          () => globalThis.document.documentElement.scrollWidth - globalThis.document.documentElement.clientWidth,
        );
        expect([width, over]).toEqual([width, 0]);
        await takePicture(document, `operator-report-${width}`);
      }
      // A key of any length leaves the reason in view.
      await document.setViewportSize({ width: 1024, height: 900 });
      const hidden = await document.evaluate(() => {
        for (const key of globalThis.document.querySelectorAll('th > code, td > code'))
          key.textContent = 'k'.repeat(150);
        const tables = [...globalThis.document.querySelectorAll('.wide')];
        return Math.max(...tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      });
      expect(hidden).toBe(0);
      await document.emulateMedia({ media: 'print' });
      expect(await document.getByText('조회일의 사실, 원본 JSON').isVisible()).toBe(false);
      const pdf = await document.pdf({ format: 'A4', path: 'artifacts/screenshots/operator-report.pdf' });
      expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0).toBeGreaterThan(1);
    } finally {
      await document.close();
    }
  });
});

describe('the views of a failure', () => {
  const VIEWS = {
    bound: `/failures/${encodeURIComponent(`source_observation/${DAY}/1200`)}?date=${DAY}&task=raw-financials`,
    worst: '/overview',
    failures: `/failures/${encodeURIComponent(RUN)}?date=${DAY}&task=task-1`,
    withdrawn: '/tenants',
    receipts: '/analyses',
    verdicts: `/facts?date=${DAY}`,
  };
  // The others show what the sweep of all screens has, too.
  test.for(Object.entries(VIEWS).slice(0, runs(2, 6)))(
    '%s: nothing that axe finds, nothing beyond a telephone',
    async ([name, place]) => {
      await go(place);
      await inItsLooks(page, `operator-${name}`);
      await fitsWidth(page, 390);
    },
  );

  deepTest.for([1024, 768, 390])('%d px wide nothing runs out of the page', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    for (const [name, place] of Object.entries(VIEWS)) {
      await go(place);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([name, over]).toEqual([name, 0]);
      await takePicture(page, `operator-${name}-${width}`);
    }
  });

  test('the browser reported no error', () => {
    expect(window.complaints).toEqual([]);
  });
});
