/**
 * The operator's verdicts and facts in Chromium, over a week of the demo's pipeline: a verdict opens to its facts, two
 * days side by side, a day saved and replayed without the server, absent values, null and zero, and the trends.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import type { BrowserContext, Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Day } from '../../../cloud/demo/pipeline/day.ts';
import { demoWorld } from '../../../cloud/demo/pipeline/pipeline.ts';
import { generateQueues } from '../../../cloud/demo/pipeline/control-plane.ts';
import { writeRows } from '../../../cloud/demo/pipeline/rows.ts';
import { writeHistory } from '../../../cloud/demo/pipeline/generate-day.ts';
import { minutes, PipelineFixture } from '../../support/cloud/pipeline-fixture.ts';
import { AT, embeddedKind } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import type { Facts } from '../../../shared/wire/facts.ts';
import { takePicture } from '../../support/pictures.ts';
import { runs } from '../../support/runs.ts';
import { fitsWidth, speak } from '../screenshots.ts';
import { violations } from '../axe.ts';
import { goInPlace, logIn, openWindow, words, type OperatorBrowser } from '../operator-browser.ts';

const TODAY = '2026-11-20';
/** A run that succeeded on both days, in a week whose bad day is today. */
const runOf = (date: string): string => `news/${date}/0805`;
const ABORTED = runOf(TODAY);

let fixture: PipelineFixture;
let window: OperatorBrowser;
let context: BrowserContext;
let page: Page;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-facts-'));
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await PipelineFixture.open(embeddedKind, pagesOf('operator'));
  const world = demoWorld();
  await writeHistory(fixture.store, world, TODAY, 6, AT);
  await writeRows(fixture.store, new Map([['message_queue', generateQueues(new Day(TODAY, world, AT))]]));
  await sql`update message_queue set visible = 40, dead_visible = 3 where queue_name = 'minute-collection'`.execute(
    fixture.store.db,
  );
  await sql`insert into workflow_execution values (${`execution:${ABORTED.replaceAll('/', '-')}`}, 'ABORTED', ${minutes(-475)})
    on conflict (execution_id) do update set status = excluded.status, stopped_at = excluded.stopped_at`.execute(
    fixture.store.db,
  );
  // The browser also logs a refused day and an unreachable server as errors.
  window = await openWindow(/the server responded with a status of 4\d\d|ERR_/);
  ({ page, context } = window);
  await logIn(page, fixture.url);
});
afterAll(async () => {
  await window?.close();
  await fixture?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** In a new document, which reads what the test has changed in the ledger. */
const open = (search: string) => page.goto(`${fixture.url}/facts${search}`);
const go = (search: string) => goInPlace(window, `/facts${search}`);
const address = (): URLSearchParams => new URL(page.url()).searchParams;
const verdict = (sentence: string | RegExp): Locator =>
  page.getByRole('list', { name: '판정 목록' }).getByRole('button').filter({ hasText: sentence });
const table = (name: string): Locator => page.getByRole('table', { name, exact: true });
const rowOf = async (of: Locator, name: string): Promise<string[]> =>
  words(await of.getByRole('row').filter({ hasText: name }).first().getByRole('cell').allInnerTexts());
const ready = () => page.getByRole('list', { name: '판정 목록' }).waitFor();
/** The severity counts on the screen: the text of its tiles. */
const tiles = async (): Promise<string[]> =>
  words(await page.getByRole('group', { name: '심각도별 판정 수' }).getByRole('button').allInnerTexts());
const pick = (label: string, file: string) =>
  Promise.all([
    page.waitForEvent('filechooser').then((chooser) => chooser.setFiles(file)),
    page.getByRole('button', { name: label }).click(),
  ]);

describe('verdicts', () => {
  test('come first, worst at the top; the day that the server chose is in the address', async () => {
    await page.getByRole('link', { name: '판정과 사실' }).click();
    await ready();
    await expect.poll(() => address().get('date')).toBe(TODAY);
    const severities = words(
      await page.getByRole('list', { name: '판정 목록' }).getByRole('button').locator('[data-tone]').allInnerTexts(),
    );
    const order = ['이상', '주의', '확인 불가', '미측정', '정상'];
    const ranks = severities.filter((word) => order.includes(word)).map((word) => order.indexOf(word));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(ranks[0]).toBe(0);
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(headings).toEqual(['판정', '미측정 항목', '사실', '추이']);
  });

  test('each opens to its rule, its facts and their raw JSON, and a reload keeps it open', async () => {
    await page.getByRole('button', { name: /^이상 \d/ }).click();
    await verdict(`${ABORTED}: 원장은 성공, 제어 영역은 중단 상태입니다.`).press('Enter');
    const facts = table('읽은 사실');
    await facts.waitFor();
    await page.reload();
    await facts.waitFor();
    expect([address().get('severity'), address().get('verdict')]).toEqual([
      'BAD',
      'status-mismatch differs news/{date}/0805',
    ]);
    await page.getByText('규칙 status-mismatch · 버전 3 · 점검 항목: 원장과 제어 영역의 상태가 일치합니다.').waitFor();
    expect((await rowOf(facts, '제어 영역 상태')).slice(0, 2)).toEqual(['중단', `조회일 ${TODAY}`]);
    expect((await rowOf(facts, '제어 영역 종료'))[0]).toBe('2026-11-20 08:05:00 KST');
    await page.getByText(`원본 JSON: ${ABORTED}`).click();
    await page.getByText(/^\/runs\/\d+$/).waitFor();
    const raw = JSON.parse(await page.locator('details[open] pre').innerText()) as Facts['runs'][number];
    expect(raw).toMatchObject({ id: ABORTED, ledgerStatus: 'SUCCEEDED', cloudStatus: 'ABORTED' });
    // From the fact to its row among all facts.
    await facts.getByRole('link', { name: '표로 보기' }).first().click();
    await table('실행').locator('tr[aria-current]').filter({ hasText: ABORTED }).waitFor();
  });

  test('a backlog is judged only with an observation at least a minute back', async () => {
    await open(`?date=${TODAY}&severity=NOT_MEASURED`);
    await verdict('측정하지 않았습니다: 1분 이상 전에 관측한 대기열이 없어 비교할 수 없습니다.').waitFor();
    fixture.clock.at = minutes(2);
    await sql`update message_queue set visible = 90 where queue_name = 'minute-collection'`.execute(fixture.store.db);
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await page.getByRole('button', { name: /^주의 \d/ }).click();
    await verdict('minute-collection: 대기 메시지가 40건에서 90건으로 늘었습니다.').click();
    expect(words(await table('읽은 사실').getByRole('cell').allInnerTexts())).toEqual([
      '90',
      `조회일 ${TODAY}`,
      '40',
      `이전 사실 ${TODAY} (2026-11-20 16:00:00 KST)`,
    ]);
    fixture.clock.at = AT;
  });
});

describe('facts', () => {
  test('zero, null and an absent key each have their own word and shape', async () => {
    await go(`?date=${TODAY}&axis=tasks`);
    await ready();
    const legend = page.getByRole('note', { name: '표시 구분' });
    expect(words(await legend.locator('span > span').allInnerTexts())).toEqual(['0', '값 없음', '미측정']);
    const shapes = await legend.locator('span > span').evaluateAll((marks) =>
      marks.map((mark) => {
        const { borderTopStyle, backgroundImage } = getComputedStyle(mark);
        return `${borderTopStyle} ${backgroundImage === 'none' ? 'plain' : 'hatched'}`;
      }),
    );
    expect(shapes).toEqual(['solid plain', 'dashed plain', 'none hatched']);
    const cells = words(await table('작업').getByRole('cell').allInnerTexts());
    expect([cells.includes('0'), cells.includes('값 없음')]).toEqual([true, true]);
    await page.getByRole('searchbox', { name: '이름·값 검색' }).fill('etf_nav');
    await expect.poll(() => address().get('q')).toBe('etf_nav');
    await expect.poll(async () => (await table('작업').getByRole('row').count()) < 10).toBe(true);
  });

  test('database and control plane have separate clocks; current values are marked on a past day', async () => {
    await go('?date=2026-11-18&axis=queues');
    await ready();
    const clocks = await rowOf(table('사실 기준 시각'), '2026-11-18');
    expect(clocks).toEqual(['2026-11-20 16:00:00 KST', '2026-11-20 16:00:00 KST', '서버']);
    await page.getByText('과거 일자', { exact: true }).waitFor();
    await page.getByText('조회일이 아니라 응답할 때의 현재 값입니다.', { exact: false }).waitFor();
    await verdict('minute-collection: 처리하지 못한 메시지가 3건 있습니다.').getByText('현재 값').waitFor();
    expect(
      await verdict(/runs|market/)
        .getByText('현재 값')
        .count(),
    ).toBe(0);
    await go(`?date=${TODAY}&axis=queues`);
    await ready();
    expect(await page.getByText('현재 값', { exact: true }).count()).toBe(0);
  });

  test('an invalid or future day is refused with advice', async () => {
    for (const date of ['2026-02-30', '2099-01-01', '+02026-11-20']) {
      await go(`?date=${encodeURIComponent(date)}`);
      await page.getByRole('alert').getByText(`${date}의 사실은 볼 수 없습니다.`).waitFor();
    }
    await go(`?date=${TODAY}&against=2099-01-01`);
    await ready();
    await page.getByRole('alert').getByRole('button', { name: '비교 해제' }).click();
    await expect.poll(() => address().get('against')).toBe(null);
    await go('?date=2099-01-01');
    await page.getByRole('alert').getByRole('button', { name: '최근일' }).click();
    await ready();
    await expect.poll(() => address().get('date')).toBe(TODAY);
  });

  test('two days side by side: differences row by row, and rows of only one day', async () => {
    await go(`?date=${TODAY}&against=2026-11-19&axis=outputs`);
    await ready();
    expect(words(await table('사실 기준 시각').getByRole('rowheader').allInnerTexts())).toEqual([
      `조회일 ${TODAY} 오늘`,
      '비교일 2026-11-19 과거 일자',
    ]);
    const outputs = table('산출');
    await outputs.waitFor();
    expect(words(await outputs.getByRole('columnheader').allInnerTexts())).toEqual([
      '행',
      '필드',
      '2026-11-19',
      TODAY,
      '차이',
    ]);
    const [field, before, now, difference] = await rowOf(outputs, '뉴스 문서');
    const number = (text = ''): number => Number(text.replaceAll(',', ''));
    expect(field).toBe('조회일');
    const change = number(now) - number(before);
    expect(difference).toBe(`${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-US')}`);
    await page.getByRole('link', { name: /^실행 \d/ }).click();
    const runs = table('실행');
    // The aborted run is aborted only today.
    expect((await rowOf(runs, ABORTED)).slice(1)).toEqual(['성공', '중단', '다름']);
    // A row names the run of each day, each name with a link to it.
    for (const date of [TODAY, '2026-11-19'])
      expect(
        await runs
          .getByRole('link', { name: runOf(date) })
          .first()
          .getAttribute('href'),
      ).toBe(`/runs/${encodeURIComponent(runOf(date))}`);
    const differing = await runs.getByRole('row').count();
    await page.getByLabel('동일 항목 포함').check();
    await expect.poll(() => runs.getByRole('row').count()).toBeGreaterThan(differing);
    await page.getByRole('region', { name: '2026-11-19에만 있는 판정' }).waitFor();
    await verdict(`${ABORTED}: 원장은`).getByText('2026-11-19에는 없음').waitFor();
  });
});

describe('a saved day', () => {
  let saved: string;
  let report: string;
  const save = async (button: string, name: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    await download.saveAs(path.join(folder, name));
    return path.join(folder, name);
  };
  test('is replayed without the server: the same verdicts', async () => {
    await go('?date=2026-11-19');
    await ready();
    saved = await save('사실 저장', 'causeway-facts-2026-11-19.json');
    report = await save('보고서 저장', 'causeway-report-2026-11-19.html');
    const judged = await tiles();
    await go(`?date=${TODAY}`);
    await ready();
    await context.setOffline(true);
    await pick('저장한 사실 열기', saved);
    await page
      .getByText('저장한 파일 causeway-facts-2026-11-19.json을 오늘의 규칙으로 다시 판정했습니다.', { exact: false })
      .waitFor();
    expect(await tiles()).toEqual(judged);
    expect((await rowOf(table('사실 기준 시각'), '2026-11-19')).at(-1)).toBe('파일 causeway-facts-2026-11-19.json');
    await page.getByText('추이는 저장한 파일에 없습니다.').waitFor();
    await verdict(/^이상/).filter({ hasNotText: '같은 판정' }).first().click();
    await table('읽은 사실').waitFor();
    expect(address().get('file')).toBe('causeway-facts-2026-11-19.json');
  });

  test("an older server's answer for comparison: what it lacks is not measured, and nothing else is", async () => {
    const { result } = JSON.parse(readFileSync(saved, 'utf8')) as { result: Facts };
    const { tasks, datasets, outputs, boundary } = result;
    const meta = { db: result.meta.db, today: result.meta.today };
    const older = { tasks, datasets, outputs, boundary, meta };
    const cloud = ['cloudStatus', 'cloudStop'];
    const runs = result.runs.map((run) =>
      Object.fromEntries(Object.entries(run).filter(([key]) => !cloud.includes(key))),
    );
    const file = path.join(folder, 'older.json');
    writeFileSync(file, JSON.stringify({ isSuccess: true, code: 'COMMON200', result: { ...older, runs } }));
    await pick('저장한 사실 열기', file);
    const unseen = page.getByRole('region', { name: '미측정 항목' });
    await unseen.getByText('제어 영역 관측 시각').waitFor();
    expect(words(await unseen.getByRole('listitem').allInnerTexts())).toEqual(
      [
        '시각이 지난 계획',
        '발화',
        'ETF 원장',
        '레인 주기',
        '대기열',
        '제어 영역 관측 시각',
        '실행 · 제어 영역 상태',
        '실행 · 제어 영역 종료 (KST)',
      ].map((fact) => `미측정 ${fact}`),
    );
    await page.getByRole('button', { name: '미측정 10', exact: false }).click();
    expect(await verdict('이 응답에는').count()).toBe(9);
    // An empty but present key has its own sentence (D68).
    expect(await verdict('판정 대상이 없습니다').count()).toBe(1);
    await page.getByRole('link', { name: /^단계/ }).click();
    await page.getByText('이 응답에는 이 항목이 없습니다.', { exact: false }).last().waitFor();
  });

  test('an invalid file is refused in a sentence, and the view stays', async () => {
    const file = path.join(folder, 'wrong.json');
    for (const [content, says] of [
      ['<html>', 'wrong.json: JSON 파일이 아닙니다.'],
      ['{"items":[]}', 'wrong.json: result가 없습니다.'],
      ['{"result":{"meta":{"db":"yesterday","today":"2026-11-19"}}}', '(/result/meta/db)'],
    ] as const) {
      writeFileSync(file, content);
      await pick('저장한 사실 열기', file);
      await page.getByRole('alert').getByText(says, { exact: false }).waitFor();
    }
    expect(address().get('file')).toBe('older.json');
    await page.getByRole('button', { name: '알림 닫기' }).click();
    // A report contains the facts too.
    await pick('저장한 사실과 비교', report);
    await page.getByText('파일 causeway-report-2026-11-19.html', { exact: false }).last().waitFor();
    await context.setOffline(false);
    await page.reload();
    await page.getByText('이 주소는 저장한 파일 older.json을 가리킵니다.', { exact: false }).waitFor();
  });
});

test('trends have gaps without measurements, show the usual value, and are also a table', async () => {
  // A day whose rate was never measured, between measured ones.
  await sql`update task_attempt set numerator = null where expected_task_id in (
    select t.expected_task_id from expected_task t join pipeline_run r using (pipeline_run_id)
    where t.task_key = 'assertions-load' and r.run_date = '2026-11-17')`.execute(fixture.store.db);
  await open(`?date=${TODAY}&days=14`);
  const rate = page.getByRole('img', { name: /^해소율: 2026-11-\d\d부터 2026-11-20까지 \d+일 측정, 1일 미측정\./ });
  await rate.waitFor();
  expect(await rate.locator('[data-line]').count()).toBe(2);
  expect(await rate.locator('[data-usual]').count()).toBe(1);
  const dates = words(await table('엔티티 해소율').getByRole('rowheader').allInnerTexts());
  expect([dates[0], dates.includes('2026-11-17')]).toEqual([TODAY, false]);
  expect(await table('장중 분석').getByRole('rowheader').count()).toBe(14);
  expect(await page.getByRole('img', { name: /^발화: / }).count()).toBe(1);
});

test('the pointer and keys read a day of the trends in all charts and in the table at once', async () => {
  await fixture.run({ run_key: 'market/2026-11-18/again', status: 'FAILED' }, {});
  await open(`?date=${TODAY}&days=14`);
  const chart = page.getByRole('figure').filter({ hasText: '발화' }).first();
  const read = chart.locator('output');
  await read.filter({ hasText: TODAY }).waitFor();
  const slider = page.getByRole('slider', { name: '발화: 날짜별 값 읽기' });
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => read.innerText()).toMatch(/^2026-11-19/);
  expect(await slider.getAttribute('aria-valuetext')).toBe(await read.innerText());
  const row = table('장중 분석').locator('tr[aria-current]');
  expect(words(await row.getByRole('rowheader').allInnerTexts())).toEqual(['2026-11-19']);
  expect(await page.locator('[data-read="2026-11-19"]').count()).toBe(7);
  await page.keyboard.press('Home');
  await expect.poll(() => read.innerText()).toMatch(/^2026-11-07 · 휴장/);

  const plot = page.getByRole('img', { name: /^발화: / });
  const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width - 4, y + height / 2);
  await expect.poll(() => read.innerText()).toMatch(new RegExp(`^${TODAY}`));
  // Four days of two weekends, and two days with blocked runs; each links to its runs.
  expect(await plot.locator('[data-closed]').count()).toBe(4);
  expect(await plot.locator('[data-mark]').count()).toBe(2);
  await table('장중 분석').getByRole('row', { name: '2026-11-18' }).getByText('막힌 실행 1건').waitFor();
  await table('장중 분석').getByRole('link', { name: '2026-11-19' }).click();
  await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe('/runs?to=2026-11-19');
});

describe('the views of a day', () => {
  const VIEWS = {
    verdict: `?date=${TODAY}&axis=outputs&severity=BAD&verdict=status-mismatch+differs+market%2F%7Bdate%7D%2F0800`,
    refused: '?date=2099-01-01',
    compared: `?date=${TODAY}&against=2026-11-19&axis=datasets&severity=WARNING`,
  };
  const LOOKS = [
    ['ko', 'light'],
    ['en', 'dark'],
  ] as const;
  test.for(LOOKS.slice(0, runs(1, LOOKS.length)))(
    '%s, %s: nothing that axe finds, and a picture to look at',
    async ([language, scheme]) => {
      await page.emulateMedia({ colorScheme: scheme });
      await speak(page, language);
      // Two compared days are a screen of the sweep, too.
      for (const [name, search] of Object.entries(VIEWS).slice(0, runs(2, 3))) {
        await goInPlace(window, `/facts${search}`);
        if (name !== 'refused') await page.getByRole('heading', { level: 2 }).last().waitFor();
        expect([name, await violations(page)]).toEqual([name, []]);
        await fitsWidth(page, 360);
        const scroller = page.getByRole('main').getByRole('region').nth(1);
        await takePicture(page, `operator-facts-${name}-${language}-${scheme}`);
        if (name !== 'verdict') continue;
        await scroller.evaluate((place) => place.scrollTo(0, place.scrollHeight));
        await takePicture(page, `operator-facts-trends-${language}-${scheme}`);
      }
    },
  );

  test('the browser reported no error', () => {
    expect(window.complaints).toEqual([]);
  });
});
