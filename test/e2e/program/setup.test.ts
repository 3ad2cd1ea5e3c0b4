/** The program's choice of console: at the first start and later, a pinned authority, and altered files. */
import {
  existsSync,
  linkSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, expect, test } from 'vitest';
import { sealOf } from '../../../electron/main/boot/seal.ts';
import { manifestOf } from '../../../electron/packaging/manifest.ts';
import { ensurePackaged } from '../../../electron/packaging/package.ts';
import type { ProgramSettings } from '../../../electron/main/settings/settings.ts';
import { makeAuthority, writePair } from '../../support/pki.ts';
import { takePicture } from '../../support/pictures.ts';
import { isAlive, TestFixture, waitFor, type LogLine } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';
import { violations } from '../axe.ts';
import { answerPage, choose, clickAway, ProgramFixture, StandIn, type Program } from '../program-fixture.ts';

const fixture = new ProgramFixture();
const parts = new TestFixture();
const UNTOUCHED = { contentProtection: false, keepRunning: false, lockMinutes: 15 };
const KOREAN = { LANGUAGE: 'ko', LANG: 'ko_KR.UTF-8' };

afterEach(() => fixture.clear());
afterAll(() => parts.clear());

const settingsIn = (data: string): ProgramSettings =>
  JSON.parse(readFileSync(path.join(data, 'settings.json'), 'utf8')) as ProgramSettings;

/** The settings in their own window. */
async function openSettings(program: Program): Promise<Page> {
  const [settings] = await Promise.all([program.app.waitForEvent('window'), choose(program, '이 컴퓨터의 설정')]);
  await settings.getByRole('heading', { name: '이 컴퓨터의 설정' }).waitFor();
  return settings;
}

/** Lines of the log that a program keeps in its data folder. */
function keptLog(data: string, msg: string): LogLine[] {
  return readFileSync(path.join(data, 'logs', 'console.log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.msg === msg);
}

deepTest.each([
  ['Korean where the system does not say', { LANGUAGE: '', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }, '이 컴퓨터의 설정'],
  ['English on an English system', { LANGUAGE: 'en', LANG: 'en_US.UTF-8' }, 'Settings of this computer'],
])('the setup page is in %s', async (_what, env, title) => {
  const program = await fixture.launch({ ...env, CAUSEWAY_CONSOLE_DATA: fixture.folder() }, 'dark');
  await program.page.getByRole('heading', { name: title }).waitFor();
  expect(await violations(program.page)).toEqual([]);
  await program.screenshot(`program-setup-dark-${title.startsWith('S') ? 'en' : 'unknown'}`);
});

test('the first start asks, without a network; the choice is started, kept, and can be reviewed', async () => {
  const data = fixture.folder();
  const program = await fixture.launch({ ...KOREAN, CAUSEWAY_CONSOLE_DATA: data });
  const { page } = program;
  await program.says('이 컴퓨터의 설정');
  expect(existsSync(path.join(data, 'settings.json'))).toBe(false);
  expect(await page.getByRole('button', { name: '취소' }).isVisible()).toBe(false);
  // A firm has a server: that is the first choice.
  expect(await page.getByLabel('회사의 콘솔 서버에 연결').isChecked()).toBe(true);
  await page.getByLabel('이 컴퓨터에서 모두 실행').check();
  await page.getByLabel('수신 서비스(Intake)도 이 컴퓨터에서 실행').check();
  await page.getByLabel('제공 API도 이 컴퓨터에서 실행').check();
  await page.getByLabel('중계기 주소').fill('relay.firm.example');
  await page.getByLabel('제공 API의 주소').fill('127.0.0.1:0');
  await page.getByRole('button', { name: '저장하고 시작' }).click();
  await program.says('https://로 시작하는 중계기 주소를 경로 없이 입력하십시오.');
  expect(await page.getByLabel('중계기 주소').getAttribute('aria-invalid')).toBe('true');
  expect(await violations(page)).toEqual([]);
  await program.screenshot('program-setup-ko');
  await page.getByRole('button', { name: 'English' }).click();
  await program.says('Give the address of the relay');
  await page.getByLabel("Connect to the firm's console server").check();
  expect(await violations(page)).toEqual([]);
  await program.screenshot('program-setup-en');
  await page.getByLabel('Run everything on this computer').check();
  await page.getByLabel('Address of the relay').fill('http://127.0.0.1:7');
  await page.getByRole('button', { name: 'Save and start' }).click();
  await program.says('Give the tenant number that the vendor named, a whole number from 1.');
  expect(await page.getByLabel('Tenant number').getAttribute('aria-invalid')).toBe('true');
  await program.screenshot('program-setup-tenant-en');
  await page.getByRole('button', { name: '한국어' }).click();
  await program.says('공급사가 알려 준 테넌트 번호를 1 이상의 정수로 입력하십시오.');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByLabel('Tenant number').fill('7');
  await program.app.evaluate(({ dialog }) => {
    // The user copies the code that the dialog shows.
    Object.assign(dialog, {
      showMessageBox: async ({ detail }: Electron.MessageBoxOptions) => {
        Object.assign(globalThis, { shownCode: detail?.split('\n')[0] });
        return { response: 0, checkboxChecked: false };
      },
    });
  });
  await page.getByRole('button', { name: 'Save and start' }).press('Enter');

  await program.log('window shown');
  await page.locator('input[name=username]').waitFor();
  // A new ledger has no account: the first administrator needs a code, which is shown and not stored.
  const code = await waitFor('the code', () =>
    program.app.evaluate(() => (globalThis as unknown as { shownCode?: string }).shownCode),
  );
  expect(code).toMatch(/^(?:[A-Z\d]{5}-){4}[A-Z\d]{5}$/);
  expect(await program.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(code);
  expect(readFileSync(path.join(data, 'logs', 'console.log'), 'utf8')).not.toContain(code);
  const intake = {
    upstream: 'http://127.0.0.1:7',
    certificate: '',
    key: '',
    authority: '',
    verifyKey: '',
    tenant: '7',
  };
  expect(settingsIn(data)).toEqual({
    console: { mode: 'local', intake, provision: '127.0.0.1:0' },
    updates: null,
    ...UNTOUCHED,
  });
  const pids = [];
  for (const name of ['console', 'intake', 'provision'])
    pids.push(Number((await program.log(`${name} service started`))['servicePid']));

  const settings = await openSettings(program);
  await waitFor('the services to run', async () => {
    await settings.reload();
    return (await settings.getByText('실행 중', { exact: true }).count()) === 3;
  });
  expect(await settings.getByLabel('중계기 주소').inputValue()).toBe('http://127.0.0.1:7');
  expect(await settings.locator('#in-use').innerText()).toBe(
    `사용 중인 콘솔: ${new URL(page.url()).origin} (이 컴퓨터)`,
  );
  const save = settings.getByRole('button', { name: '저장하고 시작' });
  expect(await save.evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  await takePicture(settings, 'program-settings-ko');
  await Promise.all([
    settings.waitForEvent('close'),
    // A key of the system's: those of the debugger pass the window by.
    program.app.evaluate(({ BrowserWindow }) => {
      const [opened] = BrowserWindow.getAllWindows().filter(({ webContents }) =>
        webContents.getURL().includes('setup'),
      );
      opened?.webContents.sendInputEvent({ type: 'keyDown', keyCode: 'Escape' });
    }),
  ]);
  expect(await page.locator('input[name=username]').isVisible()).toBe(true);
  expect(await program.part.stop()).toEqual({ code: 0, signal: null });
  expect(pids.filter(isAlive)).toEqual([]);
});

test('another host: only a certificate of the pinned authority is trusted, and a wrong choice can be corrected', async () => {
  // Of the same name: the key decides.
  const [firm, other] = await Promise.all([makeAuthority('firm'), makeAuthority('firm')]);
  const folder = parts.folder('console');
  const pair = writePair(folder, 'console', await firm.server());
  const api = parts.start('electron/console-api/main.ts', {
    env: {
      CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_CONSOLE_CERT: pair.cert,
      CAUSEWAY_CONSOLE_KEY: pair.key,
      CAUSEWAY_DEMO: '1',
    },
  });
  const { url } = await api.listening('console');
  const asked = (): number => api.logs.filter(({ msg }) => msg === 'answered').length;

  const data = fixture.folder();
  const program = await fixture.launch({ ...KOREAN, CAUSEWAY_CONSOLE_DATA: data });
  const { page } = program;
  await page.getByLabel('회사의 콘솔 서버에 연결').check();
  await page.getByLabel('서버 주소').first().fill(url);
  await page.getByRole('button', { name: '저장하고 시작' }).click();
  await program.says('인증 기관의 인증서를 PEM 형식으로 넣으십시오.');
  const file = page.locator('input[type=file]').first();
  await file.setInputFiles({ name: 'ca.pem', mimeType: 'text/plain', buffer: Buffer.from(other.ca) });
  await waitFor('the file', async () => (await page.locator('#authority').inputValue()).includes('BEGIN'));
  await page.getByRole('button', { name: '저장하고 시작' }).click();

  await program.says('콘솔 서버의 인증서를 신뢰할 수 없습니다');
  expect(await program.text()).toContain('was not issued by the authority that is pinned here');
  expect(await violations(page)).toEqual([]);
  await program.screenshot('program-untrusted');
  expect(asked()).toBe(0);

  const settings = await openSettings(program);
  const again = settings.locator('input[type=file]').first();
  await again.setInputFiles({ name: 'ca.pem', mimeType: 'text/plain', buffer: Buffer.from(firm.ca) });
  await waitFor('the file', async () => (await settings.locator('#authority').inputValue()).includes(firm.ca.trim()));
  // The program restarts: this page closes with it, maybe before the click is acknowledged.
  await settings
    .getByRole('button', { name: '저장하고 시작' })
    .click()
    .catch(() => undefined);
  // Its successor has no stdout, but the same log files.
  const { pid, url: shown } = await waitFor('the console in a new program', () => keptLog(data, 'window shown')[0]);
  expect([pid === program.pid, shown]).toEqual([false, `${url}/`]);
  expect(settingsIn(data).console).toMatchObject({ mode: 'connected', address: url });
  expect(asked()).toBeGreaterThan(0);
  process.kill(Number(pid), 'SIGTERM');
  await waitFor('its end', () => !isAlive(Number(pid)));
});

/** A copy of the packed program with resources of its own, beside the build, so that files can be shared with it. */
async function copyOfProgram(): Promise<{ folder: string; resources: string; executable: string }> {
  const { executable } = await ensurePackaged({ log: () => undefined, test: true });
  const packed = path.dirname(executable);
  const folder = mkdtempSync(path.join(path.dirname(packed), 'altered-'));
  for (const name of readdirSync(packed).filter((one) => one !== 'resources')) {
    if (name === path.basename(executable)) linkSync(executable, path.join(folder, name));
    else symlinkSync(path.join(packed, name), path.join(folder, name));
  }
  const [from, resources] = [path.join(packed, 'resources'), path.join(folder, 'resources')];
  mkdirSync(path.join(resources, 'node'), { recursive: true });
  for (const name of ['services', 'renderer', 'app.asar'])
    cpSync(path.join(from, name), path.join(resources, name), { recursive: true });
  linkSync(path.join(from, 'node', 'node'), path.join(resources, 'node', 'node'));
  return { folder, resources, executable: path.join(folder, path.basename(executable)) };
}

function changeOneByte(file: string): void {
  const bytes = readFileSync(file);
  expect(bytes.length).toBeGreaterThan(100);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test('one changed byte beside the program: nothing is started, and a screen names the file', async () => {
  const copy = await copyOfProgram();
  try {
    changeOneByte(path.join(copy.resources, 'services', 'console-api', 'bundle.cjs'));
    const env = { ...KOREAN, CAUSEWAY_LEDGER: path.join(fixture.folder(), 'ledger.db') };
    const program = await fixture.launch(env, 'light', [], copy.executable);
    await program.says('프로그램의 파일이 설치된 것과 다릅니다');
    const text = await program.text();
    expect(text).toContain('services/console-api/bundle.cjs (changed)');
    expect(text).toContain('uninstall Causeway and install it again');
    expect(await violations(program.page)).toEqual([]);
    await program.screenshot('program-altered');
    expect(await program.page.getByRole('button').isVisible()).toBe(false);
    // It cannot be bypassed.
    await choose(program, '이 컴퓨터의 설정');
    await choose(program, '새로 고침');
    expect(await program.text()).toBe(text);
    expect(program.logged('setup page shown')).toEqual([]);
    expect(program.logged('console service started')).toEqual([]);
    expect(existsSync(env.CAUSEWAY_LEDGER)).toBe(false);
    await fixture.clear();
  } finally {
    rmSync(copy.folder, { recursive: true });
  }
});

deepTest(
  'files that the last check has seen start at once; a changed one waits for a new check, or is found behind the window',
  async () => {
    const copy = await copyOfProgram();
    try {
      const packed = await manifestOf({
        node: path.join(copy.resources, 'node', 'node'),
        renderer: path.join(copy.resources, 'renderer'),
        services: path.join(copy.resources, 'services'),
      });
      const data = fixture.folder();
      const seal = path.join(data, 'checked-files');
      const env = { ...KOREAN, CAUSEWAY_LEDGER: path.join(fixture.folder(), 'ledger.db'), CAUSEWAY_CONSOLE_DATA: data };
      const start = () => fixture.launch(env, 'light', [], copy.executable);
      /** The data folder stays for the next start. */
      const end = async ({ app, part }: Program): Promise<void> => {
        await app.close();
        await part.exited;
      };
      const order = (program: Program): string[] =>
        [...program.logged('resources checked'), ...program.logged('console service started')]
          .toSorted((a, b) => Number(a['time']) - Number(b['time']))
          .map(({ msg }) => String(msg));

      const first = await start();
      await first.log('window shown');
      expect(order(first)).toEqual(['resources checked', 'console service started']);
      await end(first);

      const second = await start();
      await second.log('window shown');
      await second.log('resources checked');
      expect(order(second)).toEqual(['console service started', 'resources checked']);
      await end(second);

      // Changed as nobody but the system could: the kept seal fits.
      changeOneByte(path.join(copy.resources, 'services', 'intake.js'));
      writeFileSync(seal, sealOf(copy.resources, packed) ?? '');
      const third = await start();
      await third.says('프로그램의 파일이 설치된 것과 다릅니다');
      expect(await third.text()).toContain('services/intake.js (changed)');
      await third.log('console service stopped');
      expect(existsSync(seal)).toBe(false);
      await end(third);

      const fourth = await start();
      await fourth.says('프로그램의 파일이 설치된 것과 다릅니다');
      expect(fourth.logged('console service started')).toEqual([]);
      await end(fourth);
      await fixture.clear();
    } finally {
      rmSync(copy.folder, { recursive: true });
    }
  },
);

test('the administrator’s settings override environment and choice, and cannot be changed', async () => {
  const firm = new StandIn((_request, response) => answerPage(response, '<h1>the firm</h1>'));
  await firm.start();
  const managed = path.join(fixture.folder(), 'console.json');
  const laidDown = { mode: 'connected', address: firm.url, authority: '' };
  writeFileSync(managed, JSON.stringify({ console: laidDown, updates: null, contentProtection: true, lockMinutes: 5 }));
  const data = fixture.folder();
  const env = { ...KOREAN, CAUSEWAY_CONSOLE_DATA: data, CAUSEWAY_CONSOLE_MANAGED: managed };
  const program = await fixture.launch({ ...env, CAUSEWAY_CONSOLE_URL: 'http://127.0.0.1:9' });
  await program.log('content protected');
  await program.says('the firm');
  const settings = await openSettings(program);
  await settings.getByText('어느 콘솔을 열지는 관리자가 정해 두었습니다.').waitFor();
  expect(await settings.locator('#in-use').innerText()).toContain(firm.url);
  for (const name of ['address', 'updates', 'contentProtection', 'lockMinutes'])
    expect([name, await settings.locator(`[name=${name}]`).isDisabled()]).toEqual([name, true]);
  expect(await violations(settings)).toEqual([]);
  await clickAway(settings, '저장하고 시작');
  expect(settingsIn(data)).toEqual({ console: null, updates: null, ...UNTOUCHED });
  await fixture.clear();
  await firm.stop();
});
