/** The review queue without a mouse: each decision, a Hangul input method, a conflict, a colleague, a long board. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import type { Page } from 'playwright';
import type {
  ExplanationItem,
  Page as ListPage,
  ReviewDetail,
  ReviewItem,
  TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { waitFor } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';
import { violations } from '../axe.ts';
import { ApiSession, decide, logIn, openConsole, seededLedger, TEXT } from '../console-fixture.ts';
import { choose, ProgramFixture, type Program } from '../program-fixture.ts';

const fixture = new ProgramFixture();
let program: Program;
let page: Page;
let colleague: ApiSession;
let ledger: string;

beforeAll(async () => {
  ledger = seededLedger(fixture.folder(), 9);
  const opened = await openConsole(fixture, ledger);
  ({ program, page } = opened);
  const admin = await ApiSession.logIn(opened.url, 'admin');
  colleague = await admin.join({
    username: 'second',
    displayName: '둘째 심사자',
    role: 'COMPLIANCE_REVIEWER',
    password: 'second-reviewer-1',
  });
  await logIn(page, 'reviewer');
  await page.locator('article h2').waitFor();
});
afterAll(() => fixture.clear());

const press = (key: string): Promise<void> => page.keyboard.press(key);
/** Presses Enter on the note's button, which rests for a moment after the item has opened. */
const openNote = (): Promise<unknown> =>
  waitFor('the note to open', async () => {
    const field = page.getByLabel(/^내부 메모/);
    if (!(await field.isVisible())) await page.getByRole('button', { name: '메모 작성' }).press('Enter');
    return field.isVisible();
  });
/** The ticker of the open item. */
const open = async (): Promise<string> => (await page.locator('article h2').innerText()).slice(0, 6);
const opens = (ticker: string): Promise<unknown> => waitFor(`${ticker} to open`, async () => (await open()) === ticker);

async function statusOf(ticker: string): Promise<string | undefined> {
  const found = await colleague.ask<ListPage<ExplanationItem>>('GET', `/api/v1/explanations?q=${ticker}`);
  return found.items[0]?.status;
}

async function idOf(ticker: string): Promise<string> {
  const found = await colleague.ask<ListPage<ReviewItem>>('GET', `/api/v1/review/items?q=${ticker}`);
  const id = found.items[0]?.id;
  if (id === undefined) throw new Error(`${ticker} does not wait`);
  return id;
}

describe('each decision by keyboard only, and on to the next', () => {
  test('walks without deciding', async () => {
    expect(await open()).toBe('100001');
    await press('KeyJ');
    await opens('100002');
    await press('KeyK');
    await opens('100001');
  });

  test('approves', async () => {
    await decide(page, 'KeyA');
    await page.locator('form').waitFor();
    await press('Control+Enter');
    await opens('100002');
    await expect.poll(() => statusOf('100001')).toBe('PUBLISHED');
  });

  test('edits', async () => {
    await decide(page, 'KeyE');
    const field = page.locator('textarea');
    await field.waitFor();
    await press('Control+A');
    await page.keyboard.insertText('반도체 수출이 늘어 1.23% 상승했다.');
    await page.getByText('임시 저장됨').waitFor();
    await press('Control+Enter');
    await opens('100003');
    expect(await statusOf('100002')).toBe('PUBLISHED');
  });

  test.each([
    ['rejects', 'KeyR', '100003', '100004', 'REJECTED'],
    ['blocks', 'KeyB', '100004', '100005', 'BLOCKED'],
  ])('%s, with a reason of the taxonomy', async (_what, key, ticker, next, status) => {
    await decide(page, key);
    // The failed check of the grounds preselects; another reason is one key away.
    await page.locator('fieldset :checked').waitFor();
    await press('ArrowDown');
    await press('Control+Enter');
    await opens(next);
    await expect.poll(() => statusOf(ticker)).toBe(status);
  });
});

deepTest('keys work under a Hangul input method, and rest while a syllable is composed', async () => {
  // The form of the decision before has only just closed: until its rest is over, no key decides.
  await page.locator('[data-keys=awake]').waitFor();
  // The input method changes the key's character, not its code.
  await page.evaluate(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyE', key: 'ㄷ', bubbles: true })),
  );
  await page.locator('textarea').waitFor();
  await press('Control+A');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.imeSetComposition', { text: '가', selectionStart: 1, selectionEnd: 1 });
  await page.evaluate(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { code: 'Enter', key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
    ),
  );
  await devtools.send('Input.insertText', { text: '각' });
  await devtools.detach();
  expect(await page.locator('textarea').inputValue()).toBe('각');
  expect(await open()).toBe('100005');
  // The text is discarded only after a second confirmation.
  await page.getByRole('button', { name: '작성 내용 삭제' }).click();
  expect(await page.locator('textarea').inputValue()).toBe('각');
  await page.getByRole('button', { name: '작성 내용 삭제 확정' }).click();
  await page.locator('textarea').waitFor({ state: 'detached' });
  expect(await statusOf('100005')).toBe('PENDING_REVIEW');
});

deepTest('the list names a colleague who has the item open', async () => {
  await colleague.ask('POST', `/api/v1/review/items/${await idOf('100007')}/claim`);
  await page.getByRole('link', { name: /100007.*둘째 심사자 심사 중/ }).waitFor();
});

deepTest('a colleague is faster: the written text stays beside theirs, and nothing is decided twice', async () => {
  expect(await open()).toBe('100005');
  await decide(page, 'KeyE');
  await page.locator('textarea').waitFor();
  await press('Control+A');
  await page.keyboard.insertText('내가 쓰던 문구');
  const theirs = '동료가 고친 문구, 1.23% 상승.';
  const id = await idOf('100005');
  await waitFor('the draft to be saved', async () => {
    const item = await colleague.ask<ReviewDetail>('GET', `/api/v1/review/items/${id}`);
    return item.colleagueDrafts.length === 1;
  });
  await colleague.ask('POST', `/api/v1/review/items/${id}/approve-edited`, { edited_summary: theirs });
  const conflict = page.getByRole('alert').filter({ hasText: '다른 사용자가 먼저 처리했습니다.' });
  await conflict.waitFor();
  const shown = await conflict.innerText();
  expect(shown).toContain(theirs);
  expect(shown).toContain('둘째 심사자');
  // The written text is shown as its difference from theirs.
  expect((await conflict.locator('ins').allInnerTexts()).join(' ')).toMatch(/내.*쓰던/s);
  await program.screenshot('review-conflict');
  expect(await statusOf('100005')).toBe('PUBLISHED');
  await conflict.getByRole('button', { name: '내 작성 내용 삭제' }).click();
  await conflict.getByRole('button', { name: '내 작성 내용 삭제 확정' }).click();
});

test('a note appears in the timeline, and every reader sees it', async () => {
  // The colleague has decided the open item: go to one that waits.
  const decided = await open();
  await press('KeyJ');
  await waitFor('the next one to open', async () => (await open()) !== decided);
  const before = await open();
  await openNote();
  // The keys write text and decide nothing.
  await page.keyboard.type('arb: 수치 재확인');
  // A visit to the next item loses none of it, and no key goes into it on the way back.
  await press('Tab');
  await press('KeyJ');
  await waitFor('the one after it to open', async () => (await open()) !== before);
  await press('KeyK');
  await opens(before);
  await openNote();
  expect(await page.getByLabel(/^내부 메모/).inputValue()).toBe('arb: 수치 재확인');
  await press('Control+Enter');
  await page.locator('article li[data-kind=NOTE]').getByText('arb: 수치 재확인').waitFor();
  expect([await page.locator('form').count(), await open()]).toEqual([0, before]);
  const told = await colleague.ask<ListPage<TimelineEntry>>(
    'GET',
    `/api/v1/review/items/${new URL(page.url()).pathname.split('/')[2]}/timeline`,
  );
  // The claim of a user who stays with an item comes a second later, before or after the note.
  expect(told.items.find(({ kind }) => kind === 'NOTE')).toMatchObject({ text: 'arb: 수치 재확인' });
});

deepTest('keys that are turned off do nothing', async () => {
  await page.evaluate(() => localStorage.setItem('causeway.shortcuts', 'off'));
  await page.reload();
  await page.locator('article h2').waitFor();
  const before = await open();
  await press('KeyA');
  await press('KeyJ');
  expect(await page.locator('form').count()).toBe(0);
  expect(await open()).toBe(before);
  await page.evaluate(() => localStorage.removeItem('causeway.shortcuts'));
  await page.reload();
  await page.locator('article h2').waitFor();
});

test('the final text is corrected on the board', async () => {
  await page.goto(new URL('/explanations?status=PUBLISHED&q=100001', page.url()).href);
  await page.locator('tbody a').first().click();
  await page.getByRole('button', { name: '최종 문구 정정' }).click();
  await page.locator('textarea').waitFor();
  expect(await page.locator('textarea').inputValue()).toBe(TEXT);
  await press('Control+A');
  await page.keyboard.insertText('정정한 문구, 1.23% 상승.');
  await press('Control+Enter');
  await waitFor('the corrected text', async () => {
    const found = await colleague.ask<ListPage<ExplanationItem>>('GET', '/api/v1/explanations?q=100001');
    return found.items[0]?.published_summary === '정정한 문구, 1.23% 상승.';
  });
});

deepTest(
  'an approved text is held: the queue goes on, and one key takes the approval back before a channel gets the text',
  async () => {
    await colleague.ask('PATCH', '/api/v1/screening/criteria', { holdSeconds: 60 });
    await page.goto(new URL(`/review/${await idOf('100006')}`, page.url()).href);
    await opens('100006');
    await decide(page, 'KeyA');
    await page.locator('form').waitFor();
    await press('Control+Enter');
    // What waits longest comes next.
    await waitFor('another one to open', async () => (await open()) !== '100006');
    const held = page.getByRole('region', { name: '제공 전 보류' });
    await held.getByText(/초 후 제공/).waitFor();
    expect(await statusOf('100006')).toBe('PUBLISHED');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    expect(await violations(page)).toEqual([]);
    await program.screenshot('review-held');
    await press('KeyU');
    await opens('100006');
    await held.waitFor({ state: 'detached' });
    expect(await statusOf('100006')).toBe('PENDING_REVIEW');
    await page.locator('article').getByText('제공 전 취소').waitFor();
    await colleague.ask('PATCH', '/api/v1/screening/criteria', { holdSeconds: 0 });
  },
);

deepTest(
  'if the policy requires four eyes, an edit waits for a second person, and the second one exposes it',
  async () => {
    await colleague.ask('PATCH', '/api/v1/screening/criteria', { fourEyes: true });
    const id = await idOf('100006');
    await page.goto(new URL(`/review/${id}`, page.url()).href);
    await opens('100006');
    await decide(page, 'KeyE');
    await page.getByText('다른 심사자의 2차 승인을 받아야').waitFor();
    await press('Control+A');
    await page.keyboard.insertText('두 사람이 볼 문구, 1.23% 상승.');
    await press('Control+Enter');
    // It is another person's turn now.
    await page.getByRole('button', { name: '2차 승인 1' }).click();
    await page.getByRole('link', { name: /100006.*2차 승인 대기/ }).waitFor();
    expect(await statusOf('100006')).toBe('PENDING_REVIEW');
    await page.goto(new URL(`/review/${id}`, page.url()).href);
    await page.getByText('본인이 작성했거나 1차 승인한 문구는').waitFor();
    await program.screenshot('review-four-eyes');
    await colleague.ask('POST', `/api/v1/review/items/${id}/approve-edited`, {
      edited_summary: '두 사람이 볼 문구, 1.23% 상승.',
    });
    expect(await statusOf('100006')).toBe('PUBLISHED');
  },
);

test('a false hit is dismissed with a reason, and marked so beside the word', async () => {
  await page.goto(new URL(`/review/${await idOf('100009')}`, page.url()).href);
  await page.getByRole('button', { name: '오탐 표시: 매수' }).click();
  await page.getByLabel('‘매수’ 오탐 사유').fill('애널리스트 의견의 이름');
  // Closed, it keeps its text.
  await page.locator('article form').getByRole('button', { name: '닫기' }).click();
  await page.getByRole('button', { name: '오탐 표시: 매수' }).click();
  expect(await page.getByLabel('‘매수’ 오탐 사유').inputValue()).toBe('애널리스트 의견의 이름');
  await page.getByLabel('‘매수’ 오탐 사유').focus();
  await press('Control+Enter');
  await page.getByText('‘매수’ 오탐: 애널리스트 의견의 이름').waitFor();
  expect(await page.getByRole('button', { name: /오탐 표시/ }).count()).toBe(0);
});

deepTest('a second opinion by keyboard: requested, given, skipped; it decides nothing by itself', async () => {
  const id = await idOf('100007');
  await page.goto(new URL(`/review/${id}?split=ALL`, page.url()).href);
  await opens('100007');
  await decide(page, 'KeyO');
  await page.getByLabel(/^의견 요청 내용/).waitFor();
  await page.keyboard.type('a: 목표가로 읽히나요?');
  await press('Control+Enter');
  await page.getByRole('link', { name: /100007.*의견 대기/ }).waitFor();
  await page.getByRole('button', { name: '의견 1' }).waitFor();
  await decide(page, 'KeyA');
  await press('Control+Enter');
  await page.getByText('요청한 의견이 아직 없습니다.').waitFor();
  await page.getByLabel(/기다리지 않고 결정/).waitFor();
  await program.screenshot('review-opinion');
  await press('Escape');
  const { opinion } = await colleague.ask<ReviewItem>('GET', `/api/v1/review/items/${id}`);
  const given = { opinion: 'REJECT', text: '목표가로 읽힙니다.' };
  await colleague.ask('POST', `/api/v1/review/opinions/${opinion?.id}/answer`, given);
  await page.getByRole('link', { name: /100007.*의견: 반려/ }).waitFor();
  expect(await statusOf('100007')).toBe('PENDING_REVIEW');
  // The reverse: the filter finds a colleague's request, and it is answered.
  const asked = await idOf('100008');
  await colleague.ask('POST', `/api/v1/review/items/${asked}/opinions`, { question: '수치가 맞나요?' });
  await page.getByRole('button', { name: '의견 1' }).press('Enter');
  await page.getByRole('link', { name: /100008.*의견 요청/ }).press('Enter');
  await opens('100008');
  expect([new URL(page.url()).searchParams.get('split'), await page.locator('[data-item]').count()]).toEqual([
    'OPINION',
    1,
  ]);
  // The key answers the request, once it has loaded.
  await page.locator('article').getByText('수치가 맞나요?').first().waitFor();
  await page.locator('article h2').click();
  await decide(page, 'KeyO');
  await page.getByLabel('권고 의견').selectOption('수정 승인');
  await page.getByLabel('사유', { exact: true }).fill('0.90%p로 고쳐야 합니다.');
  await press('Control+Enter');
  await page.locator('article li[data-kind=OPINION_GIVEN]').getByText('0.90%p로 고쳐야').waitFor();
});

test('from start to end of the page by Tab only: no trap', async () => {
  await page.goto(new URL('/review', page.url()).href);
  await page.locator('article h2').waitFor();
  const seen = new Set<string>();
  for (let step = 0; step < 120; step += 1) {
    await press('Tab');
    const place = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 160) ?? 'BODY');
    if (place.startsWith('<body') && seen.size > 10) break;
    seen.add(place);
  }
  expect(seen.size).toBeGreaterThan(15);
  for (const part of ['href="#main"', 'href="/explanations', 'data-item=', 'role="region"', '<button'])
    expect(
      [...seen].some((place) => place.includes(part)),
      part,
    ).toBe(true);
});

deepTest(
  'the API does not answer: reported with the age of the data and of the queue, until it answers again',
  async () => {
    await page.goto(new URL('/review', page.url()).href);
    await page.locator('article h2').waitFor();
    const { total } = await colleague.ask<ListPage<ReviewItem>>('GET', '/api/v1/review/items');
    await page.context().setOffline(true);
    const notice = page.locator('[data-outage=DOWN]');
    await notice.getByText(/화면 내용은 .* KST 기준/).waitFor();
    await notice.getByText(new RegExp(`심사 대기 ${total}건, 최장 대기 \\d+일`)).waitFor();
    await program.screenshot('outage');
    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
  },
);

deepTest('bulk actions: counted first, then one by one; none approves', async () => {
  await page.goto(new URL('/review?q=10000', page.url()).href);
  for (const ticker of ['100007', '100008', '100009'])
    await page.getByRole('checkbox', { name: new RegExp(ticker) }).press('Space');
  await page.getByRole('button', { name: '일괄 처리 3' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('처리 대상 3건').waitFor();
  expect(await dialog.getByRole('combobox').innerText()).not.toContain('승인');
  await dialog.getByLabel('근거 부족').check();
  // The ledger fails at the last of them.
  const db = new Database(ledger);
  db.exec(`CREATE TRIGGER broken BEFORE UPDATE ON explanation WHEN OLD.etf_ticker = '100009'
    BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  await dialog.getByRole('button', { name: '다음: 3건 반려' }).click();
  await dialog.getByRole('button', { name: '3건 반려', exact: true }).click();
  await dialog.getByText('2건을 처리했습니다.').waitFor();
  await dialog.getByText('오류로 처리하지 못한 설명 1건').waitFor();
  await dialog.getByText('100009').waitFor();
  await program.screenshot('review-bulk-failed');
  db.exec('DROP TRIGGER broken');
  db.close();
  const became = await Promise.all(['100007', '100008', '100009'].map(statusOf));
  expect(became).toEqual(['REJECTED', 'REJECTED', 'PENDING_REVIEW']);
  await dialog.getByRole('button', { name: '닫기' }).last().click();
});

test('a menu shows the key of an act and does what it does; an absence ends the session, and unsent text stays', async () => {
  await page.goto(new URL('/review', page.url()).href);
  await page.locator('article h2').waitFor();
  const items = await program.app.evaluate(({ Menu }) =>
    (Menu.getApplicationMenu()?.items ?? [])
      .flatMap(({ submenu }) => submenu?.items ?? [])
      .map(({ label, accelerator }) => `${label} ${String(accelerator)}`),
  );
  expect(items).toEqual(expect.arrayContaining(['수정 승인 양식 열기 E', '심사 대기 목록 (G R) null']));
  await choose(program, '수정 승인 양식 열기');
  const field = page.getByLabel('수정 문구');
  await field.fill('수출이 늘어 1.23% 올랐다.');
  await program.app.evaluate(({ powerMonitor }) => {
    powerMonitor.getSystemIdleTime = () => 15 * 60;
    powerMonitor.emit('resume');
  });
  await page.getByText('컴퓨터를 사용하지 않아 로그아웃했습니다.').waitFor();
  expect(await page.locator('article').count()).toBe(0);
  const session = (): Promise<number> => page.evaluate(async () => (await fetch('/api/v1/auth/session')).status);
  await waitFor('the end of the session', async () => (await session()) === 401);
  await logIn(page, 'reviewer');
  expect(await field.inputValue()).toBe('수출이 늘어 1.23% 올랐다.');
});
