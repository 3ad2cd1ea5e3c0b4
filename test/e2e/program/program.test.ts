/** The packed desktop program: its content, recovery, end and packaging. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ensurePackaged } from '../../../electron/packaging/package.ts';
import { Part, startPart, waitFor, type Exit } from '../../support/process.ts';
import { deepTest } from '../../support/runs.ts';
import { violations } from '../axe.ts';
import { answerPage, AS_ROOT, isAlive, ProgramFixture, StandIn } from '../program-fixture.ts';

const fixture = new ProgramFixture();
const stand = new StandIn((request, response) => {
  if (request.url === '/asks-to-stay') {
    answerPage(
      response,
      "<script>addEventListener('beforeunload', (event) => event.preventDefault());</script><button>touch</button>",
    );
    return;
  }
  answerPage(response, '<h1>콘솔 대역</h1>');
});

let product: string;

beforeAll(async () => {
  product = (await ensurePackaged({ log: () => undefined })).executable;
  await ensurePackaged({ log: () => undefined, test: true });
});
afterEach(async () => {
  await fixture.clear();
  await stand.stop();
});
afterAll(() => stand.stop());

/** Runs one of our executables to its end, or until the test ends it. */
function run(executable: string, args: string[], env: Record<string, string>): Part {
  return new Part(
    path.basename(executable),
    spawn(executable, args, { env: fixture.environment(env), stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

const CLEAN: Exit = { code: 0, signal: null };

describe('the console at an address', () => {
  test('is shown in one window, logged in one line, with the usual menu and no developer tools', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    expect(await program.log('window shown')).toMatchObject({ part: 'console', url: `${stand.url}/` });
    await program.says('콘솔 대역');
    const bounds = await program.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => ({ ...window.getBounds(), visible: window.isVisible() })),
    );
    expect(bounds).toMatchObject([{ width: 1280, height: 860, visible: true }]);
    expect(program.logged('window shown')).toHaveLength(1);
    const roles = await program.app.evaluate(({ Menu }) =>
      (Menu.getApplicationMenu()?.items ?? []).flatMap((item) =>
        (item.submenu?.items ?? []).map((entry) => entry.role ?? entry.type),
      ),
    );
    expect(roles).toContain('copy');
    expect(roles).not.toContain('toggledevtools');
  });
});

describe('the console cannot be shown', () => {
  deepTest.each(['light', 'dark'] as const)(
    'no server answers: the window says so in both languages, and recovers by itself (%s)',
    async (scheme) => {
      await stand.start();
      await stand.stop();
      const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url }, scheme);
      await program.says('콘솔에 연결할 수 없습니다');
      const text = await program.text();
      for (const words of [
        'The console cannot be reached',
        'ERR_CONNECTION_REFUSED',
        '프로그램 시작 후 없음\nnone since this program started',
        `${stand.url}/`,
        '지금 다시 시도 / Try again now',
      ])
        expect(text).toContain(words);
      await program.screenshot(`program-unreachable-${scheme}`);
      await stand.start();
      await program.log('window shown');
      await program.says('콘솔 대역');
    },
  );

  test('it says why in both languages, with the age of the last good answer and of the queue, and recovers by itself', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    await program.page.evaluate(async () => {
      const inside = globalThis as unknown as { causewayProgram: { report(report: unknown): Promise<void> } };
      const age = { answeredMs: 0, oldestMs: 2 * 3_600_000 + 10 * 60_000 };
      await inside.causewayProgram.report({ language: 'ko', sync: 'OK', waiting: 5, newest: null, queue: age });
    });
    await stand.stop();
    await program.page.reload().catch(() => undefined);
    await program.says('콘솔에 연결할 수 없습니다');
    await program.says('심사 대기 5건, 최장 대기 2시간 10분');
    const text = await program.text();
    for (const words of [
      '이 주소에서 응답하는 서버가 없습니다.',
      'No server answers at this address.',
      'ERR_CONNECTION_REFUSED',
      '마지막 정상 응답 / Last successful response',
      '1분 미만 전',
      'less than a minute ago',
      '5 awaiting review, the oldest for 2 h 10 min',
    ])
      expect(text).toContain(words);
    expect(await violations(program.page)).toEqual([]);
    await program.screenshot('program-last-answer');
    await stand.start();
    await program.log('window shown', 2);
  });

  deepTest('a person can retry at once', async () => {
    await stand.start();
    await stand.stop();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    // The pauses have grown by then.
    await program.log('console not shown', 4);
    await stand.start();
    await program.page.getByRole('button', { name: 'Try again now' }).click();
    await program.says('콘솔 대역');
    expect(program.logged('console not shown')).toHaveLength(4);
  });

  deepTest('an answer from something other than a console is named as such', async () => {
    let ready = false;
    const half = await new StandIn((_request, response) => {
      if (!ready) response.statusCode = 503;
      answerPage(response, '<h1>콘솔 대역</h1>');
    }).start();
    try {
      const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: half.url });
      await program.says('HTTP 503');
      await program.says('콘솔이 응답했지만 화면을 열 수 없습니다');
      await program.screenshot('program-refused');
      ready = true;
      await program.log('window shown');
    } finally {
      await half.stop();
    }
  });

  test('while the window waits for the console, the end of an earlier page’s load is not taken for it', async () => {
    let answerHeld: (() => void) | null = null;
    const slow = await new StandIn((request, response) => {
      const answer = (): void => answerPage(response, '<h1>콘솔 대역</h1>');
      if (request.headers['sec-fetch-mode'] === 'navigate' && answerHeld === null) answerHeld = answer;
      else answer();
    }).start();
    try {
      await slow.stop();
      const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: slow.url });
      await program.log('status page shown');
      await slow.start();
      const answer = await waitFor('the window to ask for the console', () => answerHeld);
      // The window has the console's address by now, and still the program's own page.
      await program.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.emit('did-finish-load'),
      );
      await program.log('status page shown', 2);
      expect(program.logged('window shown')).toEqual([]);
      answer();
      await program.log('window shown');
      await program.says('콘솔 대역');
    } finally {
      await slow.stop();
    }
  });

  deepTest('a reload during an outage ends on the status page, not on a blank one, and recovers', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    await stand.stop();
    await program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.reload());
    await program.says('콘솔에 연결할 수 없습니다');
    await stand.start();
    await program.log('window shown', 2);
  });

  deepTest('a page whose process dies is opened again', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    await program.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    );
    await program.log('page process gone');
    await program.log('status page shown');
    await program.log('window shown', 2);
  });
});

describe('one program per data folder', () => {
  deepTest('a second start brings the first window to the front and ends', async () => {
    await stand.start();
    const data = fixture.folder();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url, CAUSEWAY_CONSOLE_DATA: data });
    await program.log('window shown');
    await program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
    const { executable } = await ensurePackaged({ log: () => undefined, test: true });
    const second = run(executable, AS_ROOT, { CAUSEWAY_CONSOLE_URL: stand.url, CAUSEWAY_CONSOLE_DATA: data });
    expect(await second.ended()).toEqual(CLEAN);
    expect(second.logs.map(({ msg }) => msg)).toEqual(['already running: its window comes to the front']);
    await waitFor('the first window', () =>
      program.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()),
    );
  });
});

describe('the end', () => {
  deepTest.each(['SIGTERM', 'SIGINT'] as const)('%s: at once, with code 0', async (signal) => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    expect(await program.part.stop(signal)).toEqual(CLEAN);
    expect(program.logged('ended')).toHaveLength(1);
  });

  deepTest('the window is closed: the program ends', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    await program.page.close();
    expect(await program.part.ended()).toEqual(CLEAN);
  });

  test('a page with unsaved work cannot block the system’s shutdown', async () => {
    await stand.start();
    const program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: stand.url });
    await program.log('window shown');
    await program.page.evaluate(() => {
      location.href = '/asks-to-stay';
    });
    // Chromium asks only for pages that a user has touched.
    await program.page.getByRole('button').click();
    expect(await program.part.stop('SIGTERM')).toEqual(CLEAN);
  });
});

describe('local mode: the packed console API', () => {
  test('is started on its ledger, shown, restarted when it dies, and ended with the program', async () => {
    const program = await fixture.launch({
      CAUSEWAY_LEDGER: path.join(fixture.folder(), 'ledger.db'),
      CAUSEWAY_DEMO: '1',
    });
    const { url } = await program.log('window shown');
    await program.page.getByRole('textbox').first().waitFor();
    await program.screenshot('program-local-login');
    const asked = async (headers: Record<string, string>): Promise<unknown> => {
      const { body } = await request(`${String(url)}api/v1/auth/session`, { headers });
      return ((await body.json()) as { code: unknown }).code;
    };
    // Its own window is admitted, and no other caller on this machine, with any headers.
    const headers = await program.windowHeaders();
    expect(await asked(headers)).toBe('COMMON401');
    const origin = new URL(String(url)).origin;
    for (const others of [
      {},
      { origin },
      { ...headers, origin: 'http://127.0.0.1:1' },
      { 'x-causeway-window': 'guess' },
    ])
      expect(await asked(others)).toBe('COMMON403');

    // The API dies while the user types: the typed text is still there when it answers again.
    await program.page.getByRole('textbox').first().fill('reviewer');
    const first = Number((await program.log('console service started'))['servicePid']);
    process.kill(first, 'SIGKILL');
    const second = Number((await program.log('console service started', 2))['servicePid']);
    await waitFor('its answer', async () => (await asked(await program.windowHeaders())) === 'COMMON401');
    expect(await program.page.getByRole('textbox').first().inputValue()).toBe('reviewer');
    expect(program.logged('window shown')).toHaveLength(1);

    expect(await program.part.stop()).toEqual(CLEAN);
    expect(isAlive(second)).toBe(false);
    expect(program.logged('console service stopped')).toMatchObject([{ reason: 'exit code 0' }]);
  });

  test('does not outlive a killed program', async () => {
    const program = await fixture.launch({
      CAUSEWAY_LEDGER: path.join(fixture.folder(), 'ledger.db'),
      CAUSEWAY_DEMO: '1',
    });
    await program.log('window shown');
    const service = Number((await program.log('console service started'))['servicePid']);
    process.kill(program.pid, 'SIGKILL');
    await waitFor('the end of the service', () => !isAlive(service));
  });

  deepTest('its ledger cannot be opened: a specific screen says what to do, and continues when it can', async () => {
    const folder = path.join(fixture.folder(), 'later');
    const program = await fixture.launch({ CAUSEWAY_LEDGER: path.join(folder, 'ledger.db'), CAUSEWAY_DEMO: '1' });
    await program.says('원장을 열 수 없습니다');
    const text = await program.text();
    expect(text).toContain('Check the file’s location, its permissions and the free space.');
    expect(text).toContain('ledger.db');
    await program.screenshot('program-ledger-unreachable');
    mkdirSync(folder);
    await program.log('window shown');
  });

  deepTest('its file is not a ledger: another screen, and the file stays as it is', async () => {
    const file = path.join(fixture.folder(), 'ledger.db');
    writeFileSync(file, 'this is no ledger, whatever its name says'.repeat(200));
    const before = readFileSync(file);
    const program = await fixture.launch({ CAUSEWAY_LEDGER: file });
    await program.says('원장이 손상되었습니다');
    // Between two tries the page says that the service starts.
    await program.says('it must be restored from a backup');
    await program.screenshot('program-ledger-damaged');
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('the packed program', () => {
  const on = FuseState.ENABLE;
  const off = FuseState.DISABLE;
  const common = {
    [FuseV1Options.RunAsNode]: off,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: off,
    [FuseV1Options.EnableCookieEncryption]: on,
    [FuseV1Options.OnlyLoadAppFromAsar]: on,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: on,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: off,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: off,
  };

  test('has the fuses of the product', async () => {
    expect(await getCurrentFuseWire(product)).toMatchObject({
      ...common,
      [FuseV1Options.EnableNodeCliInspectArguments]: off,
    });
  });

  test('the test build differs only by the debugger', async () => {
    const { executable } = await ensurePackaged({ log: () => undefined, test: true });
    expect(await getCurrentFuseWire(executable)).toMatchObject({
      ...common,
      [FuseV1Options.EnableNodeCliInspectArguments]: on,
    });
  });

  test('cannot run as Node, and loads no code from its environment', async () => {
    await stand.start();
    const program = run(product, AS_ROOT, {
      CAUSEWAY_CONSOLE_URL: stand.url,
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--require /no/such/file.js',
    });
    await program.logLine('the window', ({ msg }) => msg === 'window shown');
    // A program packed from a checkout is not a release.
    await program.logLine('the build', ({ msg }) => msg === 'unsigned test build: it takes no updates');
    expect(await program.stop()).toEqual(CLEAN);
  });

  // With the second, a window showed a false console despite the pinned authority.
  test.each([
    ['remote-debugging-port', '=0'],
    ['inspect', '=0'],
    ['ignore-certificate-errors', ''],
    ['proxy-server', '=http://127.0.0.1:9'],
  ])('cannot be opened to other programs, nor to a false console: --%s', async (name, value) => {
    const program = run(product, [...AS_ROOT, `--${name}${value}`], { CAUSEWAY_CONSOLE_URL: 'http://127.0.0.1:9' });
    expect(await program.ended()).toEqual({ code: 2, signal: null });
    expect(program.stderr).toContain(`--${name} is not allowed: a switch of the browser`);
    expect(program.stderr).not.toMatch(/(?:DevTools|Debugger) listening/);
  });

  deepTest('reports the fault of a variable in one sentence', async () => {
    const program = run(product, AS_ROOT, { CAUSEWAY_CONSOLE_URL: 'http://console.firm.example' });
    expect(await program.ended()).toEqual({ code: 2, signal: null });
    expect(program.stderr).toContain('CAUSEWAY_CONSOLE_URL must begin with https://');
  });

  deepTest('lists its variables', async () => {
    const program = run(product, [...AS_ROOT, '--help'], {});
    expect(await program.ended()).toEqual(CLEAN);
    expect(program.stdout).toContain('CAUSEWAY_CONSOLE_URL');
  });

  test.each(['console-api', 'intake', 'provision', 'relay'])('brings %s, which runs from there alone', async (name) => {
    const resources = path.join(path.dirname(product), 'resources');
    const service = startPart(path.join(resources, 'services', `${name}.js`), {
      program: path.join(resources, 'node', 'node'),
      args: ['--help'],
      cwd: fixture.folder(),
    });
    expect(await service.ended()).toEqual(CLEAN);
    expect(service.stdout).toContain('CAUSEWAY_');
  });

  test('contains everything that its services need: nothing is loaded from surrounding folders', () => {
    const services = path.join(path.dirname(product), 'resources', 'services');
    const script = "process.stdout.write(import.meta.resolve('better-sqlite3'))";
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: services });
    expect(stdout.toString()).toContain(pathToFileURL(services).href);
  });

  test('a second call finds the packed program at once, without output', async () => {
    const said: string[] = [];
    expect((await ensurePackaged({ log: (line) => said.push(line) })).executable).toBe(product);
    expect(said).toEqual([]);
  });
});

describe('npm run console', () => {
  test('opens the packed program, forwards the signal, and ends with its code', async () => {
    await stand.start();
    const launcher = startPart('electron/packaging/console.ts', {
      env: { CAUSEWAY_CONSOLE_URL: stand.url, CAUSEWAY_CONSOLE_DATA: fixture.folder() },
    });
    const { pid } = await launcher.logLine('the window', ({ msg }) => msg === 'window shown');
    expect(await launcher.stop()).toEqual(CLEAN);
    expect(isAlive(Number(pid))).toBe(false);
    expect(launcher.stdout.includes('--no-sandbox')).toBe(AS_ROOT.length > 0);
  });
});
