/**
 * The main task on real parts: an explanation comes from the vendor's engine, is reviewed in the packed desktop
 * console, and is served to a channel for as long as it may be.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExplanationItem, Page as ListPage, SyncStatus } from '../../../shared/wire/console/console.ts';
import { isAlive, waitFor } from '../../support/process.ts';
import { openBrowser } from '../../support/chromium.ts';
import { liveLoad } from '../../support/loads.ts';
import { ProgramFixture, type Program } from '../program-fixture.ts';
import { WholeRun } from './run-fixture.ts';

const fixture = new ProgramFixture();
const home = mkdtempSync(path.join(tmpdir(), 'causeway-story-'));
let run: WholeRun;
let program: Program;
let page: Page;

const REVIEWED = { id: 'story-reviewed', ticker: '900001', name: '이야기 반도체' };
const SUMMARY = '반도체 수출이 늘면서 반드시 오를 것이라는 기대가 커졌고, 종가는 전일보다 1.23% 올랐습니다.';
const EDITED = '반도체 수출이 늘었다는 소식에 종가는 전일보다 1.23% 올랐습니다.';
const WITHDRAWN = { id: 'story-withdrawn', ticker: '900002', name: '이야기 은행' };

beforeAll(async () => {
  run = await WholeRun.start(home);
  // The console follows the system's language.
  program = await fixture.launch({
    CAUSEWAY_CONSOLE_URL: run.told.tenantConsole.url,
    LANGUAGE: 'ko',
    LANG: 'ko_KR.UTF-8',
  });
  ({ page } = program);
  page.setDefaultTimeout(15_000);
});
afterAll(async () => {
  await fixture.clear();
  await run.part.stop('SIGINT');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(({ onTestFailed }) =>
  onTestFailed(async ({ task }) => {
    if (!page.isClosed()) await program.screenshot(`failed-${task.name}`);
  }),
);

async function logIn(username: string): Promise<void> {
  await page.getByLabel('로그인 ID').fill(username);
  await page.getByLabel('비밀번호').fill('causeway-demo');
  await page.getByRole('button', { name: '로그인' }).click();
  await page.getByRole('navigation', { name: '주 메뉴' }).waitFor();
}

async function logOut(): Promise<void> {
  await page.getByRole('button', { name: /^사용자 메뉴/ }).click();
  await page.getByRole('menuitem', { name: '로그아웃' }).click();
  await page.getByLabel('로그인 ID').waitFor();
  // No state of the earlier user is visible to the next one.
  expect(await page.getByRole('status').allInnerTexts()).not.toContainEqual(expect.stringContaining(REVIEWED.name));
}

describe('an explanation from the engine to a channel', () => {
  test('the demo is complete: explanations of forty instruments, some waiting for review', async () => {
    await waitFor('the demo', async () => (await run.count('/api/v1/explanations')) >= 60, 60_000, 250);
    expect(await run.count('/api/v1/review/items')).toBeGreaterThan(5);
    const counts = await run.read<Record<string, number>>('viewer', '/api/v1/explanations/status-counts');
    for (const status of ['AUTO_PUBLISHED', 'PENDING_REVIEW', 'BLOCKED', 'INVALIDATED'])
      expect(counts[status]).toBeGreaterThan(0);
    const v2 = await run.read<ListPage<ExplanationItem>>('viewer', '/api/v1/explanations?size=100');
    const automatic = v2.items.filter((item) => item.analysis_engine === 'v2');
    expect(automatic.length).toBeGreaterThan(0);
    for (const item of automatic) expect(['AUTO_PUBLISHED', 'INVALIDATED']).toContain(item.status);
  });

  test('a wrong password is refused, and each role can log in', async () => {
    await page.getByLabel('로그인 ID').waitFor();
    await program.screenshot('login');
    await page.getByLabel('로그인 ID').fill('reviewer');
    await page.getByLabel('비밀번호').fill('wrong');
    await page.getByRole('button', { name: '로그인' }).click();
    await program.says('로그인 ID 또는 비밀번호가 올바르지 않습니다.');
    await page.getByLabel('비밀번호').fill('');
    for (const username of ['admin', 'operator', 'viewer']) {
      await logIn(username);
      await logOut();
    }
    await page.getByRole('button', { name: 'reviewer 준법 심사자' }).click();
    await page.getByRole('navigation', { name: '주 메뉴' }).waitFor();
  });

  test('an explanation that the engine loads appears in the open queue automatically, and no channel gets it yet', async () => {
    await page.getByRole('link', { name: '심사 대기 목록' }).click();
    await page.getByRole('list', { name: '심사 대기 설명' }).waitFor();
    await page.getByLabel('종목·문구·근거 제목 검색').fill(REVIEWED.ticker);
    await program.says('조건에 맞는 설명이 없습니다.');
    const [answer] = await run.load(liveLoad({ ...REVIEWED, summary: SUMMARY, asOf: new Date().toISOString() }));
    expect(answer).toMatchObject({ outcome: 'PUBLISHED', deliveries: 1 });
    await page.getByRole('link', { name: new RegExp(REVIEWED.ticker) }).waitFor();
    expect((await run.served(REVIEWED.ticker)).status).toBe(404);
  });

  test('the reviewer sees the text with its findings and grounds', async () => {
    await page.getByRole('link', { name: new RegExp(REVIEWED.ticker) }).click();
    const detail = page.getByRole('main');
    await detail.getByText('반드시', { exact: true }).first().waitFor();
    await detail.getByText(/^통과 \d+ · 확인/).click();
    await detail.getByRole('row', { name: /금지어 심사 필요/ }).waitFor();
    await detail.getByRole('row', { name: /출처 수 통과/ }).waitFor();
    for (const words of ['반도체 수출, 석 달 연속 증가', '단일판매·공급계약체결', '구성 종목 기여도']) {
      await detail.getByText(words).first().waitFor();
    }
    await program.screenshot('review-detail');
  });

  test('edits the text and approves it by keyboard; the channel gets the edited text with the disclaimer', async () => {
    await page.locator('body').press('KeyE');
    const field = page.getByLabel('수정 문구');
    // The card of the first keys stands above the item, and has taken none.
    await page.locator('[data-first-keys]').waitFor();
    await field.fill(EDITED);
    await program.screenshot('review-edit');
    await field.press('Control+Enter');
    const { result } = await waitFor('the approved text', async () => {
      const served = await run.served(REVIEWED.ticker);
      return served.status === 200 ? served : undefined;
    });
    expect(result).toMatchObject({ etf_ticker: REVIEWED.ticker, etf_name: REVIEWED.name, text: EDITED });
    expect(result?.disclaimer).toContain('생성형 AI');
    await page.locator('[data-step=edit][data-done]').waitFor();
    expect(await page.locator('[data-tour] [data-done]').count()).toBe(1);
    await page.getByRole('link', { name: new RegExp(REVIEWED.ticker) }).waitFor({ state: 'hidden' });
  });

  test('an operator stops it; the very next request of a channel gets nothing', async () => {
    await logOut();
    await logIn('operator');
    await page.getByRole('link', { name: '가격 변동 설명' }).click();
    await page.getByLabel('종목·문구·근거 제목 검색').fill(REVIEWED.ticker);
    await page.getByRole('link', { name: new RegExp(REVIEWED.ticker) }).click();
    await program.says(EDITED);
    await program.screenshot('explanation-detail');
    expect((await run.served(REVIEWED.ticker)).status).toBe(200);
    await page.getByRole('group', { name: '사후 조치' }).getByRole('button', { name: '제공 중지' }).click();
    await page.getByLabel('수치 불일치').check();
    await program.screenshot('explanation-stop');
    await page.getByRole('form').getByRole('button', { name: '제공 중지' }).click();
    await program.says('현재 제공되지 않습니다. 제공이 중지되었습니다.');
    expect((await run.served(REVIEWED.ticker)).status).toBe(404);
  });

  test('an invalidation from the cloud withdraws an exposed text, and the console shows it automatically', async () => {
    const summary = '금리 동결 소식에 은행주가 올라 전일보다 1.23% 상승했습니다.';
    await run.load(liveLoad({ ...WITHDRAWN, summary, asOf: new Date().toISOString() }));
    await waitFor('its provision', async () => (await run.served(WITHDRAWN.ticker)).status === 200);
    await page.getByLabel('종목·문구·근거 제목 검색').fill(WITHDRAWN.ticker);
    await page.getByRole('link', { name: new RegExp(WITHDRAWN.ticker) }).click();
    await program.says('고객에게 제공되는 문구');
    const channel = await (await openBrowser()).newContext();
    const customer = await channel.newPage();
    await customer.goto(new URL(`?ticker=${WITHDRAWN.ticker}`, run.told.channelPage.url).href);
    await customer.locator('#card').getByText(summary).waitFor();
    expect(await run.invalidate(WITHDRAWN.id, '기초 자료 오류')).toBe(200);
    await waitFor('its withdrawal', async () => (await run.served(WITHDRAWN.ticker)).status === 404);
    await customer.locator('#card[data-state=DARK]').waitFor();
    await channel.close();
    await program.says('현재 제공되지 않습니다. 공급사가 철회했습니다.');
    await program.screenshot('explanation-withdrawn');
    expect(await run.invalidate(WITHDRAWN.id, '다시')).toBe(409);
  });

  test('a read-only user sees no decision; the list shows every state', async () => {
    await logOut();
    await logIn('viewer');
    await page.getByRole('link', { name: '심사 대기 목록' }).click();
    await page.getByRole('list', { name: '심사 대기 설명' }).getByRole('link').first().click();
    await program.says('심사 결정은 준법 심사자만 할 수 있습니다.');
    expect(await page.getByRole('group', { name: '심사 결정' }).count()).toBe(0);
    await program.screenshot('review-read-only');
    await page.getByRole('link', { name: '가격 변동 설명' }).click();
    await page
      .getByRole('table')
      .getByRole('link', { name: /이야기 반도체/ })
      .waitFor();
    await program.screenshot('explanations');
  });
});

describe('a run as a whole', () => {
  test('lists all addresses, in a file that only its owner can read', () => {
    expect(run.told.pid).toBe(run.part.pid);
    expect(run.told.relay.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(run.told.sync.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(run.told.sync.tenants.map((tenant) => tenant.tenantId)).toEqual([1]);
    expect(statSync(path.join(home, 'run.json')).mode & 0o077).toBe(0);
    expect(readFileSync(run.told.sync.ca, 'utf8')).toContain('BEGIN CERTIFICATE');
    for (const url of [
      run.told.tenantConsole.url,
      run.told.operatorConsole.url,
      run.told.engine.url,
      run.told.provision.url,
      run.told.channelPage.url,
    ]) {
      expect(run.part.stdout).toContain(url);
    }
    // The last of the ten steps, and no more of them than were announced.
    expect(run.part.stdout.match(/^\[\d+\/\d+\]/gm)?.at(-1)).toBe('[10/10]');
  });

  test('a second run on the same folder is refused with one sentence', async () => {
    await expect(WholeRun.start(home)).rejects.toThrow(/Causeway runs already on/);
    expect(isAlive(run.part.pid)).toBe(true);
  });

  test('a killed supervisor leaves no process behind, and the next start continues from the same state', async () => {
    await fixture.clear();
    const children = childrenOf(run.part.pid);
    expect(children.length).toBeGreaterThanOrEqual(6);
    const before = await run.read<SyncStatus>('viewer', '/api/v1/sync/status');
    process.kill(run.part.pid, 'SIGKILL');
    await run.part.exited;
    await waitFor('the end of all parts', () => children.every((pid) => !isAlive(pid)));

    run = await WholeRun.start(home);
    const after = await run.read<SyncStatus>('viewer', '/api/v1/sync/status');
    expect(after.committedCursor).toBeGreaterThanOrEqual(before.committedCursor);
    expect((await run.served(REVIEWED.ticker)).status).toBe(404);
    const [answer] = await run.load(
      liveLoad({
        id: 'story-next',
        ticker: '900003',
        name: '이야기 조선',
        summary: '수주 소식에 1.23% 올랐습니다.',
        asOf: new Date().toISOString(),
      }),
    );
    expect(answer?.outcome).toBe('PUBLISHED');
    await waitFor('the next text', async () => (await run.served('900003')).status === 200);
  });

  test('Ctrl-C ends every process', async () => {
    const children = childrenOf(run.part.pid);
    expect(children.length).toBeGreaterThanOrEqual(6);
    expect(await run.part.stop('SIGINT')).toEqual({ code: 0, signal: null });
    expect(children.filter(isAlive)).toEqual([]);
    expect(readdirSync(home)).not.toContain('run.json');
  });
});

/** The child processes of a process, from the system's own list. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}
