/** Attacks on the desktop program from a page at the console's own address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/process.ts';
import { askForDevice, attackBridge, DEVICES } from './page-attacks.ts';
import { answerPage, ProgramFixture, StandIn, type Program } from '../program-fixture.ts';

const fixture = new ProgramFixture();
/** Another site, which must never get a request. */
const elsewhere = new StandIn((_request, response) => answerPage(response, 'elsewhere'));
const console_ = new StandIn((request, response) => {
  if (request.url === '/redirect') {
    response.writeHead(302, { location: `${elsewhere.url}/redirected` });
    response.end();
    return;
  }
  answerPage(response, `<h1>console ${request.url ?? ''}</h1>`);
});
let program: Program;

beforeAll(async () => {
  await Promise.all([elsewhere.start(), console_.start()]);
  program = await fixture.launch({ CAUSEWAY_CONSOLE_URL: console_.url });
  await program.log('window shown');
  // Addresses for the system browser are recorded, not opened.
  await program.app.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { openedOutside: opened });
    shell.openExternal = async (url) => void opened.push(url);
  });
});

afterAll(async () => {
  await fixture.clear();
  await Promise.all([elsewhere.stop(), console_.stop()]);
});

async function openedOutside(): Promise<string[]> {
  return program.app.evaluate(() => (globalThis as unknown as { openedOutside: string[] }).openedOutside);
}

/** Waits until the program has logged another refusal of this kind. */
async function refused(msg: string, act: () => Promise<unknown>): Promise<void> {
  const before = program.logged(msg).length;
  await act();
  await program.log(msg, before + 1);
}

async function stillThere(): Promise<void> {
  expect(program.page.url()).toBe(`${console_.url}/`);
  expect(await program.page.locator('h1').innerText()).toBe('console /');
  expect(elsewhere.asked).toEqual([]);
  expect(
    await program.app.evaluate(({ BrowserWindow, webContents }) => [
      BrowserWindow.getAllWindows().length,
      webContents.getAllWebContents().length,
    ]),
  ).toEqual([1, 1]);
}

describe('the page and Node', () => {
  test('no Node, no Electron and no object of the program is in the page', async () => {
    const found = await program.page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer', 'causeway', '__dirname'].filter(
        (name) => name in globalThis,
      ),
    );
    expect(found).toEqual([]);
  });

  test('the bridge has only its documented functions, and no way behind them', async () => {
    const found = await program.page.evaluate(attackBridge);
    expect(found).toEqual({
      names: ['report', 'appear', 'speak', 'offerMenu', 'onAct', 'onLock', 'printPdf', 'signIn: listen open'],
      behind: 'undefinedundefinedundefined',
      ...{ isReplaced: false, isOverheard: false, isInFrame: false },
    });
  });

  test('the page runs with every protection on', async () => {
    const preferences = await program.app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      };
      return contents.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
    });
  });

  test('a worker of the page has no Node either', async () => {
    const found = await program.page.evaluate(async () => {
      const code = 'postMessage(typeof require + typeof process)';
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
      return new Promise((resolve) => worker.addEventListener('message', (message) => resolve(message.data)));
    });
    expect(found).toBe('undefinedundefined');
  });

  test('a webview tag is an unknown element', async () => {
    const kind = await program.page.evaluate((url) => {
      const view = document.createElement('webview');
      view.setAttribute('src', url);
      document.body.append(view);
      return view.constructor.name;
    }, `${elsewhere.url}/webview`);
    expect(kind).toBe('HTMLElement');
    await stillThere();
  });
});

describe('leaving the console', () => {
  test.each(['/navigated', '/navigated?console=127.0.0.1'])('another origin: %s', async (path) => {
    await refused('navigation refused', () =>
      program.page.evaluate((url) => {
        location.href = url;
      }, elsewhere.url + path),
    );
    await stillThere();
  });

  test.each(['file:///etc/passwd', 'causeway-shell://status/', 'data:text/html,x', 'chrome://gpu'])(
    'not even to %s',
    async (url) => {
      await program.page.evaluate((target) => {
        const link = document.createElement('a');
        link.href = target;
        document.body.append(link);
        link.click();
        link.remove();
      }, url);
      // Chromium itself refuses some of these before the program is asked: the page must stay in any case.
      await refused('navigation refused', () =>
        program.page.evaluate((address) => {
          location.href = address;
        }, `${elsewhere.url}/after`),
      );
      await stillThere();
    },
  );

  test('to a blank page: the console returns', async () => {
    const shown = program.logged('window shown').length;
    await program.page.evaluate(() => {
      location.href = 'about:blank';
    });
    await program.log('navigation undone');
    await program.log('window shown', shown + 1);
    // Playwright hears of the page a moment after the program's log.
    await program.page.waitForURL(`${console_.url}/`);
    await stillThere();
  });

  test('a form submitted to another site', async () => {
    await refused('navigation refused', () =>
      program.page.evaluate((url) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = url;
        document.body.append(form);
        form.submit();
      }, `${elsewhere.url}/form`),
    );
    await stillThere();
  });

  test('a frame of another origin stays empty', async () => {
    await refused('navigation refused', () =>
      program.page.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      }, `${elsewhere.url}/frame`),
    );
    await stillThere();
  });

  test('any path within the console is allowed', async () => {
    await program.page.evaluate(() => {
      location.href = '/review/7';
    });
    await program.says('console /review/7');
    await program.page.evaluate(() => {
      location.href = '/';
    });
    await program.page.waitForURL(`${console_.url}/`);
    await stillThere();
  });

  test('a redirect to another site is refused; the window says so and returns', async () => {
    const shown = program.logged('window shown').length;
    await refused('redirect refused', () =>
      program.page.evaluate(() => {
        location.href = '/redirect';
      }),
    );
    await program.log('console not shown');
    await program.log('window shown', shown + 1);
    await waitFor('the console', () => program.page.url() === `${console_.url}/`);
    await stillThere();
  });

  test('a console path that reads like another host leads to the console when the window returns', async () => {
    const { host } = new URL(elsewhere.url);
    const shown = program.logged('window shown').length;
    await refused('redirect refused', () =>
      program.page.evaluate((address) => {
        history.pushState(null, '', address);
        location.href = '/redirect';
      }, `${console_.url}//${host}/led`),
    );
    await program.log('window shown', shown + 1);
    await program.says(`console //${host}/led`);
    expect(elsewhere.asked).toEqual([]);
    await program.page.evaluate(() => {
      location.href = '/';
    });
    await program.page.waitForURL(`${console_.url}/`);
    await stillThere();
  });
});

describe('opening windows', () => {
  test.each([
    'http://dart.fss.or.kr/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'causeway-shell://status/',
    'https://user@dart.fss.or.kr/',
    'about:blank',
    '',
  ])('no window, and nothing outside: "%s"', async (url) => {
    const before = await openedOutside();
    expect(await program.page.evaluate((target) => window.open(target) === null, url)).toBe(true);
    await stillThere();
    expect(await openedOutside()).toEqual(before);
  });

  test('an https link goes to the system browser, as parsed, and opens no window here', async () => {
    expect(await program.page.evaluate(() => window.open('HTTPS://dart.fss.or.kr/공시?x=1') === null)).toBe(true);
    await program.log('link opened outside');
    expect(await openedOutside()).toEqual(['https://dart.fss.or.kr/%EA%B3%B5%EC%8B%9C?x=1']);
    await stillThere();
  });
});

test('a case opens in a window that the program creates, under the same restrictions, and closes with it', async () => {
  const open = (path: string): Promise<boolean> =>
    program.page.evaluate((target) => window.open(target, '_blank', 'noopener') === null, path);
  const windows = (): Promise<string[]> =>
    program.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getURL()),
    );
  const cases = async () => (await windows()).filter((url) => url !== `${console_.url}/`);
  const shows = (path: string) => waitFor(path, async () => (await cases()).includes(console_.url + path) || undefined);
  expect(await open('/review/a-1')).toBe(true);
  await shows('/review/a-1');
  await open('/explanations/b-2');
  await shows('/explanations/b-2');
  expect(await cases()).toEqual([`${console_.url}/explanations/b-2`]);
  const page = await waitFor('its page', () => program.app.windows().find((one) => one.url().endsWith('/b-2')));
  // Between two pages the window shows the theme's background, without a white flash.
  const grounds = await program.app.evaluate(({ BrowserWindow, nativeTheme }) => [
    nativeTheme.shouldUseDarkColors ? '#12171C' : '#F4F6F8',
    ...BrowserWindow.getAllWindows().map((window) => window.getBackgroundColor()),
  ]);
  expect(new Set(grounds).size).toBe(1);
  expect(await page.evaluate(() => [typeof require, typeof process])).toEqual(['undefined', 'undefined']);
  await refused('navigation refused', () =>
    page.evaluate((target) => {
      location.href = target;
    }, elsewhere.url),
  );
  await page.close();
  await waitFor('its end', async () => ((await windows()).length === 1 ? true : undefined));
  await stillThere();
});

describe('permissions and files', () => {
  test.each(['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read', 'persistent-storage'])(
    '%s is denied',
    async (name) => {
      const state = await program.page.evaluate(
        async (permission) => (await navigator.permissions.query({ name: permission as PermissionName })).state,
        name,
      );
      expect(state).toBe('denied');
    },
  );

  test('a permission request is denied as well', async () => {
    const answers = await program.page.evaluate(async () => {
      const located = new Promise<number>((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve(0),
          (error) => resolve(error.code),
        ),
      );
      return [await Notification.requestPermission(), await located];
    });
    expect(answers).toEqual(['denied', 1]);
  });

  test('devices are unavailable', async () => {
    const problem = await program.page.evaluate(async () => {
      try {
        await navigator.mediaDevices.getUserMedia({ audio: true });
        return 'given';
      } catch (error) {
        return error instanceof Error ? error.name : 'unknown';
      }
    });
    expect(['NotAllowedError', 'NotFoundError']).toContain(problem);
  });

  test.each(DEVICES)('%s is not given, even at the press of a key', async (of) => {
    const devtools = await program.page.context().newCDPSession(program.page);
    const { result } = await devtools.send('Runtime.evaluate', {
      expression: askForDevice(of),
      userGesture: true,
      awaitPromise: true,
    });
    await devtools.detach();
    expect(['none', 'NotAllowedError', 'NotFoundError', 'NotSupportedError', 'SecurityError', 'TypeError']).toContain(
      result.value,
    );
  });

  test.each(['file:///etc/passwd', 'causeway-shell://status/page.js'])('%s cannot be read', async (url) => {
    const read = await program.page.evaluate(async (target) => {
      try {
        return await (await fetch(target)).text();
      } catch {
        return null;
      }
    }, url);
    expect(read).toBeNull();
  });
});

describe('messages to the program', () => {
  /** A page with full powers, created by the test: as if every other protection had failed. */
  async function sendFrom(url: string, channel: string, args: unknown[]): Promise<string> {
    return program.app.evaluate(
      async ({ BrowserWindow }, sent) => {
        const window = new BrowserWindow({
          show: false,
          webPreferences: { nodeIntegration: true, contextIsolation: false, sandbox: false },
        });
        try {
          await window.loadURL(sent.url);
          const call = `require('electron').ipcRenderer.invoke(${JSON.stringify(sent.channel)}, ...${JSON.stringify(sent.args)})`;
          return (await window.webContents.executeJavaScript(
            `${call}.then((answer) => 'answered ' + JSON.stringify(answer), (error) => error.message)`,
          )) as string;
        } finally {
          window.destroy();
        }
      },
      { url, channel, args },
    );
  }

  test('a page of the console gets no answer', async () => {
    expect(await sendFrom(`${console_.url}/`, 'shell:state', [])).toContain('shell:state is not answered here');
    expect(await sendFrom(`${console_.url}/`, 'shell:retry', [])).toContain('shell:retry is not answered here');
  });

  test('only the console may send a report', async () => {
    const report = [{ language: 'ko', sync: null, waiting: null, newest: null }];
    expect(await sendFrom(`${console_.url}/`, 'console:report', report)).toBe('answered null');
    for (const page of ['causeway-shell://status/', `${elsewhere.url}/`])
      expect(await sendFrom(page, 'console:report', report)).toContain('console:report is not answered here');
    elsewhere.asked.length = 0;
  });

  test('only the console may begin a sign-in, and only over https', async () => {
    for (const page of ['causeway-shell://setup/', `${elsewhere.url}/`])
      expect(await sendFrom(page, 'sign-in:listen', [0])).toContain('sign-in:listen is not answered here');
    elsewhere.asked.length = 0;
    expect(await sendFrom(`${console_.url}/`, 'sign-in:listen', [70_000])).toContain('called with wrong arguments');
    const back = /^answered "(http:\/\/127\.0\.0\.1:\d+\/sso\/callback)"$/.exec(
      await sendFrom(`${console_.url}/`, 'sign-in:listen', [0]),
    )?.[1];
    const before = await openedOutside();
    const address = `http://127.0.0.1:1/?${new URLSearchParams({ redirect_uri: back ?? '', state: 'a' }).toString()}`;
    expect(await sendFrom(`${console_.url}/`, 'sign-in:open', [address])).toBe('answered {"kind":"not-opened"}');
    expect(await openedOutside()).toEqual(before);
  });

  test('the status page gets answers, but not for invalid arguments or on other channels', async () => {
    expect(await sendFrom('causeway-shell://status/', 'shell:state', [])).toMatch(/^answered \{"kind":/);
    expect(await sendFrom('causeway-shell://status/', 'shell:state', ['x'])).toContain('called with wrong arguments');
    expect(await sendFrom('causeway-shell://status/', 'shell:open', [])).toContain(
      "No handler registered for 'shell:open'",
    );
  });

  test('only the setup page may read and set this computer’s choice', async () => {
    const chosen = { console: { mode: 'local', intake: null, provision: null }, updates: null };
    for (const page of [`${console_.url}/`, 'causeway-shell://status/'])
      for (const [channel, args] of [
        ['setup:read', []],
        ['setup:save', [chosen]],
      ] as const)
        expect(await sendFrom(page, channel, [...args])).toContain(`${channel} is not answered here`);
    for (const args of [[], [null], [chosen, chosen], [{ ...chosen, more: 1 }], [{ ...chosen, updates: { feed: 7 } }]])
      expect(await sendFrom('causeway-shell://setup/', 'setup:save', args)).toContain('called with wrong arguments');
    const evil = { console: { mode: 'connected', address: 'http://evil.example', authority: '' }, updates: null };
    expect(await sendFrom('causeway-shell://setup/', 'setup:save', [evil])).toBe(
      'answered {"kind":"wrong","problems":["address"]}',
    );
    await stillThere();
  });

  test("the program's own pages serve only their few files", async () => {
    const answers = await program.app.evaluate(async ({ session }) => {
      const paths = [
        '',
        'page.css',
        'page.js',
        'setup.js',
        '../main.cjs',
        'main.cjs',
        '..%2fmain.cjs',
        'page.html',
        'ko.html',
      ];
      const ask = async (url: string): Promise<number> => (await session.defaultSession.fetch(url)).status;
      return Promise.all(
        ['status', 'setup', 'manual', 'other'].map((page) =>
          Promise.all(paths.map((one) => ask(`causeway-shell://${page}/${one}`))),
        ),
      );
    });
    expect(answers).toEqual([
      [200, 200, 200, 404, 404, 404, 404, 404, 404],
      [200, 200, 404, 200, 404, 404, 404, 404, 404],
      [404, 200, 404, 404, 404, 404, 404, 404, 200],
      Array.from({ length: 9 }, () => 404),
    ]);
  });
});
