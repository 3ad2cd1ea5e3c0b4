/**
 * The tenant console in Chromium: a real console API on a ledger, real pages, and any number of windows and users. For
 * the behaviour of pages; the desktop program's part is tested in the packed program (`console-fixture`).
 */
import type { BrowserContext, Page, Response } from 'playwright';
import { describedAnswer } from '../support/console-api/console.ts';
import { ensurePages } from '../../electron/packaging/build/pages.ts';
import { openBrowser, type SharedBrowser } from '../support/chromium.ts';
import { takePicture } from '../support/pictures.ts';
import { TestFixture, type Part } from '../support/process.ts';
import { openLedger } from '../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../support/agent/ledger.ts';
import { ApiSession, seededLedger, TEXT } from './console-fixture.ts';

export interface WindowOptions {
  username?: string;
  /** The address of its first screen, which saves a second load. */
  at?: string;
  /** CSS pixels. 200 % zoom of a 1440 x 900 window is 720 x 450. */
  width?: number;
  height?: number;
  language?: 'ko' | 'en';
  scheme?: 'light' | 'dark';
  /** Runs in the page before its own scripts. */
  before?: () => void;
  /** The test checks answers itself (`holdAnswer`): for a page with thousands of requests. */
  handsAnswersOver?: boolean;
}

/** The request of an answer, and its status. */
export interface AskedAnswer {
  method: string;
  pathname: string;
  status: number;
}

/** Goes to an address within the loaded page, as a link of the console does: a load takes 0.3 s of processor time. */
export async function moveTo(page: Page, at: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
  }, at);
}

export class ConsoleBrowser {
  readonly fixture: TestFixture;
  readonly ledger: string;
  readonly url: string;
  readonly api: Part;
  /** Errors of the pages, mainly violations of the content security policy. */
  readonly complaints: string[] = [];
  readonly #browser: SharedBrowser;
  #added = 0;

  private constructor(fixture: TestFixture, ledger: string, url: string, api: Part, browser: SharedBrowser) {
    this.fixture = fixture;
    this.ledger = ledger;
    this.url = url;
    this.api = api;
    this.#browser = browser;
  }

  /**
   * A console API on a ledger, and a browser beside it.
   *
   * @param seed the number of waiting items in a ledger of the demo's accounts, or a function that creates another
   * ledger in a folder
   * @param variables of the console API, besides its own; files that they name may lie in the folder
   */
  static async open(
    seed: number | ((folder: string) => string) = 3,
    variables: (folder: string) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<ConsoleBrowser> {
    await ensurePages({ pages: 'tenant', log: () => undefined });
    const fixture = new TestFixture();
    const folder = fixture.folder('console');
    const ledger = typeof seed === 'number' ? seededLedger(folder, seed) : seed(folder);
    const env = {
      CAUSEWAY_LEDGER: ledger,
      CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_DEMO: '1',
      ...variables(folder),
    };
    const api = fixture.start('electron/console-api/main.ts', { env });
    const { url } = await api.listening();
    const browser = await openBrowser();
    return new ConsoleBrowser(fixture, ledger, url, api, browser);
  }

  /** A window with a session of its own, at the first screen of its user. */
  async window(options: WindowOptions = {}): Promise<Page> {
    const page = await this.page({ username: 'reviewer', ...options });
    await page.locator('main#main').waitFor();
    return page;
  }

  /** The same without a login, unless a user is named. */
  async page(options: WindowOptions = {}): Promise<Page> {
    const {
      username,
      at = '',
      width = 1440,
      height = 900,
      language = 'ko',
      scheme = 'light',
      before,
      handsAnswersOver = false,
    } = options;
    const context = await this.#browser.newContext({
      locale: language === 'ko' ? 'ko-KR' : 'en-US',
      viewport: { width, height },
      colorScheme: scheme,
    });
    // As of a person who has put the first keys away: `program/story.test.ts` has them.
    await context.addInitScript(() => localStorage.setItem('causeway.first-keys', 'off'));
    if (before !== undefined) await context.addInitScript(before);
    if (username !== undefined) await this.signIn(context, username);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    if (!handsAnswersOver) page.on('response', (response) => void this.#holdResponse(response));
    await page.goto(new URL(at, this.url).href);
    return page;
  }

  /** Gives a window a user's session without the login screen, which has its own tests. */
  async signIn(context: BrowserContext, username: string): Promise<void> {
    const response = await context.request.post(new URL('/api/v1/auth/login', this.url).href, {
      headers: { origin: new URL(this.url).origin },
      data: { username, password: 'causeway-demo' },
    });
    if (!response.ok()) throw new Error(`${username} cannot log in: ${response.status()}`);
  }

  /** Adds items to the queue while everything runs, as the Intake would. */
  addWaiting(count: number): void {
    const ledger = openLedger(this.ledger);
    ledger.write((tx) => {
      for (let index = 0; index < count; index += 1) {
        this.#added += 1;
        const id = `added-${this.#added}`;
        const result = {
          etf_ticker: String(300_000 + this.#added),
          etf_name: `추가 ETF ${this.#added}`,
          summary: TEXT,
        };
        receive(tx, newEntry(id, result, { cursor: 10_000 + this.#added }));
      }
    });
    ledger.close();
  }

  /** The vendor changes the text of a waiting item. */
  reword(id: string): void {
    this.#added += 1;
    const ledger = openLedger(this.ledger);
    const summary = `${TEXT} 정정 ${this.#added}회차.`;
    ledger.write((tx) =>
      tx.run(
        sqlite
          .updateTable('explanation')
          .set((eb) => ({ summary, version: eb('version', '+', 1) }))
          .where('id', '=', id),
      ),
    );
    ledger.close();
  }

  /** A user at the API without a window. */
  person(username: string, password?: string): Promise<ApiSession> {
    return ApiSession.logIn(this.url, username, password);
  }

  /** A colleague of the demo's reviewer, registered now and logged in without a window. */
  async secondReviewer(): Promise<ApiSession> {
    const admin = await this.person('admin');
    return admin.join({
      username: 'second',
      displayName: '둘째 심사자',
      role: 'COMPLIANCE_REVIEWER',
      password: 'second-reviewer-1',
    });
  }

  async screenshot(page: Page, name: string): Promise<void> {
    await takePicture(page, name);
  }

  /** Checks a page's answer against the description of its route; a mismatch is added to the complaints. */
  holdAnswer({ method, pathname, status }: AskedAnswer, body: unknown): void {
    try {
      describedAnswer(method, pathname, status).parse(body);
    } catch (error) {
      this.complaints.push(`${method} ${pathname}: ${String(error)}`);
    }
  }

  async #holdResponse(response: Response): Promise<void> {
    if (response.headers()['content-type']?.startsWith('application/json') !== true) return;
    // A page that closes takes the body with it.
    const body: unknown = await response.json().catch(() => null);
    if (body === null) return;
    const { pathname } = new URL(response.url());
    this.holdAnswer({ method: response.request().method(), pathname, status: response.status() }, body);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.fixture.clear();
  }
}
