/** The vendor's operator in a browser: logs in, reads the analyses and withdraws one. */
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSecondFactor } from '../../../cloud/accounts/accounts.ts';
import type { Load } from '../../../cloud/publication/load.ts';
import { addTenant } from '../../../cloud/pki/registry.ts';
import { publish } from '../../../cloud/publication/publish.ts';
import { PullLog } from '../../../cloud/sync/pull-log.ts';
import { read } from '../../support/cloud/loads.ts';
import { OperatorFixture, PASSWORD } from '../../support/cloud/operator-fixture.ts';
import { AT } from '../../support/cloud/store.ts';
import { ensurePages, pagesOf } from '../../../electron/packaging/build/pages.ts';
import type { Page as ListPage } from '../../../shared/wire/console/console.ts';
import type { Analysis } from '../../../shared/wire/operator/operator.ts';
import { newSecret } from '../../../shared/service/accounts/second-factor.ts';
import { violations } from '../axe.ts';
import { firstScriptBytes } from '../../support/initial-scripts.ts';
import { liveLoad } from '../../support/loads.ts';
import { openWindow, words, type OperatorBrowser } from '../operator-browser.ts';
import { takePicture } from '../../support/pictures.ts';
import { waitFor } from '../../support/process.ts';

const AS_OF = '2026-11-20T05:30:00.000Z';

const CHIPS = { id: 'op-chips.1', ticker: '900101', name: '운영 반도체 ETF' };
const BANKS = { id: 'op-banks', ticker: '900102', name: '운영 은행 ETF' };

let fixture: OperatorFixture;
let window: OperatorBrowser;
let page: Page;

beforeAll(async () => {
  await ensurePages({ pages: 'operator', log: () => undefined });
  fixture = await OperatorFixture.open(undefined, { consoleFolder: pagesOf('operator') });
  for (const name of ['한국증권', '서울증권'])
    await pull((await addTenant(fixture.store.db, { name, environment: 'POC' }, AT)).tenantId, 0);
  for (const load of [
    liveLoad({ ...CHIPS, asOf: AS_OF, observedReturn: 0.0123, summary: '반도체 수출이 늘어 1.23% 올랐습니다.' }),
    liveLoad({ ...BANKS, asOf: AS_OF, observedReturn: -0.0207, summary: '은행주가 내려 2.07% 하락했습니다.' }),
    liveLoad({
      id: 'op-flat',
      ticker: '900103',
      name: '운영 보합 ETF',
      asOf: AS_OF,
      observedReturn: 0,
      summary: '변동이 없었습니다.',
    }),
    unmeasured('op-none', '900104', '운영 미측정 ETF'),
  ])
    await publish(fixture.store, read(load), AT);
  // The browser also logs the status of a refused login and of a conflict as errors.
  window = await openWindow(/the server responded with a status of 4\d\d|ERR_INTERNET_DISCONNECTED/);
  ({ page } = window);
});
afterAll(async () => {
  await window?.close();
  await fixture?.close();
});

/** An explanation whose trigger measured nothing, and which has no evidence. */
function unmeasured(id: string, ticker: string, name: string): Load {
  const whole = liveLoad({ id, ticker, name, asOf: AS_OF, summary: '관측값 없이 만든 설명입니다.' });
  return {
    ...whole,
    trigger: { ...whole.trigger, observed_return: null },
    lineage: { documents: [], source_events: [], event_evidences: [], disclosure_facts: [], calculations: [] },
  };
}

/** The tenants listed in a place, with the state of the record, without times. */
async function tenantsIn(place: Locator): Promise<string[]> {
  return (await place.getByRole('listitem').allInnerTexts()).map((line) =>
    line.replaceAll(/\s*\(.*\)/g, '').replaceAll(/\s+/g, ' '),
  );
}

/** A successful pull that names a committed cursor, as the sync endpoint records it. */
async function pull(tenantId: number, after: number): Promise<void> {
  const log = new PullLog(fixture.store, (error) => {
    throw error;
  });
  log.note({ tenantId, at: fixture.clock.at, after, to: null, entries: 0, outcome: 'COMMON200', message: null });
  await log.flush();
}

/** A second operator beside the browser's. */
async function otherSession(): Promise<{
  read: (id: string) => Promise<Analysis | undefined>;
  invalidate: (id: string, reason: string) => Promise<number>;
}> {
  const cookie = await fixture.logIn('second');
  return {
    read: async (id) => {
      const { result: found } = await fixture.ask('GET', '/api/v1/analyses?size=100', { cookie });
      return (found as unknown as ListPage<Analysis>).items.find((item) => item.id === id);
    },
    invalidate: async (id, reason) =>
      (await fixture.ask('POST', `/api/v1/analyses/${id}/invalidate`, { cookie, body: { reason } })).status,
  };
}

const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const detail = () => page.getByRole('article');

async function logIn(password: string): Promise<void> {
  await page.getByLabel('로그인 ID').fill('operator');
  await page.getByLabel('비밀번호').fill(password);
  await page.getByRole('button', { name: '로그인' }).click();
}

describe('the operator console', () => {
  test('a wrong password is refused; after the right one the operator is at the requested address', async () => {
    await page.goto(`${fixture.url}/analyses?publicationState=PUBLISHED`);
    await logIn('wrong');
    await page.getByRole('alert').getByText('로그인 ID 또는 비밀번호가 올바르지 않습니다.').waitFor();
    await logIn(PASSWORD);
    await page.getByRole('heading', { level: 1, name: '가격 변동 분석' }).waitFor();
    expect(new URL(page.url()).search).toBe('?publicationState=PUBLISHED');
    expect(await page.getByRole('combobox', { name: '게시 상태' }).inputValue()).toBe('PUBLISHED');
  });

  test('the list shows the loaded analyses, and distinguishes "not measured" from zero', async () => {
    await page.getByRole('button', { name: '조건 초기화' }).click();
    const cells = async (name: string): Promise<string[]> => words(await row(name).getByRole('cell').allInnerTexts());
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
    await page.getByText(/초 전 조회 · \d+초 뒤 갱신/).waitFor();
  });

  test('filters are in the address and survive a reload', async () => {
    await page.getByRole('searchbox', { name: '종목명·코드 검색' }).fill('은행');
    await page.getByText('전체 1건').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('은행');
    await page.reload();
    await page.getByText('전체 1건').waitFor();
    expect(await page.getByRole('searchbox', { name: '종목명·코드 검색' }).inputValue()).toBe('은행');
    await page.getByRole('combobox', { name: '게시 상태' }).selectOption('철회');
    await page.getByText('조건에 맞는 분석이 없습니다.').waitFor();
    await page.getByRole('button', { name: '조건 초기화' }).click();
    await row(CHIPS.name).waitFor();
  });

  test('invalidating needs a reason, states the consequence, and counts the tenants that receive the withdrawal', async () => {
    await row(CHIPS.name).getByRole('link').click();
    await detail().getByRole('heading', { name: CHIPS.name }).waitFor();
    await detail().getByRole('button', { name: '철회…' }).click();
    const dialog = page.getByRole('dialog', { name: '설명 철회' });
    await dialog.getByText('이 설명을 발행한 모든 고객사에 철회를 발행합니다.', { exact: false }).waitFor();
    await dialog.getByText(CHIPS.id).waitFor();
    await dialog.getByText('철회를 발행할 고객사: 2곳 · 수신 0곳, 미수신 2곳').waitFor();
    expect(await tenantsIn(dialog)).toEqual(['서울증권 미수신', '한국증권 미수신']);
    const reason = dialog.getByRole('textbox', { name: '철회 사유 (필수)' });
    await waitFor('the reason to have the focus', () => reason.evaluate((field) => field === document.activeElement));
    await reason.fill('   ');
    await dialog.getByRole('button', { name: '철회', exact: true }).click();
    await dialog.getByText('철회 사유를 입력하십시오.').waitFor();
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true);
    await reason.fill('기여도 계산에 쓴 비중이 잘못되었습니다.');
    await dialog.getByRole('button', { name: '취소', exact: true }).click();

    // With the network cut it is not reported as done, and the typed text stays.
    await window.context.setOffline(true);
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await page.getByRole('alert').getByText('갱신하지 못했습니다.', { exact: false }).waitFor();
    await detail().getByRole('button', { name: '철회…' }).click();
    await dialog.getByRole('button', { name: '철회', exact: true }).click();
    await dialog.getByRole('alert').getByText('전송되지 않았습니다.', { exact: false }).waitFor();
    expect(await page.getByText('철회했습니다.', { exact: false }).count()).toBe(0);
    await window.context.setOffline(false);
    await dialog.getByRole('status').getByText('아직 전송되지 않았으며', { exact: false }).waitFor();
    expect(await reason.inputValue()).toBe('기여도 계산에 쓴 비중이 잘못되었습니다.');
    await row(CHIPS.name).getByText('게시', { exact: true }).waitFor();

    await dialog.getByRole('button', { name: '철회', exact: true }).click();
    const answer = dialog.getByRole('status');
    await answer.getByText('철회했습니다. 고객사 2곳에 철회를 발행했습니다.').waitFor();
    await answer.getByText('철회했으나 2곳이 아직 수신하지 않음').waitFor();
    // It stays, and counts down as tenants name a cursor past the withdrawal.
    const { rows } = await sql<{ tenant_id: number; cursor: number }>`
      select tenant_id, cursor from tenant_delivery where target_explanation_result_id = ${CHIPS.id} order by tenant_id limit 1`.execute(
      fixture.store.db,
    );
    const first = rows[0];
    if (first === undefined) throw new Error('no withdrawal was issued');
    await pull(first.tenant_id, first.cursor);
    await answer.getByText('철회 발행 대상 고객사: 2곳 · 수신 1곳, 미수신 1곳').waitFor({ timeout: 20_000 });
    expect((await tenantsIn(answer)).map((line) => line.split(' ')[1])).toEqual(['미수신', '수신']);
    await dialog.getByRole('button', { name: '닫기' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('the state changes on the screen, and the analysis can no longer be invalidated', async () => {
    await row(CHIPS.name).getByText('철회', { exact: true }).waitFor();
    await detail().getByText('기여도 계산에 쓴 비중이 잘못되었습니다.').waitFor();
    await detail().getByText('이미 철회된 설명입니다.', { exact: false }).waitFor();
    expect(await detail().getByRole('button', { name: '철회…' }).count()).toBe(0);
    const { read, invalidate } = await otherSession();
    expect(await read(CHIPS.id)).toMatchObject({
      publicationState: 'INVALIDATED',
      withdrawalReason: '기여도 계산에 쓴 비중이 잘못되었습니다.',
    });
    expect(await invalidate(CHIPS.id, '다시')).toBe(409);
  });

  test('invalidating an analysis that another operator has just withdrawn is explained, even outside a filtered list', async () => {
    await page.goto(`${fixture.url}/analyses?publicationState=PUBLISHED`);
    await row(BANKS.name).getByRole('link').click();
    await detail().getByRole('button', { name: '철회…' }).click();
    const dialog = page.getByRole('dialog', { name: '설명 철회' });
    await dialog.getByRole('textbox', { name: '철회 사유 (필수)' }).fill('수치가 맞지 않습니다.');
    const { invalidate } = await otherSession();
    const theirs = `다른 사람이 먼저\n${'길게 적은 사유 '.repeat(40)}`;
    expect(await invalidate(BANKS.id, theirs)).toBe(200);
    await dialog.getByRole('button', { name: '철회', exact: true }).click();
    await dialog.getByRole('alert').getByText('이 설명은 이미 게시 상태가 아닙니다.', { exact: false }).waitFor();
    await dialog.getByRole('alert').getByText('철회', { exact: true }).waitFor();
    await dialog
      .getByRole('alert')
      .getByText(/^second · .* KST에 철회$|^second · .*에 철회$/)
      .waitFor();
    await dialog.getByRole('alert').getByText('다른 사람이 먼저').waitFor();
    await dialog.getByRole('alert').getByRole('button', { name: '더 보기' }).click();
    expect(await dialog.getByRole('alert').getByText('다른 사람이 먼저').innerText()).toContain('먼저\n길게');
    await dialog.getByRole('button', { name: '닫기' }).last().click();
    await detail().getByText('다른 사람이 먼저').waitFor();
    await row(BANKS.name).waitFor({ state: 'detached' });
  });

  test('the profile: an invalid name is refused at its field, a new one appears in the head at once', async () => {
    await page.getByRole('button', { name: /^사용자 메뉴/ }).click();
    await page.getByRole('menuitem', { name: '내 정보' }).click();
    const name = page.getByRole('textbox', { name: '표시 이름' });
    await name.fill('  ');
    // Enter sends nothing within half a second of the menu's opening.
    await waitFor('the name to be refused', async () => {
      await page.keyboard.press('Enter');
      return page.getByText('필수 입력 항목입니다.').isVisible();
    });
    await name.fill('김\u200b운영');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('저장하지 못했습니다.').waitFor();
    await name.fill('김운영');
    const form = page.getByRole('form', { name: '표시 이름 변경' });
    await window.context.setOffline(true);
    await page.keyboard.press('Enter');
    await form.locator('[role=alert]').waitFor();
    expect(await page.getByText('저장했습니다', { exact: false }).count()).toBe(0);
    await window.context.setOffline(false);
    await form.locator('[data-tone=bad]').waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('김운영');
    expect(await page.getByRole('button', { name: '사용자 메뉴 김운영' }).count()).toBe(0);
    await name.press('Enter');
    await page.getByRole('button', { name: '사용자 메뉴 김운영' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/profile');
  });

  test('a form submitted while the network is cut is reported as not sent, keeps its fields, and can be sent later', async () => {
    await page.goto(`${fixture.url}/tenants/new`);
    const form = page.getByRole('form', { name: '고객사 등록' });
    await form.getByLabel('고객사 이름').fill('한빛증권');
    await form.getByLabel('환경').selectOption('운영');
    await form.getByLabel('최초 관리자 이름').fill('박관리');
    await form.getByLabel('최초 관리자 이메일').fill('park@new.example');
    await window.context.setOffline(true);
    await page.getByRole('button', { name: '지금 갱신' }).click();
    await page.getByRole('alert').getByText('갱신하지 못했습니다.', { exact: false }).waitFor();
    await form.getByLabel('고객사 이름').press('Enter');
    await form.locator('[data-tone=bad][role=alert]', { hasText: '전송되지 않았습니다.' }).waitFor();
    await window.context.setOffline(false);
    await form.locator('[data-tone=info][role=status]', { hasText: '아직 전송되지 않았으며' }).waitFor();
    expect(await row('한빛증권').count()).toBe(0);
    expect(await form.getByLabel('최초 관리자 이메일').inputValue()).toBe('park@new.example');
    await form.getByLabel('고객사 이름').press('Enter');
    await detail().getByRole('heading', { name: '한빛증권' }).waitFor();
  });

  test('an account with a second factor needs a code after its password', async () => {
    const secret = newSecret();
    await setSecondFactor(fixture.store.db, 'operator', secret);
    await page.goto(`${fixture.url}/analyses`);
    await logIn(PASSWORD);
    const code = page.getByLabel('인증 코드');
    await code.waitFor();
    expect([await page.getByRole('alert').count(), await page.getByText('복구 코드').count()]).toEqual([0, 0]);
    expect(await violations(page)).toEqual([]);
    await takePicture(page, 'operator-second-factor');
    await code.fill('000000');
    await code.press('Enter');
    await page.getByRole('alert').getByText('지금 유효한 코드가 아니거나 이미 사용한 코드입니다.').waitFor();
    await code.fill(TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: fixture.clock.at.getTime() }));
    await code.press('Enter');
    await page.getByRole('heading', { level: 1, name: '가격 변동 분석' }).waitFor();
  });

  test('after logging out no data is shown, and the browser reported no error', async () => {
    await page.getByRole('button', { name: /^사용자 메뉴/ }).click();
    await page.getByRole('menuitem', { name: '로그아웃' }).click();
    await page.getByText('로그아웃했습니다.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });
});

test('the scripts of the first screen are below 250 KB compressed', () => {
  expect(firstScriptBytes(pagesOf('operator'))).toBeLessThan(250_000);
});
