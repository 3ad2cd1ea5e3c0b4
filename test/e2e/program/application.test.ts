/** The desktop program for its user: window, links, tray, notifications, log, diagnostics. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { ensurePackaged } from '../../../electron/packaging/package.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import type { ConsoleProgram, ConsoleReport, MenuAct } from '../../../shared/wire/console/program.ts';
import { Part, waitFor } from '../../support/process.ts';
import { deepTest, runs } from '../../support/runs.ts';
import { answerPage, AS_ROOT, choose, ProgramFixture, StandIn, type Program } from '../program-fixture.ts';

const fixture = new ProgramFixture();
const stand = new StandIn((request, response) => answerPage(response, `<h1>콘솔 ${request.url ?? ''}</h1>`));

beforeAll(async () => {
  await stand.start();
});
afterEach(() => fixture.clear());
afterAll(() => stand.stop());

const connected = (data: string): Record<string, string> => ({
  CAUSEWAY_CONSOLE_URL: stand.url,
  CAUSEWAY_CONSOLE_DATA: data,
});

/** A second start of the program on the same data, as the system does for a link. */
async function startAgain(data: string, ...args: string[]): Promise<void> {
  const { executable } = await ensurePackaged({ log: () => undefined, test: true });
  const second = new Part(
    'second start',
    spawn(executable, [...AS_ROOT, ...args], {
      env: fixture.environment(connected(data)),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  expect(await second.ended()).toEqual({ code: 0, signal: null });
}

const menuLabels = (program: Program): Promise<string[]> =>
  program.app.evaluate(({ Menu }) => (Menu.getApplicationMenu()?.items ?? []).map(({ label }) => label));

/** Sends the program a message like the console's page; returns the refusal's text, or null. */
function tell(program: Program, report: unknown): Promise<string | null> {
  return program.page.evaluate(async (told) => {
    const inside = globalThis as unknown as { causewayProgram: { report(report: unknown): Promise<void> } };
    try {
      await inside.causewayProgram.report(told);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }, report);
}

const REPORT: ConsoleReport = {
  language: 'ko',
  sync: 'OK',
  waiting: 3,
  newest: { id: 'e-1', name: '069500 KODEX 200' },
};

describe('the window', () => {
  const boundsOf = (program: Program) =>
    program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds());

  const appearance = (program: Program) =>
    program.app.evaluate(({ BrowserWindow, nativeTheme }) => [
      nativeTheme.themeSource,
      ...BrowserWindow.getAllWindows().map((window) => window.getBackgroundColor()),
    ]);
  const appear = (program: Program, scheme: unknown): Promise<string> =>
    program.page.evaluate(async (chosen) => {
      const inside = globalThis as unknown as { causewayProgram: { appear(scheme: unknown): Promise<void> } };
      return inside.causewayProgram.appear(chosen).then(() => 'taken', String);
    }, scheme);

  test('opens at its last position, with the background of the colours chosen in the console', async () => {
    const data = fixture.folder();
    const first = await fixture.launch(connected(data));
    await first.log('window shown');
    expect(await appear(first, 'dark')).toBe('taken');
    expect(await appear(first, '#fff')).toContain('console:appear was called with wrong arguments');
    expect(await appearance(first)).toEqual(['dark', '#12171C']);
    const wanted = { x: 60, y: 40, width: 1000, height: 700 };
    await first.app.evaluate(
      ({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds),
      wanted,
    );
    // The position is stored once the window has come to rest.
    await waitFor('its place to be kept', () => {
      const kept = path.join(data, 'window.json');
      return existsSync(kept) && readFileSync(kept, 'utf8').includes('"width":1000');
    });
    await first.page.close();
    expect(await first.part.ended()).toEqual({ code: 0, signal: null });
    // The colours are there from its first moment on.
    const second = await fixture.launch(connected(data));
    expect(await appearance(second)).toEqual(['dark', '#12171C']);
    await second.log('window shown');
    expect(await boundsOf(second)).toMatchObject({ width: 1000, height: 700 });
    expect(await appear(second, 'light')).toBe('taken');
    expect(await appearance(second)).toEqual(['light', '#F4F6F8']);
  });

  deepTest('opens on a visible display when its former one is gone', async () => {
    const data = fixture.folder();
    writeFileSync(
      path.join(data, 'window.json'),
      JSON.stringify({ bounds: { x: 9_000, y: 9_000, width: 900, height: 600 }, maximized: false }),
    );
    const program = await fixture.launch(connected(data));
    await program.log('window shown');
    expect(await boundsOf(program)).toMatchObject({ width: 1280, height: 860 });
    expect((await boundsOf(program))?.x).toBeLessThan(2_000);
  });

  test('a crashed page is opened again at its address', async () => {
    const program = await fixture.launch(connected(fixture.folder()));
    await program.log('window shown');
    await program.page.evaluate(() => history.pushState(null, '', '/review/e-7?q=a'));
    await program.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    );
    await program.log('window shown', 2);
    expect(stand.asked).toContain('/review/e-7?q=a');
  });
});

describe('a link', () => {
  test('opens its item in a program that it starts', async () => {
    const program = await fixture.launch(connected(fixture.folder()), 'light', ['causeway://review/cold-1']);
    await program.log('window shown');
    expect(new URL(program.page.url()).pathname).toBe('/review/cold-1');
  });

  test('opens its item in the running program, whose window comes to the front; to any other place it is refused', async () => {
    const data = fixture.folder();
    const program = await fixture.launch(connected(data));
    await program.log('window shown');
    await program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
    await startAgain(data, 'causeway://explanations/warm-1');
    const shown = `${stand.url}/explanations/warm-1`;
    await program.page.waitForURL(shown);
    await waitFor('the window', () =>
      program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()),
    );
    // The unit test of links has every form.
    const refused = ['causeway://evil.example/x', 'causeway://review/..%2F..%2Fapi', 'causeway:javascript:alert(1)'];
    const tried = refused.slice(0, runs(1, refused.length));
    for (const link of tried) await startAgain(data, link);
    await program.log('link refused', tried.length);
    expect(program.page.url()).toBe(shown);
  });
});

describe('around the console', () => {
  const own = new ProgramFixture();
  let program: Program;

  beforeAll(async () => {
    program = await own.launch(connected(own.folder()));
    await program.log('window shown');
  });
  afterAll(() => own.clear());

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['another shape', { waiting: 1 }],
    ['more than is asked for', { ...REPORT, more: 1 }],
    ['an unknown state', { ...REPORT, sync: 'FINE' }],
    ['a number that is none', { ...REPORT, waiting: '3' }],
    ['a name without end', { ...REPORT, newest: { id: 'e', name: 'x'.repeat(10_000) } }],
  ])('%s is not believed as a report', async (_what, report) => {
    expect(await tell(program, report)).toContain('console:report was called with wrong arguments');
  });

  test('the tray shows the state of the work, in the language of the console', async () => {
    expect(await tell(program, REPORT)).toBeNull();
    await waitFor('the tray', () =>
      program.logged('tray says').some(({ words }) => words === 'Causeway\n수신 정상\n심사 대기 3건'),
    );
    await tell(program, { ...REPORT, language: 'en', sync: 'GONE', waiting: 0, newest: null });
    await waitFor('the tray', () =>
      program
        .logged('tray says')
        .some(({ words }) => words === 'Causeway\nVendor feed needs attention (GONE)\n0 awaiting review'),
    );
    expect(await menuLabels(program)).toEqual(['File', 'Edit', 'View', 'Help']);
    await tell(program, REPORT);
    expect(await menuLabels(program)).toEqual(['파일', '편집', '보기', '도움말']);
  });

  test('the menus run the acts that the page offers, and the absence of the user reaches the page', async () => {
    const offer = (acts: unknown): Promise<string> =>
      program.page.evaluate(async (offered) => {
        const inside = globalThis as unknown as { causewayProgram: Required<ConsoleProgram> };
        inside.causewayProgram.onAct((id) => void (document.title = `act ${id}`));
        inside.causewayProgram.onLock(() => void (document.title = 'locked'));
        return inside.causewayProgram.offerMenu(offered as MenuAct[]).then(() => 'taken', String);
      }, acts);
    const approve: MenuAct = { id: 'approve', place: 'review', label: '승인', keys: 'Q', isEnabled: true };
    for (const wrong of [[{ ...approve, place: 'edit' }], [{ ...approve, keys: 'CmdOrCtrl+Q' }]])
      expect(await offer(wrong)).toContain('console:menu was called with wrong arguments');
    expect(await offer([approve])).toBe('taken');
    expect(await menuLabels(program)).toEqual(['파일', '편집', '심사', '보기', '도움말']);
    await choose(program, '승인');
    await waitFor('the act', async () => (await program.page.title()) === 'act approve');
    await program.app.evaluate(({ powerMonitor }) => {
      powerMonitor.getSystemIdleTime = () => 15 * 60;
      powerMonitor.emit('resume');
    });
    await waitFor('the lock', async () => (await program.page.title()) === 'locked');
    await offer([]);
  });

  test('the context menu offers applicable actions, and they work', async () => {
    await program.app.evaluate(({ clipboard, Menu }) => {
      void clipboard.writeText('to be pasted');
      // A real menu would block all input; only its display is left out.
      Menu.prototype.popup = function popup(this: Electron.Menu) {
        Object.assign(globalThis, { shownMenu: this });
      };
    });
    /** Right-clicks an element; returns the menu's roles, or its labels without a role. */
    const offered = async (selector: string): Promise<string[]> => {
      await program.app.evaluate(() => void Object.assign(globalThis, { shownMenu: null }));
      await program.page.locator(selector).click({ button: 'right' });
      return waitFor('the menu', () =>
        program.app.evaluate(() =>
          (globalThis as unknown as { shownMenu: Electron.Menu | null }).shownMenu?.items.map(
            ({ role, label }) => role ?? label,
          ),
        ),
      );
    };
    await program.page.evaluate(() => {
      document.body.innerHTML =
        '<input id="field" value="수출이 늘어" /><p id="text">금지어</p><a id="link" href="/review/e-1">ETF</a><div id="none" style="height:50px"></div>';
    });
    await program.page.locator('#field').selectText();
    expect(await offered('#field')).toEqual(['cut', 'copy', 'paste', 'selectall']);
    await program.app.evaluate(({ BrowserWindow }) => {
      const { shownMenu } = globalThis as unknown as { shownMenu: Electron.Menu };
      const [window] = BrowserWindow.getAllWindows();
      shownMenu.items.find(({ role }) => (role as string) === 'cut')?.click(undefined, window, window?.webContents);
    });
    await waitFor('the text to be cut', async () => (await program.page.locator('#field').inputValue()) === '');
    expect(await program.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('수출이 늘어');
    await program.page.locator('#text').selectText();
    expect(await offered('#text')).toEqual(['copy']);
    await program.page.evaluate(() => getSelection()?.removeAllRanges());
    expect(await offered('#link')).toEqual([expect.stringMatching(/링크 주소 복사|Copy Link Address/)]);
    await program.app.evaluate(() => {
      (globalThis as unknown as { shownMenu: Electron.Menu }).shownMenu.items[0]?.click();
    });
    expect(await program.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(`${stand.url}/review/e-1`);
  });

  test('the window gives its console the page as a PDF, as it would be printed', async () => {
    const printed = await program.page.evaluate(async () => {
      const inside = globalThis as unknown as { causewayProgram: { printPdf(): Promise<Uint8Array> } };
      return Array.from(await inside.causewayProgram.printPdf());
    });
    // A dossier takes it as it is.
    expect(Buffer.from(printed).subarray(0, 7).toString()).toBe('%PDF-1.');
    expect(
      Buffer.from(printed)
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g),
    ).toHaveLength(1);
  });

  test('the menu zooms the page, and the zoom is kept', async () => {
    const zoom = (role: string | null): Promise<number> =>
      program.app.evaluate(({ BrowserWindow, Menu }, wanted) => {
        const [window] = BrowserWindow.getAllWindows();
        const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((item) => item.submenu?.items ?? []);
        const item = wanted === null ? null : items.find((one) => (one.role as string | undefined) === wanted);
        item?.click(undefined, window, window?.webContents);
        return window?.webContents.zoomLevel ?? Number.NaN;
      }, role);
    const width = (): Promise<number> => program.page.evaluate(() => innerWidth);
    const before = await width();
    await zoom('zoomin');
    await zoom('zoomin');
    await waitFor('the larger page', async () => (await width()) < before);
    const larger = await zoom(null);
    expect(larger).toBeGreaterThan(0);
    await program.page.reload();
    expect(await zoom(null)).toBe(larger);
    await zoom('zoomout');
    expect(await zoom(null)).toBeLessThan(larger);
    await zoom('resetzoom');
    await waitFor('the usual size', async () => (await width()) === before);
  });

  test('an item that arrives out of sight is announced once, and a click opens it', async () => {
    await program.app.evaluate(({ BrowserWindow, Notification }) => {
      BrowserWindow.getAllWindows()[0]?.hide();
      Notification.prototype.show = function show(this: unknown) {
        Object.assign(globalThis, { shown: this });
      };
    });
    await waitFor('the window to lose the focus', () =>
      program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isFocused() === false),
    );
    await tell(program, REPORT);
    const next: ConsoleReport = { ...REPORT, waiting: 4, newest: { id: 'e-2', name: '102110 TIGER 200' } };
    const before = program.logged('notification shown').length;
    await tell(program, next);
    await tell(program, next);
    expect((await program.log('notification shown', before + 1))['id']).toBe('e-2');
    expect(
      await program.app.evaluate(() => {
        const { shown } = globalThis as unknown as { shown: { title: string; body: string; emit(name: string): void } };
        const told = { title: shown.title, body: shown.body };
        shown.emit('click');
        return told;
      }),
    ).toEqual({ title: '새 심사 대기 설명 (전체 4건)', body: '102110 TIGER 200' });
    await program.page.waitForURL(`${stand.url}/review/e-2`);
    expect(program.logged('notification shown')).toHaveLength(before + 1);
  });
});

test('the log is kept in files, and the diagnostics contain it without secrets', async () => {
  const data = fixture.folder();
  const program = await fixture.launch({ ...connected(data), CAUSEWAY_ENGINE_TOKEN: 'very-secret' });
  await program.log('window shown');
  expect(readdirSync(path.join(data, 'logs'))).toEqual(['console.log']);
  const file = path.join(fixture.folder(), 'diagnostics.json');
  await program.app.evaluate(({ dialog, Menu }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    const items = (Menu.getApplicationMenu()?.items ?? []).flatMap((item) => item.submenu?.items ?? []);
    items.find(({ label }) => /^(?:진단|Export)/.test(label))?.click();
  }, file);
  await waitFor('the file', () => existsSync(file));
  await program.log('diagnostics exported');
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('very-secret');
  expect(JSON.parse(text)).toMatchObject({
    console: { mode: 'connected', address: `${stand.url}/`, shown: true },
    variables: { CAUSEWAY_ENGINE_TOKEN: '[hidden]' },
    log: expect.arrayContaining([expect.stringContaining('window shown')]) as unknown,
  });
});

test('closed, it keeps running in the tray if so configured, says so once, and ends on request', async () => {
  const data = fixture.folder();
  writeFileSync(path.join(data, 'settings.json'), '{"console":null,"updates":null,"keepRunning":true}');
  const program = await fixture.launch(connected(data));
  await program.log('window shown');
  const close = (): Promise<boolean[]> =>
    program.app.evaluate(({ BrowserWindow }) => {
      const windows = BrowserWindow.getAllWindows();
      for (const window of windows) window.close();
      return windows.map((window) => window.isDestroyed());
    });
  await program.app.evaluate(({ dialog }) => {
    const showMessageBox = async (options: Electron.MessageBoxOptions) => {
      console.log(JSON.stringify({ msg: 'dialog', words: options.message }));
      return { response: 0, checkboxChecked: false };
    };
    Object.assign(dialog, { showMessageBox });
  });
  expect(await close()).toEqual([false]);
  await program.log('window hidden');
  await program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.show());
  await close();
  await program.log('window hidden', 2);
  expect(program.logged('dialog')).toHaveLength(1);
  await program.app.evaluate(({ app }) => setImmediate(() => app.quit()));
  expect(await program.part.exited).toEqual({ code: 0, signal: null });
});

test('a fault of the program itself is reported once, logged, and ends it', async () => {
  const data = fixture.folder();
  const program = await fixture.launch(connected(data));
  await program.log('window shown');
  const file = path.join(fixture.folder(), 'diagnostics.json');
  await program.app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    // Saves the diagnostics first, then quits.
    const chosen = [1, 2];
    const showMessageBox = async (options: Electron.MessageBoxOptions) => {
      console.log(JSON.stringify({ msg: 'dialog', ...options }));
      return { response: chosen.shift() ?? 2, checkboxChecked: false };
    };
    Object.assign(dialog, { showMessageBox });
    for (const words of ['the first fault', 'the second fault'])
      setImmediate(() => {
        throw new Error(words);
      });
  }, file);
  expect(await program.part.exited).toEqual({ code: 0, signal: null });
  expect(program.logged('program failed').map(({ reason }) => reason)).toEqual(['the first fault', 'the second fault']);
  const told = program.logged('dialog').map(({ detail }) => String(detail).split('\n').at(-1));
  expect(told).toEqual(['the first fault', 'the first fault']);
  expect(readFileSync(file, 'utf8')).toContain('the second fault');
});

deepTest('the console API dies in the middle of an edit: no text is lost, and the decision is made', async () => {
  const file = path.join(fixture.folder(), 'ledger.sqlite');
  const ledger = openLedger(file);
  seedDemo(ledger, systemClock, systemIds);
  ledger.write((tx) => receive(tx, newEntry('edit-1', { summary: '수출이 늘어 1.23% 올랐습니다.' })));
  ledger.close();
  const korean = { LANGUAGE: 'ko', LANG: 'ko_KR.UTF-8' };
  const program = await fixture.launch({ CAUSEWAY_LEDGER: file, CAUSEWAY_DEMO: '1', ...korean });
  const { url } = await program.log('window shown');
  const { page } = program;
  await page.getByLabel('로그인 ID').fill('reviewer');
  await page.getByLabel('비밀번호').fill('causeway-demo');
  await page.getByRole('button', { name: '로그인' }).click();
  await page.getByRole('link', { name: /069500/ }).waitFor();
  await page.locator('article h2').waitFor();
  await page.locator('body').press('KeyE');
  const field = page.getByLabel('수정 문구');
  await field.fill('수출이 늘었다는 소식에 1.23% 올랐습니다.');

  process.kill(Number((await program.log('console service started'))['servicePid']), 'SIGKILL');
  await field.press('End');
  await field.pressSequentially(' 확인함.');
  await program.log('console service started', 2);
  const headers = await program.windowHeaders();
  await waitFor(
    'its answer',
    async () => (await fetch(`${String(url)}api/v1/auth/session`, { headers })).status === 401,
  );
  expect(await field.inputValue()).toBe('수출이 늘었다는 소식에 1.23% 올랐습니다. 확인함.');
  await field.press('Control+Enter');
  await page.getByText('수정한 문구로 승인했습니다.').waitFor();
  expect(program.logged('window shown')).toHaveLength(1);
});
